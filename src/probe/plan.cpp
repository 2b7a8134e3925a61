#include "probe/plan.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace leadline::probe {

namespace {

bool read_operation(const std::string& name, collectives::Operation* operation) {
  for (int i = 0; i < collectives::operation_count; ++i) {
    if (name != collectives::facts_of_operations[i].name) continue;
    *operation = static_cast<collectives::Operation>(i);
    return true;
  }
  return false;
}

// The rest of the line. Names may hold newlines, which are written as \n, and a backslash is doubled.
bool read_path(std::istream& in, std::string* path) {
  std::string line;
  if (!std::getline(in, line)) return false;
  path->clear();
  for (size_t i = 0; i < line.size(); ++i) {
    const bool escaped = line[i] == '\\' && i + 1 < line.size();
    if (escaped) ++i;
    *path += escaped && line[i] == 'n' ? '\n' : line[i];
  }
  return true;
}

bool read_line(const std::string& line, Plan* plan) {
  std::istringstream words(line);
  std::string what;
  words >> what >> std::ws;
  if (what == "mpi") return read_path(words, &plan->library);
  if (what == "output") return read_path(words, &plan->output);
  if (what == "variable") return bool(words >> plan->variables.emplace_back());
  if (what == "control") return bool(words >> plan->controls.emplace_back());
  if (what == "file") return read_path(words, &plan->file);
  if (what == "memory") return bool(words >> plan->memory) && plan->memory > 0;
  if (what == "eager") return bool(words >> plan->eager) && plan->eager > 0;
  if (what == "errant") {
    auto& [name, value] = plan->errant.emplace_back();
    return bool(words >> name >> std::ws) && bool(std::getline(words, value));
  }
  if (what == "function") {
    Function& function = plan->functions.emplace_back();
    return bool(words >> function.offset >> function.name);
  }
  if (what == "point") {
    Point& point = plan->points.emplace_back();
    std::string operation, how;
    if (!(words >> operation >> point.bytes >> point.processes >> how)) return false;
    if (!read_operation(operation, &point.operation)) return false;
    point.uneven = how == "uneven";
    point.timed = how == "timed";
    return how == "even" || how == "uneven" || how == "timed";
  }
  return false;
}

}  // namespace

bool read_plan(const char* path, Plan* plan) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.empty() && !read_line(line, plan)) {
      std::fprintf(stderr, "leadline-probe: %s: cannot parse: %s\n", path, line.c_str());
      return false;
    }
  }
  if (!plan->library.empty() && !plan->output.empty()) return true;
  std::fprintf(stderr, "leadline-probe: %s: library or output missing\n", path);
  return false;
}

}  // namespace leadline::probe
