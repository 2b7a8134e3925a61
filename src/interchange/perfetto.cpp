#include "interchange/perfetto.hpp"

#include <optional>
#include <utility>

namespace leadline::interchange {

namespace {

constexpr uint64_t root_track = 1;

// Field numbers, as protos/perfetto/trace has them.
namespace trace_packet {
constexpr uint32_t timestamp = 8, sequence = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                   track_descriptor = 60;
constexpr uint64_t state_cleared = 1, needs_state = 2;
}  // namespace trace_packet

namespace track_descriptor {
constexpr uint32_t uuid = 1, name = 2, parent = 5, child_ordering = 11, sibling_rank = 12;
constexpr uint64_t ordered = 3;
}  // namespace track_descriptor

namespace track_event {
constexpr uint32_t categories = 3, annotations = 4, type = 9, name = 10, track = 11, flows = 47, ending_flows = 48;
constexpr uint64_t slice_begin = 1, slice_end = 2;
}  // namespace track_event

namespace annotation {
constexpr uint32_t name = 1, integer = 4, text = 6;
}

}  // namespace

// The packets of one thread.
class PerfettoExport::Track {
 public:
  Track(PerfettoExport* to, uint64_t number, const std::string& name) : to_(*to), number_(number) {
    Message descriptor, packet;
    descriptor.number(track_descriptor::uuid, number);
    descriptor.number(track_descriptor::parent, root_track);
    descriptor.text(track_descriptor::name, name);
    descriptor.number(track_descriptor::sibling_rank, number);
    packet.number(trace_packet::sequence, number);
    packet.number(trace_packet::sequence_flags, trace_packet::state_cleared);
    packet.message(trace_packet::track_descriptor, descriptor);
    to_.packet(packet);
  }

  void call(const trace::Process& process, const CallStream& c, const std::string& where) {
    event_.clear();
    interned_.clear();
    const structure::DecodedCall& call = c.call();
    std::string name = call.function < process.functions.size() ? process.functions[call.function].name : "?";
    if (c.polls()) name += " (failed polls)";
    event_.number(track_event::type, track_event::slice_begin);
    event_.number(track_event::track, number_);
    event_.number(track_event::name, intern(Names::event, name));
    event_.number(track_event::categories,
                  intern(Names::category, trace::category_names[static_cast<size_t>(call.facts().category)].name));
    annotate("iteration", c.iteration(), c.iteration() >= 0);
    annotate("polls", static_cast<int64_t>(c.times()), c.polls());
    messages(c);
    if (!where.empty()) {
      Message note;
      note.number(annotation::name, intern(Names::annotation, "call site"));
      note.text(annotation::text, where);
      event_.message(track_event::annotations, note);
    }
    write(c.begin_ns());
    event_.clear();
    event_.number(track_event::type, track_event::slice_end);
    event_.number(track_event::track, number_);
    for (const MessageEnd& end : c.receives()) flow(track_event::ending_flows, end);
    write(c.end_ns());
  }

 private:
  void messages(const CallStream& c) {
    if (c.collective()) {
      int64_t out = 0, in = 0;
      for (const structure::CallPart& part : c.call().parts) {
        out += part.out_bytes;
        in += part.in_bytes;
      }
      annotate("bytes contributed", out, out > 0);
      annotate("bytes received", in, in > 0);
    }
    for (const MessageEnd& end : c.sends()) {
      annotate("to rank", end.dest(), true);
      annotate("bytes sent", end.bytes, end.bytes >= 0);
      annotate("tag", end.tag(), true);
      flow(track_event::flows, end);
    }
    for (const MessageEnd& end : c.receives()) {
      annotate("from rank", end.source(), true);
      annotate("bytes received", end.bytes, end.bytes >= 0);
    }
  }

  void flow(uint32_t field, const MessageEnd& end) {
    const uint64_t number = to_.exporting_.matches().number(end);
    if (!number) return;
    event_.fixed64(field, number);
    to_.sums_.messages += end.sends;
  }

  void annotate(const char* name, int64_t value, bool known) {
    if (!known) return;
    Message note;
    note.number(annotation::name, intern(Names::annotation, name));
    note.number(annotation::integer, static_cast<uint64_t>(value));
    event_.message(track_event::annotations, note);
  }

  // A name's number, which it is given with the first packet that needs it.
  uint64_t intern(Names kind, const std::string& name) {
    auto& known = names_[static_cast<size_t>(kind)];
    const auto [at, fresh] = known.try_emplace(name, known.size() + 1);
    if (fresh) {
      Message entry;
      entry.number(1, at->second);
      entry.text(2, name);
      interned_.message(static_cast<uint32_t>(kind), entry);
    }
    return at->second;
  }

  void write(double ns) {
    Message packet;
    packet.number(trace_packet::timestamp, static_cast<uint64_t>(ns < 0 ? 0 : ns + 0.5));
    packet.number(trace_packet::sequence, number_);
    packet.number(trace_packet::sequence_flags, trace_packet::needs_state);
    if (!interned_.bytes().empty()) packet.message(trace_packet::interned_data, interned_);
    packet.message(trace_packet::track_event, event_);
    interned_.clear();
    to_.packet(packet);
  }

  PerfettoExport& to_;
  uint64_t number_;
  Message event_, interned_;
  std::array<std::unordered_map<std::string, uint64_t>, 4> names_;
};

PerfettoExport::PerfettoExport(const std::string& path, const analysis::Profile& profile, uint32_t loop,
                               const Window& window, std::vector<std::string> sites)
    : exporting_(profile, loop, window), out_(path), sites_(std::move(sites)) {}

void PerfettoExport::packet(const Message& packet) {
  Message outer;
  outer.message(1, packet);
  out_.write(outer.bytes());
}

void PerfettoExport::begin() {
  exporting_.settle();
  Message descriptor, first;
  descriptor.number(track_descriptor::uuid, root_track);
  descriptor.text(track_descriptor::name, "MPI ranks");
  descriptor.number(track_descriptor::child_ordering, track_descriptor::ordered);
  first.number(trace_packet::sequence, root_track);
  first.message(trace_packet::track_descriptor, descriptor);
  packet(first);
}

void PerfettoExport::write(const trace::Process& process, uint32_t index, const std::string& label) {
  std::optional<Track> track;  // of the thread whose calls come
  size_t thread = SIZE_MAX;
  static const std::string nowhere;
  exporting_.visit(
      process, index, true,
      [&](size_t stream, const CallStream& c) {
        if (stream != std::exchange(thread, stream)) {
          const std::string number = std::to_string(process.streams[stream].thread);
          track.emplace(this, ++tracks_, "rank " + label + (stream ? " thread " + number : ""));
        }
        const uint32_t site = exporting_.site(index, stream, c.event().event.key.site);
        sums_.collectives += c.collective() > 0;
        track->call(process, c, site < sites_.size() ? sites_[site] : nowhere);
      },
      &sums_);
}

int PerfettoExport::finish(Exported* sums) {
  sums_.unmatched = exporting_.matches().unmatched();
  *sums = sums_;
  return out_.close();
}

}  // namespace leadline::interchange
