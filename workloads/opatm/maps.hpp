// The maps of the output, as far as this block goes.
#pragma once

#include <vector>

#include "tracers.hpp"

namespace opatm {

struct Model;

// Since the last output.
std::vector<double> mean_concentration(const Model& model, const Tracer& tracer);

// `values` has room for the block without its halo; the maps' numbers are those of map_names.
void fill_map(const Model& model, const Tracer& tracer, int map, double* values);
std::vector<double> map_of_block(const Model& model, const Tracer& tracer, int map);

}  // namespace opatm
