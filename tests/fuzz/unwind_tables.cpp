// Looks up every place of a program's code in its unwind tables, follows the rules found there, and evaluates their
// expressions, as the recorder does. The program is not run: it is laid out as a loader would.
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <initializer_list>

#include "host/readable_memory.hpp"
#include "recorder/call_paths/frame_entry.hpp"
#include "recorder/call_paths/frame_rules.hpp"

using namespace leadline;

namespace {

constexpr size_t most_bytes = size_t{1} << 24;
constexpr uint64_t most_places = 8192;

// Nothing follows the program in memory, so that a read beyond its end is a fault.
unsigned char* laid_out(const unsigned char* file, size_t size, recorder::CodeObject* object) {
  ElfW(Ehdr) head;
  if (size < sizeof head) return nullptr;
  memcpy(&head, file, sizeof head);
  auto* base = static_cast<unsigned char*>(
      mmap(nullptr, most_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (base == MAP_FAILED) return nullptr;
  dl_phdr_info info = {};
  info.dlpi_addr = reinterpret_cast<uint64_t>(base);
  static ElfW(Phdr) headers[16];
  for (unsigned i = 0; i < head.e_phnum && i < 16; ++i) {
    memcpy(&headers[i], file + head.e_phoff + i * sizeof(ElfW(Phdr)), sizeof headers[i]);
    const ElfW(Phdr) & p = headers[i];
    if (p.p_type != PT_LOAD) continue;
    const size_t begin = p.p_vaddr & ~size_t{4095}, end = (p.p_vaddr + p.p_memsz + 4095) & ~size_t{4095};
    mprotect(base + begin, end - begin, PROT_READ | PROT_WRITE);
    memcpy(base + p.p_vaddr, file + p.p_offset, p.p_filesz);
  }
  info.dlpi_phdr = headers;
  info.dlpi_phnum = static_cast<ElfW(Half)>(head.e_phnum < 16 ? head.e_phnum : 16);
  *object = recorder::CodeObject::of(info);
  return base;
}

bool no_word(void*, uint64_t address, uint64_t* word) {
  *word = address * 0x9e3779b97f4a7c15u;
  return address & 8;
}

uint64_t follow(const recorder::FrameEntry& entry, uint64_t address, host::ReadableMemory& memory) {
  recorder::FrameRules rules;
  if (!recorder::FrameProgram(memory, entry).run(address, &rules)) return 0;
  recorder::Registers registers = {};
  registers.known = ~uint64_t{0};
  for (unsigned i = 0; i < recorder::Registers::count; ++i) registers.value[i] = address + 64 * i;
  const recorder::ExpressionInput input{&registers, no_word, nullptr};
  uint64_t sum = rules.return_column, value = 0;
  const uint64_t frame = address + 128;
  using Kind = recorder::RegisterRule::Kind;
  for (const auto* rule : {&rules.frame, &rules.registers[3], &rules.registers[6], &rules.registers[16]}) {
    if (rule->kind != Kind::at_expression && rule->kind != Kind::expression) continue;
    const uint64_t at = rules.origin + static_cast<uint64_t>(int64_t{rule->value});
    if (recorder::evaluate(memory, at, input, rule == &rules.frame ? nullptr : &frame, &value)) sum += value;
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  static unsigned char file[most_bytes];
  FILE* in = fopen(argv[1], "rb");
  if (!in) return 2;
  const size_t size = fread(file, 1, sizeof file, in);
  fclose(in);
  recorder::CodeObject object;
  if (!laid_out(file, size, &object)) return 2;
  uint64_t sum = 0;
  unsigned known = 0;
  const uint64_t step = (object.end - object.begin) / most_places + 3;
  for (uint64_t at = object.begin; at < object.end; at += step) {
    host::ReadableMemory memory;
    recorder::FrameEntry entry;
    if (!recorder::find_frame_entry(object, at, memory, &entry)) continue;
    ++known;
    sum += follow(entry, at, memory);
  }
  printf("%u places, %llx\n", known, static_cast<unsigned long long>(sum));
  return 0;
}
