#include "interchange/importing/otf2_import.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>

#include "interchange/importing/location_reader.hpp"
#include "trace/hash.hpp"

namespace leadline::interchange::importing {

namespace {

constexpr uint64_t ns_per_s = 1'000'000'000;
// Ticks of clocks that are far slower or faster are turned to nanoseconds.
constexpr uint64_t slowest_clock = 1'000'000, fastest_clock = 10'000'000'000;

// Times of the archive in the run's ticks.
class Clock {
 public:
  explicit Clock(const Definitions& d)
      : resolution_(std::max<uint64_t>(d.resolution, 1)),
        offset_(d.offset),
        epoch_ns_(d.epoch_ns),
        own_(resolution_ >= slowest_clock && resolution_ <= fastest_clock) {}
  uint64_t factor() const {
    const uint64_t per_s = own_ ? resolution_ : ns_per_s;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(ns_per_s) << 32) / per_s);
  }
  // Since the archive's first event; earlier times exist only in damaged archives.
  uint64_t ticks(uint64_t time) const {
    const uint64_t since = time > offset_ ? time - offset_ : 0;
    return 1 + std::min(own_ ? since : to_ns(since), most_ticks);
  }
  int64_t unix_ns(uint64_t ticks) const {
    if (epoch_ns_ == UINT64_MAX || epoch_ns_ > INT64_MAX / 2) return 0;
    return static_cast<int64_t>(epoch_ns_ + std::min<uint64_t>(own_ ? to_ns(ticks) : ticks, INT64_MAX / 2));
  }

 private:
  static constexpr uint64_t most_ticks = uint64_t{1} << 62;
  uint64_t to_ns(uint64_t ticks) const {
    const unsigned __int128 ns = static_cast<unsigned __int128>(ticks) * ns_per_s / resolution_;
    return ns > most_ticks ? most_ticks : static_cast<uint64_t>(ns);
  }
  uint64_t resolution_, offset_, epoch_ns_;
  bool own_;
};

// Passes the events on in the run's ticks. The process begins with the first call of its first location.
class Timed : public LocationEvents {
 public:
  Timed(const Clock& clock, ArchiveMap* map, RecordedProcess* process, RecordedThread* thread, LocationReader* to)
      : clock_(clock), map_(*map), process_(*process), thread_(*thread), to_(*to) {}
  void enter(uint64_t time, uint32_t region, const Attributes& with) override {
    ++events_;
    const uint64_t ticks = clock_.ticks(time);
    if (!calling_ && map_.routine(region).kind == Routine::Kind::call) first_call(ticks);
    to_.enter(ticks, region, with);
  }
  void leave(uint64_t time, uint32_t region) override {
    ++events_;
    to_.leave(clock_.ticks(time), region);
  }
  void enter_context(uint64_t time, uint32_t context) override {
    ++events_;
    const uint64_t ticks = clock_.ticks(time);
    const auto found = map_.definitions().contexts.find(context);
    const bool known = found != map_.definitions().contexts.end();
    if (!calling_ && known && map_.routine(found->second.region).kind == Routine::Kind::call) first_call(ticks);
    to_.enter_context(ticks, context);
  }
  void leave_context(uint64_t time, uint32_t context) override {
    ++events_;
    to_.leave_context(clock_.ticks(time), context);
  }
  void effect(uint64_t time, const Effect& effect) override {
    ++events_;
    to_.effect(clock_.ticks(time), effect);
  }
  uint64_t events() const { return events_; }

 private:
  void first_call(uint64_t ticks) {
    calling_ = true;
    process_.begins(ticks, clock_.unix_ns(ticks));
    thread_.begins(ticks);
  }
  const Clock& clock_;
  ArchiveMap& map_;
  RecordedProcess& process_;
  RecordedThread& thread_;
  LocationReader& to_;
  bool calling_ = false;
  uint64_t events_ = 0;
};

// Why a process could not be written; empty: it was.
std::string import_process(Archive* archive, ArchiveMap* map, const ArchiveProcess& from, const std::string& path,
                           const RecordedProcess::Facts& facts, uint64_t series, Imported* result) {
  const Clock clock(archive->definitions());
  RecordedProcess process(path, facts, series);
  Objects objects(map, &process, from.rank);
  bool initialized = false, finalized = false;
  for (const uint64_t location : from.locations) {
    RecordedThread* thread = process.add_thread();
    if (!thread) {
      ++result->missing.threads;
      process.lose(trace::LossKind::threads_unrecorded);
      continue;
    }
    map->begin_location();
    Translator translator(map, &process, thread, &objects, &result->missing);
    LocationReader reader(map, &process, thread, &translator, &result->missing);
    Timed timed(clock, map, &process, thread, &reader);
    uint64_t records = 0;
    const std::string why = archive->read(location, &timed, &records);
    if (records > timed.events()) result->missing.unknown_records += records - timed.events();
    if (!why.empty()) result->unreadable.push_back("location " + std::to_string(location) + ": " + why);
    reader.finish();
    result->calls += reader.calls();
    if (translator.finalized()) process.ends(translator.finalized_at());
    initialized |= translator.initialized();
    finalized |= translator.finalized();
  }
  // If the tracer recorded neither, nothing shows that the process did not finish.
  result->missing.no_start += !initialized;
  const int error = process.finish(finalized || !initialized);
  return error ? std::strerror(error) : "";
}

}  // namespace

Imported import_otf2(const otf2::ReadingLibrary& library, const ImportOrder& order) {
  Imported result;
  Archive archive(library, order.bytes);
  result.error = archive.open(order.anchor);
  if (!result.error.empty()) return result;
  result.creator = archive.creator();
  ArchiveMap map(archive.definitions(), archive.creator() == "leadline");
  result.missing.other_locations = map.other_locations();
  std::vector<uint64_t> locations;
  for (const ArchiveProcess& p : map.processes()) {
    locations.insert(locations.end(), p.locations.begin(), p.locations.end());
  }
  if (locations.empty()) {
    result.error = "the archive has no location that is a CPU thread";
    return result;
  }
  result.error = archive.select(locations);
  if (!result.error.empty()) return result;
  const uint64_t identity = trace::mix(std::hash<std::string>()(order.build), 0x0f2) | 1;
  int number = 0;
  for (const ArchiveProcess& p : map.processes()) {
    const RecordedProcess::Facts facts{.rank = p.rank,
                                       .world_size = map.ranks(),
                                       .world = identity << 1,
                                       .host = p.host,
                                       .program = order.module,
                                       .clock = identity,
                                       .tick_factor = Clock(archive.definitions()).factor(),
                                       .module = order.module,
                                       .build = order.build};
    char name[64];
    std::snprintf(name, sizeof(name), "/rank-%05d-archive-%d.trace", p.rank, number++);
    const std::string why = import_process(&archive, &map, p, order.directory + name, facts, order.series, &result);
    if (!why.empty()) {
      result.error = "cannot write a trace: " + why;
      return result;
    }
    ++result.processes;
  }
  result.symbols = map.symbols();
  return result;
}

}  // namespace leadline::interchange::importing
