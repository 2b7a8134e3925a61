// The traces in a node's file (trace/node_file.hpp). A trace in it has a path, as if the file were a directory:
// `<run>/<host>-<boot>.traces/rank-00003-<host>-<pid>.trace`. Bytes are untrusted, as reader.hpp says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leadline::trace {

struct NodeMember {
  std::string name;    // of the trace, "rank-00003-<host>-<pid>.trace"
  uint64_t begin = 0;  // byte of the file where the trace begins
  uint64_t size = 0;   // of the trace, as far as it is there
  bool whole = true;   // false: it was not written to its end
};

// The members of the file, in its order; `fd` is open for reading. What is no member is passed over.
std::vector<NodeMember> node_members(int fd, uint64_t file_size);

// The same of a file by its path, remembered as long as the file does not change; none if it cannot be read.
std::vector<NodeMember> node_members(const std::string& path);
// One of these.
std::optional<NodeMember> node_member(const std::string& path, std::string_view name);

// The length of the path of the node's file that such a path begins with; 0: it is the path of a file.
size_t node_file_of(const std::string& path);

// The directory of the run that the trace belongs to, with a slash at its end; empty: the working directory.
std::string directory_of_trace(const std::string& path);

}  // namespace leadline::trace
