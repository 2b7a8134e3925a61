#include "shim/state.hpp"

#include "host/immortal.hpp"

namespace leadline::shim {

using host::call_real;

thread_local constinit int32_t noted_error = 0;
std::atomic<bool> watching{false}, begun{false}, finalizing{false};

namespace {

constexpr host::Immortal<Shim> storage_of_shim;

}  // namespace

constinit Shim& shim = storage_of_shim.object;

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
