#include "probe/traps.hpp"

#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

namespace leadline::probe {

namespace {

struct Trap {
  unsigned char* at;
  unsigned char original;
};

std::vector<Trap> traps;
std::vector<std::atomic<int>> order;  // by trap: its place among those entered, 0: not entered
std::atomic<int> count{0};

#if defined(__x86_64__)
constexpr unsigned char breakpoint = 0xcc;

void on_trap(int, siginfo_t*, void* context) {
  greg_t& next = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  auto* at = reinterpret_cast<unsigned char*>(next - 1);
  for (size_t i = 0; i < traps.size(); i++) {
    if (traps[i].at != at) continue;
    __atomic_store_n(at, traps[i].original, __ATOMIC_SEQ_CST);
    int expected = 0;
    order[i].compare_exchange_strong(expected, count.fetch_add(1) + 1);
    next--;
    return;
  }
  signal(SIGTRAP, SIG_DFL);  // not ours
  raise(SIGTRAP);
}
#endif

bool same_file(const char* one, const char* other) {
  struct stat a, b;
  return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

struct Search {
  const char* path;
  unsigned long base;
};

int look(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (info->dlpi_name == nullptr || !same_file(info->dlpi_name, search->path)) return 0;
  search->base = info->dlpi_addr;
  return 1;
}

}  // namespace

unsigned long base_of(const std::string& path) {
  Search search{path.c_str(), 0};
  dl_iterate_phdr(look, &search);
  return search.base;
}

bool prepare_traps(unsigned long base, const std::vector<Function>& functions) {
#if defined(__x86_64__)
  if (base == 0) return false;
  const unsigned long page = sysconf(_SC_PAGESIZE);
  for (const Function& function : functions) {
    auto* at = reinterpret_cast<unsigned char*>(base + function.offset);
    auto* start = reinterpret_cast<void*>(reinterpret_cast<unsigned long>(at) / page * page);
    if (mprotect(start, page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    traps.push_back({at, *at});
  }
  order = std::vector<std::atomic<int>>(traps.size());
  struct sigaction action = {};
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  return sigaction(SIGTRAP, &action, nullptr) == 0;
#else
  (void)base, (void)functions;
  return false;
#endif
}

void arm_traps() {
#if defined(__x86_64__)
  count = 0;
  for (auto& place : order) place = 0;
  for (const Trap& trap : traps) __atomic_store_n(trap.at, breakpoint, __ATOMIC_SEQ_CST);
#endif
}

void disarm_traps() {
  for (const Trap& trap : traps) __atomic_store_n(trap.at, trap.original, __ATOMIC_SEQ_CST);
}

std::vector<int> entered() {
  std::vector<int> found(count.load(), -1);
  for (size_t i = 0; i < order.size(); i++) {
    if (const int place = order[i]; place > 0) found[place - 1] = static_cast<int>(i);
  }
  std::erase(found, -1);
  return found;
}

}  // namespace leadline::probe
