#include "analysis/patterns/exchanges/operation_order.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/patterns/exchanges/rows.hpp"

namespace leadline::analysis {

namespace {

using trace::CallClass;

// The calls of one-sided operations of one exchange in the step, by process and target, in order.
std::map<std::pair<uint32_t, int32_t>, std::vector<uint32_t>> operations_of(const std::vector<uint32_t>& sites,
                                                                            const Step& step) {
  std::map<std::pair<uint32_t, int32_t>, std::vector<uint32_t>> own;
  for (const uint32_t s : sites) {
    const auto at = step.operated_at.find(s);
    if (at == step.operated_at.end()) continue;
    for (const uint32_t o : at->second) {
      const StepOperation& operation = step.accesses.operations[o];
      own[{step.calls[operation.call].process, operation.target}].push_back(operation.call);
    }
  }
  for (auto& [ends, calls] : own) std::sort(calls.begin(), calls.end());
  return own;
}

// What a rank may know before the next operation: from any synchronisation of a window, and from completed requests.
void rows_of(const Exchange& e, const Step& step, Ordering* o) {
  std::vector<uint32_t> known = arrivals(step);
  for (uint32_t c = 0; c < step.calls.size(); ++c) {
    const CallClass cls = step.calls[c].cls;
    const bool completes = trace::facts_of(cls).requests == trace::RequestUse::completes;
    if (cls == CallClass::rma_sync || completes) known.push_back(c);
  }
  std::sort(known.begin(), known.end());
  std::vector<uint64_t> lengths;
  for (const auto& [ends, calls] : operations_of(e.sites, step)) add_rows(calls, known, &lengths);
  o->known = !lengths.empty();
  o->messages = lengths.size();
  o->together = std::max<uint64_t>(middle(lengths), 1);
  o->together_least = o->together;
}

// One way through a grid: a rank between two others operates only after one of its epochs was completed, every time.
void passing(const Exchange& e, const Step& step, Ordering* o) {
  if (e.shape.kind != Shape::Kind::upwind) return;
  std::set<uint32_t> reached;
  for (const GraphEdge& edge : e.edges) reached.insert(edge.to);
  std::set<uint64_t> windows;
  for (const uint32_t s : e.sites) {
    const auto at = step.operated_at.find(s);
    if (at == step.operated_at.end()) continue;
    for (const uint32_t operation : at->second) windows.insert(step.accesses.operations[operation].window);
  }
  std::map<uint32_t, std::vector<uint32_t>> exposed;  // by process: calls that end epochs of these windows
  for (const StepExposure& x : step.accesses.exposures) {
    if (windows.count(x.window)) exposed[step.calls[x.call].process].push_back(x.call);
  }
  uint64_t passed_on = 0;
  std::vector<double> gaps;
  for (const auto& [ends, calls] : operations_of(e.sites, step)) {
    if (!reached.count(ends.first)) continue;
    ++o->between;
    const std::vector<uint32_t>& received = exposed[ends.first];
    // One more or fewer: the part that was read may end between the two.
    const size_t pairs = std::min(calls.size(), received.size());
    bool each = pairs > 0 && std::max(calls.size(), received.size()) <= pairs + 1;
    for (size_t i = 0; each && i < pairs; ++i) each = received[i] < calls[i];
    if (!each) continue;
    ++passed_on;
    for (size_t i = 0; i < pairs; ++i) {
      double gap = 0;
      for (uint32_t c = received[i] + 1; c <= calls[i]; ++c) gap += step.calls[c].gap_ns;
      gaps.push_back(gap);
    }
  }
  if (!o->between) return;
  o->passes_on = static_cast<double>(passed_on) / static_cast<double>(o->between);
  o->passing_ns = middle(gaps);
}

}  // namespace

void order_operations(const Exchange& e, const Step& step, Ordering* o) {
  rows_of(e, step, o);
  if (o->known) passing(e, step, o);
}

bool operate_in_stages(const std::vector<uint32_t>& sites, const Step& step) {
  std::map<uint32_t, std::map<uint32_t, int32_t>> ranks;  // by process: calls and their targets
  for (const auto& [ends, calls] : operations_of(sites, step)) {
    for (const uint32_t c : calls) ranks[ends.first][c] = ends.second;
  }
  uint64_t changes = 0, after_closing = 0;
  for (const auto& [process, targets] : ranks) {
    for (auto next = targets.begin(), last = next++; next != targets.end(); last = next++) {
      if (last->second == next->second) continue;
      ++changes;
      bool synchronises = false;
      for (uint32_t c = last->first + 1; c < next->first; ++c) synchronises |= step.calls[c].cls == CallClass::rma_sync;
      after_closing += synchronises;
    }
  }
  return changes && 10 * after_closing >= 9 * changes;
}

}  // namespace leadline::analysis
