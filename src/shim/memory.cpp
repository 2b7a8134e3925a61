#include "shim/memory.hpp"

#include <string.h>

#include <algorithm>
#include <atomic>

#include "shim/state.hpp"

namespace leadline::shim {

using collectives::node::Combine;
using collectives::node::Means;
using collectives::node::Team;
using host::call_real;

namespace {

void let_library_go_on(void* state) {
  int32_t found = 0;
  call_real(Fn::Iprobe, abi.any_source, abi.any_tag, static_cast<const Moving*>(state)->own, &found, abi.status_ignore);
}

Means means_of(const Moving& m, const collectives::Transport& transport) {
  return {.state = transport.state,
          .reduce = transport.reduce,
          .copy = transport.copy,
          .progress = let_library_go_on,
          .combine = m.combine,
          .extent = m.layout.extent,
          .before = -m.layout.true_lb,
          .span = m.layout.true_extent,
          .packed = m.layout.one_block,
          .truncated = abi.family->err_truncate,
          .other = abi.family->err_other};
}

// Numbers that any of the types can be, and whose combinations differ between the operations: as bytes 0 to 63.
bool gives_the_same(Combine combine, uint64_t op, uint64_t datatype, int64_t size) {
  alignas(64) char lower[64], upper[64], ours[64], theirs[64];
  for (int i = 0; i < 64; ++i) {
    lower[i] = static_cast<char>(i * 7 % 64);
    upper[i] = static_cast<char>(i * 13 % 61);
  }
  memcpy(theirs, upper, sizeof(theirs));
  const auto count = static_cast<int32_t>(64 / size);
  combine(lower, upper, ours, count);
  return call_real(Fn::Reduce_local, lower, theirs, count, datatype, op) == 0 && !noted_error &&
         memcmp(ours, theirs, sizeof(ours)) == 0;
}

Combine find(uint64_t op, uint64_t datatype, int64_t size) {
  int index = 0;
  while (index < host::Family::op_count && abi.ops[index] != op) ++index;
  char name[256] = {};  // longer than any library's
  int32_t length = 0;
  if (index == host::Family::op_count || call_real(Fn::Type_get_name, datatype, name, &length) != 0) return nullptr;
  const Combine found = collectives::node::find_combine(host::op_names[index], name, size);
  return found && gives_the_same(found, op, datatype, size) ? found : nullptr;
}

}  // namespace

bool equipped(Communicator& c, const Rule& rule, Reason* why) {
  *why = Reason::no_communicator;
  if (!c.ready()) return false;
  *why = Reason::no_memory;
  if (rule.algorithm->needs_memory && !c.team()) return false;
  *why = Reason::refused;
  return true;
}

// The names of predefined datatypes may be changed, which is why the answer for a pair is kept.
Combine combine_of(uint64_t op, uint64_t datatype, int64_t size) {
  struct Known {
    std::atomic<uint64_t> key;
    std::atomic<Combine> combine;
  };
  static Known known[256];
  const uint64_t key = (op * 0x9e3779b97f4a7c15u) ^ datatype;
  Known& at = known[spread(key, 56)];
  if (at.key.load(std::memory_order_acquire) == key) return at.combine.load(std::memory_order_relaxed);
  const Combine found = find(op, datatype, size);
  at.key.store(0, std::memory_order_relaxed);
  at.combine.store(found, std::memory_order_release);
  at.key.store(key, std::memory_order_release);
  return found;
}

bool fits_into_memory(const Layout& layout) {
  Means means{};
  means.extent = layout.extent;
  means.span = layout.true_extent;
  return Team::takes(means);
}

int carry_out_together(const collectives::Transport& transport, const void* from, void* to,
                       const collectives::Step& step) {
  const Moving& m = *static_cast<const Moving*>(transport.state);
  if (m.failed) {
    m.team->fail(m.failed, means_of(m, transport));
    return 0;
  }
  return m.team->run({step.operation, step.root, std::max(step.from.count, step.to.count),
                      static_cast<const char*>(from), static_cast<char*>(to)},
                     means_of(m, transport));
}

}  // namespace leadline::shim
