// What a function is whose name another tool gives.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trace/call_class.hpp"

namespace leadline::interchange::importing {

struct NamedFunction {
  std::string name;  // as a trace has it: "MPI_Send"
  trace::CallClass cls;
};

// "MPI_Send", "PMPI_Send", "mpi_send_", "MPI_Send_c". An unknown function of MPI is of class `other`; any other
// function has no class.
std::optional<NamedFunction> mpi_function(std::string_view name);
// A function of libc on files: "write", "fopen64".
std::optional<NamedFunction> file_function(std::string_view name);

}  // namespace leadline::interchange::importing
