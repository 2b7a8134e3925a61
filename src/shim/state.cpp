#include "shim/state.hpp"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host/immortal.hpp"
#include "host/own_file.hpp"
#include "host/visible_text.hpp"

namespace leadline::shim {

using host::call_real;

thread_local constinit int32_t noted_error = 0;
std::atomic<bool> watching{false}, begun{false}, finalizing{false};

namespace {

constexpr host::Immortal<Shim> storage_of_shim;

}  // namespace

constinit Shim& shim = storage_of_shim.object;

void tell(const char* format, ...) {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  if (told.test_and_set()) return;
  char text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  static char line[2200] = "leadline: ";  // said once; the program's stack may be small
  const size_t begin = strlen(line);
  const size_t end = begin + host::write_visibly(text, strlen(text), line + begin, sizeof(line) - begin - 1);
  line[end] = '\n';
  host::write_to_standard_error(line, end + 1);
}

Quiet::Quiet(uint64_t comm) : comm_(comm) {
  const uint64_t handler = Abi::handle(shim.quiet_handler, abi.family->handle_bytes.errhandler);
  noted_error = 0;
  changed_ = handler && call_real(Fn::Comm_get_errhandler, comm_, &before_) == 0 &&
             call_real(Fn::Comm_set_errhandler, comm_, handler) == 0;
}

Quiet::~Quiet() {
  if (!changed_) return;
  call_real(Fn::Comm_set_errhandler, comm_, Abi::handle(before_, abi.family->handle_bytes.errhandler));
  call_real(Fn::Errhandler_free, &before_);
}

}  // namespace leadline::shim
