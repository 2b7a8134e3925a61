// A recorded process in plain memory, with every table filled: written as a trace file, or as the live file a killed
// process leaves.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "memory_thread.hpp"
#include "recording/chunks.hpp"
#include "recording/live_file.hpp"
#include "trace/checksum.hpp"
#include "trace/chunk.hpp"
#include "trace/packing.hpp"

namespace leadline::recording {

using namespace trace;

using Bytes = std::vector<uint8_t>;
using Chunk = std::pair<ChunkType, Bytes>;

class MemoryProcess {
 public:
  explicit MemoryProcess(uint32_t sites = 64) {
    region_ = static_cast<char*>(
        mmap(nullptr, process_at::end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    fill_header();
    put_text(&header().functions, process_at::functions, std::string("MPI_Send\0\5MPI_Recv\0\7MPI_Wtime\0\0", 31));
    put_text(&header().modules, process_at::modules, std::string("/usr/bin/model\0c0ffee\0/lib/libc.so.6\0\0", 38));
    put_text(&header().ops, process_at::ops, std::string("\0MPI_SUM\0", 9));
    fill_communicators();
    fill_datatypes();
    fill_samples();
    fill_files();
    fill_sites(sites);
    fill_regions();
  }
  ~MemoryProcess() { munmap(region_, process_at::end); }

  ProcessHeader& header() { return *reinterpret_cast<ProcessHeader*>(region_); }
  MemoryThread& thread() { return thread_; }
  EventGraph& graph() { return thread_.graph(); }

  // The chunks of the finished file. `whole_generation`: structure and times in one chunk, as parts are written.
  std::vector<Chunk> chunks(bool whole_generation = false) {
    std::vector<Chunk> all;
    const auto add = [&](ChunkType type, const ByteSink& payload) {
      all.emplace_back(type, Bytes(payload.data(), payload.data() + payload.size()));
    };
    for (const Bytes& earlier : thread_.generations()) all.emplace_back(ChunkType::generation, earlier);
    for (const Bytes& earlier : thread_.series()) all.emplace_back(ChunkType::series, earlier);
    ByteSink variables, settings;
    add_variables(&variables);
    add_settings(&settings);
    ProcessView process{region_};
    process.variables = &variables;
    process.settings = &settings;
    process.add_thread(thread_.region());
    const ThreadView thread{thread_.region(), header().tick_factor, 0, true};
    ByteSink sink;
    const auto add_process = [&](bool last) {
      for (const ProcessChunk& chunk : process_chunks) {
        if (chunk.last != last || (chunk.is_there && !chunk.is_there(process))) continue;
        sink.clear();
        chunk.encode(process, &sink);
        add(chunk.type, sink);
      }
    };
    add_process(false);
    for (const ThreadChunk& chunk : thread_chunks) {
      if (chunk.pieces == (whole_generation ? Pieces::apart : Pieces::whole)) continue;
      sink.clear();
      if (chunk.encode(thread, &sink)) add(chunk.type, sink);
    }
    add_process(true);
    sink.clear();
    sink.varint(header().finalized);
    add(ChunkType::end, sink);
    return all;
  }

  static void append_chunk(Bytes* file, ChunkType type, const Bytes& payload, uint32_t flag = 0) {
    ChunkHeader h{chunk_magic, static_cast<uint32_t>(type) | flag, static_cast<uint32_t>(payload.size()), 0};
    h.crc = crc32c(payload.data(), payload.size(), crc32c(&h.type, 2 * sizeof(uint32_t)));
    const auto* p = reinterpret_cast<const uint8_t*>(&h);
    file->insert(file->end(), p, p + sizeof(h));
    file->insert(file->end(), payload.begin(), payload.end());
  }
  // As the recorder writes it: packed where that is smaller.
  static void append_packed(Bytes* file, ChunkType type, const Bytes& payload) {
    ByteSink plain, packed;
    plain.bytes(payload.data(), payload.size());
    if (!pack_payload(plain, &packed)) return append_chunk(file, type, payload);
    append_chunk(file, type, Bytes(packed.data(), packed.data() + packed.size()), packed_flag);
  }
  static Bytes file_of(const std::vector<Chunk>& chunks, bool packed = false) {
    FileHeader h{};
    std::memcpy(h.magic, file_magic, sizeof(h.magic));
    h.version = format_version;
    const auto* p = reinterpret_cast<const uint8_t*>(&h);
    Bytes file(p, p + sizeof(h));
    for (const auto& [type, payload] : chunks) {
      packed ? append_packed(&file, type, payload) : append_chunk(&file, type, payload);
    }
    return file;
  }

  // The live file: a directory, then a page of the process and one of the thread in turn, then the next directory.
  void write_live(int fd) {
    std::vector<std::pair<uint64_t, const char*>> used;
    const auto add = [&](const char* region, size_t size, uint64_t at) {
      static const char zeros[page] = {};
      for (size_t p = 0; p < size; p += page) {
        if (std::memcmp(region + p, zeros, page) != 0) used.emplace_back(at + p, region + p);
      }
    };
    add(region_, process_at::end, 0);
    add(thread_.region(), thread_at::end, process_at::end);
    uint32_t number = 0;
    for (size_t i = 0; i < used.size() || !number;) {
      LiveDirectory d{};
      std::memcpy(d.magic, live_directory_magic, sizeof(d.magic));
      d.version = live_version;
      const uint32_t own = number++;
      while (d.count < LiveDirectory::room && i < used.size()) {
        d.stretches[d.count++] = {used[i].first, number, 1};
        write_page(fd, used[i++].second, number++);
      }
      if (i < used.size()) d.next = number;
      char whole[page] = {};
      std::memcpy(whole, &d, sizeof(d));
      write_page(fd, whole, own);
    }
  }
  // Where the file has a page of the regions; 0: nowhere.
  static uint64_t place_in(int fd, uint64_t at) {
    LiveDirectory d{};
    uint32_t number = 0;
    do {
      if (pread(fd, &d, sizeof(d), static_cast<off_t>(number * page)) != sizeof(d)) break;
      for (uint32_t i = 0; i < d.count; ++i) {
        if (d.stretches[i].at == at) return d.stretches[i].file_page * page;
      }
      number = d.next;
    } while (number);
    return 0;
  }

 private:
  static void add_variables(ByteSink* s) {
    const double value = 3.5;
    s->string("unexpected_recvq_length", 64);
    s->string("how many", 64);
    s->byte(1);
    s->bytes(&value, sizeof(value));
  }
  static void add_settings(ByteSink* s) {
    s->string("MPIR_CVAR_A", 64);
    s->string("17", 64);
  }
  void fill_header() {
    ProcessHeader& h = header();
    std::memcpy(h.magic, live_magic, sizeof(h.magic));
    std::memcpy(thread_.header().magic, live_magic, sizeof(live_magic));
    h.version = live_version;
    h.threads = 1;
    h.pid = 4711;
    h.rank = 3;
    h.world_size = 8;
    h.world = 0x1234;
    std::snprintf(h.host, sizeof(h.host), "node1");
    std::snprintf(h.program, sizeof(h.program), "./model --steps 9");
    std::snprintf(h.library, sizeof(h.library), "Open MPI v5");
    std::snprintf(h.family, sizeof(h.family), "openmpi");
    h.initialized = h.finalized = 1;
    h.start_unix_ns = 1700000000000000000;
    h.last_ticks = 5000000;
    h.tick_factor = 1ull << 32;
    h.own_ticks = 1000;
    h.own_between_calls = 700;
    h.fast_call_ticks_x1000 = 21500;
    h.losses[static_cast<size_t>(LossKind::vectors_dropped)] = 2;
    h.first_ticks = 1000;
    h.pauses = {900000, 2000, 2, {{3000, 5000}, {900000, 0}}};
    h.conditions = {.known = 1,
                    .processors = 16,
                    .quota = 2500,
                    .runs = 2,
                    .allowed = {{0, 4}, {8, 1}},
                    .threads = 7,
                    .busy = 3,
                    .cpu_ns = 987654321,
                    .waited_ns = 1234567,
                    .waiting_known = 1,
                    .launcher_ranks = 4,
                    .launcher_rank = 2,
                    .launcher = "PMI_SIZE",
                    .budget_files = 64 << 20,
                    .budget_memory = 0,
                    .budgets_given = 1,
                    .live_kind = 1,
                    .live_reason = 1,
                    .file_system = 0x6969};
    h.clock = {0xb007, 500, 77000000, 1, 2, {{77001000, -123456, 900}, {79000000, -123400, 1100}}};
    thread_.header().paused_calls = 12;
  }
  void put_text(TableState* state, size_t at, const std::string& text) {
    std::memcpy(region_ + at, text.data(), text.size());
    state->used = text.size();
  }
  void fill_communicators() {
    auto* comms = reinterpret_cast<LiveCommunicator*>(region_ + process_at::communicators);
    auto* members = reinterpret_cast<int32_t*>(region_ + process_at::members);
    comms[1] = {0, 0, 0, 0, 1, 0x77, 3, 8, 0, 8, 0, 0};
    comms[2] = {2, 0, 0, 0, 1, 0, 3, 8, UINT32_MAX, 0, 0, 0};
    comms[3] = {0, 0, 1, 2, 1, 0x78, 3, 8, 0, 8, 8, 0};  // 4 x 2 ranks, the ends of the second dimension neighbours
    comms[4] = {0, 1, 3, 0, 1, 0x79, 3, 8, 0, 8, 0, 0};
    for (int i = 0; i < 8; ++i) members[i] = i;
    members[8] = 4;
    members[9] = -2;
    header().communicators.used = 5;
    header().members.used = 10;
  }
  void fill_datatypes() {
    auto* types = reinterpret_cast<LiveDatatype*>(region_ + process_at::datatypes);
    for (int i = 1; i < 4; ++i) {
      std::snprintf(types[i].name, sizeof(types[i].name), i == 3 ? "MPI_DOUBLE" : "");
      types[i].size = types[i].extent = types[i].true_extent = 8 * i;
      types[i].contiguous = 1;
    }
    types[2].dims = 2;
    types[2].sides[0] = {0, 20};
    types[2].sides[1] = {24, 2};
    header().datatypes.used = 4;
  }
  void fill_samples() {
    auto* samples = reinterpret_cast<LiveSample*>(region_ + process_at::samples);
    samples[1] = {frame_word(0, 0x1234), 0, 1, 7};
    samples[2] = {frame_of_no_module, 0, 0, 1};
    header().samples.used = 3;
    header().sampling = {97, 1, 13, 12, 3, 1, 2};
  }
  void fill_regions() {
    auto* regions = reinterpret_cast<LiveRegion*>(region_ + process_at::regions);
    std::memcpy(region_ + process_at::region_names, "stephalo", 8);
    regions[1] = {0, 0, 4};
    regions[2] = {1, 4, 4};
    header().regions.used = 3;
    header().region_names.used = 8;
    ThreadHeader& h = thread_.header();
    auto* times = reinterpret_cast<LiveRegionTimes*>(thread_.region() + thread_at::region_times);
    times[1] = {10, 5000, 400, 700};
    times[2] = {30, 3000, 90, 120};
    h.region_times.used = 3;
  }
  // Number 0, one that was read in rows and one written through MPI.
  void fill_files() {
    put_text(&header().file_text, process_at::file_text, std::string("\0/data/in\0/data/out\0", 20));
    auto* files = reinterpret_cast<LiveFile*>(region_ + process_at::files);
    auto* runs = reinterpret_cast<FileRun*>(region_ + process_at::file_runs);
    runs[1] = {1000, 100, 0, 1};
    runs[2] = {0, 8, 50, 20};
    files[0].size = -1;
    files[1].name = 1;
    files[1].size = 4000;
    files[1].reads = {1, 4, 2, 0};
    files[2].name = 10;
    files[2].flags = file_opened_by_mpi | file_has_view;
    files[2].size = 1 << 20;
    files[2].beneath.overflow = 1;
    for (uint32_t i = 0; i < file_counts; ++i) {
      files[1].counts[0][i] = 10 + i;
      files[1].counts[1][i] = i;
      files[2].counts[2][i] = 1000 * i;
      files[2].counts[3][i] = 7;
    }
    header().files.used = 3;
    header().file_runs.used = 3;
  }
  void fill_sites(uint32_t n) {
    ThreadHeader& h = thread_.header();
    auto* sites = reinterpret_cast<LiveSite*>(thread_.region() + thread_at::sites);
    auto* contexts = reinterpret_cast<LiveContext*>(thread_.region() + thread_at::contexts);
    // Five routines, three of them called by main, one by no module's code, one by what was left out; then the calls.
    constexpr uint32_t routines = 5;
    contexts[2] = {frame_word(1, 0x100), context_begin, 1};
    contexts[3] = {frame_of_no_module, context_begin, 1};
    contexts[4] = {frames_left_out, context_unknown, 1};
    uint32_t used = 5;
    for (uint32_t r = 0; r < routines; ++r) contexts[used++] = {frame_word(1, 0x2000 + r), r < 3 ? 2 : r, 2};
    for (uint32_t i = 1; i < n; ++i) {
      sites[i] = {i % 2, used, i % 3};
      contexts[used++] = {frame_word(0, 0x1000 + i), first_context + 3 + i % routines, 3};
    }
    h.contexts.used = used;
    h.sites.used = n;
    auto* locals = reinterpret_cast<LiveLocal*>(thread_.region() + thread_at::locals);
    locals[1] = {frame_word(0, 0x77), 1000, 25000, 2, 0};  // the one before it was never called
    h.locals.used = 2;
    // A loop within another one, and how control went between the first sites.
    auto* loops = reinterpret_cast<LiveLoop*>(thread_.region() + thread_at::loops);
    loops[1] = {frame_word(1, 0x1f00), frame_word(1, 0x20f0), 2, 0, 0, 0};
    loops[2] = {frame_word(0, 0x1001), frame_word(0, 0x1009), 5, 1, 1, 0};
    h.loops.used = 3;
    auto* around = reinterpret_cast<uint32_t*>(thread_.region() + thread_at::context_loops);
    for (uint32_t c = first_context; c < used; ++c) around[c] = 1 + c % 3;
    h.context_loops.used = used;
    auto* transitions = reinterpret_cast<Transition*>(thread_.region() + thread_at::transitions);
    transitions[1] = {1, 2, 7, 1, Transition::classified, 0, 0};
    transitions[2] = {2, 1, 5, 2, Transition::classified, 0, 0};
    transitions[3] = {2, 3, 1, 0, Transition::classified, 0, 0};
    h.transitions.used = n > 3 ? 4 : 0;
  }
  static void write_page(int fd, const char* from, uint32_t number) {
    if (pwrite(fd, from, page, static_cast<off_t>(number * page)) != static_cast<ssize_t>(page)) std::abort();
  }

  char* region_;
  MemoryThread thread_;
};

}  // namespace leadline::recording
