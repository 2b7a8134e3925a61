#include "host/plausible.hpp"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/real.hpp"

namespace leadline::host {

namespace {

constexpr uint64_t zero_page = 4096;

// Reads the word if it is readable, and raises no signal if not: the kernel gets the address as a set of signals, reads
// it first, and then rejects the invalid way to change the mask.
bool peek(uint64_t address, uint64_t* word) {
  constexpr int no_way = ~0;
  if (address < zero_page || address % alignof(uint64_t)) return false;
  const int before = errno;
  const bool readable = syscall(SYS_rt_sigprocmask, no_way, address, nullptr, sizeof(uint64_t)) == 0 || errno == EINVAL;
  errno = before;
  if (readable) memcpy(word, reinterpret_cast<const void*>(address), sizeof(*word));
  return readable;
}

// MPICH: two bits say how the object is stored, 0 being not at all, and four what it is.
bool like_mpich(uint32_t handle, uint32_t known) {
  constexpr int what = 26, stored = 30;
  return handle >> stored != 0 && ((handle ^ known) >> what & 15) == 0;
}

// Open MPI: objects begin with their class, which names its parent in its second word. Predefined datatypes are of the
// parent of the others' class. Before MPI_Init the known one has no class yet.
bool like_open_mpi(uint64_t handle, uint64_t known) {
  uint64_t its = 0, parent = 0, of_known = 0;
  if (!peek(handle, &its)) return false;
  if (!peek(known, &of_known) || !of_known || its == of_known) return true;
  return peek(its + sizeof(uint64_t), &parent) && parent == of_known;
}

// The standard ABI: the predefined ones are numbers that it fixes, the others are the library's own, in a pointer.
bool like_standard(uint64_t handle, uint64_t first, uint64_t last, uint32_t as_in_mpich) {
  uint64_t word = 0;
  if (handle < zero_page) return handle >= first && handle <= last;
  return peek(handle, &word) || like_mpich(static_cast<uint32_t>(handle), as_in_mpich);
}

}  // namespace

bool may_be_communicator(uint64_t handle) {
  constexpr uint32_t as_in_mpich = 0x44000000;
  if (handle == abi.comm_null) return false;
  if (abi.family->handle_bytes.comm == 4) return like_mpich(static_cast<uint32_t>(handle), as_in_mpich);
  if (abi.comm_world < zero_page) return like_standard(handle, abi.comm_world, abi.comm_self, as_in_mpich);
  return like_open_mpi(handle, abi.comm_world);
}

bool may_be_datatype(uint64_t handle) {
  constexpr uint32_t as_in_mpich = 0x4c000000;
  constexpr uint64_t last_of_standard = 0x3ff;
  if (handle == abi.datatype_null) return false;
  if (abi.family->handle_bytes.datatype == 4) return like_mpich(static_cast<uint32_t>(handle), as_in_mpich);
  if (abi.byte < zero_page) return like_standard(handle, abi.datatype_null + 1, last_of_standard, as_in_mpich);
  return like_open_mpi(handle, abi.byte);
}

}  // namespace leadline::host
