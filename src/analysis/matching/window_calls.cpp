#include "analysis/matching/window_calls.hpp"

#include <set>

namespace leadline::analysis {

namespace {

bool completes_operations(std::string_view function) {
  return function == "MPI_Win_fence" || function == "MPI_Win_complete" || function.starts_with("MPI_Win_unlock") ||
         function.starts_with("MPI_Win_flush");
}

}  // namespace

WindowCalls::Did WindowCalls::take(uint32_t at, const structure::DecodedCall& call, std::string_view function,
                                   int32_t rank, std::vector<StepOperation>* operations, Epochs* epochs) {
  if (call.facts().moves) {
    if (call.parts.empty() || !call.partner.real()) return Did::nothing;
    open_.push_back({operations->size(), call.comm});
    operations->push_back({at, StepOperation::none, call.partner.world, call.identity});
    return Did::operate;
  }
  if (function == "MPI_Win_start") started_[call.comm] = at;
  if (function == "MPI_Win_post") posted_[call.comm] = at;
  const bool waits = function == "MPI_Win_wait";
  if (waits || function == "MPI_Win_test") {
    const auto posted = posted_.find(call.comm);
    if (posted == posted_.end()) return Did::nothing;
    epochs->expose(call.identity, rank, {posted->second, waits ? at : StepOperation::none});
    posted_.erase(posted);
    return Did::end_exposure;
  }
  if (!completes_operations(function)) return Did::nothing;
  std::set<int32_t> targets;
  std::erase_if(open_, [&](const Open& o) {
    if (o.window != call.comm) return false;
    (*operations)[o.operation].closed_by = at;
    targets.insert((*operations)[o.operation].target);
    return true;
  });
  if (const auto started = started_.find(call.comm); started != started_.end() && function == "MPI_Win_complete") {
    for (const int32_t target : targets) epochs->access(call.identity, rank, target, {started->second, at});
    started_.erase(started);
  }
  return Did::nothing;
}

std::vector<StepEpoch> Epochs::matched() const {
  std::vector<StepEpoch> found;
  for (const auto& [names, accesses] : accesses_) {
    const auto& [window, origin, target] = names;
    const auto exposures = exposures_.find({window, target});
    if (!window || exposures == exposures_.end() || exposures->second.size() != accesses.size()) continue;
    for (size_t i = 0; i < accesses.size(); ++i) {
      const Ends &own = accesses[i], &other = exposures->second[i];
      found.push_back({own.first, own.last, other.first, other.last});
    }
  }
  return found;
}

}  // namespace leadline::analysis
