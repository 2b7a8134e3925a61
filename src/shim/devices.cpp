#include "shim/devices.hpp"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/symbol_lookup.hpp"

namespace leadline::shim {

using host::call_real;

namespace {

constexpr int64_t long_bytes = 64 << 10;  // of a call that takes many times as long as asking all ranks

// cuPointerGetAttribute and hipPointerGetAttribute have the same arguments, and the same numbers of attributes.
using AskAttribute = int (*)(void* value, int attribute, uint64_t address);
constexpr int memory_type = 2, host_pointer = 4, is_managed = 8;

struct Runtime {
  const char* library;
  const char* function;  // nullptr: Level Zero tells it only those who have the program's context
};
constexpr Runtime runtimes[] = {{"libcuda.so", "cuPointerGetAttribute"},
                                {"libamdhip64.so", "hipPointerGetAttribute"},
                                {"libze_loader.so", nullptr}};
constexpr int runtime_count = sizeof(runtimes) / sizeof(*runtimes);

// Of a runtime that was found: what to ask it. They stay loaded.
std::atomic<void*> asked_of[runtime_count];
char no_function;  // it is there, and cannot be asked

int look_at_library(dl_phdr_info* info, size_t, void* any) {
  const char* const path = info->dlpi_name ? info->dlpi_name : "";
  const char* const slash = strrchr(path, '/');
  const char* const name = slash ? slash + 1 : path;
  for (int i = 0; i < runtime_count; ++i) {
    if (strncmp(name, runtimes[i].library, strlen(runtimes[i].library)) != 0) continue;
    *static_cast<bool*>(any) = true;
    if (asked_of[i].load(std::memory_order_relaxed)) continue;
    void* const handle = runtimes[i].function ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    void* const function = handle ? host::next_dlsym()(handle, runtimes[i].function) : nullptr;
    asked_of[i].store(function ? function : &no_function, std::memory_order_relaxed);
  }
  return 0;
}

bool find_runtimes() {
  bool any = false;
  dl_iterate_phdr(look_at_library, &any);
  return any;
}

// Those within a processor have the host's memory.
bool is_within_the_processor(const char* device) {
  char target[128];
  const ssize_t length = readlink(device, target, sizeof(target) - 1);
  if (length < 0) return false;
  target[length] = 0;
  const char* const slash = strrchr(target, '/');
  return strcmp(slash ? slash + 1 : target, "0000:00:02.0") == 0;
}

bool has_graphics_of_intel() {
  for (int number = 128; number < 192; ++number) {
    char device[64], path[80], vendor[16] = {};
    snprintf(device, sizeof(device), "/sys/class/drm/render%c%d/device", 'D', number);
    snprintf(path, sizeof(path), "%s/vendor", device);
    FILE* const file = fopen(path, "re");
    if (!file) return false;
    const bool is_intels = fgets(vendor, sizeof(vendor), file) && strncmp(vendor, "0x8086", 6) == 0;
    fclose(file);
    if (is_intels && !is_within_the_processor(device)) return true;
  }
  return false;
}

bool has_device_files() {
  for (const char* path : {"/dev/nvidiactl", "/dev/kfd", "/dev/dxg"})
    if (access(path, F_OK) == 0) return true;
  return has_graphics_of_intel();
}

bool is_on_device(AskAttribute ask, uint64_t address) {
  uint64_t value[2] = {};
  if (ask(value, memory_type, address) != 0) return false;  // memory that the runtime does not know
  value[0] = 0;
  if (ask(value, host_pointer, address) == 0 && value[0]) return false;
  value[0] = 0;
  return ask(value, is_managed, address) != 0 || !value[0];
}

// An argument that means nothing on this rank may hold any address: no runtime knows it.
bool is_the_hosts(Word buffer) {
  if (!buffer || buffer == abi.in_place) return true;
  for (const auto& runtime : asked_of) {
    void* const ask = runtime.load(std::memory_order_relaxed);
    if (ask == &no_function || (ask && is_on_device(reinterpret_cast<AskAttribute>(ask), buffer))) return false;
  }
  return true;
}

}  // namespace

bool may_have_devices() {
  const char* const said = getenv("LEADLINE_DEVICES");
  if (said && strcmp(said, "0") == 0) return false;
  return find_runtimes() || has_device_files();
}

bool all_buffers_are_the_hosts(const Communicator& c, const Rule& rule, const Call& call, int64_t bytes) {
  const collectives::OperationFacts& facts = collectives::facts_of(rule.operation);
  if (!facts.has_data) return true;
  if (!facts.sizes_are_known() || bytes < long_bytes) return false;
  find_runtimes();
  constexpr int band = op_index("MPI_BAND");
  const unsigned char mine = is_the_hosts(call.from.buffer) && is_the_hosts(call.to.buffer);
  unsigned char all = 0;
  const int32_t one = 1;
  return call_real(Fn::Allreduce, &mine, &all, one, abi.byte, abi.ops[band], c.handle) == 0 && all;
}

}  // namespace leadline::shim
