// The output brought to the root by collections (parts/segments), in bounded memory: the root gets each rank's
// summaries, and pieces of its maps that it passes on at once.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "decomposition.hpp"
#include "map_piece.hpp"
#include "settings.hpp"

struct leadline_collection;

namespace opatm {

struct Model;
class Summary;

class Gathering {
 public:
  // What the root holds at most of the others' data, unless a summary of each rank takes more.
  static constexpr size_t limit_bytes = size_t{4} << 20;
  // Of how many tracers a rank prepares the output at once: as many as take so much, but one at least.
  static constexpr size_t prepared_bytes = size_t{1} << 20;

  // Called on the root, tracer by tracer: the sea's summary, then all pieces of the maps.
  struct Sink {
    std::function<void(int tracer, const Summary& summary)> summary;
    std::function<void(int tracer, int map, const MapPiece& piece)> piece;
  };

  // Collective over MPI_COMM_WORLD.
  Gathering(const Settings& settings, const Decomposition& decomposition, int rank, Sink sink);
  ~Gathering();

  // Collective. On the root, throws what the sink threw.
  void run(const Model& model, int step);

 private:
  struct Free {
    void operator()(leadline_collection* plan) const;
  };
  using Plan = std::unique_ptr<leadline_collection, Free>;

  Plan plan_of(int tracers);
  void prepare(const Model& model, int tracer, int step, int place);
  static int take(void* gathering, int field, int rank, size_t offset, void* data, size_t bytes);
  void take_summary(int tracer, const char* bytes);

  int levels_;
  int rank_;
  std::vector<Block> blocks_;  // of each rank
  Sink sink_;
  size_t summary_bytes_;
  int together_;                              // tracers that are prepared at once
  std::vector<std::vector<char>> summaries_;  // of each of those
  std::vector<std::vector<double>> maps_;     // output_maps of each
  Plan many_;                                 // for so many tracers
  Plan rest_;                                 // for those that are left at the end; null if none are
  int first_ = 0;                             // tracer of those under way
  std::unique_ptr<Summary> sum_;              // of the ranks that have come
  int summed_ = 0;                            // how many of them
  std::exception_ptr thrown_;
};

}  // namespace opatm
