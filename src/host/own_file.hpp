// Our files inside someone else's program. None stays open between uses, because the program may close every descriptor
// it finds (and then get our number for a file of its own), count descriptors, or run out of them.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace leadline::host {

// While we write, no signal handler of the program runs on this thread (it may longjmp or exit), and no call of ours is
// interrupted. Signals that our writes raise do not reach the program: SIGXFSZ beyond RLIMIT_FSIZE, and SIGPIPE if
// standard error has no reader any more.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_, pending_;
};

// Opens with O_CLOEXEC, never as descriptor 0, 1 or 2, which the program may have closed and expects to be its own. A
// file it creates can be read and written by its owner whatever the umask is. -1 and errno where it can't be opened.
// Only regular files, and directories where O_DIRECTORY asks for one: links are not followed, and pipes do not block.
// With O_CREAT a file that has another name elsewhere is refused, and only then O_TRUNC empties it.
int open_own(const char* path, int flags);
int open_own_at(int directory, const char* path, int flags);

// Identifies the file, because what a path or a descriptor refers to may change.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  bool of(int fd);  // false: it is not open
  bool operator==(const FileIdentity& o) const { return device == o.device && inode == o.inode; }
};

// Writes a line to standard error, if that still is what it was when the program began.
void write_to_standard_error(const char* text, size_t size);

}  // namespace leadline::host
