#include "interchange/importing/archive_map.hpp"

#include <algorithm>

#include "interchange/importing/function_classes.hpp"
#include "trace/limits.hpp"

namespace leadline::interchange::importing {

namespace {

constexpr uint8_t cpu_thread = 1, user_paradigm = 1, compiler_paradigm = 2, mpi_paradigm = 4;
constexpr uint8_t comm_self = 6;
constexpr uint8_t unknown_role = 0, file_role = 27, file_metadata_role = 38;
constexpr unsigned bits_of_call = 28;  // of a frame's offset
constexpr uint64_t usual_distance = 4096;
constexpr uint32_t most_routines = 1 << 20;
constexpr size_t most_frames = size_t{1} << 20, most_places = 8;
// EZTrace puts everything into a region "Working" and marks all its regions as the user's.
constexpr std::string_view eztrace_region = "EZTrace finalize", eztrace_frame = "Working";
constexpr std::string_view poll_suffix = " (failed polls)";

bool is_blocking_message(const Routine& callee) {
  if (callee.kind != Routine::Kind::call) return false;
  const trace::CallFacts& facts = trace::facts_of(callee.cls);
  return facts.event == trace::EventForm::message && facts.requests == trace::RequestUse::none;
}

}  // namespace

ArchiveMap::ArchiveMap(const Definitions& definitions, bool ours) : definitions_(definitions), ours_(ours) {
  std::unordered_map<uint64_t, int32_t> rank_of_location;
  for (const Definitions::Group& group : definitions.location_lists) {
    if (!everybody_ || group.paradigm == mpi_paradigm) everybody_ = &group;
  }
  for (const auto& [number, region] : definitions.regions) {
    eztrace_ |= definitions.text(region.name) == eztrace_region;
  }
  if (everybody_) {
    for (const uint64_t member : everybody_->members) {
      rank_of_location.try_emplace(member, static_cast<int32_t>(rank_of_location.size()));
    }
  }
  std::map<uint32_t, size_t> process_of_group;
  for (const Definitions::Location& location : definitions.locations) {
    const auto group = definitions.location_groups.find(location.group);
    if (location.type != cpu_thread || group == definitions.location_groups.end()) {
      other_locations_ += location.events > 0;
      continue;
    }
    const auto [at, fresh] = process_of_group.try_emplace(location.group, processes_.size());
    if (fresh) processes_.push_back({-1, definitions.host_of(group->second), {}});
    ArchiveProcess& process = processes_[at->second];
    const auto rank = rank_of_location.find(location.number);
    const bool first = rank != rank_of_location.end() && process.rank < 0;
    if (first) process.rank = rank->second;
    process.locations.insert(first ? process.locations.begin() : process.locations.end(), location.number);
  }
  // Without MPI's own order, that of the definitions.
  if (rank_of_location.empty()) {
    for (ArchiveProcess& process : processes_) process.rank = ranks_++;
  } else {
    ranks_ = static_cast<int32_t>(rank_of_location.size());
  }
  std::stable_sort(processes_.begin(), processes_.end(), [](const ArchiveProcess& a, const ArchiveProcess& b) {
    return static_cast<uint32_t>(a.rank) < static_cast<uint32_t>(b.rank);
  });
}

const Routine& ArchiveMap::routine(uint32_t region) {
  const auto [known, fresh] = routines_.try_emplace(region);
  Routine& routine = known->second;
  if (!fresh) return routine;
  routine.region = region;
  const auto at = definitions_.regions.find(region);
  if (at == definitions_.regions.end()) {
    routine.name = "?";
    routine.number = number_of(routine.name, 0);
    return routine;
  }
  const Definitions::Region& definition = at->second;
  routine.name = definitions_.text(definition.name);
  routine.number = number_of(routine.name + '\0' + definitions_.text(definition.file), definition.line);
  std::string_view name = routine.name;
  if (ours_ && name.ends_with(poll_suffix)) {
    routine.polls = true;
    name.remove_suffix(poll_suffix.size());
  }
  std::optional<NamedFunction> function;
  const bool of_program = definition.paradigm == user_paradigm || definition.paradigm == compiler_paradigm;
  if (definition.paradigm == mpi_paradigm || !of_program || eztrace_) function = mpi_function(name);
  const bool on_files = definition.role == file_role || definition.role == file_metadata_role || eztrace_;
  if (!function && (eztrace_ || !of_program) && (on_files || definition.role == unknown_role)) {
    function = file_function(name);
  }
  if (function) {
    routine.kind = Routine::Kind::call;
    routine.cls = function->cls;
    routine.name = function->name;
  } else if (eztrace_ && (name == eztrace_frame || name == eztrace_region)) {
    routine.kind = Routine::Kind::nothing;
  } else if (definition.paradigm == user_paradigm && !eztrace_) {
    routine.kind = Routine::Kind::named;
  }
  return routine;
}

// Ranks may define the same routine each for itself.
uint32_t ArchiveMap::number_of(const std::string& name, uint32_t line) {
  const auto next = static_cast<uint32_t>(numbers_.size() + 1);
  return numbers_.try_emplace({name, line}, next).first->second;
}

void ArchiveMap::begin_location() {
  places_here_.clear();
  reached_.clear();
}

uint64_t ArchiveMap::frame(const Routine& caller, const Routine& callee, uint32_t line) {
  const Call call{static_cast<uint64_t>(caller.number) << 32 | callee.number, line};
  const auto [known, fresh] = places_here_.try_emplace(call, 0);
  if (!fresh) return known->second;
  uint64_t& reached = reached_[caller.number];
  std::set<uint64_t>& places = places_[call];
  const auto further = places.upper_bound(reached);
  uint64_t place = further != places.end() ? *further : 0;
  const bool swaps = !line && is_blocking_message(callee) && !places.empty();
  if (const uint64_t next = swaps ? next_message(reached, caller.number) : 0; next && (!place || next < place)) {
    place = next;
  } else if (!place && places.size() < most_places) {
    place = place_after(reached, caller.number, !line && is_blocking_message(callee));
    if (place) describe(place, caller, line);
  }
  if (place) places.insert(place);
  if (!place && !places.empty()) place = *places.begin();
  reached = std::max(reached, place);
  return known->second = place;
}

// The address that other locations reach next, if they send or receive there. 0: they do not.
uint64_t ArchiveMap::next_message(uint64_t reached, uint32_t caller) const {
  const auto taken = taken_.find(caller);
  if (taken == taken_.end()) return 0;
  const auto next = taken->second.upper_bound(reached);
  return next != taken->second.end() && next->second ? next->first : 0;
}

// A new address beyond `reached` and before those that other locations reach afterwards; 0: there is no room.
uint64_t ArchiveMap::place_after(uint64_t reached, uint32_t caller, bool of_message) {
  if (symbols_.size() >= most_frames || caller >= most_routines) return 0;
  const uint64_t begin = static_cast<uint64_t>(caller) << bits_of_call, end = begin + (uint64_t{1} << bits_of_call);
  std::map<uint64_t, bool>& taken = taken_[caller];
  const uint64_t after = std::max(reached, begin);
  const auto next = taken.upper_bound(after);
  const uint64_t step = next == taken.end() ? usual_distance : (next->first - after) / 4;
  if (!step || after + step >= end) return 0;
  taken.emplace(after + step, of_message);
  return after + step;
}

void ArchiveMap::describe(uint64_t place, const Routine& caller, uint32_t line) {
  const auto region = definitions_.regions.find(caller.region);
  const bool described = region != definitions_.regions.end();
  const std::string full = described ? definitions_.text(region->second.full) : "";
  symbols_.push_back({place, caller.name, full.empty() ? caller.name : full,
                      described ? definitions_.text(region->second.file) : "",
                      line        ? line
                      : described ? region->second.line
                                  : 0});
}

std::vector<int32_t> ArchiveMap::ranks_of(uint32_t group) const {
  const auto at = definitions_.groups.find(group);
  std::vector<int32_t> ranks;
  if (at == definitions_.groups.end()) return ranks;
  for (const uint64_t member : at->second.members) {
    ranks.push_back(member < static_cast<uint64_t>(ranks_) ? static_cast<int32_t>(member) : -1);
  }
  return ranks;
}

const ArchiveMap::Members* ArchiveMap::members(uint32_t comm) {
  const auto [known, fresh] = members_.try_emplace(comm);
  Members& members = known->second;
  if (fresh) {
    const auto at = definitions_.comms.find(comm);
    if (at == definitions_.comms.end()) {
      members_.erase(known);
      return nullptr;
    }
    const auto group = definitions_.groups.find(at->second.group);
    members.self = group != definitions_.groups.end() && group->second.type == comm_self;
    members.inter = at->second.other != otf2::undefined;
    members.ranks = ranks_of(at->second.group);
    if (members.inter) members.other = ranks_of(at->second.other);
  }
  return &members;
}

}  // namespace leadline::interchange::importing
