// What the output says about a tracer besides its maps: profiles and a histogram, put together from all blocks.
//
// Sums are exact and the rest are counts and extremes, so the result does not depend on how the sea is cut.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "decomposition.hpp"
#include "field.hpp"
#include "kit/exact_sum.hpp"
#include "tracers.hpp"

namespace opatm {

class Summary {
 public:
  static constexpr int bins = 512;  // of 1/128 of the tracer's typical concentration each; the last takes all above

  explicit Summary(int levels);

  // Of this block. `mean`: the block's mean since the last output, without halo. `kind`: of the cells, of which land
  // does not count; null where there is none. A level without any other cell has infinite extremes.
  void describe(const Tracer& tracer, int step, const Block& block, const Field& concentration,
                const std::vector<double>& mean, const std::vector<double>& thickness_m, const Field* kind);

  // Takes in what another block's summary says; its own header stays.
  void add(const Summary& other);

  Block block() const;

  // The pieces a summary is sent and received as, of at most 4 kB each.
  struct Piece {
    void* data;
    int count;
    MPI_Datatype type;
  };
  std::array<Piece, 8> pieces();

  // All pieces one after another, in size_bytes().
  size_t size_bytes();
  void copy_to(char* bytes);
  void copy_from(const char* bytes);

  // For the file: per level the sums as numbers, extremes and counts; then the histogram. All take 8 bytes.
  std::vector<double> profiles() const;  // inventory, inventory of the mean, sinking flux, minimum, maximum
  const std::vector<int64_t>& blooming() const { return blooming_; }
  const std::vector<int64_t>& histogram() const { return histogram_; }

 private:
  using Limbs = kit::ExactSum::Limbs;

  std::array<int64_t, 8> header_{};  // tracer, step, block (x first and count, y first and count), levels, cells
  std::vector<Limbs> inventory_;     // concentration times thickness, mmol/m^2 summed over columns, by level
  std::vector<Limbs> mean_inventory_;
  std::vector<Limbs> sinking_;  // mmol/m^2/day summed over columns, through the bottom of each level
  std::vector<double> minimum_;
  std::vector<double> maximum_;
  std::vector<int64_t> blooming_;  // cells of more than twice the typical concentration, by level
  std::vector<int64_t> histogram_;
};

}  // namespace opatm
