#include "recording/encode.hpp"

namespace leadline::recording {

bool has_conditions(const char* region) {
  return reinterpret_cast<const ProcessHeader*>(region)->conditions.known != 0;
}

void encode_conditions(const char* region, trace::ByteSink* out) {
  const LiveConditions& p = reinterpret_cast<const ProcessHeader*>(region)->conditions;
  out->varint(p.processors);
  out->varint(p.quota);
  const uint32_t n = p.runs < LiveConditions::most_runs ? p.runs : LiveConditions::most_runs;
  out->varint(n);
  uint32_t end = 0;
  for (uint32_t i = 0; i < n; ++i) {
    out->varint(p.allowed[i].first - end);
    out->varint(p.allowed[i].count);
    end = p.allowed[i].first + p.allowed[i].count;
  }
  out->varint(p.threads);
  out->varint(p.busy);
  out->varint(p.cpu_ns);
  out->varint(p.waiting_known ? p.waited_ns + 1 : 0);
  out->svarint(p.launcher_ranks);
  out->svarint(p.launcher_rank);
  out->string(p.launcher, sizeof(p.launcher));
  out->varint(p.budget_files);
  out->varint(p.budget_memory);
  out->varint(p.budgets_given);
  out->varint(p.file_system);
  out->varint(p.live_kind);
  out->varint(p.live_reason);
}

}  // namespace leadline::recording
