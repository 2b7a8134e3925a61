#include "recording/at_most.hpp"
#include "recording/encode.hpp"

namespace leadline::recording {

namespace {

const ProcessHeader& header_of(const char* region) { return *reinterpret_cast<const ProcessHeader*>(region); }
const ThreadHeader& thread_of(const char* region) { return *reinterpret_cast<const ThreadHeader*>(region); }

void encode_text(const char* text, uint64_t used, uint64_t capacity, trace::ByteSink* out) {
  const uint64_t n = at_most(used, capacity);
  out->varint(n);
  out->bytes(text, n);
}

}  // namespace

void encode_process(const char* region, trace::ByteSink* out) {
  const ProcessHeader& h = header_of(region);
  const TickScale scale{h.tick_factor};
  out->svarint(h.pid);
  out->svarint(h.rank);
  out->svarint(h.world_size);
  out->varint(h.world);
  out->string(h.host, sizeof(h.host));
  out->string(h.program, sizeof(h.program));
  out->string(h.library, sizeof(h.library));
  out->string(h.family, sizeof(h.family));
  out->varint(h.initialized);
  out->varint(h.finalized);
  out->svarint(h.start_unix_ns);
  out->varint(h.last_ticks > h.first_ticks ? scale.ns(h.last_ticks - h.first_ticks) : 0);
  out->varint(scale.ns(h.own_ticks));
  out->varint(scale.ns(h.fast_call_ticks_x1000));
  out->varint(at_most(h.threads, trace::max_threads));
  out->varint(scale.ns(h.own_between_calls));
}

void mark_functions(const char* region, uint8_t (*used)[trace::max_functions]) {
  const ThreadHeader& h = thread_of(region);
  const auto* sites = reinterpret_cast<const LiveSite*>(region + thread_at::sites);
  const auto* locals = reinterpret_cast<const LiveLocal*>(region + thread_at::locals);
  for (uint64_t i = 0; i < at_most(h.sites.used, capacity::sites); ++i) {
    if (sites[i].function < trace::max_functions) (*used)[sites[i].function] = 1;
  }
  for (uint64_t i = 0; i < at_most(h.locals.used, capacity::locals); ++i) {
    if (locals[i].calls && locals[i].function < trace::max_functions) (*used)[locals[i].function] = 1;
  }
  // The call under way, which a process may end in, is no site's and may be the first of its function.
  if (h.call >= in_function && h.call - in_function < trace::max_functions) (*used)[h.call - in_function] = 1;
}

// In the region: name, zero, class; for each function in turn.
void encode_functions(const char* region, const uint8_t (&used)[trace::max_functions], trace::ByteSink* out) {
  const char* text = region + process_at::functions;
  const uint64_t size = at_most(header_of(region).functions.used, capacity::functions);
  uint32_t number = 0;
  for (uint64_t at = 0; at < size && number < trace::max_functions; ++number) {
    const size_t length = strnlen(text + at, size - at);
    if (at + length + 2 > size) break;
    if (used[number] && length) {
      out->varint(number);
      out->byte(static_cast<uint8_t>(text[at + length + 1]));
      out->string(text + at, length);
    }
    at += length + 2;
  }
}

void encode_modules(const char* region, trace::ByteSink* out) {
  encode_text(region + process_at::modules, header_of(region).modules.used, capacity::modules, out);
}

void encode_ops(const char* region, trace::ByteSink* out) {
  encode_text(region + process_at::ops, header_of(region).ops.used, capacity::ops, out);
}

namespace {

// Most programs have none, so that nothing is written.
void encode_topologies(const LiveCommunicator* comms, uint64_t n, const int32_t* sides, uint64_t all,
                       trace::ByteSink* out) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < n; ++i) count += comms[i].topology != 0;
  if (!count) return;
  out->varint(count);
  for (uint64_t i = 0; i < n; ++i) {
    const LiveCommunicator& c = comms[i];
    if (!c.topology) continue;
    const bool kept = c.first_side <= all && c.dims <= all - c.first_side;
    const uint32_t dims = kept ? c.dims : 0;
    out->varint(i);
    out->byte(c.topology);
    out->varint(dims);
    for (uint32_t d = 0; d < dims; ++d) {
      const int64_t side = sides[c.first_side + d];
      out->varint(static_cast<uint64_t>(side < 0 ? -side : side) << 1 | (side < 0));
    }
  }
}

}  // namespace

void encode_communicators(const char* region, trace::ByteSink* out) {
  const ProcessHeader& h = header_of(region);
  const auto* comms = reinterpret_cast<const LiveCommunicator*>(region + process_at::communicators);
  const auto* members = reinterpret_cast<const int32_t*>(region + process_at::members);
  const uint64_t n = at_most(h.communicators.used, capacity::communicators);
  const uint64_t all = at_most(h.members.used, capacity::members);
  uint64_t members_left = capacity::members;  // duplicates share theirs
  out->varint(n);
  for (uint64_t i = 0; i < n; ++i) {
    const LiveCommunicator& c = comms[i];
    out->byte(c.kind);
    out->varint(c.parent);
    out->varint(c.identity);
    out->svarint(c.rank);
    out->svarint(c.size);
    const bool kept = c.first_member <= all && c.member_count <= all - c.first_member && c.member_count <= members_left;
    const uint32_t count = kept ? c.member_count : 0;
    members_left -= count;
    // Members as runs of a constant stride: most communicators are one or two runs.
    out->varint(count);
    for (uint32_t m = 0; m < count;) {
      const int32_t* rank = members + c.first_member;
      const int64_t stride = m + 1 < count ? int64_t{rank[m + 1]} - rank[m] : 1;
      uint32_t run = 1;
      while (m + run < count && int64_t{rank[m + run]} - rank[m + run - 1] == stride) ++run;
      out->varint(run);
      out->svarint(rank[m]);
      out->svarint(stride);
      m += run;
    }
  }
  encode_topologies(comms, n, members, all, out);
}

void encode_datatypes(const char* region, trace::ByteSink* out) {
  const auto* types = reinterpret_cast<const LiveDatatype*>(region + process_at::datatypes);
  const uint64_t n = at_most(header_of(region).datatypes.used, capacity::datatypes);
  out->varint(n);
  for (uint64_t i = 0; i < n; ++i) {
    out->string(types[i].name, sizeof(types[i].name));
    out->svarint(types[i].size);
    out->svarint(types[i].extent);
    out->svarint(types[i].lb);
    out->svarint(types[i].true_extent);
    out->svarint(types[i].combiner);
    out->byte(types[i].contiguous != 0);
  }
  uint64_t parts = 0;
  for (uint64_t i = 0; i < n; ++i) parts += types[i].dims != 0;
  out->varint(parts);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t dims = at_most(types[i].dims, LiveDatatype::most_dims);
    if (!dims) continue;
    out->varint(i);
    out->varint(dims);
    for (uint64_t d = 0; d < dims; ++d) {
      out->varint(static_cast<uint64_t>(types[i].sides[d].whole));
      out->varint(static_cast<uint64_t>(types[i].sides[d].part));
    }
  }
}

void encode_losses(const char* region, trace::ByteSink* out) {
  const ProcessHeader& h = header_of(region);
  constexpr auto n = static_cast<uint32_t>(trace::LossKind::count);
  out->varint(n);
  for (uint32_t i = 0; i < n; ++i) out->varint(h.losses[i]);
}

bool was_paused(const char* region) { return header_of(region).pauses.count != 0; }

uint64_t paused_calls(const char* region) { return thread_of(region).paused_calls; }

void encode_pauses(const char* region, uint64_t calls, trace::ByteSink* out) {
  const ProcessHeader& h = header_of(region);
  const LivePauses& pauses = h.pauses;
  const TickScale scale{h.tick_factor};
  const auto since_begin = [&](uint64_t ticks) {
    return scale.ns(ticks > h.first_ticks && h.first_ticks ? ticks - h.first_ticks : 0);
  };
  const bool lasts = pauses.since != 0;
  const uint64_t end = since_begin(h.last_ticks);
  uint64_t ns = scale.ns(pauses.ticks);
  if (lasts && end > since_begin(pauses.since)) ns += end - since_begin(pauses.since);
  out->varint(pauses.count);
  out->varint(ns);
  out->varint(lasts);
  out->varint(calls);
  const uint64_t n = at_most(pauses.count, LivePauses::kept);
  out->varint(n);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t from = since_begin(pauses.first[i].from);
    const uint64_t to = lasts && i + 1 == pauses.count ? end : since_begin(pauses.first[i].to);
    out->varint(from);
    out->varint(to > from ? to - from : 0);
  }
}

bool was_sampled(const char* region) { return header_of(region).sampling.rate != 0; }

void encode_samples(const char* region, trace::ByteSink* out) {
  const ProcessHeader& h = header_of(region);
  const auto* samples = reinterpret_cast<const LiveSample*>(region + process_at::samples);
  const LiveSampling& s = h.sampling;
  const uint64_t words[] = {s.rate, s.refused, s.error, s.taken, s.in_mpi, s.no_room, s.lost};
  for (const uint64_t word : words) out->varint(word);
  const uint64_t used = at_most(h.samples.used, capacity::samples);
  out->varint(used ? used - 1 : 0);
  for (uint64_t i = 1; i < used; ++i) {
    const uint32_t module = trace::module_of(samples[i].frame);
    out->varint(samples[i].thread);
    out->varint(samples[i].site);
    out->varint(module == trace::no_module_word ? 0 : uint64_t{module} + 1);
    out->varint(samples[i].frame & trace::frame_offset_mask);
    out->varint(samples[i].count);
  }
}

namespace {

uint64_t number_of_contexts(const ThreadHeader& h) { return at_most(h.contexts.used, capacity::contexts); }

// Each as the difference to its elder sibling, or to its parent where it has none, which mostly is the context before.
void put_contexts(const LiveContext* contexts, uint64_t n, trace::ByteSink* out) {
  const size_t scratch_bytes = n * sizeof(uint32_t);
  void* scratch = n > trace::first_context
                      ? mmap(nullptr, scratch_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : MAP_FAILED;
  if (scratch == MAP_FAILED) return out->varint(0);
  auto* last_child = static_cast<uint32_t*>(scratch);
  out->varint(n - trace::first_context);
  for (uint64_t i = trace::first_context; i < n; ++i) {
    const LiveContext& c = contexts[i];
    const uint64_t parent = c.parent < i ? c.parent : trace::context_unknown;
    const uint64_t near = last_child[parent] ? last_child[parent] : i - 1;
    const uint64_t reference = near >= trace::first_context ? contexts[near].frame : 0;
    const bool other_module = c.frame >> 48 != reference >> 48;
    out->varint((i - 1 - parent) << 1 | other_module);
    if (other_module) out->varint(c.frame >> 48);
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(c.frame & trace::frame_offset_mask),
                                            static_cast<int64_t>(reference & trace::frame_offset_mask)));
    last_child[parent] = static_cast<uint32_t>(i);
  }
  munmap(scratch, scratch_bytes);
}

}  // namespace

// Without frames of their own and with all regions: readers that know no contexts see sites whose paths are unknown.
void encode_sites(const char* region, trace::ByteSink* out) {
  const ThreadHeader& h = thread_of(region);
  const auto* sites = reinterpret_cast<const LiveSite*>(region + thread_at::sites);
  const auto* contexts = reinterpret_cast<const LiveContext*>(region + thread_at::contexts);
  const uint64_t n = at_most(h.sites.used, capacity::sites);
  out->varint(h.thread);
  out->varint(n);
  for (uint64_t i = 0; i < n; ++i) {
    out->varint(sites[i].function);
    out->varint(0);
  }
  for (uint64_t i = 0; i < n; ++i) out->varint(sites[i].region);
  put_contexts(contexts, number_of_contexts(h), out);
  int64_t before = 0;
  for (uint64_t i = 0; i < n; ++i) {
    out->svarint(int64_t{sites[i].context} - before);
    before = sites[i].context;
  }
}

void encode_locals(const char* region, uint64_t tick_factor, trace::ByteSink* out) {
  const ThreadHeader& h = thread_of(region);
  const auto* locals = reinterpret_cast<const LiveLocal*>(region + thread_at::locals);
  const TickScale scale{tick_factor};
  out->varint(h.thread);
  const uint64_t used = at_most(h.locals.used, capacity::locals);
  uint64_t n = 0;
  for (uint64_t i = 0; i < used; ++i) n += locals[i].calls != 0;
  out->varint(n);
  for (uint64_t i = 0; i < used; ++i) {
    if (!locals[i].calls) continue;
    out->varint(locals[i].function);
    out->varint(locals[i].caller >> 48);
    out->varint(locals[i].caller & ((uint64_t{1} << 48) - 1));
    out->varint(locals[i].calls);
    out->varint(scale.ns(locals[i].ticks));
  }
}

}  // namespace leadline::recording
