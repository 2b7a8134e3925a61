#include "interchange/importing/archive_map.hpp"

#include <algorithm>

#include "interchange/importing/function_classes.hpp"
#include "trace/limits.hpp"

namespace leadline::interchange::importing {

namespace {

constexpr uint8_t cpu_thread = 1, user_paradigm = 1, compiler_paradigm = 2, mpi_paradigm = 4;
constexpr uint8_t comm_self = 6;
constexpr uint8_t unknown_role = 0, file_role = 27, file_metadata_role = 38;
constexpr unsigned bits_of_call = 16;  // of a frame's offset
constexpr size_t most_frames = size_t{1} << 20;
// EZTrace puts everything into a region "Working" and marks all its regions as the user's.
constexpr std::string_view eztrace_region = "EZTrace finalize", eztrace_frame = "Working";
constexpr std::string_view poll_suffix = " (failed polls)";

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

uint64_t ArchiveMap::frame(const Routine& caller, const Routine& callee, uint32_t line) {
  const auto [known, fresh] =
      frames_.try_emplace({static_cast<uint64_t>(caller.number) << 32 | callee.number, line}, 0);
  if (!fresh) return known->second;
  uint32_t& calls = calls_of_[caller.number];
  if (frames_.size() > most_frames || calls + 1 >= 1u << bits_of_call) return 0;
  known->second = static_cast<uint64_t>(caller.number) << bits_of_call | ++calls;
  const auto region = definitions_.regions.find(caller.region);
  const bool described = region != definitions_.regions.end();
  const std::string full = described ? definitions_.text(region->second.full) : "";
  symbols_.push_back({known->second, caller.name, full.empty() ? caller.name : full,
                      described ? definitions_.text(region->second.file) : "",
                      line        ? line
                      : described ? region->second.line
                                  : 0});
  return known->second;
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
