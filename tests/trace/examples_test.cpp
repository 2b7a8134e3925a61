// Example traces, and what the reader makes of them as text: docs/reference/format.md's worked example, and what
// test_format.py compares with a reader written from that document.
//   examples_test            writes each to memory, reads it back and checks that it is complete
//   examples_test DIRECTORY  NAME.trace and NAME.txt of each
#include <sys/stat.h>

#include <algorithm>
#include <cinttypes>

#include "../recording/memory_process.hpp"
#include "../recording/programs.hpp"
#include "recording/reading/process_files.hpp"
#include "trace/reading/series_walk.hpp"

namespace {

using namespace leadline::recording;
using namespace leadline::trace;

void print_conditions(std::FILE* f, const Conditions& at) {
  std::fprintf(f, "conditions %u %.0f", at.processors, at.quota * 1000);
  for (const auto& [first, count] : at.allowed) std::fprintf(f, " %u-%u", first, first + count - 1);
  std::fprintf(f, " %u %u %.0f %.0f %d %d %s", at.threads, at.busy, at.cpu_ns, at.waited_ns + 1, at.launcher_ranks,
               at.launcher_rank, at.launcher.c_str());
  std::fprintf(f, " %" PRIu64 " %" PRIu64 " %u\n", at.budget_files, at.budget_memory, at.budgets_given);
}

void print_process(FILE* f, const Process& p) {
  std::fprintf(f, "process %" PRId64 " %d %d %" PRIu64 " %s|%s|%s|%s %d %d %d %" PRId64 " %.0f %.0f %.0f %.0f\n", p.pid,
               p.rank, p.world_size, p.world, p.host.c_str(), p.program.c_str(), p.library.c_str(), p.family.c_str(),
               p.initialized, p.finalized, p.complete, p.start_unix_ns, p.duration_ns, p.own_overhead_ns,
               p.own_per_call_ns * 1000, p.own_between_calls_ns);
  for (size_t i = 0; i < p.functions.size(); ++i) {
    if (!p.functions[i].name.empty()) {
      std::fprintf(f, "function %zu %s %s\n", i, p.functions[i].name.c_str(), facts_of(p.functions[i].cls).name);
    }
  }
  for (const Module& m : p.modules) std::fprintf(f, "module %s %s\n", m.path.c_str(), m.build_id.c_str());
  for (const Communicator& c : p.communicators) {
    std::fprintf(f, "communicator %d %u %" PRIu64 " %d %d", static_cast<int>(c.kind), c.parent, c.identity, c.rank,
                 c.size);
    for (const int32_t w : c.world) std::fprintf(f, " %d", w);
    if (c.topology != Topology::none) std::fprintf(f, " topology %d", static_cast<int>(c.topology));
    for (const GridSide& side : c.grid) std::fprintf(f, " %d%s", side.extent, side.periodic ? "p" : "");
    std::fprintf(f, "\n");
  }
  for (const Datatype& d : p.datatypes) {
    std::fprintf(f, "datatype %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %d", d.name.c_str(), d.size,
                 d.extent, d.lb, d.true_extent, d.combiner, d.contiguous);
    for (const ArraySide& side : d.sides) std::fprintf(f, " %" PRId64 "/%" PRId64, side.whole, side.part);
    std::fprintf(f, "\n");
  }
  for (const std::string& op : p.ops) std::fprintf(f, "op %s\n", op.c_str());
  for (size_t i = 0; i < p.regions.size(); ++i) {
    std::fprintf(f, "region %zu %u %s\n", i, p.regions[i].parent, p.regions[i].name.c_str());
  }
  for (const LibraryVariable& v : p.variables) {
    std::fprintf(f, "variable %s %s %d %.3f\n", v.name.c_str(), v.description.c_str(), v.cls, v.value);
  }
  for (const LibrarySetting& s : p.settings) std::fprintf(f, "setting %s %s\n", s.name.c_str(), s.value.c_str());
  const Pauses& pauses = p.pauses;
  std::fprintf(f, "pauses %" PRIu64 " %.0f %d %" PRIu64 "\n", pauses.count, pauses.sum_ns, pauses.lasted, pauses.calls);
  for (const Pauses::Interval& i : pauses.first) std::fprintf(f, "pause %.0f %.0f\n", i.from_ns, i.to_ns - i.from_ns);
  const Sampling& s = p.sampling;
  if (s.rate) {
    std::fprintf(f, "sampling");
    for (const uint64_t word : {s.rate, s.refused, s.error, s.taken, s.in_mpi, s.no_room, s.lost})
      std::fprintf(f, " %" PRIu64, word);
    std::fprintf(f, "\n");
  }
  for (const Sample& one : s.samples) {
    std::fprintf(f, "sample %u %u %u %" PRIu64 " %" PRIu64 "\n", one.thread, one.site + 1, one.module + 1, one.offset,
                 one.count);
  }
  std::fprintf(f, "clock %" PRIu64 " %" PRId64 " %d\n", p.clock.identity, p.clock.start_ns, p.clock.compared);
  for (const ProcessClock::Comparison& c : p.clock.comparisons) {
    std::fprintf(f, "compared %" PRIu64 " %" PRId64 " %" PRIu64 "\n", c.own_ns, c.offset_ns, c.error_ns);
  }
  print_conditions(f, p.conditions);
  for (const ProcessFile& file : p.files) {
    const int flags = file.opened_by_mpi + 2 * file.mapped + 4 * file.has_view + 8 * file.offset_unknown;
    std::fprintf(f, "file %s %d %" PRId64 "\n", file.name.c_str(), flags, file.size);
    for (size_t l = 0; l < file.layers.size(); ++l) {
      const ProcessFile::Counts& c = file.layers[l];
      if (c.opens + c.closes + c.reads + c.writes + c.others + c.time_ns + c.random == 0) continue;
      std::fprintf(f, "layer %zu", l);
      for (const uint64_t n : {c.opens, c.closes, c.reads, c.writes, c.others, c.bytes_read, c.bytes_written, c.time_ns,
                               c.sequential, c.strided, c.random}) {
        std::fprintf(f, " %" PRIu64, n);
      }
      std::fprintf(f, "\n");
    }
    for (const ProcessFile::Stretches* s : {&file.reads, &file.beneath}) {
      std::fprintf(f, "stretches %d", !s->complete);
      for (const ProcessFile::Run& r : s->runs) {
        std::fprintf(f, " %" PRIu64 "+%" PRIu64 "*%" PRIu64 "/%" PRIu64, r.begin, r.length, r.count, r.stride);
      }
      std::fprintf(f, "\n");
    }
  }
  for (const Loss& l : p.losses) std::fprintf(f, "loss %s %" PRIu64 "\n", l.code.c_str(), l.amount);
}

void print_times(FILE* f, const TimeStats& t) {
  std::fprintf(f, " %" PRIu64 " %.0f %.0f %.0f %.0f", t.count, t.sum_ns, t.gap_sum_ns, t.min_ns, t.max_ns);
  for (size_t b = 0; b < t.hist.size(); ++b) {
    if (t.hist[b]) std::fprintf(f, " %zu:%" PRIu64, b, t.hist[b]);
  }
  std::fprintf(f, "\n");
}

void print_key(FILE* f, const Key& k) {
  std::fprintf(f, " %u %u %" PRId64 " %d %d %u %u %" PRId64, k.site, k.comm, k.count, k.peer, k.tag, k.datatype,
               k.extra, k.value);
}

void print_loop(FILE* f, const LoopTimes& l) {
  std::fprintf(f,
               "loop %u %d %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
               " %" PRIu64 " %.0f\n",
               l.position, l.after, l.source, l.anchors, l.stride, l.width, l.first_call, l.skipped, l.occurrences,
               l.timed, l.calls, l.time_ns);
  for (const uint64_t way : l.begins) std::fprintf(f, "begins %" PRIu64 " %" PRIu64 "\n", way >> 32, way & UINT32_MAX);
  for (const uint64_t way : l.ends) std::fprintf(f, "ends %" PRIu64 " %" PRIu64 "\n", way >> 32, way & UINT32_MAX);
  for (const StripTimes& s : l.strip) {
    if (!s.count) continue;
    std::fprintf(f, "strip %" PRIu64 " %" PRIu64 " %.0f %.0f %.0f %" PRIu64 "\n", s.first, s.count, s.mean_ns, s.min_ns,
                 s.max_ns, s.max_iteration);
  }
  for (const SlowTime& s : l.slow)
    std::fprintf(f, "slow %" PRIu64 " %.0f %.0f %.0f %u\n", s.iteration, s.time_ns, s.begin_ns, s.longest_gap_ns,
                 s.gap_position);
}

void print_series(FILE* f, const Stream& stream) {
  SeriesWalk walk(stream);
  TimedEvent e;
  const Series* last = nullptr;
  const auto header = [&](const Series& s) {
    std::fprintf(f, "series %u %u\n", stream.thread, s.generation);
    for (const LoopTimes& l : s.loops) print_loop(f, l);
    for (const WindowTimes& w : s.windows) {
      std::fprintf(f, "window %d %u %" PRIu64 " %.0f %.0f %" PRIu64 " %" PRIu64 "\n", static_cast<int>(w.kind), w.loop,
                   w.first_call, w.begin_ns, w.end_ns - w.begin_ns, w.iteration, w.entries);
    }
  };
  size_t told = 0;
  const auto tell_up_to = [&](size_t n) {
    for (; told < n; ++told) header(stream.series[told]);
  };
  while (walk.next(&e)) {
    if (!e.series) continue;
    if (e.series != last) tell_up_to(static_cast<size_t>(e.series - stream.series.data()) + 1);
    last = e.series;
    std::fprintf(f, "timed %.6g %.6g%s\n", e.duration_ns, e.gap_ns, e.polled ? " polled" : "");
  }
  tell_up_to(stream.series.size());
}

void print_stream(FILE* f, const Stream& s) {
  for (size_t i = 0; i < s.sites.size(); ++i) {
    std::fprintf(f, "site %u %zu %u", s.thread, i, s.sites[i].function);
    for (const Frame& frame : frames_of(s.contexts, s.sites[i].context)) {
      std::fprintf(f, " %d+%" PRIx64, static_cast<int>(frame.module), frame.offset);
    }
    std::fprintf(f, " %s in %u\n", s.sites[i].whole ? "whole" : "cut", s.sites[i].region);
  }
  for (size_t i = 1; i < s.loops.size(); ++i) {
    const SourceLoop& l = s.loops[i];
    std::fprintf(f, "source %u %zu %u %u %u+%" PRIx64 " %u+%" PRIx64 " %d %" PRIu64 " %" PRIu64 "\n", s.thread, i,
                 l.context, l.outer, l.header.module, l.header.offset, l.last.module, l.last.offset,
                 l.by_order + 2 * l.silent, l.repeats, l.entries);
  }
  if (!s.loops.empty()) {
    std::fprintf(f, "around %u", s.thread);
    for (const uint32_t loop : s.site_loops) std::fprintf(f, " %u", loop);
    std::fprintf(f, "\n");
  }
  for (const BackEdge& r : s.back_edges) std::fprintf(f, "back_edge %u %u %u %u\n", s.thread, r.from, r.to, r.loop);
  for (const LocalCalls& l : s.locals) {
    std::fprintf(f, "local %u %u %u+%" PRIx64 " %" PRIu64 " %.0f\n", s.thread, l.function, l.caller.module,
                 l.caller.offset, l.calls, l.sum_ns);
  }
  for (const RegionTimes& t : s.region_times) {
    std::fprintf(f, "spent %u %u %" PRIu64 " %.0f %.0f %.0f\n", s.thread, t.region, t.entries, t.sum_ns, t.min_ns,
                 t.max_ns);
  }
  for (const WrittenGeneration& written : s.generations) {
    const std::shared_ptr<const Generation> decoded = written.decoded();
    const Generation& g = *decoded;
    std::fprintf(f, "generation %u %u %d %" PRIu64 "\n", s.thread, g.number, g.unordered, g.events);
    for (size_t i = first_position; i < g.positions.size(); ++i) {
      const DecodedPosition& p = g.positions[i];
      std::fprintf(f, "position %zu %u", i, p.mode);
      print_key(f, p.key);
      if (p.mode == mode_bag_coarse) std::fprintf(f, " amount %" PRId64, p.amount);
      print_times(f, p.times);
    }
    for (const DecodedPolls::Site& polls : g.polls.sites) {
      std::fprintf(f, "polls");
      print_key(f, polls.key);
      print_times(f, polls.times);
    }
    std::fprintf(f, "runs %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g.polls.kept, g.polls.dropped, g.polls.tail);
  }
  Walker walker(s);
  Event e;
  while (walker.next(&e)) {
    std::fprintf(f, "event %" PRIu64, e.times);
    print_key(f, e.key);
    for (size_t w = 0; w < e.word_count; ++w) std::fprintf(f, " %" PRId64, e.words[w]);
    std::fprintf(f, "\n");
  }
  print_series(f, s);
}

Key message(uint32_t site, int32_t peer, int64_t count, int64_t value) {
  Key k;
  k.site = site;
  k.comm = 1;
  k.count = count;
  k.peer = peer;
  k.tag = 7;
  k.datatype = 1;
  k.value = value;
  return k;
}

// Eight steps of a send and a receive, then a shorter send.
void worked_example(MemoryProcess* p) {
  for (uint64_t step = 0; step < 8; ++step) {
    p->thread().add(message(2, 1, 100, 0), 1000 + 10 * step, 100);
    p->thread().add(message(1, -1, 100, 800), 2000, 50);
  }
  p->thread().add(message(2, 1, 50, 0), 900, 100);
}

Key in_tables(Key k) {
  k.site &= 63;
  k.comm &= 0xff000001;
  k.datatype &= 3;
  if (k.extra > 1) k.extra = 2;
  return k;
}

void synthetic(const std::string& kind, uint64_t seed, MemoryProcess* p) {
  programs::Random r(seed);
  const int64_t words[] = {800, -1, 1, 0, INT64_MIN, 3, 1, 2, INT64_MAX};
  const bool unordered = kind == "unordered";
  const std::vector<Key> log = programs::program(unordered ? "random pairs" : kind, r);
  constexpr uint64_t limit = 40000;  // events
  for (size_t i = 0; i < log.size() && events_of(p->thread().header()) < limit; ++i) {
    if (unordered && i == limit / 2) p->thread().spend_budget();
    Key k = in_tables(log[i]);
    if (k.extra == 2) k.extra = p->graph().intern(words, 9);
    if (unordered) k.count = static_cast<int64_t>(programs::below(r, 1u << 20));
    p->thread().add(k, programs::below(r, 50) ? 100 + programs::below(r, 3000) : r() >> 26, programs::below(r, 100));
  }
}

constexpr const char* kinds[] = {"tree",       "mixture",          "small alphabet",  "sizes vary",
                                 "polls only", "polls everywhere", "tag is the step", "unordered"};

bool write_file(const std::string& path, const Bytes& bytes) {
  FILE* f = std::fopen(path.c_str(), "wb");
  if (!f) return false;
  const bool ok = std::fwrite(bytes.data(), 1, bytes.size(), f) == bytes.size();
  return std::fclose(f) == 0 && ok;
}

bool example(const std::string& directory, std::string name, MemoryProcess* p, bool whole, bool keep) {
  std::replace(name.begin(), name.end(), ' ', '-');
  const std::string path = directory + "/" + name;
  const Bytes plain = MemoryProcess::file_of(p->chunks(whole)), packed = MemoryProcess::file_of(p->chunks(whole), true);
  if (!write_file(path + ".trace", plain) || !write_file(path + "-packed.trace", packed)) {
    return std::perror(path.c_str()), false;
  }
  if (packed.size() >= plain.size()) return std::printf("%s: packing saves nothing\n", name.c_str()), false;
  Process process;
  const ReadError error = read_process(path + ".trace", &process);
  if (!error.message.empty() || !process.complete)
    return std::printf("%s: %s\n", name.c_str(), error.message.c_str()), false;
  FILE* f = std::fopen((path + ".txt").c_str(), "w");
  if (!f) return false;
  print_process(f, process);
  for (const Stream& s : process.streams) print_stream(f, s);
  std::fclose(f);
  for (const char* end : {".trace", "-packed.trace", ".txt"}) {
    if (!keep) std::remove((path + end).c_str());
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool keep = argc > 1;
  const std::string directory = keep ? argv[1] : ".";
  MemoryProcess worked(3);
  worked_example(&worked);
  bool ok = example(directory, "worked", &worked, false, keep);
  uint64_t seed = 1;
  for (const char* kind : kinds) {
    MemoryProcess p;
    synthetic(kind, seed++, &p);
    ok = ok && example(directory, kind, &p, seed % 2 == 0, keep);
  }
  std::puts(ok ? "ok" : "failed");
  return ok ? 0 : 1;
}
