// What an OTF2 archive's events and its definitions have in common: what was defined so far, and what went wrong.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interchange/exporting.hpp"
#include "interchange/otf2_files.hpp"
#include "interchange/otf2_library.hpp"

namespace leadline::interchange {

struct Otf2Shared {
  struct Communicator {
    uint32_t number;
    std::vector<uint64_t> lanes;
  };
  struct RemoteWindow {
    uint32_t number;
    uint64_t over;  // its communicator
  };

  explicit Otf2Shared(const otf2::Library& library) : otf2(library), attributes(otf2.AttributeList_New()) {}
  ~Otf2Shared() {
    if (attributes) otf2.AttributeList_Delete(attributes);
  }
  Otf2Shared(const Otf2Shared&) = delete;
  Otf2Shared& operator=(const Otf2Shared&) = delete;

  // Keeps the first error.
  void check(int error) {
    if (error && failure.empty()) failure = otf2.Error_GetDescription(error);
  }
  const Communicator* communicator(uint64_t identity) const {
    const auto at = communicators.find(identity);
    return at == communicators.end() ? nullptr : &at->second;
  }
  uint32_t region(const std::string& name, trace::CallClass cls) {
    return regions.try_emplace(name, static_cast<uint32_t>(regions.size()), cls).first->second.first;
  }

  otf2::Library otf2;
  otf2::AttributeList* attributes;  // of the next call
  std::string failure;
  bool complete = true;  // everything is exported, even ends of messages that lack the other end
  std::map<uint64_t, Communicator> communicators;
  std::map<uint64_t, RemoteWindow> windows;
  Otf2Files files;
  std::unordered_map<std::string, std::pair<uint32_t, trace::CallClass>> regions;
  uint64_t first = UINT64_MAX, last = 0;  // begin of the first call, and end of the last one
  uint64_t undescribed = 0;
  Exported sums;
};

}  // namespace leadline::interchange
