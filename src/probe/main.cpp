// leadline-probe PLAN: an MPI program that reports on its MPI library under the settings it was started with: which
// values reached the ranks, and which of the library's own functions a collective goes through. `leadline apply` starts
// it in the same way as the user's program. Each rank writes a JSON object per line; "done" is the last.
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "collectives/words.hpp"
#include "host/launcher_variables.hpp"
#include "probe/eager.hpp"
#include "probe/files.hpp"
#include "probe/library.hpp"
#include "probe/memory.hpp"
#include "probe/plan.hpp"
#include "probe/timing.hpp"
#include "probe/traps.hpp"

namespace {

using namespace leadline::probe;
namespace collectives = leadline::collectives;

void write_text(FILE* out, const std::string& text) {
  std::fputc('"', out);
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      std::fprintf(out, "\\%c", c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::fprintf(out, "\\u%04x", c);
    } else {
      std::fputc(c, out);
    }
  }
  std::fputc('"', out);
}

// Lines, made before set_errant: what the rank was given.
std::string told_variables(const Plan& plan) {
  char* text = nullptr;
  size_t length = 0;
  FILE* out = open_memstream(&text, &length);
  for (const std::string& name : plan.variables) {
    const char* value = getenv(name.c_str());
    std::fprintf(out, "{\"variable\": \"%s\", \"value\": ", name.c_str());
    value ? write_text(out, value) : void(std::fputs("null", out));
    std::fputs("}\n", out);
  }
  std::fclose(out);
  const std::string found(text, length);
  std::free(text);
  return found;
}

void write_controls(FILE* out, const Plan& plan, const Library& library) {
  for (const std::string& name : plan.controls) {
    std::string value;
    const bool there = read_control(library, name, &value);
    std::fprintf(out, "{\"control\": \"%s\", \"value\": ", name.c_str());
    there ? write_text(out, value) : void(std::fputs("null", out));
    std::fputs("}\n", out);
  }
}

void write_surroundings(FILE* out, const Plan& plan, const Library& library) {
  const auto told = [](bool is) { return is ? "true" : "false"; };
  if (plan.memory > 0) {
    const Memory found = memory_of(plan.memory);
    std::fprintf(out, "{\"memory\": %ld, \"mapped\": %s, \"returned\": %s, \"large_pages\": %s}\n", plan.memory,
                 told(found.mapped), told(found.returned), told(found.large_pages));
  }
  if (plan.file.empty()) return;
  for (const auto& [key, value] : hints_of(library, plan.file)) {
    std::fputs("{\"hint\": ", out);
    write_text(out, key);
    std::fputs(", \"value\": ", out);
    write_text(out, value);
    std::fputs("}\n", out);
  }
}

// The ranks that send: all but the root if only the root receives.
bool sends_more(const Point& point, int rank) {
  const bool root_sends = !facts_of(point.operation).received.root_only;
  return point.uneven && (rank == 0) == root_sends;
}

void set_errant(const Plan& plan) {
  const auto rank = static_cast<int>(leadline::host::launcher_rank());
  if (rank < 0 || plan.points.empty() || !sends_more(plan.points.back(), rank)) return;
  for (const auto& [name, value] : plan.errant) setenv(name.c_str(), value.c_str(), 1);
}

// Keeps the library's message about a fatal error in a file, because launchers may drop it when they end the ranks.
void keep_errors(const Plan& plan, int rank) {
  if (plan.points.empty() || !plan.points.back().uneven) return;
  const std::string name = plan.output + "-errors." + std::to_string(rank);
  const int file = open(name.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (file >= 0) dup2(file, STDERR_FILENO);
}

const char* host_name() {
  static utsname host;
  return uname(&host) == 0 ? host.nodename : "a node";
}

int call(const Library& it, const Point& point, int rank, Handle group, std::vector<char>* from,
         std::vector<char>* to) {
  const bool reals = point.bytes % 8 == 0;
  const Handle type = reals ? it.real : it.byte;
  const Handle op = reals ? it.sum : it.bitwise_or;
  const auto count = static_cast<uint64_t>(reals ? point.bytes / 8 : point.bytes);
  const auto address = [](std::vector<char>* of) { return reinterpret_cast<uint64_t>(of->data()); };
  const auto word = [](Handle handle) { return static_cast<uint64_t>(handle); };
  const uint64_t own_count = count + sends_more(point, rank);
  const std::vector<int> counts(static_cast<size_t>(point.processes), static_cast<int>(own_count));
  std::vector<int> places;
  for (const int length : counts) places.push_back(static_cast<int>(places.size()) * length);
  const auto places_word = reinterpret_cast<uint64_t>(places.data());
  const auto count_of = [&](const collectives::DataSide& side) {
    return side.count_per_rank ? reinterpret_cast<uint64_t>(counts.data()) : own_count;
  };
  const collectives::CallWords words{.sbuf = address(from),
                                     .scount = count_of(facts_of(point.operation).contributed),
                                     .stype = word(type),
                                     .rbuf = address(to),
                                     .rcount = count_of(facts_of(point.operation).received),
                                     .rtype = word(type),
                                     .op = word(op),
                                     .root = 0,
                                     .comm = word(group),
                                     .sdispls = places_word,
                                     .rdispls = places_word};
  return collectives::call_by_words(it.collectives[static_cast<int>(point.operation)],
                                    facts_of(point.operation).arguments, words);
}

// Room for what the ranks of a point contribute or receive, and for an element more of each block.
std::vector<char> buffer(const Point& point, const collectives::DataSide& side) {
  return std::vector<char>(static_cast<size_t>(point.bytes + 8) * (side.block_per_rank ? point.processes : 1) + 16);
}

// After an error that left other ranks waiting, MPI_Finalize would hang.
void leave(FILE* out) {
  std::fputs("{\"done\": true}\n", out);
  std::fflush(out);
  sleep(1);  // a launcher that sees one rank leave ends the others, which are still writing
  _exit(0);
}

void time_point(FILE* out, const Library& it, const Point& point) {
  int rank = 0, size = 0;
  it.rank(it.world, &rank);
  it.size(it.world, &size);
  Handle group = 0;
  it.split(it.world, rank < point.processes, rank, &group);
  if (rank < point.processes && point.processes <= size) {
    std::vector<char> from = buffer(point, facts_of(point.operation).contributed);
    std::vector<char> to = buffer(point, facts_of(point.operation).received);
    const std::vector<double> found = time_blocks(it, group, [&] { call(it, point, rank, group, &from, &to); });
    std::fprintf(out, "{\"timed\": \"%s\", \"bytes\": %ld, \"processes\": %d, \"us\": [",
                 facts_of(point.operation).name, point.bytes, point.processes);
    for (size_t i = 0; i < found.size(); i++) std::fprintf(out, "%s%.3f", i ? ", " : "", found[i]);
    std::fputs("]}\n", out);
    std::fflush(out);
  }
  it.free(&group);
  it.barrier(it.world);
}

void probe_point(FILE* out, const Plan& plan, const Library& it, const Point& point, bool traps) {
  int rank, size;
  it.rank(it.world, &rank);
  it.size(it.world, &size);
  Handle group = 0;
  it.split(it.world, rank < point.processes, rank, &group);
  if (rank < point.processes && point.processes <= size) {
    it.set_errhandler(group, it.errors_return);
    std::vector<char> from = buffer(point, facts_of(point.operation).contributed);
    std::vector<char> to = buffer(point, facts_of(point.operation).received);
    it.barrier(group);
    if (traps) arm_traps();
    const int code = call(it, point, rank, group, &from, &to);
    const std::vector<int> found = traps ? entered() : std::vector<int>();
    if (traps) disarm_traps();
    std::fprintf(out, "{\"point\": \"%s\", \"bytes\": %ld, \"processes\": %d, \"errant\": %s, \"error\": ",
                 facts_of(point.operation).name, point.bytes, point.processes,
                 sends_more(point, rank) ? "true" : "false");
    char text[8192] = "";
    int length = 0;
    if (code != 0) it.error_string(code, text, &length);
    code != 0 ? write_text(out, text) : void(std::fputs("null", out));
    std::fputs(", \"entered\": [", out);
    for (size_t i = 0; i < found.size(); i++) {
      std::fprintf(out, "%s\"%s\"", i ? ", " : "", plan.functions[found[i]].name.c_str());
    }
    std::fputs("]}\n", out);
    std::fflush(out);
  }
  if (point.uneven) leave(out);
  it.free(&group);
  it.barrier(it.world);
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  Library library = {};
  if (argc != 2) return 2;
  if (!read_plan(argv[1], &plan)) {
    std::fprintf(stderr, "leadline-probe: cannot read %s on %s\n", argv[1], host_name());
    return 2;
  }
  if (const char* problem = load(plan.library, &library)) {
    std::fprintf(stderr, "leadline-probe: %s: %s\n", plan.library.c_str(), problem);
    return 2;
  }
  if (!plan.points.empty() && plan.points.back().timed) take_those_in_front(plan.library, &library);
  const std::string variables = told_variables(plan);
  set_errant(plan);
  if (library.init(&argc, &argv) != 0) return 3;
  int rank = 0;
  library.rank(library.world, &rank);
  FILE* out = std::fopen((plan.output + "." + std::to_string(rank)).c_str(), "w");
  if (out == nullptr) {
    std::fprintf(stderr, "leadline-probe: cannot write %s.%d on %s\n", plan.output.c_str(), rank, host_name());
    out = std::fopen("/dev/null", "w");
  }
  keep_errors(plan, rank);
  std::fputs(variables.c_str(), out);
  write_controls(out, plan, library);
  write_surroundings(out, plan, library);
  const bool traps = !plan.functions.empty() && prepare_traps(base_of(plan.library), plan.functions);
  int size = 0;
  library.size(library.world, &size);
  std::fprintf(out, "{\"traps\": %s, \"size\": %d}\n", traps ? "true" : "false", size);
  std::fflush(out);
  if (plan.eager > 0) {
    const Limits found = limits_of(library, plan.eager);
    if (rank == 0) std::fprintf(out, "{\"eager\": %ld, \"copied\": %ld}\n", found.eager, found.copied);
    std::fflush(out);
  }
  for (const Point& point : plan.points) {
    point.timed ? time_point(out, library, point) : probe_point(out, plan, library, point, traps);
  }
  library.finalize();
  std::fputs("{\"done\": true}\n", out);
  std::fclose(out);
  return 0;
}
