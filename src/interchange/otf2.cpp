#include "interchange/otf2.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "interchange/otf2_meanings.hpp"
#include "interchange/otf2_thread.hpp"

namespace leadline::interchange {

namespace {

constexpr uint64_t events_chunk = 1 << 20, definitions_chunk = 4 << 20;
constexpr uint32_t no_flags = 0;

uint8_t before_flush(void*, uint8_t, uint64_t, void*, bool) { return otf2::flush; }
const otf2::FlushCallbacks flush_always{before_flush, nullptr};

// OTF2 writes a buffer to its file when it gets no more memory; by itself, it would take 128 MB first.
constexpr size_t most_chunks = 4;
using Chunks = std::vector<std::unique_ptr<char[]>>;
void* allocate(void*, uint8_t, uint64_t, void** of_buffer, uint64_t bytes) {
  if (!*of_buffer) *of_buffer = new Chunks;
  auto* chunks = static_cast<Chunks*>(*of_buffer);
  if (chunks->size() == most_chunks) return nullptr;
  chunks->emplace_back(new char[bytes]);
  return chunks->back().get();
}
void free_all(void*, uint8_t, uint64_t, void** of_buffer, bool final) {
  auto* chunks = static_cast<Chunks*>(*of_buffer);
  if (!chunks) return;
  chunks->clear();
  if (!final) return;
  delete chunks;
  *of_buffer = nullptr;
}
const otf2::MemoryCallbacks few_chunks{allocate, free_all};

// The first thread of each lane has the lane's number; further ones come above.
uint64_t location_of(size_t lane, size_t stream) { return static_cast<uint64_t>(stream) << 32 | lane; }

}  // namespace

Otf2Export::Otf2Export(const otf2::Library& library, const std::string& directory, const analysis::Profile& profile,
                       uint32_t loop, const Window& window, std::vector<Lane> lanes,
                       std::vector<ProcessLane> process_lanes, CallPaths paths)
    : shared_(library),
      exporting_(profile, loop, window),
      lanes_(std::move(lanes)),
      process_lanes_(std::move(process_lanes)),
      contexts_(std::move(paths.contexts)),
      context_of_site_(std::move(paths.of_site)),
      archive_(otf2_.Archive_Open(directory.c_str(), "traces", otf2::mode_write, events_chunk, definitions_chunk,
                                  otf2::substrate_posix, otf2::compression_none)) {
  if (!archive_) {
    shared_.failure = "cannot open the archive";
    return;
  }
  check(otf2_.Archive_SetFlushCallbacks(archive_, &flush_always, nullptr));
  check(otf2_.Archive_SetMemoryCallbacks(archive_, &few_chunks, nullptr));
  check(otf2_.Archive_SetSerialCollectiveCallbacks(archive_));
  check(otf2_.Archive_SetCreator(archive_, "leadline"));
  check(otf2_.Archive_OpenEvtFiles(archive_));
  check(otf2_.Archive_OpenDefFiles(archive_));
}

Otf2Export::~Otf2Export() {
  if (archive_) otf2_.Archive_Close(archive_);
}

void Otf2Export::scan(const trace::Process& process, uint32_t index) {
  shared_.complete &= exporting_.scan(process, index) == 0 && exporting_.whole();
  if (process.start_unix_ns > 0) start_unix_ns_ = std::min(start_unix_ns_, process.start_unix_ns);
  const int64_t world = process_lanes_[index].world;
  if (world < 0) return;
  for (const trace::Communicator& c : process.communicators) {
    if (!c.identity || c.kind != trace::Communicator::Kind::intra || shared_.communicators.count(c.identity)) continue;
    std::vector<uint64_t> lanes;
    for (const int32_t rank : c.world) {
      const int64_t lane = world + rank;
      if (rank >= 0 && lane < static_cast<int64_t>(lanes_.size())) lanes.push_back(static_cast<uint64_t>(lane));
    }
    if (lanes.empty() || lanes.size() != c.world.size()) continue;
    shared_.communicators[c.identity] = {static_cast<uint32_t>(shared_.communicators.size()), std::move(lanes)};
  }
  for (const trace::Communicator& c : process.communicators) {
    if (!c.identity || c.kind != trace::Communicator::Kind::window || c.parent >= process.communicators.size())
      continue;
    const uint64_t over = process.communicators[c.parent].identity;
    if (shared_.communicator(over))
      shared_.windows.try_emplace(c.identity,
                                  Otf2Shared::RemoteWindow{static_cast<uint32_t>(shared_.windows.size()), over});
  }
}

void Otf2Export::begin() {
  exporting_.settle();
  shared_.complete &= exporting_.scanned() == process_lanes_.size();
}

void Otf2Export::write(const trace::Process& process, uint32_t index, const std::string& label) {
  const auto lane = static_cast<size_t>(process_lanes_[index].lane);
  otf2::EvtWriter* writer = nullptr;
  std::optional<Otf2Thread> thread;
  size_t current = SIZE_MAX;
  const auto end = [&] {
    if (!writer) return;
    check(otf2_.EvtWriter_GetNumberOfEvents(writer, &locations_[location_of(lane, current)].events));
    check(otf2_.Archive_CloseEvtWriter(archive_, writer));
  };
  if (shared_.failure.empty()) {
    exporting_.visit(
        process, index, true,
        [&](size_t stream, const CallStream& c) {
          if (stream != current) {
            end();
            current = stream;
            const uint64_t number = location_of(lane, stream);
            const std::string own = std::to_string(process.streams[stream].thread);
            locations_[number] = {lane, stream ? "rank " + label + " thread " + own : "rank " + label, 0};
            writer = otf2_.Archive_GetEvtWriter(archive_, number);
            if (!writer && shared_.failure.empty()) shared_.failure = "cannot write events";
            thread.emplace(&shared_, exporting_, writer, process, stream);
          }
          if (!writer || !shared_.failure.empty()) return;
          const uint32_t site = exporting_.site(index, stream, c.event().event.key.site);
          thread->call(c, context_of(site));
        },
        &shared_.sums);
  }
  end();
}

void Otf2Export::empty_location(uint64_t number, size_t lane) {
  locations_[number] = {lane, lanes_[lane].name, 0};
  otf2::EvtWriter* writer = otf2_.Archive_GetEvtWriter(archive_, number);
  if (writer) check(otf2_.Archive_CloseEvtWriter(archive_, writer));
}

uint32_t Otf2Export::string(otf2::GlobalDefWriter* to, const std::string& text) {
  const auto [at, fresh] = strings_.try_emplace(text, static_cast<uint32_t>(strings_.size()));
  if (fresh) check(otf2_.GlobalDefWriter_WriteString(to, at->second, text.c_str()));
  return at->second;
}

void Otf2Export::define() {
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (!locations_.count(location_of(lane, 0))) empty_location(location_of(lane, 0), lane);
  }
  check(otf2_.Archive_CloseEvtFiles(archive_));
  for (const auto& [number, location] : locations_) {
    if (otf2::DefWriter* own = otf2_.Archive_GetDefWriter(archive_, number)) {
      check(otf2_.Archive_CloseDefWriter(archive_, own));
    }
  }
  check(otf2_.Archive_CloseDefFiles(archive_));
  otf2::GlobalDefWriter* to = otf2_.Archive_GetGlobalDefWriter(archive_);
  if (!to) return void(shared_.failure = "cannot write definitions");
  const uint64_t first = shared_.first == UINT64_MAX ? 0 : shared_.first, last = std::max(first, shared_.last);
  const auto epoch = start_unix_ns_ == INT64_MAX ? 0 : static_cast<uint64_t>(start_unix_ns_) + first;
  check(otf2_.GlobalDefWriter_WriteClockProperties(to, 1'000'000'000, first, last - first + 1, epoch));
  define_locations(to);
  std::vector<std::string> names(shared_.regions.size());  // readers want them in their order
  for (const auto& [name, region] : shared_.regions) names[region.first] = name;
  for (const std::string& name : names) {
    const auto& region = shared_.regions.at(name);
    const uint32_t text = string(to, name), nothing = string(to, "");
    const uint8_t paradigm = name.starts_with("MPI_") ? otf2::paradigm_mpi : otf2::paradigm_unknown;
    check(otf2_.GlobalDefWriter_WriteRegion(to, region.first, text, text, nothing, otf2::role_of(region.second),
                                            paradigm, no_flags, nothing, 0, 0));
  }
  define_attributes(to);
  define_call_paths(to);
  define_communicators(to);
  shared_.files.define(otf2_, to, [&](const std::string& text) { return string(to, text); }, [&](int e) { check(e); });
  for (const auto& [identity, window] : shared_.windows) {
    check(otf2_.GlobalDefWriter_WriteRmaWin(to, window.number, string(to, ""),
                                            shared_.communicators.at(window.over).number, otf2::window_made_and_freed));
  }
  check(otf2_.GlobalDefWriter_WriteParameter(to, otf2::polls_parameter, string(to, "polls"), otf2::parameter_unsigned));
}

void Otf2Export::define_locations(otf2::GlobalDefWriter* to) {
  const uint32_t machine = 0;
  check(otf2_.GlobalDefWriter_WriteSystemTreeNode(to, machine, string(to, "machine"), string(to, "machine"),
                                                  otf2::undefined));
  std::map<std::string, uint32_t> hosts;
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    const auto [host, fresh] = hosts.try_emplace(lanes_[lane].host, static_cast<uint32_t>(hosts.size() + 1));
    if (fresh) {
      check(otf2_.GlobalDefWriter_WriteSystemTreeNode(to, host->second, string(to, host->first), string(to, "node"),
                                                      machine));
    }
    check(otf2_.GlobalDefWriter_WriteLocationGroup(to, static_cast<uint32_t>(lane), string(to, lanes_[lane].name),
                                                   otf2::process_group, host->second, otf2::undefined));
  }
  for (const auto& [number, location] : locations_) {
    check(otf2_.GlobalDefWriter_WriteLocation(to, number, string(to, location.name), otf2::cpu_thread, location.events,
                                              static_cast<uint32_t>(location.lane)));
  }
}

// Groups name ranks by their numbers in the group of all locations, which are the lanes' own.
void Otf2Export::define_communicators(otf2::GlobalDefWriter* to) {
  std::vector<uint64_t> all(lanes_.size());
  for (size_t lane = 0; lane < all.size(); ++lane) all[lane] = lane;
  uint32_t group = 0;
  const uint32_t nothing = string(to, "");
  check(otf2_.GlobalDefWriter_WriteGroup(to, group, nothing, otf2::comm_locations, otf2::paradigm_mpi, no_flags,
                                         static_cast<uint32_t>(all.size()), all.data()));
  std::vector<const Otf2Shared::Communicator*> in_order(shared_.communicators.size());  // readers want that
  for (const auto& [identity, comm] : shared_.communicators) in_order[comm.number] = &comm;
  for (const Otf2Shared::Communicator* comm : in_order) {
    const uint32_t name = comm->lanes == all ? string(to, "all ranks") : nothing;
    check(otf2_.GlobalDefWriter_WriteGroup(to, ++group, nothing, otf2::comm_group, otf2::paradigm_mpi, no_flags,
                                           static_cast<uint32_t>(comm->lanes.size()), comm->lanes.data()));
    check(otf2_.GlobalDefWriter_WriteComm(to, comm->number, name, group, otf2::undefined, no_flags));
  }
}

std::string Otf2Export::finish(Exported* sums) {
  shared_.sums.unmatched = shared_.complete ? 0 : exporting_.matches().unmatched();
  *sums = shared_.sums;
  if (shared_.failure.empty()) define();
  if (archive_) check(otf2_.Archive_Close(std::exchange(archive_, nullptr)));
  return shared_.failure;
}

}  // namespace leadline::interchange
