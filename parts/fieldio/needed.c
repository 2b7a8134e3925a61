/* The MPI library that a shared library asks for, from its file: the names of its dynamic section. */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared_library.h"

typedef struct {
  const char* bytes;
  size_t size;
} File;

/* Null where the file ends before. */
static const void* at(const File* file, uint64_t offset, uint64_t bytes) {
  return offset <= file->size && bytes <= file->size - offset ? file->bytes + offset : NULL;
}

static const Elf64_Phdr* segments_of(const File* file, size_t* count) {
  const Elf64_Ehdr* header = at(file, 0, sizeof *header);
  if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_type != ET_DYN || header->e_phentsize != sizeof(Elf64_Phdr)) {
    return NULL;
  }
  *count = header->e_phnum;
  return at(file, header->e_phoff, *count * sizeof(Elf64_Phdr));
}

/* Where in the file the address is, or past its end. */
static uint64_t offset_of(const Elf64_Phdr* segments, size_t count, uint64_t address) {
  for (size_t n = 0; n < count; ++n) {
    const uint64_t into = address - segments[n].p_vaddr;
    if (segments[n].p_type == PT_LOAD && address >= segments[n].p_vaddr && into < segments[n].p_filesz) {
      return segments[n].p_offset + into;
    }
  }
  return UINT64_MAX;
}

static bool is_mpi(const char* name) {
  return strncmp(name, "libmpi.so", 9) == 0 || strncmp(name, "libmpich.so", 11) == 0;
}

static void look_for_mpi(const File* file, const Elf64_Dyn* entries, size_t count, uint64_t names, char* name,
                         size_t bytes) {
  for (size_t n = 0; n < count && entries[n].d_tag != DT_NULL; ++n) {
    if (entries[n].d_tag != DT_NEEDED || names > file->size) continue;
    const char* needed = at(file, names + entries[n].d_un.d_val, 1);
    if (needed == NULL || memchr(needed, '\0', file->size - (size_t)(needed - file->bytes)) == NULL) continue;
    if (is_mpi(needed)) snprintf(name, bytes, "%s", needed);
  }
}

static bool look(const File* file, char* name, size_t bytes) {
  size_t count = 0;
  const Elf64_Phdr* segments = segments_of(file, &count);
  for (size_t n = 0; segments != NULL && n < count; ++n) {
    if (segments[n].p_type != PT_DYNAMIC) continue;
    const Elf64_Dyn* entries = at(file, segments[n].p_offset, segments[n].p_filesz);
    if (entries == NULL) return false;
    const size_t many = segments[n].p_filesz / sizeof *entries;
    uint64_t names = UINT64_MAX;
    for (size_t e = 0; e < many && entries[e].d_tag != DT_NULL; ++e) {
      if (entries[e].d_tag == DT_STRTAB) names = offset_of(segments, count, entries[e].d_un.d_ptr);
    }
    look_for_mpi(file, entries, many, names, name, bytes);
    return true;
  }
  return false;
}

bool mpi_needed_by(const char* path, char* name, size_t bytes) {
  name[0] = '\0';
  const int opened = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (opened < 0) return false;
  bool done = false;
  if (fstat(opened, &status) == 0 && status.st_size > 0) {
    void* mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, opened, 0);
    if (mapped != MAP_FAILED) {
      const File file = {mapped, (size_t)status.st_size};
      done = look(&file, name, bytes);
      munmap(mapped, (size_t)status.st_size);
    }
  }
  close(opened);
  return done;
}
