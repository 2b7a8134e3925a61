// Attributes from Fortran. The Fortran layers do not call the C functions for them but functions inside their
// libraries, so these calls are counted at the Fortran symbols. If a layer does call the C function, that is inside
// this call and is not counted again.
#include <dlfcn.h>

#include "host/symbol_lookup.hpp"
#include "recorder/library/functions.hpp"
#include "recorder/wrappers/call.hpp"

namespace leadline::recorder {

namespace {

// Fortran passes addresses; the longest list is that of MPI_Comm_create_keyval with its five.
using FortranFunction = void (*)(Word, Word, Word, Word, Word);

template <Fn fn>
[[gnu::always_inline]] inline void pass_on(Caller caller, const char* symbol, void** next, Word a, Word b, Word c,
                                           Word d, Word e) {
  void* target = __atomic_load_n(next, __ATOMIC_RELAXED);
  if (!target) {
    target = host::next_dlsym()(RTLD_NEXT, symbol);
    if (!target) return tell("%s was called, but no library loaded after the recorder provides it", symbol);
    __atomic_store_n(next, target, __ATOMIC_RELAXED);
  }
  const auto real = reinterpret_cast<FortranFunction>(target);
  Thread* thread = own_thread();
  if (!thread) thread = this_process.enter();
  const void* recorded =
      __atomic_load_n(&recorded_functions[static_cast<int>(fn)][static_cast<int>(Name::mpi)], __ATOMIC_RELAXED);
  recording::LiveLocal* local =
      thread && recorded && !nested(thread, caller) ? thread->locals.find(fn, caller.return_address) : nullptr;
  if (!local) return real(a, b, c, d, e);
  enter_call(thread, caller);
  const Ticks begin = now();
  real(a, b, c, d, e);
  local->ticks += now() - begin;
  ++local->calls;
  thread->depth = 0;
}

}  // namespace

}  // namespace leadline::recorder

// Versioned like the C functions (exports.hpp): dlsym passes by.
#define LEADLINE_FORTRAN_NAME(fn, symbol)                                                                           \
  extern "C" LEADLINE_EXPORT void leadline_fortran_##symbol(leadline::recorder::Word a, leadline::recorder::Word b, \
                                                            leadline::recorder::Word c, leadline::recorder::Word d, \
                                                            leadline::recorder::Word e) {                           \
    static void* next;                                                                                              \
    leadline::recorder::pass_on<leadline::recorder::Fn::fn>(LEADLINE_CALLER, #symbol, &next, a, b, c, d, e);        \
  }                                                                                                                 \
  __asm__(".symver leadline_fortran_" #symbol ", " #symbol "@LEADLINE_1");

// mpif.h and `use mpi` in the four ways compilers spell a name; `use mpi_f08` in MPICH's, Intel's and Open MPI's.
#define LEADLINE_FORTRAN(fn, lower, upper)       \
  LEADLINE_FORTRAN_NAME(fn, mpi_##lower)         \
  LEADLINE_FORTRAN_NAME(fn, mpi_##lower##_)      \
  LEADLINE_FORTRAN_NAME(fn, mpi_##lower##__)     \
  LEADLINE_FORTRAN_NAME(fn, MPI_##upper)         \
  LEADLINE_FORTRAN_NAME(fn, mpi_##lower##_f08_)  \
  LEADLINE_FORTRAN_NAME(fn, pmpi_##lower)        \
  LEADLINE_FORTRAN_NAME(fn, pmpi_##lower##_)     \
  LEADLINE_FORTRAN_NAME(fn, pmpi_##lower##__)    \
  LEADLINE_FORTRAN_NAME(fn, PMPI_##upper)        \
  LEADLINE_FORTRAN_NAME(fn, pmpi_##lower##_f08_) \
  LEADLINE_FORTRAN_NAME(fn, pmpir_##lower##_f08_)

LEADLINE_FORTRAN(Attr_get, attr_get, ATTR_GET)
LEADLINE_FORTRAN(Attr_put, attr_put, ATTR_PUT)
LEADLINE_FORTRAN(Keyval_create, keyval_create, KEYVAL_CREATE)
LEADLINE_FORTRAN(Comm_get_attr, comm_get_attr, COMM_GET_ATTR)
LEADLINE_FORTRAN(Comm_set_attr, comm_set_attr, COMM_SET_ATTR)
LEADLINE_FORTRAN(Comm_create_keyval, comm_create_keyval, COMM_CREATE_KEYVAL)
LEADLINE_FORTRAN(Type_get_attr, type_get_attr, TYPE_GET_ATTR)
LEADLINE_FORTRAN(Type_set_attr, type_set_attr, TYPE_SET_ATTR)
LEADLINE_FORTRAN(Type_create_keyval, type_create_keyval, TYPE_CREATE_KEYVAL)
LEADLINE_FORTRAN(Win_get_attr, win_get_attr, WIN_GET_ATTR)
LEADLINE_FORTRAN(Win_set_attr, win_set_attr, WIN_SET_ATTR)
LEADLINE_FORTRAN(Win_create_keyval, win_create_keyval, WIN_CREATE_KEYVAL)
