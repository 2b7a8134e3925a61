#include "trace/written.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <utility>

#include "trace/reading/lost_generations.hpp"
#include "trace/reading/payloads.hpp"
#include "trace/reading/tallies.hpp"
#include "trace/structure.hpp"

namespace leadline::trace {

namespace {

template <class T>
size_t bytes_of(const std::vector<T>& of) {
  return of.capacity() * sizeof(T);
}

template <class Symbol>
size_t bytes_of(const DecodedGraph<Symbol>& graph) {
  return bytes_of(graph.nodes) + bytes_of(graph.literals);
}

size_t bytes_of(const DecodedTokens& tokens) {
  size_t bytes = bytes_of(tokens.stream);
  for (const DecodedGraph<Token>& level : tokens.level) bytes += bytes_of(level);
  return bytes;
}

size_t bytes_of(const Generation& g) {
  return sizeof(g) + bytes_of(g.words) + bytes_of(g.word_lists) + bytes_of(g.positions) + bytes_of(g.literals) +
         bytes_of(g.tokens) + bytes_of(g.variations) + bytes_of(g.variation_tokens) + bytes_of(g.polls.sites) +
         bytes_of(g.polls.runs) + bytes_of(g.polls.tokens);
}

// The generations of all processes that were needed last. One analysis of a process after the other needs them, and
// those of a regular program are small. However large, the last one stays.
class Recent {
 public:
  static Recent& all() {
    static Recent recent;
    return recent;
  }

  // Makes room before another one is decoded.
  void make_room() {
    const std::lock_guard locked(mutex_);
    while (bytes_ > most_bytes) drop();
  }
  // source: who will ask for it, and forgets it in the end.
  void add(const void* source, std::shared_ptr<const Generation> generation) {
    const std::lock_guard locked(mutex_);
    bytes_ += bytes_of(*generation);
    generations_.emplace_back(source, std::move(generation));
    while (bytes_ > most_bytes && generations_.size() > 1) drop();
  }
  void forget(const void* source) {
    const std::lock_guard locked(mutex_);
    generations_.remove_if([&](const Entry& e) {
      if (e.first == source) bytes_ -= bytes_of(*e.second);
      return e.first == source;
    });
  }

 private:
  static constexpr size_t most_bytes = size_t{1} << 21;

  using Entry = std::pair<const void*, std::shared_ptr<const Generation>>;

  void drop() {
    bytes_ -= bytes_of(*generations_.front().second);
    generations_.pop_front();
  }

  std::mutex mutex_;
  std::list<Entry> generations_;
  size_t bytes_ = 0;
};

std::atomic<uint64_t> lost{0};

}  // namespace

uint64_t lost_generations() { return lost; }

struct WrittenGeneration::Source {
  std::shared_ptr<const Payload> payload, times;  // times: nullptr: they are in the payload, if there are any
  bool whole = false;                             // the payload has the times
  Limits limits;
  uint64_t most_events = UINT64_MAX;
  std::mutex mutex;
  std::weak_ptr<const Generation> decoded;

  ~Source() { Recent::all().forget(this); }
  bool decode_into(Generation* g) const {
    uint32_t thread = 0;
    const Unpacked unpacked(*payload);
    if (!unpacked.ok()) return false;
    ByteReader in = unpacked.reader();
    return (whole ? decode_generation(in, &thread, g) : decode_structure(in, &thread, g)).empty();
  }
  bool decode_times_into(Generation* g) const {
    const Unpacked unpacked(*times);
    if (!unpacked.ok()) return false;
    ByteReader in = unpacked.reader();
    in.varint();  // thread and number
    in.varint();
    return decode_times(in, g).empty();
  }
  std::shared_ptr<const Generation> decode() const {
    auto g = std::make_shared<Generation>();
    // It was possible before: no memory is left, or somebody has overwritten the file.
    if (!decode_into(g.get()) || (times && !decode_times_into(g.get()))) {
      ++lost;
      *g = Generation{};
      g->unordered = true;
      return g;
    }
    g->limits = limits;
    g->most = most_events;
    for (DecodedPosition& p : g->positions) limits.apply(&p.key);
    for (DecodedPolls::Site& polls : g->polls.sites) limits.apply(&polls.key);
    return g;
  }
};

WrittenGeneration::WrittenGeneration(std::shared_ptr<Generation> decoded, std::shared_ptr<const Payload> payload,
                                     bool whole)
    : being_read_(std::move(decoded)), source_(std::make_shared<Source>()) {
  facts_.number = being_read_->number;
  source_->payload = std::move(payload);
  source_->whole = whole;
  if (whole) end_reading();
}

std::string WrittenGeneration::add_times(ByteReader in, std::shared_ptr<const Payload> times) {
  if (!being_read_) return "times of a generation that has some";
  std::string wrong = decode_times(in, being_read_.get());
  if (wrong.empty()) {
    source_->times = std::move(times);
  } else {  // without those that could be read
    *being_read_ = Generation{};
    if (!source_->decode_into(being_read_.get())) being_read_->unordered = true;
  }
  end_reading();
  return wrong;
}

void WrittenGeneration::end_reading() {
  if (!being_read_) return;
  const Generation& g = *being_read_;
  facts_.unordered = g.unordered;
  facts_.positions = g.positions.size();
  facts_.most_events = source_->most_events = trace::most_events(g);
  for (const DecodedPosition& p : g.positions) facts_.calls += p.times.count;
  facts_.uncounted_variations = trace::uncounted_variations(g);
  facts_.polls_kept = g.polls.kept;
  facts_.polls_dropped = g.polls.dropped;
  being_read_.reset();
}

void WrittenGeneration::finish(const Limits& limits) {
  end_reading();
  const std::lock_guard locked(source_->mutex);
  source_->limits = limits;  // the same ones for everybody who reads the trace
}

std::shared_ptr<const Generation> WrittenGeneration::decoded() const {
  const std::lock_guard locked(source_->mutex);
  if (std::shared_ptr<const Generation> known = source_->decoded.lock()) return known;
  Recent::all().make_room();
  std::shared_ptr<const Generation> fresh = source_->decode();
  source_->decoded = fresh;
  Recent::all().add(source_.get(), fresh);
  return fresh;
}

}  // namespace leadline::trace
