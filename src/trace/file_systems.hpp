// File systems by the numbers that statfs() returns (linux/magic.h and the file systems' own headers).
#pragma once

#include <cstdint>

namespace leadline::trace {

struct FileSystem {
  uint64_t magic;
  const char* name;
  bool local;  // this kernel writes its pages to memory or to a disk of this machine
};

// A file system that is not listed counts as remote: live memory beside a local one costs a file to collect, but live
// memory on a remote one costs the program time.
inline constexpr FileSystem file_systems[] = {
    {0xEF53, "ext4", true},          {0x58465342, "xfs", true},     {0x9123683E, "btrfs", true},
    {0x01021994, "tmpfs", true},     {0x858458F6, "ramfs", true},   {0x794C7630, "overlay", true},
    {0x2FC12FC1, "zfs", true},       {0xF2F52010, "f2fs", true},    {0xCA451A4E, "bcachefs", true},
    {0x52654973, "reiserfs", true},  {0x3153464A, "jfs", true},     {0x958458F6, "hugetlbfs", true},
    {0x4D44, "vfat", true},          {0x2011BAB0, "exfat", true},   {0x7366746E, "ntfs3", true},
    {0x61756673, "aufs", true},      {0x5346544E, "ntfs", true},    {0x6969, "nfs", false},
    {0x0BD00BD0, "lustre", false},   {0x47504653, "gpfs", false},   {0x19830326, "beegfs", false},
    {0x65735546, "fuse", false},     {0x00C36400, "ceph", false},   {0x01021997, "9p", false},
    {0xFF534D42, "cifs", false},     {0xFE534D42, "smb2", false},   {0x517B, "smb", false},
    {0x5346414F, "afs", false},      {0x6B414653, "afs", false},    {0x73757245, "coda", false},
    {0x20030528, "orangefs", false}, {0xAAD7AAEA, "panfs", false},  {0x01161970, "gfs2", false},
    {0x7461636F, "ocfs2", false},    {0x786F4256, "vboxsf", false}, {0xBACBACBC, "vmhgfs", false},
    {0x013111A8, "ibrix", false},    {0xBEEFDEAD, "snfs", false},   {0x7C7C6673, "prl_fs", false},
    {0x564C, "ncp", false},
};

inline constexpr const FileSystem* find_file_system(uint64_t magic) {
  for (const FileSystem& f : file_systems) {
    if (f.magic == magic) return &f;
  }
  return nullptr;
}

inline constexpr bool is_local(uint64_t magic) {
  const FileSystem* f = find_file_system(magic);
  return f && f->local;
}

// Whether it has no disk.
inline constexpr bool is_in_memory(uint64_t magic) {
  return magic == 0x01021994 || magic == 0x858458F6 || magic == 0x958458F6;  // tmpfs, ramfs, hugetlbfs
}

}  // namespace leadline::trace
