#include "trace/reading/decode.hpp"

namespace leadline::trace {

void decode_conditions(ByteReader& in, Process* process) {
  Conditions& p = process->conditions;
  p = {};
  p.known = true;
  p.processors = static_cast<uint32_t>(in.varint());
  p.quota = static_cast<double>(in.varint()) / 1000;
  const size_t n = in.count(2);
  uint64_t end = 0;
  for (size_t i = 0; i < n && in.ok(); ++i) {
    const uint64_t first = end + in.varint(), count = in.varint();
    constexpr uint64_t most_processors = 1 << 20;
    if (first > most_processors || count > most_processors) return in.fail();
    end = first + count;
    p.allowed.emplace_back(static_cast<uint32_t>(first), static_cast<uint32_t>(count));
  }
  p.threads = static_cast<uint32_t>(in.varint());
  p.busy = static_cast<uint32_t>(in.varint());
  p.cpu_ns = static_cast<double>(in.varint());
  p.waited_ns = static_cast<double>(in.varint()) - 1;
  p.launcher_ranks = static_cast<int32_t>(in.svarint());
  p.launcher_rank = static_cast<int32_t>(in.svarint());
  const ByteReader launcher = in.bytes(in.varint());
  if (in.ok()) p.launcher.assign(reinterpret_cast<const char*>(launcher.data()), launcher.left());
  p.budget_files = in.varint();
  p.budget_memory = in.varint();
  p.budgets_given = static_cast<uint32_t>(in.varint());
  if (!in.left()) return;  // the version that made the trace did not say where its live memory was
  p.file_system = in.varint();
  p.live_kind = static_cast<LiveMemoryKind>(in.varint() & 3);
  p.live_reason = static_cast<LiveMemoryReason>(in.varint() & 7);
}

}  // namespace leadline::trace
