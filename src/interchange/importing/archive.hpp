// An OTF2 archive that is read: its definitions, and the events of its locations one after another.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "interchange/importing/reading_library.hpp"

namespace leadline::interchange::importing {

// Definitions by OTF2's numbers, which can have any value.
struct Definitions {
  struct Region {
    uint32_t name, full, file, line;  // full: with scopes, if the archive has that
    uint8_t role, paradigm;
  };
  struct Node {
    uint32_t name, kind, parent;
  };
  struct LocationGroup {
    uint32_t name, node;
  };
  struct Location {
    uint64_t number;
    uint32_t name, group;
    uint8_t type;
    uint64_t events;
  };
  struct Group {
    uint8_t type, paradigm;
    std::vector<uint64_t> members;
  };
  struct Comm {
    uint32_t name, group, other, parent;  // other: the second group of an intercommunicator
  };
  struct Context {
    uint32_t region, source_line, parent;
  };
  struct SourceLine {
    uint32_t file, line;
  };
  struct IoHandle {
    uint32_t name, file, comm;
    uint8_t paradigm;
  };

  uint64_t resolution = 1'000'000'000, offset = 0, length = 0, epoch_ns = UINT64_MAX;
  std::unordered_map<uint32_t, std::string> strings;
  std::unordered_map<uint32_t, Region> regions;
  std::unordered_map<uint32_t, Node> nodes;
  std::unordered_map<uint32_t, LocationGroup> location_groups;
  std::vector<Location> locations;
  std::unordered_map<uint32_t, Group> groups;
  // Groups of locations that communicate, which groups of ranks refer to. EZTrace numbers them like one of those.
  std::vector<Group> location_lists;
  std::unordered_map<uint32_t, Comm> comms;
  std::unordered_map<uint32_t, uint32_t> windows;     // their communicators
  std::unordered_map<uint32_t, uint32_t> parameters;  // their names
  std::unordered_map<uint32_t, Context> contexts;
  std::unordered_map<uint32_t, SourceLine> source_lines;
  std::unordered_map<uint32_t, uint32_t> context_attributes;  // whose values are calling contexts: their names
  std::unordered_map<uint32_t, uint32_t> file_attributes;     // whose values are handles of files: their names
  std::unordered_map<uint32_t, uint32_t> files;               // their names
  std::unordered_map<uint32_t, IoHandle> io_handles;
  std::unordered_map<uint8_t, uint32_t> io_paradigms;  // their identifications

  std::string text(uint32_t string) const;
  // The attributes that say where a call was made, and what file it is about, as our own export writes them.
  uint32_t call_path() const { return attribute(context_attributes, otf2::call_path_name); }
  uint32_t on_file() const { return attribute(file_attributes, otf2::on_file_name); }
  // The host of a group of locations: the nearest node of the system tree that is one, else the nearest of all.
  std::string host_of(const LocationGroup& group) const;

 private:
  uint32_t attribute(const std::unordered_map<uint32_t, uint32_t>& of_type, const char* name) const;
};

class LocationEvents;

class Archive {
 public:
  // `bytes`: of its files. No event takes less than one.
  Archive(const otf2::ReadingLibrary& library, uint64_t bytes) : otf2_(library), events_left_(bytes) {}
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // Reads the definitions. Returns an empty message, or what is wrong.
  std::string open(const std::string& anchor);
  const Definitions& definitions() const { return definitions_; }
  const std::string& creator() const { return creator_; }
  // All locations are to be read with one reader: OTF2 wants to know them before the first of them is read.
  std::string select(const std::vector<uint64_t>& locations);
  // The events of one of them, in their order. Returns an empty message, or why the rest cannot be read.
  // `records`: how many there were, of whatever kind.
  std::string read(uint64_t location, LocationEvents* events, uint64_t* records);

 private:
  std::string wrong(int error) const;
  const otf2::ReadingLibrary& otf2_;
  otf2::Reader* reader_ = nullptr;
  uint64_t events_left_;
  Definitions definitions_;
  std::string creator_;
};

}  // namespace leadline::interchange::importing
