#include "host/own_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

#include "host/kept_errno.hpp"

namespace leadline::host {

HeldSignals::HeldSignals() {
  sigset_t held;
  sigfillset(&held);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&held, fault);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
  sigpending(&pending_);
}

HeldSignals::~HeldSignals() {
  const int saved = errno;
  for (const int number : {SIGXFSZ, SIGPIPE}) {
    if (sigismember(&pending_, number)) continue;  // the program's own, that it holds back itself
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    const timespec at_once = {0, 0};
    while (sigtimedwait(&one, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = saved;
}

namespace {

// Whether the file may be used as `flags` say; errno says why not.
bool is_expected(int fd, int flags, struct stat* s) {
  if (fstat(fd, s) != 0) return false;
  errno = EINVAL;
  if (!S_ISREG(s->st_mode)) return false;
  errno = EMLINK;
  return !(flags & O_CREAT) || s->st_nlink <= 1;
}

}  // namespace

int open_own(const char* path, int flags) { return open_own_at(AT_FDCWD, path, flags); }

int open_own_at(int directory, const char* path, int flags) {
  const int always = O_CLOEXEC | O_NOCTTY | (flags & O_DIRECTORY ? 0 : O_NOFOLLOW | O_NONBLOCK);
  int fd = openat(directory, path, (flags & ~O_TRUNC) | always, 0644);
  if (fd >= 0 && fd <= STDERR_FILENO) {
    const int low = fd;
    fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int saved = errno;
    close(low);
    errno = saved;
  }
  struct stat s;
  if (fd < 0 || flags & O_DIRECTORY) return fd;
  if (!is_expected(fd, flags, &s) || ((flags & O_TRUNC) && s.st_size && ftruncate(fd, 0) != 0)) {
    const int saved = errno;
    close(fd);
    errno = saved;
    return -1;
  }
  constexpr mode_t owner = S_IRUSR | S_IWUSR;
  if ((flags & O_CREAT) && (s.st_mode & owner) != owner) {
    if (fchmod(fd, s.st_mode | owner) != 0) return fd;  // it serves as long as it is open
  }
  return fd;
}

bool FileIdentity::of(int fd) {
  struct stat s;
  if (fstat(fd, &s) != 0) return false;
  device = s.st_dev;
  inode = s.st_ino;
  return true;
}

namespace {

constinit FileIdentity standard_error;
enum class Looked : uint8_t { not_yet, open, closed };
constinit Looked looked = Looked::not_yet;

// Before the program can have closed it and got its number for a file of its own.
__attribute__((constructor(102))) void look_at_standard_error() {
  const KeptErrno kept;
  if (looked == Looked::not_yet) looked = standard_error.of(STDERR_FILENO) ? Looked::open : Looked::closed;
}

}  // namespace

void write_to_standard_error(const char* text, size_t size) {
  look_at_standard_error();  // the first message may come before our constructors ran
  FileIdentity now;
  if (looked != Looked::open || !now.of(STDERR_FILENO) || !(now == standard_error)) return;
  const HeldSignals quiet;
  if (write(STDERR_FILENO, text, size) < 0) return;
}

}  // namespace leadline::host
