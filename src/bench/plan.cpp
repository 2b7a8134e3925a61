#include "bench/plan.hpp"

#include <fstream>
#include <sstream>

namespace leadline::bench {

namespace {

bool read_item(const std::string& key, std::istringstream& words, Plan* plan) {
  if (key == "rounds") return bool(words >> plan->rounds);
  if (key == "seconds") return bool(words >> (plan->points.empty() ? plan->seconds : plan->points.back().seconds));
  if (key == "within") return bool(words >> plan->within_s);
  if (key == "repeat") return bool(words >> plan->repeat);
  if (key == "skew_us") return bool(words >> plan->skew_us);
  if (key == "seed") return bool(words >> plan->seed);
  if (key == "root") return bool(words >> plan->root);
  if (key == "nodes") return bool(words >> plan->nodes);
  if (key == "network") return bool(words >> plan->network);
  if (key == "calibrate") return bool(words >> plan->calibrate_s) && plan->calibrate_s > 0;
  if (key == "dims") {
    for (int side = 0; words >> side;) {
      if (side < 1) return false;
      plan->dims.push_back(side);
    }
    return words.eof() && !plan->dims.empty();
  }
  if (key == "clocks") {
    std::string which;
    words >> which;
    plan->measured_clocks = which == "measured";
    return which == "measured" || which == "shared";
  }
  if (key == "buffers") {
    std::string which;
    words >> which;
    plan->buffers_written = which == "written";
    return which == "written" || which == "reused";
  }
  if (key == "start") {
    std::string which;
    words >> which;
    plan->after_barrier = which == "barrier";
    return which == "barrier" || which == "announced";
  }
  if (key == "arrival" && !plan->points.empty()) {
    std::vector<double> pattern;
    for (double late_us = 0; words >> late_us;) {
      if (late_us < 0) return false;
      pattern.push_back(late_us);
    }
    plan->points.back().arrivals.push_back(pattern);
    return words.eof() && !pattern.empty();
  }
  if (key == "point") {
    Point point;
    words >> point.operation >> point.bytes;
    plan->points.push_back(point);
    return bool(words) && point.bytes >= 0;
  }
  if (key == "candidate" && !plan->points.empty()) {
    CandidateName candidate;
    words >> candidate.name >> candidate.segment_bytes >> candidate.radix;
    plan->points.back().candidates.push_back(candidate);
    return bool(words);
  }
  return false;
}

}  // namespace

bool read_plan(const char* path, Plan* plan, std::string* problem) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != "leadline-bench 1") {
    *problem = std::string(path) + ": not a leadline bench plan";
    return false;
  }
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string key;
    if (!(words >> key)) continue;
    if (!read_item(key, words, plan)) {
      *problem = std::string(path) + ": cannot parse: " + line;
      return false;
    }
  }
  return true;
}

}  // namespace leadline::bench
