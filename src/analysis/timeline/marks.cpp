#include "analysis/timeline/marks.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace leadline::analysis {

namespace {

constexpr double most_units = 9e18;  // damaged traces may contain any time

int64_t units(double seconds, double unit_s) {
  const double all = std::nearbyint(seconds / unit_s);
  return std::isnan(all) ? 0 : static_cast<int64_t>(std::clamp(all, -most_units, most_units));
}

size_t at(int64_t row) { return static_cast<size_t>(row); }

}  // namespace

bool StepRows::consistent() const {
  const size_t n = lane.size();
  for (const size_t size : {begin_s.size(), end_s.size(), gap_s.size(), completed_s.size(), sent.size(),
                            received.size(), completion.size()}) {
    if (size != n) return false;
  }
  const auto row_or_none = [n](int64_t row) { return row == -1 || (row >= 0 && at(row) < n); };
  return sends.size() == receives.size() && std::all_of(sends.begin(), sends.end(), row_or_none) &&
         std::all_of(receives.begin(), receives.end(), row_or_none);
}

double StepRows::start_s() const {
  double first = lane.empty() ? 0 : begin_s[0] - gap_s[0];
  for (size_t row = 1; row < lane.size(); ++row) first = std::min(first, begin_s[row] - gap_s[row]);
  return first;
}

double StepRows::stop_s() const { return end_s.empty() ? 0 : *std::max_element(end_s.begin(), end_s.end()); }

CallMarks call_marks(const StepRows& step, const std::vector<int64_t>& rows, size_t lanes, double unit_s) {
  const double start_s = step.start_s();
  CallMarks found;
  found.by_lane.resize(lanes);
  for (std::vector<int64_t>* column : {&found.begin, &found.duration, &found.bytes}) column->reserve(rows.size());
  for (const int64_t row : rows) {
    const size_t i = at(row);
    const auto lane = static_cast<size_t>(step.lane[i]);
    if (lane < lanes) ++found.by_lane[lane];
    const int64_t begin = units(step.begin_s[i] - start_s, unit_s);
    found.begin.push_back(begin);
    found.duration.push_back(std::max<int64_t>(0, units(step.end_s[i] - start_s, unit_s) - begin));
    found.bytes.push_back(std::max(step.sent[i], step.received[i]));
  }
  return found;
}

MessageMarks message_marks(const StepRows& step, double unit_s) {
  const double start_s = step.start_s();
  std::vector<std::pair<int64_t, int64_t>> messages;
  std::unordered_map<int64_t, size_t> sent_by;  // how many a call starts
  messages.reserve(step.sends.size());
  for (size_t i = 0; i < step.sends.size(); ++i) {
    ++sent_by[step.sends[i]];
    if (step.sends[i] >= 0 && step.receives[i] >= 0) messages.emplace_back(step.sends[i], step.receives[i]);
  }
  std::sort(messages.begin(), messages.end());
  MessageMarks found;
  for (const auto& [send, receive] : messages) {
    const double arrival_s = step.completed_s[at(receive)];
    found.send.push_back(send);
    found.receive.push_back(receive);
    found.completion.push_back(arrival_s == step.end_s[at(receive)] ? receive : step.completion[at(receive)]);
    found.arrival.push_back(std::isnan(arrival_s) ? -1 : units(arrival_s - start_s, unit_s));
    found.bytes.push_back(sent_by[send] == 1 ? step.sent[at(send)] : -1);
  }
  return found;
}

LaneEdges lane_edges(const StepRows& step, size_t lanes, double unit_s) {
  const double start_s = step.start_s();
  LaneEdges found;
  found.from.assign(lanes, -1);
  found.to.assign(lanes, -1);
  for (size_t row = 0; row < step.lane.size();) {
    const auto lane = static_cast<size_t>(step.lane[row]);
    const double from_s = step.begin_s[row] - step.gap_s[row];
    double to_s = step.end_s[row];
    for (++row; row < step.lane.size() && static_cast<size_t>(step.lane[row]) == lane; ++row) {
      to_s = std::max(to_s, step.end_s[row]);
    }
    if (lane >= lanes) continue;
    found.from[lane] = units(from_s - start_s, unit_s);
    found.to[lane] = units(to_s - start_s, unit_s);
  }
  return found;
}

std::vector<int64_t> after_others(const StepRows& step, double unit_s) {
  std::vector<int64_t> found;
  for (size_t row = 1; row < step.lane.size(); ++row) {
    if (step.lane[row] != step.lane[row - 1]) continue;
    const double unseen_s = step.begin_s[row] - step.gap_s[row] - step.end_s[row - 1];
    if (unseen_s > 2 * unit_s) found.push_back(static_cast<int64_t>(row));
  }
  return found;
}

}  // namespace leadline::analysis
