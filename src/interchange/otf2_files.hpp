// The files of an archive and the handles that they are used through, numbered as they come up. As in archives of
// Score-P's, ranks share the definition of a handle: each of them opens and closes it for itself. What is held grows
// with the files and the most of them that are open at once, not with the calls.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "interchange/followed_files.hpp"
#include "interchange/otf2_library.hpp"
#include "trace/process.hpp"

namespace leadline::interchange {

class Otf2Files {
 public:
  // `comm`: number of the communicator that an MPI file was opened over, undefined if it has none.
  uint32_t handle(const trace::Process& process, const OpenFile& open, uint32_t comm);

  using String = std::function<uint32_t(const std::string&)>;
  using Check = std::function<void(int error)>;
  void define(const otf2::Library& library, otf2::GlobalDefWriter* to, const String& string, const Check& check) const;

 private:
  struct Handle {
    uint32_t file, comm;
    uint8_t paradigm;
    bool created;
    int64_t access, status;  // of one that no exported call creates; -1: unknown
  };
  uint32_t file(const std::string& name);

  // Paradigm, which of the open files (MPI's: its identity), file, whether an exported call creates it.
  using Key = std::tuple<uint8_t, uint64_t, uint32_t, bool>;
  std::map<Key, uint32_t> numbers_;
  std::vector<Handle> handles_;
  std::map<std::string, uint32_t> file_numbers_;
  std::vector<std::string> files_;
};

}  // namespace leadline::interchange
