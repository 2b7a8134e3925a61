// What the model reads: the forcing and the state it begins with; and the state that it leaves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition.hpp"
#include "field.hpp"
#include "forcing.hpp"
#include "kit/field_file.hpp"
#include "settings.hpp"

namespace opatm {

struct Model;

std::string forcing_file(const std::string& folder);
std::string initial_file(const std::string& folder);

// The last variable of every file that the model reads. Where a file was cut short, or its writer did not come to the
// end, it has another value; the libraries do not tell.
class EndMark {
 public:
  void define(kit::FieldFile& file);  // after all other variables
  void write(kit::FieldFile& file) const;
  static void check(kit::FieldFile& file, const std::string& path);  // throws kit::UsageError on all ranks

 private:
  int variable_ = 0;
};

// A file of concentrations after that many steps.
struct StateFile {
  StateFile(kit::FieldFile& file, const Extent& grid, int tracers, int64_t step);

  int concentration;
  EndMark end;
};

// The files of --input and --restart. Everything is collective over MPI_COMM_WORLD, and throws kit::UsageError on all
// ranks.
class Input {
 public:
  // Opens the files and completes the settings by what they say: grid, tracers, and the step that the state is from.
  explicit Input(Settings& settings);

  std::unique_ptr<Forcing> read_forcing(const Settings& settings, int rank, int ranks);  // null: there is none
  bool has_state() const { return state_ != nullptr; }
  void read_state(Model& model);

 private:
  std::string state_path_;
  std::unique_ptr<kit::FieldFile> forcing_;  // null: none is to be read
  std::unique_ptr<kit::FieldFile> state_;
};

// Writes the model's state after its last step to settings.save.
void save_state(const Model& model);

}  // namespace opatm
