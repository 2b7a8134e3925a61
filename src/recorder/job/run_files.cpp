#include "recorder/job/run_files.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/own_file.hpp"
#include "recorder/job/run_path.hpp"

namespace leadline::recorder {
namespace {

constinit host::FileIdentity remembered;

constexpr int as_directory = O_PATH | O_DIRECTORY;

// What HeldRunDirectory keeps open; -1: nothing yet.
constinit bool keeps_open = false;
constinit int held = -1;

// Whether it is the directory that was chosen, and still is if the program has closed what it did not open.
bool is_remembered(int fd) {
  host::FileIdentity now;
  return fd >= 0 && now.of(fd) && now == remembered;
}

// The run's directory, open for one operation; or, for a path that lies elsewhere, the path as it is.
class FileOfRun {
 public:
  explicit FileOfRun(const char* path) : name_(path) {
    const char* directory = run_directory();
    const size_t n = strlen(directory);
    if (!remembered.inode || strncmp(path, directory, n) != 0 || path[n] != '/' || strchr(path + n + 1, '/')) return;
    if (held >= 0) {
      fd_ = held;
      is_held_ = true;
      name_ = path + n + 1;
      return;
    }
    fd_ = host::open_own(directory, as_directory);
    if (fd_ < 0 && (errno == EMFILE || errno == ENFILE)) {  // the program has just enough for one file
      fd_ = AT_FDCWD;
      return;
    }
    name_ = path + n + 1;
    if (is_remembered(fd_)) {
      is_held_ = keeps_open && held < 0;
      if (is_held_) held = fd_;
      return;
    }
    if (fd_ >= 0) {
      close(fd_);
      errno = ESTALE;
    }
    fd_ = -1;
  }
  ~FileOfRun() {
    if (fd_ < 0 || is_held_) return;
    const int saved = errno;
    close(fd_);
    errno = saved;
  }
  FileOfRun(const FileOfRun&) = delete;
  FileOfRun& operator=(const FileOfRun&) = delete;

  bool is_there() const { return fd_ != -1; }
  int fd() const { return fd_; }
  const char* name() const { return name_; }

 private:
  const char* name_;
  int fd_ = AT_FDCWD;
  bool is_held_ = false;
};

}  // namespace

bool remember_directory(const char* path, Directory* directory) {
  remembered = {};
  if (held >= 0) close(held);  // of a directory that another job has
  held = -1;
  int fd = host::open_own(path, as_directory | O_NOFOLLOW);
  directory->by_link = fd < 0 && errno == ENOTDIR;
  if (directory->by_link) fd = host::open_own(path, as_directory);
  if (fd < 0) return false;
  const bool known = fstat(fd, &directory->status) == 0;
  if (known) remembered = {directory->status.st_dev, directory->status.st_ino};
  if (known && keeps_open) {
    held = fd;
  } else {
    close(fd);
  }
  return known;
}

bool remember_directory_of(const char* path, uint64_t device, uint64_t inode) {
  struct stat s;
  if (stat(path, &s) != 0 || s.st_dev != device || s.st_ino != inode) return false;
  remembered = {s.st_dev, s.st_ino};
  return true;
}

const char* who_else_writes(const char* path, const Directory& directory) {
  struct stat link;
  if (directory.by_link && lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid != geteuid() &&
      link.st_uid != 0) {
    return "symbolic link owned by another user";
  }
  const struct stat& status = directory.status;
  if (status.st_uid != geteuid() && status.st_uid != 0) return "owned by another user";
  if (status.st_mode & S_IWOTH) return "world-writable";
  // Many systems give each user a group of the same number. Looking up names of groups may use the network, so
  // launch/recorder.py has done that.
  if (status.st_mode & S_IWGRP && status.st_gid != status.st_uid) return "group-writable";
  return nullptr;
}

HeldRunDirectory::HeldRunDirectory() : is_ours_(!keeps_open) { keeps_open = true; }

HeldRunDirectory::~HeldRunDirectory() {
  if (!is_ours_) return;
  const int saved = errno;
  if (is_remembered(held)) close(held);  // else the number may be that of a file of the program's by now
  held = -1;
  keeps_open = false;
  errno = saved;
}

int open_in_run(const char* path, int flags) {
  const FileOfRun file(path);
  return file.is_there() ? host::open_own_at(file.fd(), file.name(), flags) : -1;
}

int open_fresh_in_run(const char* path, int flags) {
  const FileOfRun file(path);
  if (!file.is_there()) return -1;
  const int fd = host::open_own_at(file.fd(), file.name(), flags | O_CREAT | O_EXCL);
  if (fd >= 0 || errno != EEXIST || unlinkat(file.fd(), file.name(), 0) != 0) return fd;
  return host::open_own_at(file.fd(), file.name(), flags | O_CREAT | O_EXCL);
}

int rename_in_run(const char* from, const char* to) {
  const FileOfRun source(from), target(to);
  if (!source.is_there() || !target.is_there()) return -1;
  return renameat(source.fd(), source.name(), target.fd(), target.name());
}

int rename_to_fresh_in_run(const char* from, const char* to) {
  {
    const FileOfRun source(from), target(to);
    if (!source.is_there() || !target.is_there()) return -1;
    constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE; glibc before 2.28 has no renameat2()
    if (syscall(SYS_renameat2, source.fd(), source.name(), target.fd(), target.name(), no_replace) == 0) return 0;
    if (errno == EEXIST) return -1;
  }
  // Some file systems and kernels cannot do both at once.
  if (is_in_run(to)) {
    errno = EEXIST;
    return -1;
  }
  return rename_in_run(from, to);
}

int link_in_run(const char* from, const char* to) {
  const FileOfRun source(from), target(to);
  if (!source.is_there() || !target.is_there()) return -1;
  return linkat(source.fd(), source.name(), target.fd(), target.name(), 0);
}

void unlink_in_run(const char* path) {
  const FileOfRun file(path);
  if (file.is_there()) unlinkat(file.fd(), file.name(), 0);
}

bool is_in_run(const char* path) {
  const FileOfRun file(path);
  return file.is_there() && faccessat(file.fd(), file.name(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace leadline::recorder
