// Files in the run's directory. Others may be able to move that directory, or put another one in its place: every file
// is opened, renamed and removed in the directory that was chosen when the program began, and fails in any other. No
// link is followed, and what is opened is a regular file.
#pragma once

#include <stdint.h>
#include <sys/stat.h>

namespace leadline::recorder {

// Remembers which directory the path is, and keeps it open in the scope of a HeldRunDirectory. False: it can't be
// opened (errno says why).
struct Directory {
  struct stat status;
  bool by_link;  // the path itself is a symbolic link
};
bool remember_directory(const char* path, Directory* directory);
// The same of a directory that another rank has chosen, which is not opened. False: the path is of another one.
bool remember_directory_of(const char* path, uint64_t device, uint64_t inode);
// Who else can put files into the directory of that path, in words; null if nobody can.
const char* who_else_writes(const char* path, const Directory& directory);

// Keeps the directory open for the files of its scope, which would otherwise open it one by one and look whether it is
// still the same: on a file system of many clients each is work for its servers. Only one thread at a time may do so.
class HeldRunDirectory {
 public:
  HeldRunDirectory();
  ~HeldRunDirectory();
  HeldRunDirectory(const HeldRunDirectory&) = delete;
  HeldRunDirectory& operator=(const HeldRunDirectory&) = delete;

 private:
  bool is_ours_;
};

// As open, rename, link, unlink and access with paths of file_in_run(); paths in other directories are used as they
// are. O_TRUNC empties the file only when it has turned out to be one of ours.
int open_in_run(const char* path, int flags);
int open_fresh_in_run(const char* path, int flags);  // a file that was there is removed
int rename_in_run(const char* from, const char* to);
int rename_to_fresh_in_run(const char* from, const char* to);  // EEXIST: there is such a file
int link_in_run(const char* from, const char* to);
void unlink_in_run(const char* path);
bool is_in_run(const char* path);

}  // namespace leadline::recorder
