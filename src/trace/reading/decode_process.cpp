#include <algorithm>
#include <cmath>
#include <cstring>

#include "trace/end_of_trace.hpp"
#include "trace/limits.hpp"
#include "trace/losses.hpp"
#include "trace/reading/decode.hpp"

namespace leadline::trace {

Stream& stream_of(Process* p, uint32_t thread) {
  for (Stream& s : p->streams) {
    if (s.thread == thread) return s;
  }
  p->streams.emplace_back();
  p->streams.back().thread = thread;
  return p->streams.back();
}

namespace {

std::string get_string(ByteReader& in) {
  const size_t n = in.count();
  const ByteReader part = in.bytes(n);
  return in.ok() && n ? std::string(reinterpret_cast<const char*>(part.data()), n) : std::string();
}

// Strings that end with a zero, one after the other.
std::vector<std::string> zero_ended(ByteReader in) {
  std::vector<std::string> all;
  const size_t n = in.count();
  const ByteReader part = in.bytes(n);
  if (!in.ok() || !n) return all;
  const auto* p = reinterpret_cast<const char*>(part.data());
  for (size_t at = 0; at < n;) {
    const size_t length = strnlen(p + at, n - at);
    all.emplace_back(p + at, length);
    at += length + 1;
  }
  return all;
}

void decode_header(ByteReader& in, Process* p) {
  p->pid = in.svarint();
  p->rank = static_cast<int32_t>(in.svarint());
  p->world_size = static_cast<int32_t>(in.svarint());
  p->world = in.varint();
  p->host = get_string(in);
  p->program = get_string(in);
  p->library = get_string(in);
  p->family = get_string(in);
  const uint64_t begun = in.varint();
  p->initialized = begun == mpi_begun;
  p->initializing = begun == mpi_beginning;
  p->finalized = in.varint() != 0;
  p->start_unix_ns = in.svarint();
  p->duration_ns = static_cast<double>(in.varint());
  p->own_overhead_ns = static_cast<double>(in.varint());
  p->own_per_call_ns = static_cast<double>(in.varint()) / 1000;
  in.varint();                                                                   // threads
  if (!in.at_end()) p->own_between_calls_ns = static_cast<double>(in.varint());  // traces of before do not have it
}

void decode_functions(ByteReader& in, Process* p) {
  while (!in.at_end() && in.ok()) {
    const uint64_t number = in.varint();
    const uint8_t cls = in.byte();
    std::string name = get_string(in);
    if (!in.ok() || number >= max_functions || cls >= call_class_count) return in.fail();
    if (p->functions.size() <= number) p->functions.resize(number + 1);
    p->functions[number] = {std::move(name), static_cast<CallClass>(cls)};
  }
}

void decode_datatypes(ByteReader& in, Process* p) {
  const size_t n = in.count(7);
  for (size_t i = 0; i < n && in.ok(); ++i) {
    Datatype d;
    d.name = get_string(in);
    d.size = in.svarint();
    d.extent = in.svarint();
    d.lb = in.svarint();
    d.true_extent = in.svarint();
    d.combiner = static_cast<int32_t>(in.svarint());
    d.contiguous = in.byte() != 0;
    p->datatypes.push_back(std::move(d));
  }
  if (!in.ok() || in.at_end()) return;  // older files end here
  const size_t parts = in.count(2);
  for (size_t i = 0; i < parts && in.ok(); ++i) {
    const uint64_t type = in.varint();
    if (type >= p->datatypes.size()) return in.fail();
    std::vector<ArraySide>& sides = p->datatypes[type].sides;
    sides.resize(in.count(2));
    for (ArraySide& side : sides) {
      side.whole = static_cast<int64_t>(in.varint());
      side.part = static_cast<int64_t>(in.varint());
    }
  }
}

void decode_sites_of(ByteReader& in, Process* p) {
  const uint64_t thread = in.varint();
  if (thread >= max_threads) return in.fail();
  Stream& s = stream_of(p, static_cast<uint32_t>(thread));
  if (!s.sites.empty()) return in.fail();
  decode_sites(in, &s);
}

void decode_locals(ByteReader& in, Process* p) {
  const uint64_t thread = in.varint();
  if (thread >= max_threads) return in.fail();
  Stream& s = stream_of(p, static_cast<uint32_t>(thread));
  const size_t n = in.count(5);
  for (size_t i = 0; i < n && in.ok(); ++i) {
    LocalCalls l;
    l.function = static_cast<uint32_t>(in.varint());
    l.caller.module = static_cast<uint32_t>(in.varint());
    l.caller.offset = in.varint();
    l.calls = in.varint();
    l.sum_ns = static_cast<double>(in.varint());
    s.locals.push_back(l);
  }
}

struct LossText {
  const char* code;
  const char* message;
};

constexpr LossText loss_texts[static_cast<size_t>(LossKind::count)] = {
    {"order-lost",
     "calls without order, because the trace size limit was reached; counts and times are exact (raise --budget)"},
    {"path-unknown", "calls without call path: the table of call sites is full"},
    {"threads-unrecorded", "calls by threads beyond the limit of 64 at the same time"},
    {"not-crash-safe", "blocks kept in memory only, and lost if the process is killed (disk full?)"},
    {"parameters-coarse", "calls whose parameters were summed: the table of parameters is full"},
    {"vectors-dropped", "collectives whose count vectors were too long to keep; totals are exact"},
    {"requests-unknown", "completions of requests that no recorded call created"},
    {"write-failed", "blocks of the trace that could not be written (disk full?)"},
    {"local-callers-merged", "local calls counted by function only, not by call site"},
    {"regions-unbalanced", "named regions with an end but no begin, or a begin but no end"},
    {"regions-merged", "entries of named regions beyond the limit, counted for the enclosing region"},
    {"over-budget", "blocks of the trace dropped, because the trace size limit was reached (raise --budget)"},
    {"calls-left", "calls exited by an exception or longjmp: counted, but without time or data"},
};

void decode_regions(ByteReader& in, Process* p) {
  if (!p->regions.empty()) return in.fail();
  const size_t n = in.count(2);
  if (n > capacity::regions) return in.fail();
  for (size_t i = 0; i < n && in.ok(); ++i) {
    const uint64_t parent = in.varint();
    p->regions.push_back({parent < i ? static_cast<uint32_t>(parent) : 0, get_string(in)});
  }
}

void decode_region_times(ByteReader& in, Process* p) {
  const uint64_t thread = in.varint();
  if (thread >= max_threads) return in.fail();
  Stream& s = stream_of(p, static_cast<uint32_t>(thread));
  const size_t n = in.count(5);
  for (size_t i = 0; i < n && in.ok(); ++i) {
    RegionTimes t;
    t.region = static_cast<uint32_t>(in.varint());
    t.entries = in.varint();
    t.sum_ns = static_cast<double>(in.varint());
    t.min_ns = static_cast<double>(in.varint());
    t.max_ns = static_cast<double>(in.varint());
    s.region_times.push_back(t);
  }
}

void decode_variables(ByteReader& in, Process* p) {
  while (!in.at_end() && in.ok()) {
    LibraryVariable v;
    v.name = get_string(in);
    v.description = get_string(in);
    v.cls = in.byte();
    const ByteReader bits = in.bytes(sizeof(v.value));
    if (!in.ok()) return;
    std::memcpy(&v.value, bits.data(), sizeof(v.value));
    if (!std::isfinite(v.value)) v.value = 0;
    p->variables.push_back(std::move(v));
  }
}

void decode_samples(ByteReader& in, Process* p) {
  Sampling& s = p->sampling;
  s = {};
  for (uint64_t* word : {&s.rate, &s.refused, &s.error, &s.taken, &s.in_mpi, &s.no_room, &s.lost}) *word = in.varint();
  const size_t n = in.count(5);
  for (size_t i = 0; i < n && in.ok(); ++i) {
    Sample sample;
    const uint64_t thread = in.varint(), site = in.varint(), module = in.varint();
    if (thread >= max_threads || site > UINT32_MAX || module > p->modules.size()) return in.fail();
    sample.thread = static_cast<uint32_t>(thread);
    sample.site = static_cast<uint32_t>(site) - 1;
    sample.module = static_cast<uint32_t>(module) - 1;
    sample.offset = in.varint();
    sample.count = in.varint();
    s.samples.push_back(sample);
  }
}

void decode_pauses(ByteReader& in, Process* p) {
  Pauses& pauses = p->pauses;
  pauses = {};
  pauses.count = in.varint();
  pauses.sum_ns = static_cast<double>(in.varint());
  pauses.lasted = in.varint() != 0;
  pauses.calls = in.varint();
  const size_t n = in.count(2);
  for (size_t i = 0; i < n && in.ok(); ++i) {
    const auto from = static_cast<double>(in.varint());
    pauses.first.push_back({from, from + static_cast<double>(in.varint())});
  }
}

void decode_losses(ByteReader& in, Process* p) {
  const size_t n = in.count();
  for (size_t i = 0; i < n && in.ok(); ++i) {
    const uint64_t amount = in.varint();
    if (!amount || i >= std::size(loss_texts)) continue;
    p->losses.push_back({loss_texts[i].code, amount, loss_texts[i].message});
  }
}

// The payload, copied if it lies nowhere else.
std::shared_ptr<const Payload> kept(ByteReader in, const std::shared_ptr<const Payload>& payload) {
  if (payload) return payload;
  return std::make_shared<const Payload>(Payload{Packing::none, {in.data(), in.data() + in.left()}, {}});
}

// Data that many chunks could name, a shared file above all, counts once.
std::string decode_generation_of(ChunkType type, ByteReader in, Process* p,
                                 const std::shared_ptr<const Payload>& payload) {
  auto g = std::make_shared<Generation>();
  uint32_t thread = 0;
  const ByteReader whole = in;
  const bool has_times = type == ChunkType::generation;
  std::string wrong = has_times ? decode_generation(in, &thread, g.get()) : decode_structure(in, &thread, g.get());
  if (!wrong.empty()) return wrong;
  Stream& s = stream_of(p, thread);
  for (const WrittenGeneration& other : s.generations) {
    if (other.facts().number == g->number) return "duplicate generation";
  }
  s.generations.emplace_back(std::move(g), kept(whole, payload), has_times);
  return "";
}

std::string decode_times_of(ByteReader& in, Process* p, const std::shared_ptr<const Payload>& payload) {
  const ByteReader whole = in;
  const uint64_t thread = in.varint(), number = in.varint();
  if (thread >= max_threads) return "thread number out of range";
  for (WrittenGeneration& g : stream_of(p, static_cast<uint32_t>(thread)).generations) {
    if (g.facts().number == number) return g.add_times(in, kept(whole, payload));
  }
  return "times of an unknown generation";
}

std::string decode_series_of(ByteReader& in, Process* p) {
  const uint64_t thread = in.varint(), number = in.varint();
  if (thread >= max_threads) return "thread number out of range";
  Series series;
  series.generation = static_cast<uint32_t>(number);
  std::string wrong = decode_series(in, &series);
  if (wrong.empty()) stream_of(p, static_cast<uint32_t>(thread)).series.push_back(std::move(series));
  return wrong;
}

}  // namespace

namespace {

void name_loss_of_killed(uint64_t how, Process* p) {
  if (const uint64_t missing = how >> end_missing_shift) {
    p->losses.push_back({"trace-damaged", missing, "blocks missing or damaged in the .part file"});
  }
  if (how & end_damaged) p->losses.push_back({"trace-damaged", 1, "damaged live memory; skipped"});
  p->losses.push_back({ended_early, 1, said_of_killed(p->finalized)});
}

// The calls of MPI in which the process ended: one, by its error handler as a rule, or of each thread if it was killed.
void decode_end(ByteReader& in, Process* p) {
  const uint64_t how = in.varint();  // whether MPI_Finalize returned: the process has that too
  const bool killed = how & end_killed;
  if (killed) name_loss_of_killed(how, p);
  while (!in.at_end() && in.ok()) {
    const uint64_t thread = in.varint(), site = in.varint(), function = in.varint(), begin_ns = in.varint();
    const uint64_t last_end_ns = killed ? in.varint() : 0;
    for (Stream& s : p->streams) {
      if (s.thread != thread || !in.ok() || site > s.sites.size()) continue;
      const uint64_t called = site ? s.sites[site - 1].function : function;
      s.under_way.known = called < p->functions.size();
      s.under_way.function = static_cast<uint32_t>(called);
      s.under_way.site = site ? static_cast<uint32_t>(site - 1) : UINT32_MAX;
      s.under_way.begin_ns = static_cast<double>(begin_ns);
      s.last_end_ns = static_cast<double>(last_end_ns);
    }
    if (!killed) break;  // what a later version may have put behind it
  }
}

}  // namespace

std::string decode_chunk(ChunkType type, ByteReader in, Process* p, const std::shared_ptr<const Payload>& payload) {
  switch (type) {
    case ChunkType::process:
      decode_header(in, p);
      break;
    case ChunkType::functions:
      decode_functions(in, p);
      break;
    case ChunkType::modules: {
      const std::vector<std::string> text = zero_ended(in);
      for (size_t i = 0; i + 1 < text.size(); i += 2) p->modules.push_back({text[i], text[i + 1]});
      break;
    }
    case ChunkType::communicators:
      decode_communicators(in, p);
      break;
    case ChunkType::datatypes:
      decode_datatypes(in, p);
      break;
    case ChunkType::ops:
      p->ops = zero_ended(in);
      break;
    case ChunkType::sites:
      decode_sites_of(in, p);
      break;
    case ChunkType::locals:
      decode_locals(in, p);
      break;
    case ChunkType::loops: {
      const uint64_t thread = in.varint();
      return thread < max_threads ? decode_loops(in, &stream_of(p, static_cast<uint32_t>(thread)))
                                  : "thread number out of range";
    }
    case ChunkType::losses:
      decode_losses(in, p);
      break;
    case ChunkType::generation:
    case ChunkType::structure:
      return decode_generation_of(type, in, p, payload);
    case ChunkType::times:
      return decode_times_of(in, p, payload);
    case ChunkType::regions:
      decode_regions(in, p);
      break;
    case ChunkType::region_times:
      decode_region_times(in, p);
      break;
    case ChunkType::series:
      return decode_series_of(in, p);
    case ChunkType::variables:
      decode_variables(in, p);
      break;
    case ChunkType::settings:
      while (!in.at_end() && in.ok()) {
        std::string name = get_string(in);
        p->settings.push_back({std::move(name), get_string(in)});
      }
      break;
    case ChunkType::samples:
      decode_samples(in, p);
      break;
    case ChunkType::pauses:
      decode_pauses(in, p);
      break;
    case ChunkType::files:
      decode_files(in, p);
      break;
    case ChunkType::clock:
      decode_clock(in, p);
      break;
    case ChunkType::conditions:
      decode_conditions(in, p);
      break;
    case ChunkType::shared:
      return "chunk of a shared file in a trace";
    case ChunkType::end:
      if (!in.at_end()) decode_end(in, p);
      break;
  }
  return in.ok() ? "" : "truncated table";
}

namespace {

// An index out of range must not reach the code that looks it up.
void check_references(Process* p) {
  // Number 0 of these tables means "none".
  if (p->communicators.empty()) p->communicators.emplace_back();
  if (p->datatypes.empty()) p->datatypes.emplace_back();
  if (p->regions.empty()) p->regions.emplace_back();
  p->functions.emplace_back();  // the last one: all that are unknown, without a name
  for (Communicator& c : p->communicators) {
    if (c.parent >= p->communicators.size()) c.parent = 0;
  }
  for (Stream& s : p->streams) {
    check_sites(*p, &s);
    std::erase_if(s.region_times, [&](const RegionTimes& t) { return t.region == 0 || t.region >= p->regions.size(); });
    for (LocalCalls& l : s.locals) {
      if (l.function >= p->functions.size()) l.function = static_cast<uint32_t>(p->functions.size() - 1);
    }
    const Limits limits{static_cast<uint32_t>(s.sites.size()), static_cast<uint32_t>(p->communicators.size()),
                        static_cast<uint32_t>(p->datatypes.size())};
    for (WrittenGeneration& g : s.generations) g.finish(limits);
    std::sort(s.generations.begin(), s.generations.end(), [](const WrittenGeneration& a, const WrittenGeneration& b) {
      return a.facts().number < b.facts().number;
    });
  }
  std::sort(p->streams.begin(), p->streams.end(), [](const Stream& a, const Stream& b) { return a.thread < b.thread; });
}

std::string why_not_finalized(const Process& p) {
  for (const Stream& s : p.streams) {
    if (s.under_way.known && s.under_way.function < p.functions.size() &&
        p.functions[s.under_way.function].name == "MPI_Finalize") {
      return "did not return";
    }
  }
  return "was not reached";
}

}  // namespace

void finish_process(Process* p) {
  check_references(p);
  uint64_t unread = 0;
  for (const Stream& s : p->streams) {
    for (const WrittenGeneration& g : s.generations) unread += g.facts().uncounted_variations;
  }
  if (unread)
    p->losses.push_back({"parameters-coarse", unread, "calls counted with the parameters of their first occurrence"});
  if ((p->initialized || p->initializing) && !p->finalized) {
    p->losses.push_back({"not-finalized", 1, "MPI_Finalize " + why_not_finalized(*p)});
  }
  name_clock_losses(p);
}

}  // namespace leadline::trace
