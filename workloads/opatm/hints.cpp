#include "hints.hpp"

#include <algorithm>
#include <cstdio>

#include "decomposition.hpp"
#include "kit/field_file.hpp"
#include "kit/program.hpp"

namespace opatm {
namespace {

constexpr int64_t most_bytes = int64_t{32} << 20;  // of the field

// Beside what the run writes, as file systems differ; else in the run's folder.
std::string place_of(const Settings& settings) {
  if (settings.writes_netcdf()) return settings.output;
  return settings.save.empty() ? "opatm" : settings.save;
}

std::string described(const kit::HintChoice& choice, const std::string& keep) {
  char text[256];
  if (choice.is_kept) {
    std::snprintf(text, sizeof text, "from %s", keep.c_str());
  } else if (choice.rounds == 0) {
    std::snprintf(text, sizeof text, "default: the time limit of %.2f s was reached in the first round", choice.took_s);
  } else {
    std::snprintf(text, sizeof text, "%.2f of the default's time, after %d rounds, %.2f s, %.0f MB written and read",
                  choice.share, choice.rounds, choice.took_s, choice.written_bytes / 1e6);
  }
  return choice.hints + " (" + text + ")";
}

}  // namespace

[[gnu::noinline]] std::string choose_hints(Settings& settings, int rank, int ranks) {
  Extent grid = settings.grid;
  const int64_t level_bytes = int64_t{grid.nx} * grid.ny * static_cast<int64_t>(sizeof(double));
  grid.nz = static_cast<int>(std::clamp<int64_t>(most_bytes / level_bytes, 1, grid.nz));
  const Block block = Decomposition(settings.grid, settings.layout, ranks).block(rank);
  const kit::Spread spread(field_block(block, grid, grid.nz));
  const kit::HintChoice choice = kit::choose_hints(place_of(settings), spread, settings.hints_file);
  settings.hints = choice.hints;
  return described(choice, settings.hints_file);
}

}  // namespace opatm
