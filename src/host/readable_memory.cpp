#include "host/readable_memory.hpp"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace leadline::host {

// rt_sigprocmask() reads the mask before it looks at what to do with it: an operation that does not exist is refused
// with EINVAL if the mask can be read, else the address is with EFAULT. Nothing changes in either case. Every sandbox
// allows the call, unlike process_vm_readv().
bool ReadableMemory::ask(uint64_t address) {
  if (!address) return false;
  constexpr long no_operation = -1;
  constexpr size_t mask_bytes = 8;  // the kernel's
  const int saved = errno;
  const bool readable = syscall(SYS_rt_sigprocmask, no_operation, address, nullptr, mask_bytes) != 0 && errno == EINVAL;
  errno = saved;
  return readable;
}

}  // namespace leadline::host
