#include "analysis/matching/window_calls.hpp"

#include <algorithm>
#include <set>

namespace leadline::analysis {

namespace {

bool completes_operations(std::string_view function) {
  return function == "MPI_Win_fence" || function == "MPI_Win_complete" || function.starts_with("MPI_Win_unlock") ||
         function.starts_with("MPI_Win_flush");
}

bool opens(std::string_view function) { return function == "MPI_Win_start" || function.starts_with("MPI_Win_lock"); }

constexpr uint32_t none = StepOperation::none;

bool of_one_thread(const std::vector<Epochs::Ends>& epochs) {
  return std::all_of(epochs.begin(), epochs.end(),
                     [&](const Epochs::Ends& e) { return e.thread == epochs.front().thread; });
}

}  // namespace

bool WindowCalls::take(uint32_t at, const structure::DecodedCall& call, std::string_view function, const Caller& caller,
                       StepAccesses* found, Epochs* epochs) {
  Window& window = windows_[call.comm];
  if (call.facts().moves) {
    if (call.parts.empty() || !call.partner.real()) return false;
    window.open.push_back(found->operations.size());
    found->operations.push_back({at, window.opened, none, call.partner.world, call.identity});
    return true;
  }
  if (opens(function)) window.opened = at;
  if (function == "MPI_Win_start") window.started = at;
  if (function == "MPI_Win_post") window.posted = at;
  const bool waits = function == "MPI_Win_wait";
  if ((waits || function == "MPI_Win_test") && window.posted != none) {
    epochs->expose(call.identity, caller.rank, {caller.thread, window.posted, waits ? at : none});
    found->exposures.push_back({window.posted, at, call.identity});
    window.posted = none;
    return false;
  }
  if (!completes_operations(function)) return false;
  if (!function.starts_with("MPI_Win_flush")) window.opened = none;
  complete(at, call.identity, function == "MPI_Win_complete", caller, &window, &found->operations, epochs);
  return false;
}

void WindowCalls::complete(uint32_t at, uint64_t identity, bool epoch, const Caller& caller, Window* window,
                           std::vector<StepOperation>* operations, Epochs* epochs) {
  std::set<int32_t> targets;
  for (const size_t o : window->open) {
    (*operations)[o].closed_by = at;
    targets.insert((*operations)[o].target);
  }
  window->open.clear();
  if (!epoch || window->started == none) return;
  for (const int32_t target : targets) {
    if (target >= 0) epochs->access(identity, caller.rank, target, {caller.thread, window->started, at});
  }
  window->started = none;
}

std::vector<StepEpoch> Epochs::matched() const {
  std::vector<StepEpoch> found;
  for (const auto& [names, accesses] : accesses_) {
    const auto& [window, origin, target] = names;
    const auto exposures = exposures_.find({window, target});
    if (!window || exposures == exposures_.end() || exposures->second.size() != accesses.size()) continue;
    if (!of_one_thread(accesses) || !of_one_thread(exposures->second)) continue;  // their order is unknown
    for (size_t i = 0; i < accesses.size(); ++i) {
      const Ends &own = accesses[i], &other = exposures->second[i];
      found.push_back({own.first, own.last, other.first, other.last});
    }
  }
  return found;
}

}  // namespace leadline::analysis
