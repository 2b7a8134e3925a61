// The recorder's names: those of every MPI function.
#include "host/exports.hpp"

#include <atomic>

#include "host/kept_errno.hpp"
#include "leadline/symbols.hpp"
#include "recorder/process/recorder.hpp"

namespace leadline::recorder {
namespace {

struct EveryFunction {
  static constexpr int forms = 4;  // MPI_x, PMPI_x, MPI_x_c, PMPI_x_c
  static constexpr int count = function_count * forms;
  static constexpr const char* name(int index) { return symbol_names[index / forms][index % forms]; }

  // New code was bound. If other code was unloaded before, the new code may be at its addresses.
  static void bound() {
    static std::atomic<unsigned long long> seen{0};
    unsigned long long unloaded = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* data) {
          *static_cast<unsigned long long*>(data) = info->dlpi_subs;
          return 1;
        },
        &unloaded);
    if (seen.exchange(unloaded) != unloaded) this_process.code_unloaded();
  }

  static void* target(int index) { return real_functions[index / forms][index % forms]; }
};

// Priority 101: before any constructor that may load an MPI library.
__attribute__((constructor(101))) void make_names_indirect() {
  const host::KeptErrno kept;
  host::Exports<EveryFunction>::make_indirect();
}

}  // namespace
}  // namespace leadline::recorder

extern "C" __attribute__((used, visibility("hidden"))) leadline::host::LookUpAnswer leadline_answer_look_up(
    void* handle, const char* name) {
  return leadline::host::Exports<leadline::recorder::EveryFunction>::look_up(handle, name);
}
LEADLINE_DLSYM_ENTRY(leadline_answer_look_up);
