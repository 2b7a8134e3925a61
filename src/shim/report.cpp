#include "shim/report.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "host/own_file.hpp"
#include "shim/state.hpp"

namespace leadline::shim {

namespace {

constexpr const char* reasons[] = {
    "no matching rule",
    "the rule selects the library default",
    "nothing to send",
    "one rank",
    "intercommunicator",
    "ranks from several MPI_COMM_WORLDs",
    "the operation is not commutative",
    "operation or datatype not supported",
    "invalid arguments, left to the library to report",
    "2 GiB or more",
    "not supported by the algorithm",
    "the shim has no communicator of its own for it",
    "the ranks of a node cannot share memory",
    "a buffer may be in the memory of a device",
    "a nonblocking call",
    "a persistent call",
    "table not used",
};
static_assert(sizeof(reasons) / sizeof(*reasons) == static_cast<int>(Reason::count));

constexpr int most_populations = 4096;
Population* populations[most_populations];
int population_count = 0;
pthread_mutex_t populations_lock = PTHREAD_MUTEX_INITIALIZER;

constexpr int most_of_a_name = 1000;
const char* report_path = nullptr;

int bucket_of(int64_t bytes) { return bytes > 0 ? 64 - __builtin_clzll(static_cast<uint64_t>(bytes)) : 0; }

}  // namespace

Population::Population(int32_t n, const Table& table, bool counts)
    : processes(n), table_(table), outcomes_(static_cast<uint32_t>(Reason::count) + table.rules.size()) {
  for (const Rule& rule : table.rules) {
    if (n >= rule.first_processes && n <= rule.last_processes) rules[static_cast<int>(rule.operation)].push_back(&rule);
  }
  if (counts)
    counts_ =
        static_cast<uint64_t*>(calloc(size_t{collectives::operation_count} * buckets * outcomes_, sizeof(uint64_t)));
}

void Population::count(collectives::Operation operation, int64_t bytes, const Rule* rule, Reason reason) {
  if (!counts_) return;
  const auto outcome = rule ? static_cast<uint32_t>(Reason::count) + static_cast<uint32_t>(rule - table_.rules.data())
                            : static_cast<uint32_t>(reason);
  __atomic_fetch_add(cell(static_cast<int>(operation), bucket_of(bytes), outcome), 1, __ATOMIC_RELAXED);
}

void Population::write(int fd) const {
  if (!counts_) return;
  for (int operation = 0; operation < collectives::operation_count; ++operation) {
    for (int bucket = 0; bucket < buckets; ++bucket) {
      const long long first = bucket ? 1ll << (bucket - 1) : 0;
      const long long last = bucket > 62 ? INT64_MAX : bucket ? (1ll << bucket) - 1 : 0;
      for (uint32_t outcome = 0; outcome < outcomes_; ++outcome) {
        const auto calls = static_cast<unsigned long long>(*cell(operation, bucket, outcome));
        if (!calls) continue;
        const char* name = collectives::name_of(static_cast<collectives::Operation>(operation));
        if (outcome < static_cast<uint32_t>(Reason::count)) {
          dprintf(fd, "%s %d %lld %lld native 0 0 %llu %s\n", name, processes, first, last, calls, reasons[outcome]);
        } else {
          const uint32_t place = outcome - static_cast<uint32_t>(Reason::count);
          const Rule& rule = table_.rules[place];
          dprintf(fd, "%s %d %lld %lld %s %lld %d %llu rule %u\n", name, processes, first, last, rule.name,
                  static_cast<long long>(rule.segment_bytes), rule.radix, calls, place + 1);
        }
      }
    }
  }
}

Population* population_of(int32_t processes) {
  Population* found = nullptr;
  pthread_mutex_lock(&populations_lock);
  for (int i = 0; i < population_count && !found; ++i) {
    if (populations[i]->processes == processes) found = populations[i];
  }
  if (!found && population_count < most_populations) {
    found = new (std::nothrow) Population(processes, shim.table, shim.reports());
    if (found) populations[population_count++] = found;
  }
  pthread_mutex_unlock(&populations_lock);
  return found;
}

// The report's file: never an existing one, for instance that of a spawned program's rank of the same number.
void begin_report() {
  if (!shim.reports()) return;
  char path[4096];
  int fd = -1;
  for (int again = 1; again < most_of_a_name && fd < 0 && (again == 1 || errno == EEXIST); ++again) {
    const int length = snprintf(path, sizeof(path), again == 1 ? "%s/shim-%d" : "%s/shim-%d-%d", shim.report_directory,
                                shim.rank, again);
    if (length < 0 || length >= static_cast<int>(sizeof(path))) break;
    fd = host::open_own(path, O_WRONLY | O_CREAT | O_EXCL);
  }
  if (fd < 0) return tell("cannot write the report %s", path);
  dprintf(fd, "# leadline shim 1\n# rank %d of %d, %s\n", shim.rank, shim.processes, host::abi.family->name);
  if (const char* table = getenv("LEADLINE_TABLE")) dprintf(fd, "# table %s\n", table);
  if (shim.problem[0]) dprintf(fd, "# problem %s\n", shim.problem);
  close(fd);
  report_path = strdup(path);
}

void end_report() {
  const int fd = report_path ? host::open_own(report_path, O_WRONLY | O_APPEND) : -1;
  if (fd < 0) return;
  pthread_mutex_lock(&populations_lock);
  for (int i = 0; i < population_count; ++i) populations[i]->write(fd);
  pthread_mutex_unlock(&populations_lock);
  dprintf(fd, "# end\n");
  close(fd);
}

}  // namespace leadline::shim
