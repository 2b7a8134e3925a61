#include "interchange/otf2_meanings.hpp"

#include <iterator>

namespace leadline::interchange::otf2 {

namespace {

constexpr std::string_view operations[] = {"Barrier",
                                           "Bcast",
                                           "Gather",
                                           "Gatherv",
                                           "Scatter",
                                           "Scatterv",
                                           "Allgather",
                                           "Allgatherv",
                                           "Alltoall",
                                           "Alltoallv",
                                           "Alltoallw",
                                           "Allreduce",
                                           "Reduce",
                                           "Reduce_scatter",
                                           "Scan",
                                           "Exscan",
                                           "Reduce_scatter_block"};
constexpr uint8_t create_handle = 17, destroy_handle = 18;

}  // namespace

std::optional<uint8_t> operation_of(std::string_view function, trace::CallClass cls) {
  if (cls == trace::CallClass::comm_create || cls == trace::CallClass::win_create) return create_handle;
  if (cls == trace::CallClass::comm_free || cls == trace::CallClass::win_free) return destroy_handle;
  if (!function.starts_with("MPI_")) return std::nullopt;
  function.remove_prefix(4);
  if (function.ends_with("_c")) function.remove_suffix(2);
  if (function.ends_with("_init")) function.remove_suffix(5);
  const bool nonblocking = cls == trace::CallClass::icoll && function.starts_with('I');
  if (nonblocking) function.remove_prefix(1);
  for (size_t i = 0; i < std::size(operations); ++i) {
    if (operations[i] == function) return static_cast<uint8_t>(i);
    // "Iallreduce"
    if (nonblocking && operations[i].substr(1) == function.substr(1) && (operations[i][0] | ' ') == function[0]) {
      return static_cast<uint8_t>(i);
    }
  }
  return std::nullopt;
}

uint8_t role_of(trace::CallClass cls) {
  constexpr uint8_t function = 1, collective = 26, file = 27, message = 28, one_sided = 29, file_metadata = 38;
  const trace::EventForm form = trace::facts_of(cls).event;
  if (form == trace::EventForm::collective || form == trace::EventForm::creation) return collective;
  if (trace::facts_of(cls).category == trace::Category::io) return trace::facts_of(cls).moves ? file : file_metadata;
  if (cls == trace::CallClass::rma || cls == trace::CallClass::rma_request) return one_sided;
  if (trace::facts_of(cls).requests != trace::RequestUse::none || cls == trace::CallClass::send ||
      cls == trace::CallClass::recv || cls == trace::CallClass::sendrecv) {
    return message;
  }
  return function;
}

}  // namespace leadline::interchange::otf2
