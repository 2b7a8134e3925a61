#include "collectives/halving.hpp"

#include <algorithm>

namespace leadline::collectives {

std::vector<HalvingLevel> halve(const Problem& problem, const Folding& folding, Partial* partial) {
  std::vector<HalvingLevel> levels;
  folding.fold(problem, partial);
  const int position = folding.position();
  if (position < 0) return levels;
  Range mine{Space::data, 0, problem.count};
  for (int distance = 1; distance < folding.participants(); distance *= 2) {
    const Blocks halves(mine, 2);
    const bool upper = position & distance;
    levels.push_back({folding.rank_of(position ^ distance), bool((position ^ folding.position_of_root()) & distance),
                      halves[upper], halves[!upper]});
    partial->exchange(halves[!upper], halves[upper], levels.back().peer, upper);
    mine = halves[upper];
  }
  partial->settle(mine);
  return levels;
}

namespace {

// HalvingPlaces in which the ranks that take part have their blocks while they are halved; with them are the blocks of
// those folded into them.
class HalvingPlaces {
 public:
  HalvingPlaces(const Problem& problem, const Folding& folding, HalvingOrder order)
      : blocks_(blocks_of(problem, Space::input)),
        pairs_(problem.processes - folding.participants()),
        participants_(folding.participants()),
        is_mirrored_(order == HalvingOrder::of_ranks) {
    for (int place = 0; place < participants_; ++place) begins_.push_back(begins_.back() + contributed(place).count);
  }

  // Of a position among those that take part; and the other way round.
  int of(int position) const {
    int mirrored = 0;
    for (int bit = 1; bit < participants_; bit *= 2) mirrored = 2 * mirrored + ((position & bit) != 0);
    return is_mirrored_ ? mirrored : position;
  }
  // A place's blocks where the rank contributes them.
  Range contributed(int place) const {
    const int position = of(place), first = position + std::min(position, pairs_);
    return blocks_.between(first, first + (position < pairs_ ? 2 : 1));
  }
  // Those of places first .. end - 1 in the order of places.
  Range between(int first, int end) const {
    const int64_t begin = begins_[static_cast<size_t>(first)];
    return {Space::scratch, begin, begins_[static_cast<size_t>(end)] - begin};
  }

 private:
  Blocks blocks_;
  int pairs_, participants_;
  bool is_mirrored_;
  std::vector<int64_t> begins_{0};
};

}  // namespace

void halving_reduce_scatter(const Problem& problem, HalvingOrder order, Range result, Schedule* schedule) {
  const Folding folding(problem);
  const Range input = in_space(Space::input, whole(problem));
  if (folding.position() < 0) {
    schedule->wait(schedule->send(input, folding.partner()));
    schedule->wait(schedule->receive(result, folding.partner()));
    return;
  }
  const HalvingPlaces places(problem, folding, order);
  Partial partial(input, schedule->reserve(input.count), schedule);
  folding.fold(problem, &partial);
  if (order == HalvingOrder::of_ranks) {
    std::vector<Range> parts;
    for (int place = 0; place < folding.participants(); ++place) parts.push_back(places.contributed(place));
    partial.rearrange(parts);
  }
  const int place = places.of(folding.position());
  for (int half = folding.participants() / 2; half > 0; half /= 2) {
    const int peer = places.of(place ^ half), first = place / half * half, other = first ^ half;
    partial.exchange(places.between(other, other + half), places.between(first, first + half), folding.rank_of(peer),
                     peer < folding.position());
  }
  // The block of the rank folded into this one comes first: its number is lower.
  Range own = partial.here(places.between(place, place + 1));
  if (folding.partner() >= 0) {
    const int64_t of_partner = blocks_of(problem, Space::input)[folding.partner()].count;
    schedule->wait(schedule->send({own.space, own.first, of_partner}, folding.partner()));
    own = {own.space, own.first + of_partner, own.count - of_partner};
  }
  schedule->copy(own, result);
}

}  // namespace leadline::collectives
