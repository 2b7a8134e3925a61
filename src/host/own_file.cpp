#include "host/own_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

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

int open_own(const char* path, int flags) {
  int fd = open(path, flags | O_CLOEXEC | O_NOCTTY, 0644);
  if (fd >= 0 && fd <= STDERR_FILENO) {
    const int low = fd;
    fd = fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int saved = errno;
    close(low);
    errno = saved;
  }
  struct stat s;
  constexpr mode_t owner = S_IRUSR | S_IWUSR;
  if (fd >= 0 && (flags & O_CREAT) && fstat(fd, &s) == 0 && (s.st_mode & owner) != owner) {
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
