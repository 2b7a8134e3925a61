// A generation of a thread's events as it was written. Decoded, it takes some ten times as much memory as its bytes, so
// a process holds the bytes, and whoever needs the generation has it decoded and lets go of it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/bytes.hpp"
#include "trace/event.hpp"

namespace leadline::trace {

struct Generation;  // structure.hpp: graph of positions and tokens that walk it

class FileReadAgain;  // reading/opened_file.hpp

// Bytes of a file that are read whenever they are needed.
struct FilePart {
  std::shared_ptr<const FileReadAgain> file;
  uint64_t at = 0;
  uint32_t size = 0;
  uint32_t crc = 0;
};

enum class Packing : uint8_t {
  none,
  deflated,
  modelled,  // in traces of version 2
};

// A chunk's payload, or its beginning, and the rest where it lies in the file.
struct Payload {
  Packing packing = Packing::none;
  std::vector<uint8_t> bytes;
  FilePart rest;
};

// Sizes of the tables that keys refer to.
struct Limits {
  uint32_t sites = UINT32_MAX, communicators = UINT32_MAX, datatypes = UINT32_MAX;

  // Turns indices out of range into "none": number 0 of each table.
  void apply(Key* key) const {
    if (key->site >= sites) key->site = 0;
    if ((key->comm & comm_mask) >= communicators) key->comm &= ~comm_mask;
    if (key->datatype >= datatypes) key->datatype = 0;
  }
};

// What is known without decoding it again.
struct GenerationFacts {
  uint32_t number = 0;
  bool unordered = false;
  size_t positions = 0;
  uint64_t most_events = 0;                    // that it can stand for
  uint64_t calls = 0;                          // by its positions' times
  uint64_t uncounted_variations = 0;           // tallies.hpp
  uint64_t polls_kept = 0, polls_dropped = 0;  // runs of failed polls with a known place, and other runs
};

class WrittenGeneration {
 public:
  // As it was read. `whole`: the payload has its times; otherwise they may come.
  WrittenGeneration(std::shared_ptr<Generation> decoded, std::shared_ptr<const Payload> payload, bool whole);
  // What is wrong with them, or an empty string. `in`: after thread and number.
  std::string add_times(ByteReader in, std::shared_ptr<const Payload> times);
  // Nothing else comes.
  void finish(const Limits& limits);

  const GenerationFacts& facts() const { return facts_; }
  // Decoded, unless somebody still holds it. Several threads may ask at once. Every index into the process's tables is
  // within them.
  std::shared_ptr<const Generation> decoded() const;

 private:
  struct Source;
  void end_reading();

  GenerationFacts facts_;
  std::shared_ptr<Generation> being_read_;  // until its times are there
  std::shared_ptr<Source> source_;
};

}  // namespace leadline::trace
