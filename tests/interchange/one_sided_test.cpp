// When one-sided operations are complete: what the order of calls does not tell is not said.
#include "interchange/one_sided.hpp"

#include <string>
#include <vector>

#include "../native/check.hpp"
#include "trace/structure.hpp"

namespace {

using testing::check;
using namespace leadline;
using interchange::OneSidedOperations;
using structure::DecodedCall;
using trace::CallClass;

enum Function : uint32_t { put, fence, unlock, unlock_all };
constexpr uint64_t window = 7;
constexpr int32_t nobody = trace::peer_none;

trace::Process process(bool another_thread) {
  trace::Process p;
  p.functions = {{"MPI_Put", CallClass::rma},
                 {"MPI_Win_fence", CallClass::rma_sync},
                 {"MPI_Win_unlock", CallClass::rma_sync},
                 {"MPI_Win_unlock_all", CallClass::rma_sync}};
  p.streams.resize(another_thread ? 2 : 1);
  for (trace::Stream& s : p.streams) s.sites.resize(1), s.sites[0].function = fence;
  return p;
}

// How many operations the call completes.
size_t completes(OneSidedOperations* operations, Function function, int32_t target = nobody, bool exported = true) {
  DecodedCall call;
  call.function = function;
  call.cls = function == put ? CallClass::rma : CallClass::rma_sync;
  call.identity = window;
  call.partner.rank = target;
  if (function == put) call.parts.resize(1);
  operations->follow(call, exported);
  return operations->done().size();
}

}  // namespace

int main() {
  const trace::Process p = process(false);
  OneSidedOperations o(p, 0);
  check(completes(&o, put, 3) == 0 && o.started() == 1, "the first operation");
  completes(&o, put, nobody);
  check(o.started() == 0, "on nobody is none");
  completes(&o, put, 4);
  check(completes(&o, unlock, 3) == 1 && o.done()[0].operation == 1, "those on the target only");
  check(completes(&o, fence) == 1 && o.done()[0].operation == 2 && o.done()[0].here && o.done()[0].there, "all others");
  check(completes(&o, fence) == 0, "once");

  completes(&o, put, 3);
  check(completes(&o, unlock) == 0 && completes(&o, fence) == 0, "the target of the unlock is not known");
  completes(&o, put, 3);
  check(completes(&o, unlock_all, nobody, false) == 0 && completes(&o, fence) == 0, "by a call that is not exported");
  completes(&o, put, 3, false);
  check(completes(&o, fence) == 0, "an operation that is not exported");

  completes(&o, put, 3);
  const uint64_t last = o.started();
  check(o.complete(window, last) && !o.complete(window, last), "by its request, once");
  check(completes(&o, fence) == 1 && !o.done()[0].here && o.done()[0].there, "then at the target");

  const trace::Process q = process(true);
  OneSidedOperations shared(q, 0);
  completes(&shared, put, 3);
  check(shared.started() == 1 && completes(&shared, fence) == 0, "the other thread may have completed it before");
  return testing::result();
}
