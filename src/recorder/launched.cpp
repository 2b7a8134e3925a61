#include "recorder/launched.hpp"

#include <stdlib.h>

#include <initializer_list>

namespace leadline::recorder {
namespace {

int64_t first_number(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* text = getenv(name)) return strtoll(text, nullptr, 10);
  }
  return -1;
}

}  // namespace

int64_t launched_rank() { return first_number({"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}); }
int64_t launched_size() { return first_number({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"}); }

}  // namespace leadline::recorder
