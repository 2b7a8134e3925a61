// The loops of a thread's source (docs/reference/format.md). Nothing in the region is trusted.
#include "recording/encode.hpp"
#include "recording/loop_profile.hpp"
#include "trace/chunk.hpp"

namespace leadline::recording {

namespace {

// Makes a tree of untrusted data: parents come first, and an entry whose parent does not becomes a root.
void check_contexts(ThreadHeader* h, char* region) {
  if (h->contexts.used > capacity::contexts) h->contexts.used = capacity::contexts;
  auto* contexts = reinterpret_cast<LiveContext*>(region + thread_at::contexts);
  for (uint64_t i = 0; i < h->contexts.used; ++i) {
    LiveContext& c = contexts[i];
    if (i < trace::first_context) {
      c = {};
    } else {
      if (c.parent >= i) c.parent = trace::context_unknown;
      c.depth = contexts[c.parent].depth + 1;
    }
  }
}

void check_loops(ThreadHeader* h, char* region) {
  if (h->loops.used > capacity::loops) h->loops.used = capacity::loops;
  auto* loops = reinterpret_cast<LiveLoop*>(region + thread_at::loops);
  for (uint64_t i = 0; i < h->loops.used; ++i) {
    if (!i || loops[i].context >= h->contexts.used) loops[i] = {};
    if (loops[i].outer >= h->loops.used) loops[i].outer = 0;
  }
  if (h->context_loops.used > capacity::context_loops) h->context_loops.used = capacity::context_loops;
  auto* around = reinterpret_cast<uint32_t*>(region + thread_at::context_loops);
  for (uint64_t i = 0; i < h->context_loops.used; ++i) {
    if (around[i] > h->loops.used && around[i] != UINT32_MAX) around[i] = 0;
  }
}

void check_transitions(ThreadHeader* h, char* region) {
  if (h->transitions.used > capacity::transitions) h->transitions.used = capacity::transitions;
  auto* transitions = reinterpret_cast<Transition*>(region + thread_at::transitions);
  for (uint64_t i = 0; i < h->transitions.used; ++i) {
    Transition& t = transitions[i];
    if (t.repeats >= h->loops.used) t.repeats = 0;
  }
}

// The pairs of calls between which control iterated a loop. For other pairs, the loops around both show what it left
// and entered.
void encode_back_edges(const ThreadLoops& loops, trace::ByteSink* out) {
  uint64_t n = 0;
  for (uint32_t i = 1; i < loops.transitions.size(); ++i) n += loops.transitions[i].repeats != 0;
  out->varint(n);
  int64_t from = 0;
  for (uint32_t i = 1; i < loops.transitions.size(); ++i) {
    const Transition& t = loops.transitions[i];
    if (!t.repeats) continue;
    out->svarint(t.from - from);
    out->svarint(int64_t{t.to} - t.from);
    out->varint(t.repeats);
    from = t.from;
  }
}

}  // namespace

void classify_loops(char* region) {
  auto* h = reinterpret_cast<ThreadHeader*>(region);
  if (h->sites.used > capacity::sites) h->sites.used = capacity::sites;
  check_contexts(h, region);
  check_loops(h, region);
  check_transitions(h, region);
  ThreadLoops loops;
  loops.attach(h, region, {[](void*, char*, char*) { return true; }, nullptr}, {});
  for (uint32_t i = 1; i < loops.transitions.size(); ++i) loops.repeated(i);
}

void encode_loops(const char* region, trace::ByteSink* out) {
  const auto& h = *reinterpret_cast<const ThreadHeader*>(region);
  ThreadLoops loops;
  loops.attach_to_read(region);
  const LoopProfile profile(h, region, &loops);
  out->varint(h.thread);
  const uint32_t n = profile ? loops.source.count() : 0;
  out->varint(n ? n - 1 : 0);
  uint64_t header = 0;
  for (uint32_t i = 1; i < n; ++i) {
    const LiveLoop& l = loops.source[i];
    out->varint(l.context);
    out->varint(l.outer);
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(l.header), static_cast<int64_t>(header)));
    out->byte(static_cast<uint8_t>((l.by_order ? trace::loop_by_order : 0) | (l.silent ? trace::loop_silent : 0)));
    out->svarint(trace::wrapping_difference(static_cast<int64_t>(l.last), static_cast<int64_t>(l.header)));
    out->varint(profile[i].repeats);
    out->varint(profile[i].entries);
    header = l.header;
  }
  const uint64_t sites = n > 1 ? (h.sites.used < capacity::sites ? h.sites.used : capacity::sites) : 0;
  out->varint(sites);
  for (uint32_t i = 0; i < sites; ++i) out->varint(loops.source.around(i));
  if (sites) encode_back_edges(loops, out);
}

}  // namespace leadline::recording
