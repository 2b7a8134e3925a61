// lengths FILE: the addresses of .text's instructions come on standard input, as objdump found them; each is decoded
// and its length held against the distance to the next one. Prints how many there were, and those that differ.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "code/x86_64.hpp"

int main(int argc, char** argv) {
  const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  struct stat s{};
  if (fd < 0 || fstat(fd, &s) != 0) return 2;
  const auto* file =
      static_cast<const char*>(mmap(nullptr, static_cast<size_t>(s.st_size), PROT_READ, MAP_PRIVATE, fd, 0));
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + header->e_shoff);
  const char* names = file + sections[header->e_shstrndx].sh_offset;
  std::vector<uint64_t> addresses;
  for (char line[64]; std::fgets(line, sizeof(line), stdin);) addresses.push_back(std::strtoull(line, nullptr, 16));
  size_t decoded = 0;
  for (int i = 0; i < header->e_shnum; ++i) {
    if (std::strcmp(names + sections[i].sh_name, ".text") != 0) continue;
    const uint64_t begin = sections[i].sh_addr, end = begin + sections[i].sh_size;
    const auto text = reinterpret_cast<uint64_t>(file + sections[i].sh_offset);
    for (size_t at = 0; at + 1 < addresses.size(); ++at) {
      const uint64_t here = addresses[at], next = addresses[at + 1];
      if (here < begin || next >= end) continue;
      ++decoded;
      const leadline::code::Instruction found = leadline::code::decode(text + (here - begin), text + (end - begin));
      if (found.length != next - here) std::printf("%lx: %u instead of %lu bytes\n", here, found.length, next - here);
    }
  }
  std::printf("%zu instructions\n", decoded);
  return 0;
}
