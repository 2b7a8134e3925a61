#include "recorder/call_paths/frame_entry.hpp"

#include <link.h>

#include "recorder/call_paths/table_reader.hpp"

namespace leadline::recorder {

namespace {

constexpr uint8_t relative_to_data_32_bits = 0x3b;  // the form that linkers write and libgcc searches
// Without a table to search, entries are read one after the other: a large program's would take too long.
constexpr unsigned most_read = 20000;

using Common = FrameCommon;

// Takes what its length, of 4 or 12 bytes, is followed by. Nothing at the end of the section, or where it is damaged.
TableReader take_part(TableReader* reader, bool* wide) {
  constexpr uint32_t is_wide = 0xffffffff;
  uint64_t length = reader->value<uint32_t>();
  *wide = length == is_wide;
  if (*wide) length = reader->value<uint64_t>();
  return reader->part(length);
}

// "zPLR" and the like: what the letters stand for.
bool read_augmentation(TableReader* part, const char* letters, Common* common) {
  TableReader data = part->part(part->unsigned_leb());
  for (const char* c = letters; *c && data.ok(); ++c) {
    if (*c == 'R') common->encoding = data.value<uint8_t>();
    if (*c == 'S') common->signal = true;
    if (*c == 'L') data.skip(1);
    if (*c != 'P') continue;  // the place of a routine, which is not looked at
    const auto encoding = data.value<uint8_t>();
    if (encoding != pointer_omitted) data.pointer(encoding & static_cast<uint8_t>(~pointer_indirect));
  }
  return data.ok();
}

bool read_common(TableReader reader, Common* common) {
  bool wide = false;
  TableReader part = take_part(&reader, &wide);
  const uint64_t id = wide ? part.value<uint64_t>() : part.value<uint32_t>();
  const auto version = part.value<uint8_t>();
  if (!part.ok() || id != 0 || (version != 1 && version != 3 && version != 4)) return false;
  constexpr unsigned most_letters = 8;
  char letters[most_letters + 1] = {};
  for (unsigned i = 0; (letters[i] = part.value<char>()) != 0; ++i) {
    if (i + 1 == most_letters) return false;
  }
  if (version == 4) {
    const auto address_bytes = part.value<uint8_t>(), segment_bytes = part.value<uint8_t>();
    if (address_bytes != sizeof(void*) || segment_bytes != 0) return false;
  }
  *common = {};
  common->code_factor = part.unsigned_leb();
  common->data_factor = part.signed_leb();
  const uint64_t column = version == 1 ? part.value<uint8_t>() : part.unsigned_leb();
  common->return_column = column < UINT32_MAX ? static_cast<uint32_t>(column) : UINT32_MAX;
  common->augmented = letters[0] == 'z';
  if (common->augmented ? !read_augmentation(&part, letters + 1, common) : letters[0] != 0) return false;
  common->instructions = {part.at(), part.end()};
  return part.ok();
}

enum class ReadAs : uint8_t { entry, other, end };

// Reads the entry at `reader`, and moves that past it. Other: a common part, or one that cannot be decoded.
ReadAs read_entry(TableReader* reader, FrameTable* table, host::ReadableMemory& memory, FrameEntry* entry) {
  const CodeObject& object = table->object;
  bool wide = false;
  TableReader part = take_part(reader, &wide);
  if (!part.more()) return ReadAs::end;
  const uint64_t place = part.at();
  const uint64_t back = wide ? part.value<uint64_t>() : part.value<uint32_t>();
  if (!part.ok() || !back || back > place - object.begin) return ReadAs::other;
  if (const uint64_t common_at = place - back; table->common_at != common_at) {
    table->common_at = 0;
    if (!read_common(TableReader(memory, common_at, object.end), &table->common)) return ReadAs::other;
    table->common_at = common_at;
  }
  const Common& common = table->common;
  const uint64_t begin = part.pointer(common.encoding);
  const uint64_t bytes = part.pointer(common.encoding & 0x0f);
  if (common.augmented) part.skip(part.unsigned_leb());
  if (!part.ok() || begin < object.begin || begin > object.end || bytes > object.end - begin) return ReadAs::other;
  *entry = {{begin, begin + bytes}, common.instructions, {part.at(), part.end()},
            common.code_factor,     common.data_factor,  common.return_column,
            common.signal};
  return ReadAs::entry;
}

// In the header's table of (begin, entry), sorted by the first. Returns where the entry is, 0: there is none.
uint64_t look_up(const CodeObject& object, uint64_t table, uint64_t count, uint64_t address,
                 host::ReadableMemory& memory) {
  struct Row {
    int32_t begin, entry;  // relative to the header
  };
  const auto place = [&](int32_t distance) { return object.frame_header + static_cast<uint64_t>(int64_t{distance}); };
  if (table > object.end || count > (object.end - table) / sizeof(Row)) return 0;
  uint64_t from = 0, to = count;  // the last row that begins at or before the address is in [from, to)
  Row row{};
  while (from < to) {
    const uint64_t middle = from + (to - from) / 2;
    if (!memory.read(table + middle * sizeof(Row), &row)) return 0;
    if (place(row.begin) > address) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  if (!from || !memory.read(table + (from - 1) * sizeof(Row), &row)) return 0;
  const uint64_t entry = place(row.entry);
  return entry >= object.begin && entry < object.end ? entry : 0;
}

bool holds(const FrameEntry& entry, uint64_t address) {
  return address >= entry.code.begin && address < entry.code.end;
}

}  // namespace

CodeObject CodeObject::of(const dl_phdr_info& info) {
  CodeObject object{UINT64_MAX, 0, 0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) & p = info.dlpi_phdr[i];
    const uint64_t begin = info.dlpi_addr + p.p_vaddr;
    if (p.p_type == PT_GNU_EH_FRAME) object.frame_header = begin;
    if (p.p_type != PT_LOAD) continue;
    if (begin < object.begin) object.begin = begin;
    if (begin + p.p_memsz > object.end) object.end = begin + p.p_memsz;
  }
  return object;
}

CodeObject CodeObject::at(uint64_t address) {
  struct Search {
    uint64_t address;
    CodeObject object;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* s = static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & p = info->dlpi_phdr[i];
          if (p.p_type != PT_LOAD || s->address - info->dlpi_addr - p.p_vaddr >= p.p_memsz) continue;
          s->object = CodeObject::of(*info);
          return 1;
        }
        return 0;
      },
      &search);
  return search.object;
}

bool find_frame_entry(FrameTable* table, uint64_t address, host::ReadableMemory& memory, FrameEntry* entry) {
  const CodeObject& object = table->object;
  const auto by_row = [&] {
    const uint64_t at = look_up(object, table->rows, table->row_count, address, memory);
    TableReader reader(memory, at, object.end);
    return at && read_entry(&reader, table, memory, entry) == ReadAs::entry && holds(*entry, address);
  };
  if (table->row_count) return by_row();
  if (object.frame_header < object.begin || object.frame_header >= object.end) return false;
  TableReader header(memory, object.frame_header, object.end);
  const auto version = header.value<uint8_t>(), of_tables = header.value<uint8_t>(), of_count = header.value<uint8_t>(),
             of_rows = header.value<uint8_t>();
  const uint64_t tables = header.pointer(of_tables, object.frame_header);
  if (version != 1 || !header.ok()) return false;
  if (of_count != pointer_omitted && of_rows == relative_to_data_32_bits) {
    const uint64_t count = header.pointer(of_count, object.frame_header);
    if (!header.ok()) return false;
    table->rows = header.at();
    table->row_count = count;
    return by_row();
  }
  if (tables < object.begin || tables >= object.end) return false;
  TableReader reader(memory, tables, object.end);
  for (unsigned i = 0; i < most_read; ++i) {
    const ReadAs found = read_entry(&reader, table, memory, entry);
    if (found == ReadAs::entry && holds(*entry, address)) return true;
    if (found == ReadAs::end) break;
  }
  return false;
}

bool find_frame_entry(const CodeObject& object, uint64_t address, host::ReadableMemory& memory, FrameEntry* entry) {
  FrameTable table;
  table.object = object;
  return find_frame_entry(&table, address, memory, entry);
}

}  // namespace leadline::recorder
