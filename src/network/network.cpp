#include "network/network.hpp"

namespace leadline::network {

const Piece& Link::piece(int64_t bytes) const {
  size_t found = 0;
  while (found + 1 < pieces.size() && pieces[found + 1].from_bytes <= bytes) ++found;
  return pieces[found];
}

Network Network::uniform(const Piece& piece, int64_t eager_bytes) {
  Network network;
  network.set(Distance::other_node, Link{{piece}, eager_bytes});
  return network;
}

const Link* Network::link(Distance distance) const {
  const int wanted = static_cast<int>(distance);
  const int within_node = distance_count - 1;
  for (int farther = wanted; farther < within_node; ++farther)
    if (links_[farther].known()) return &links_[farther];
  if (wanted == within_node && links_[wanted].known()) return &links_[wanted];
  for (int nearer = wanted - 1; nearer >= 0; --nearer)
    if (links_[nearer].known()) return &links_[nearer];
  return links_[within_node].known() ? &links_[within_node] : nullptr;
}

double Network::flag_latency_ns() const {
  if (flag_ns > 0) return flag_ns;
  const Link* const within = link(Distance::node);
  return within ? within->piece(0).latency_ns : 0;
}

Piece Network::most_favourable() const {
  Piece least;
  bool first = true;
  for (const Link& link : links_)
    for (const Piece& piece : link.pieces) {
      if (first) {
        least = piece;
        least.receive_overhead_ns = piece.receiver_ns(0);
        least.receive_overhead_per_byte_ns = piece.receiver_ns(1) - piece.receiver_ns(0);
      }
      first = false;
      least.receive_overhead_ns = std::min(least.receive_overhead_ns, piece.receiver_ns(0));
      least.receive_overhead_per_byte_ns =
          std::min(least.receive_overhead_per_byte_ns, piece.receiver_ns(1) - piece.receiver_ns(0));
      least.latency_ns = std::min(least.latency_ns, piece.latency_ns);
      least.overhead_ns = std::min(least.overhead_ns, piece.overhead_ns);
      least.overhead_per_byte_ns = std::min(least.overhead_per_byte_ns, piece.overhead_per_byte_ns);
      least.gap_ns = std::min(least.gap_ns, piece.gap_ns);
      least.per_byte_ns = std::min(least.per_byte_ns, piece.per_byte_ns);
    }
  least.from_bytes = 0;
  return least;
}

bool distance_of(std::string_view name, Distance* distance) {
  for (int i = 0; i < distance_count; ++i)
    if (name == distance_names[i]) {
      *distance = static_cast<Distance>(i);
      return true;
    }
  return false;
}

}  // namespace leadline::network
