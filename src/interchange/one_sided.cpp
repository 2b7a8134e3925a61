#include "interchange/one_sided.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace leadline::interchange {

using trace::CallClass;

namespace {

constexpr size_t most_in_window = size_t{1} << 16;  // on a window: the oldest are forgotten

}  // namespace

// MPI 4.1, 12.5: what a call completes of the operations before it. If it names a target, it concerns that target only.
OneSidedOperations::Synchronisation OneSidedOperations::synchronisation(const std::string& function) {
  struct Row {
    std::string_view name;
    Synchronisation is;
  };
  static constexpr Row rows[] = {
      {"MPI_Win_fence", {true, true, true, true, false}},
      {"MPI_Win_complete", {true, true, true, false, true}},
      {"MPI_Win_unlock", {true, false, true, true, false}},
      {"MPI_Win_unlock_all", {true, true, true, true, false}},
      {"MPI_Win_flush", {true, false, true, true, false}},
      {"MPI_Win_flush_all", {true, true, true, true, false}},
      {"MPI_Win_flush_local", {true, false, true, false, false}},
      {"MPI_Win_flush_local_all", {true, true, true, false, false}},
  };
  for (const Row& row : rows) {
    if (row.name == function) return row.is;
  }
  return {};
}

OneSidedOperations::OneSidedOperations(const trace::Process& process, size_t stream) {
  functions_.reserve(process.functions.size());
  for (const trace::Function& f : process.functions) functions_.push_back(synchronisation(f.name));
  for (size_t other = 0; other < process.streams.size(); ++other) {
    const std::vector<trace::Site>& sites = process.streams[other].sites;
    alone_ &= other == stream || std::none_of(sites.begin(), sites.end(), [&](const trace::Site& site) {
                return site.function < functions_.size() && functions_[site.function].known;
              });
  }
}

void OneSidedOperations::follow(const structure::DecodedCall& call, bool exported) {
  started_ = 0;
  done_.clear();
  if (call.nothing) return;
  const bool starts = call.cls == CallClass::rma || call.cls == CallClass::rma_request;
  if (starts && call.identity && call.partner.rank >= 0 && !call.parts.empty()) {
    started_ = ++last_;
    if (!exported || !alone_) return;
    std::deque<Operation>& operations = under_way_[call.identity];
    operations.push_back({started_, call.partner.rank, false});
    if (operations.size() > most_in_window) operations.pop_front();
  } else if (call.cls == CallClass::win_free) {
    under_way_.erase(call.identity);
  } else if (call.function < functions_.size() && functions_[call.function].known) {
    synchronise(call, functions_[call.function], exported);
  }
}

void OneSidedOperations::synchronise(const structure::DecodedCall& call, const Synchronisation& s, bool exported) {
  const auto window = under_way_.find(call.identity);
  if (window == under_way_.end()) return;
  std::deque<Operation>& operations = window->second;
  // The recorder did not keep the target, so from here on it is unknown which operations are complete.
  if (!s.all && call.partner.rank < 0) return void(under_way_.erase(window));
  const auto concerns = [&](const Operation& o) { return s.all || o.target == call.partner.rank; };
  for (Operation& o : operations) {
    if (!concerns(o)) continue;
    if (exported && (!o.here || s.there)) done_.push_back({o.number, !o.here, s.there});
    o.here = true;
  }
  if (s.there || s.ends)
    operations.erase(std::remove_if(operations.begin(), operations.end(), concerns), operations.end());
}

bool OneSidedOperations::complete(uint64_t window, uint64_t operation) {
  if (!alone_) return true;
  const auto at = under_way_.find(window);
  if (at == under_way_.end()) return false;
  const auto found = std::lower_bound(at->second.begin(), at->second.end(), operation,
                                      [](const Operation& o, uint64_t number) { return o.number < number; });
  return found != at->second.end() && found->number == operation && !std::exchange(found->here, true);
}

}  // namespace leadline::interchange
