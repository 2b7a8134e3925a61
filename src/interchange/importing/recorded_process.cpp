#include "interchange/importing/recorded_process.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "trace/hash.hpp"

namespace leadline::interchange::importing {

namespace at = recording::process_at;
namespace thread_at = recording::thread_at;
namespace capacity = recording::capacity;
using trace::CallClass;
using trace::ChunkType;

namespace {

constexpr uint64_t generation_room = uint64_t{128} << 20;  // as the recorder has by default
constexpr uint64_t exact = 1;                              // the room that rounding saves is not needed here
const recording::Backing always{[](void*, char*, char*) { return true; }, nullptr};

template <class T>
T* table(const Region& region, size_t offset) {
  return reinterpret_cast<T*>(region.get() + offset);
}

}  // namespace

Region::Region(size_t bytes) : bytes_(bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(p);
}

Region::~Region() { munmap(memory_, bytes_); }

// --- The process ---

RecordedProcess::RecordedProcess(const std::string& path, const Facts& facts, uint64_t series)
    : region_(at::end),
      header_(*reinterpret_cast<recording::ProcessHeader*>(region_.get())),
      files_(table<recording::LiveFile>(region_, at::files)),
      out_(path),
      series_(series) {
  recording::ProcessHeader& h = header_;
  std::memcpy(h.magic, recording::live_magic, sizeof(h.magic));
  h.version = recording::live_version;
  h.pid = facts.rank;
  h.rank = facts.rank;
  h.world_size = facts.world_size;
  h.world = facts.world;
  std::snprintf(h.host, sizeof(h.host), "%s", facts.host.c_str());
  std::snprintf(h.program, sizeof(h.program), "%s", facts.program.c_str());
  std::snprintf(h.library, sizeof(h.library), "%s", facts.library.c_str());
  std::snprintf(h.family, sizeof(h.family), "%s", facts.family.c_str());
  h.initialized = trace::mpi_begun;
  h.tick_factor = facts.tick_factor;
  h.clock.identity = facts.clock;
  append_text(&h.modules, at::modules, capacity::modules, facts.module + '\0' + facts.build + '\0');
  append_text(&h.ops, at::ops, capacity::ops, std::string(1, '\0'));
  append_text(&h.functions, at::functions, capacity::functions, std::string(2, '\0'));  // number 0: unknown sites'
  kinds_.push_back({CallClass::other});
  h.communicators.used = 1;
  h.regions.used = 1;
  h.files.used = 1;
  files_[0].size = -1;
  append_text(&h.file_text, at::file_text, capacity::file_text, std::string(1, '\0'));
  auto* types = table<recording::LiveDatatype>(region_, at::datatypes);
  h.datatypes.used = 2;
  std::snprintf(types[1].name, sizeof(types[1].name), "MPI_BYTE");
  types[1].size = types[1].extent = types[1].true_extent = types[1].contiguous = 1;
}

RecordedProcess::~RecordedProcess() = default;

void RecordedProcess::append_text(recording::TableState* state, size_t offset, size_t room, const std::string& text) {
  if (state->used + text.size() > room) return;
  std::memcpy(region_.get() + offset + state->used, text.data(), text.size());
  state->used += text.size();
}

RecordedThread* RecordedProcess::add_thread() {
  if (threads_.size() >= trace::max_threads) return nullptr;
  threads_.push_back(std::make_unique<RecordedThread>(this, static_cast<uint32_t>(threads_.size())));
  header_.threads = static_cast<uint32_t>(threads_.size());
  return threads_.back().get();
}

uint32_t RecordedProcess::function(const std::string& name, CallClass cls) {
  const auto [known, fresh] = functions_.try_emplace(name, static_cast<uint32_t>(kinds_.size()));
  if (!fresh) return known->second;
  const std::string entry = name + '\0' + static_cast<char>(cls);
  if (kinds_.size() + 1 >= trace::max_functions || header_.functions.used + entry.size() > capacity::functions) {
    return known->second = 0;
  }
  append_text(&header_.functions, at::functions, capacity::functions, entry);
  kinds_.push_back({cls});
  for (const auto& thread : threads_) know_functions(thread.get());
  return known->second;
}

void RecordedProcess::know_functions(RecordedThread* thread) const {
  using Kind = recording::SeriesLog::Kind;
  recording::SeriesLog& series = thread->graph_.series();
  for (uint32_t number = 1; number < kinds_.size(); ++number) {
    const CallClass cls = kinds_[number].cls;
    if (cls == CallClass::coll) series.know(number, Kind::collective);
    if (cls == CallClass::init || cls == CallClass::finalize) series.know(number, Kind::outside);
    if (trace::is_posix(cls)) series.know(number, Kind::file);
  }
}

uint32_t RecordedProcess::communicator(const recording::LiveCommunicator& made, const std::vector<int32_t>& members,
                                       const std::vector<trace::GridSide>& grid) {
  recording::ProcessHeader& h = header_;
  if (h.communicators.used >= capacity::communicators) return 0;
  const auto number = static_cast<uint32_t>(h.communicators.used++);
  recording::LiveCommunicator& c = table<recording::LiveCommunicator>(region_, at::communicators)[number];
  c = made;
  if (c.parent == UINT32_MAX) c.parent = number;
  c.first_member = UINT32_MAX;
  c.member_count = 0;
  c.dims = 0;
  if (members.size() + grid.size() > capacity::members - h.members.used) return number;
  auto* room = table<int32_t>(region_, at::members);
  c.first_member = static_cast<uint32_t>(h.members.used);
  c.member_count = static_cast<uint32_t>(members.size());
  std::copy(members.begin(), members.end(), room + h.members.used);
  h.members.used += members.size();
  c.first_side = static_cast<uint32_t>(h.members.used);
  c.dims = static_cast<uint8_t>(grid.size());
  for (const trace::GridSide& side : grid) room[h.members.used++] = side.periodic ? -side.extent : side.extent;
  return number;
}

uint32_t RecordedProcess::file(const std::string& name, bool by_mpi) {
  const auto [known, fresh] = file_numbers_.try_emplace(name, 0);
  if (!fresh) return known->second;
  recording::ProcessHeader& h = header_;
  if (h.files.used >= capacity::files || h.file_text.used + name.size() + 1 > capacity::file_text) return 0;
  known->second = static_cast<uint32_t>(h.files.used++);
  recording::LiveFile& made = files_[known->second];
  made.name = static_cast<uint32_t>(h.file_text.used);
  made.size = -1;
  made.flags = by_mpi ? trace::file_opened_by_mpi | trace::file_offset_unknown : 0;
  append_text(&h.file_text, at::file_text, capacity::file_text, name + '\0');
  return known->second;
}

void RecordedProcess::add_module(const std::string& path, const std::string& build) {
  append_text(&header_.modules, at::modules, capacity::modules, path + '\0' + build + '\0');
}

void RecordedProcess::add_operation(const std::string& name) {
  append_text(&header_.ops, at::ops, capacity::ops, name + '\0');
}

void RecordedProcess::add_file(const std::string& name, const recording::LiveFile& like) {
  recording::ProcessHeader& h = header_;
  if (h.files.used >= capacity::files || h.file_text.used + name.size() + 1 > capacity::file_text) return;
  recording::LiveFile& made = files_[h.files.used++];
  made = like;
  made.name = static_cast<uint32_t>(h.file_text.used);
  append_text(&h.file_text, at::file_text, capacity::file_text, name + '\0');
}

void RecordedProcess::set_datatypes(const std::vector<recording::LiveDatatype>& types) {
  auto* table_of_types = table<recording::LiveDatatype>(region_, at::datatypes);
  const recording::LiveDatatype bytes = table_of_types[1];
  const size_t kept = std::min<size_t>(types.size(), capacity::datatypes - 2);
  std::copy(types.begin(), types.begin() + static_cast<std::ptrdiff_t>(kept), table_of_types + 1);
  bytes_type_ = static_cast<uint32_t>(kept + 1);
  table_of_types[bytes_type_] = bytes;
  header_.datatypes.used = bytes_type_ + 1;
}

uint32_t RecordedProcess::region(uint32_t parent, const std::string& name) {
  const auto [known, fresh] = regions_.try_emplace(std::to_string(parent) + ' ' + name, parent);
  if (!fresh) return known->second;
  recording::ProcessHeader& h = header_;
  if (h.regions.used >= capacity::regions || h.region_names.used + name.size() > capacity::region_names) {
    lose(trace::LossKind::regions_merged);
    return parent;
  }
  known->second = static_cast<uint32_t>(h.regions.used++);
  table<recording::LiveRegion>(region_, at::regions)[known->second] = {
      parent, static_cast<uint32_t>(h.region_names.used), static_cast<uint32_t>(name.size())};
  append_text(&h.region_names, at::region_names, capacity::region_names, name);
  return known->second;
}

void RecordedProcess::begins(uint64_t ticks, int64_t unix_ns) {
  if (begun_) return;
  begun_ = true;
  header_.start_unix_ns = unix_ns;
  header_.first_ticks = header_.last_ticks = header_.clock.ticks = ticks;
  header_.clock.ns = recording::TickScale{header_.tick_factor}.ns(ticks);
}

void RecordedProcess::ends(uint64_t ticks) {
  ended_ = true;
  header_.last_ticks = std::max(header_.first_ticks, ticks);
}

void RecordedProcess::last_call(uint64_t ticks) {
  if (!ended_) header_.last_ticks = std::max(header_.last_ticks, ticks);
}

void RecordedProcess::write_process(bool last) {
  recording::ProcessView view{region_.get()};
  for (const auto& thread : threads_) view.add_thread(thread->region_.get());
  trace::ByteSink sink;
  for (const recording::ProcessChunk& chunk : recording::process_chunks) {
    if (chunk.last != last || (chunk.is_there && !chunk.is_there(view))) continue;
    sink.clear();
    chunk.encode(view, &sink);
    out_.put(chunk.type, sink);
  }
}

void RecordedProcess::write_threads() {
  trace::ByteSink sink;
  for (const auto& thread : threads_) {
    const recording::ThreadView view{thread->region_.get(), header_.tick_factor, header_.first_ticks,
                                     recording::has_regions(region_.get()), exact};
    for (const recording::ThreadChunk& chunk : recording::thread_chunks) {
      if (chunk.pieces == recording::Pieces::whole) continue;
      sink.clear();
      if (chunk.encode(view, &sink)) out_.put(chunk.type, sink);
    }
  }
}

int RecordedProcess::finish(bool finalized) {
  header_.finalized = finalized;
  for (const auto& thread : threads_) thread->graph_.finish();
  write_process(false);
  write_threads();
  write_process(true);
  trace::ByteSink sink;
  sink.varint(header_.finalized);
  out_.put(ChunkType::end, sink);
  return out_.close();
}

// --- A thread ---

RecordedThread::RecordedThread(RecordedProcess* process, uint32_t number)
    : process_(*process), region_(thread_at::end) {
  recording::ThreadHeader& h = header();
  h.thread = number;
  std::memcpy(h.magic, recording::live_magic, sizeof(h.magic));
  h.sites.used = h.locals.used = h.region_times.used = 1;
  h.contexts.used = trace::first_context;
  table<recording::LiveSite>(region_, thread_at::sites)[0].function = trace::max_functions - 1;  // of no name
  uint64_t* losses = process->header_.losses;
  graph_.attach(&h, region_.get(), always, &losses[static_cast<size_t>(trace::LossKind::order_lost)],
                &losses[static_cast<size_t>(trace::LossKind::parameters_coarse)],
                {[](void* self) { static_cast<RecordedThread*>(self)->turn(); }, this});
  graph_.set_scale({process->header_.tick_factor});
  graph_.set_room(generation_room);
  graph_.reset(false);
}

// Times are kept from then on.
void RecordedThread::begins(uint64_t ticks) {
  header().last_end = ticks;
  process_.know_functions(this);
  const bool everything = process_.series_ == UINT64_MAX;
  graph_.series().keep(everything ? uint64_t{1} << 50 : process_.series_, capacity::series_entries / 2, false,
                       {[](void* self) { return static_cast<RecordedThread*>(self)->spill(false); }, this});
}

uint32_t RecordedThread::context(uint64_t frame, uint32_t parent) {
  const uint64_t hash = trace::mix(trace::mix(0x0f2, frame), parent);
  auto* contexts = table<recording::LiveContext>(region_, thread_at::contexts);
  const auto [known, fresh] = contexts_.try_emplace(hash, 0);
  if (!fresh && contexts[known->second].frame == frame && contexts[known->second].parent == parent) {
    return known->second;
  }
  recording::ThreadHeader& h = header();
  if (h.contexts.used >= capacity::contexts) return trace::context_unknown;
  known->second = static_cast<uint32_t>(h.contexts.used++);
  contexts[known->second] = {frame, parent, parent < trace::first_context ? 1 : contexts[parent].depth + 1};
  return known->second;
}

uint32_t RecordedThread::add_context(uint64_t frame, uint32_t parent) {
  recording::ThreadHeader& h = header();
  if (h.contexts.used >= capacity::contexts) return trace::context_unknown;
  auto* contexts = table<recording::LiveContext>(region_, thread_at::contexts);
  const auto number = static_cast<uint32_t>(h.contexts.used++);
  contexts[number] = {frame, parent, parent < trace::first_context ? 1 : contexts[parent].depth + 1};
  return number;
}

void RecordedThread::set_loops(const std::vector<recording::LiveLoop>& loops) {
  const size_t kept = std::min<size_t>(loops.size(), capacity::loops);
  std::copy(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(kept),
            table<recording::LiveLoop>(region_, thread_at::loops));
  header().loops.used = std::max<uint64_t>(kept, 1);
}

// As source_loops.cpp keeps it: a loop's number plus one.
void RecordedThread::set_around(uint32_t context, uint32_t loop) {
  if (context >= capacity::context_loops) return;
  table<uint32_t>(region_, thread_at::context_loops)[context] = loop + 1;
  header().context_loops.used = std::max<uint64_t>(header().context_loops.used, context + 1);
}

uint64_t RecordedThread::frame_of(uint32_t context) const {
  return table<recording::LiveContext>(region_, thread_at::contexts)[context].frame;
}

uint32_t RecordedThread::site(uint32_t function, uint32_t context, uint32_t region) {
  const uint64_t hash = trace::mix(trace::mix(trace::mix(0x517e, function), context), region);
  auto* sites = table<recording::LiveSite>(region_, thread_at::sites);
  const auto [known, fresh] = sites_.try_emplace(hash, 0);
  if (!fresh && known->second) {
    const recording::LiveSite& s = sites[known->second];
    if (s.function == function && s.context == context && s.region == region) return known->second;
  }
  recording::ThreadHeader& h = header();
  if (!function || h.sites.used >= capacity::sites) {
    process_.lose(trace::LossKind::path_unknown);
    return 0;
  }
  known->second = static_cast<uint32_t>(h.sites.used++);
  sites[known->second] = {function, context, region};
  return known->second;
}

uint32_t RecordedThread::intern(const std::vector<int64_t>& words) {
  return graph_.intern(words.data(), static_cast<uint32_t>(words.size()));
}

uint64_t RecordedThread::gap_before(uint64_t begin, uint64_t end, uint64_t* duration) {
  uint64_t& last = header().last_end;
  begin = std::max(begin, last);
  end = std::max(begin, end);
  *duration = end - begin;
  const uint64_t gap = begin - last;
  last = end;
  process_.last_call(end);
  return gap;
}

void RecordedThread::add(const trace::Key& key, uint64_t begin, uint64_t end) {
  uint64_t duration = 0;
  const uint64_t gap = gap_before(begin, end, &duration);
  graph_.add(key, duration, gap);
}

void RecordedThread::add_poll(uint32_t site, uint64_t begin, uint64_t end) {
  uint64_t duration = 0;
  const uint64_t gap = gap_before(begin, end, &duration);
  graph_.add_poll(site, duration, gap);
}

void RecordedThread::add_local(uint32_t function, uint64_t frame, uint64_t begin, uint64_t end) {
  add_locals(function, frame, 1, end > begin ? end - begin : 0);
}

void RecordedThread::add_locals(uint32_t function, uint64_t frame, uint64_t calls, uint64_t ticks) {
  auto* locals = table<recording::LiveLocal>(region_, thread_at::locals);
  recording::ThreadHeader& h = header();
  const auto [known, fresh] = locals_.try_emplace(trace::mix(trace::mix(0x10c, function), frame), h.locals.used);
  if (fresh && h.locals.used >= capacity::locals) {
    locals_.erase(known);
    return process_.lose(trace::LossKind::local_sites_merged);
  }
  recording::LiveLocal& local = locals[known->second];
  if (fresh) local = {frame, 0, 0, function, 0}, ++h.locals.used;
  local.calls += calls;
  local.ticks += ticks;
}

void RecordedThread::add_region_time(uint32_t region, uint64_t ticks) {
  if (!region || region >= capacity::regions) return;
  recording::ThreadHeader& h = header();
  h.region_times.used = std::max<uint64_t>(h.region_times.used, region + 1);
  recording::LiveRegionTimes& t = table<recording::LiveRegionTimes>(region_, thread_at::region_times)[region];
  t.shortest = t.entries ? std::min(t.shortest, ticks) : ticks;
  t.longest = std::max(t.longest, ticks);
  t.ticks += ticks;
  ++t.entries;
}

bool RecordedThread::spill(bool last) {
  trace::ByteSink sink;
  const recording::ProcessHeader& p = process_.header_;
  if (!recording::encode_series(region_.get(), p.tick_factor, p.first_ticks, last, &sink, exact)) return true;
  process_.out_.put(ChunkType::series, sink);
  return !process_.out_.failed();
}

// The generation is full: it is written, and the next one begins.
void RecordedThread::turn() {
  graph_.finish();
  trace::ByteSink sink;
  recording::encode_generation(region_.get(), process_.header_.tick_factor, &sink);
  process_.out_.put(ChunkType::generation, sink);
  spill(true);
  graph_.reset(false);
  ++header().generation;
  ++process_.header_.generations_written;
}

}  // namespace leadline::interchange::importing
