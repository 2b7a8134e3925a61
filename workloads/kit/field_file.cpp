#include "kit/field_file.hpp"

#include <leadline_fieldio.h>
#include <mpi.h>

#include <climits>
#include <exception>

#include "kit/program.hpp"

namespace kit {
namespace {

leadline_fieldio_way way_of(Way way) {
  if (way == Way::parallel) return LEADLINE_FIELDIO_PARALLEL;
  return way == Way::gathered ? LEADLINE_FIELDIO_GATHERED : LEADLINE_FIELDIO_SERIAL;
}

leadline_fieldio_type type_of(FieldFile::Type type) {
  if (type == FieldFile::Type::int8) return LEADLINE_FIELDIO_INT8;
  return type == FieldFile::Type::int64 ? LEADLINE_FIELDIO_INT64 : LEADLINE_FIELDIO_DOUBLE;
}

}  // namespace

void agree_on(const std::string& problem) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = problem.empty() ? INT_MAX : rank;
  int first = INT_MAX;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == INT_MAX) return;
  std::string text = problem;
  int size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, first, MPI_COMM_WORLD);
  text.resize(static_cast<size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, first, MPI_COMM_WORLD);
  throw UsageError(text);
}

void Spread::Free::operator()(leadline_spread* spread) const { leadline_spread_free(&spread); }

Spread::Spread(const FieldBlock& block) {
  const leadline_block given = {static_cast<int>(block.whole.size()),
                                block.whole.data(),
                                block.first.data(),
                                block.count.data(),
                                block.array.data(),
                                block.offset.data(),
                                block.halo.data()};
  leadline_spread* spread = nullptr;
  const int code = leadline_spread_create(MPI_COMM_WORLD, &given, &spread);
  spread_.reset(spread);
  if (code != LEADLINE_FIELDIO_OK)
    throw UsageError(spread != nullptr ? leadline_spread_message(spread) : "out of memory");
}

HintChoice choose_hints(const std::string& path, const Spread& spread, const std::string& keep) {
  leadline_fieldio_trial trial{};
  trial.keep = keep.empty() ? nullptr : keep.c_str();
  leadline_fieldio_choice choice;
  char message[1024];
  if (leadline_fieldio_choose_hints(MPI_COMM_WORLD, path.c_str(), spread.spread_.get(), &trial, &choice, message,
                                    sizeof message) != LEADLINE_FIELDIO_OK) {
    throw UsageError(message);
  }
  const double share = choice.rounds > 0 ? choice.median_s[choice.set] / choice.median_s[0] : 0.0;
  return {choice.hints, choice.kept != 0, choice.rounds, choice.took_s, static_cast<double>(choice.written_bytes),
          share};
}

// Freeing is collective, and an exception may be this rank's alone: then the file is left to the end of the program.
void FieldFile::Free::operator()(leadline_field_file* file) const {
  if (std::uncaught_exceptions() == 0) leadline_fieldio_free(&file);
}

FieldFile::FieldFile(const std::string& path, Access access, Way way, const std::string& hints, Ranks ranks) {
  const leadline_fieldio_options options = {way_of(way), 0, hints.empty() ? nullptr : hints.c_str()};
  MPI_Comm comm = ranks == Ranks::all ? MPI_COMM_WORLD : MPI_COMM_SELF;
  leadline_field_file* file = nullptr;
  const int code = access == Access::read ? leadline_fieldio_open(comm, path.c_str(), &options, &file)
                                          : leadline_fieldio_create(comm, path.c_str(), &options, &file);
  file_.reset(file);
  expect(code);
}

void FieldFile::expect(int code) const {
  if (code != LEADLINE_FIELDIO_OK) throw UsageError(leadline_fieldio_message(file_.get()));
}

int FieldFile::define_dimension(const std::string& name, int64_t length) {
  return leadline_fieldio_dimension(file_.get(), name.c_str(), length);
}

int FieldFile::define_variable(const std::string& name, Type type, const std::vector<int>& dimensions) {
  return leadline_fieldio_define(file_.get(), name.c_str(), type_of(type), static_cast<int>(dimensions.size()),
                                 dimensions.data());
}

void FieldFile::describe(int variable, const std::string& attribute, const std::string& text) {
  leadline_fieldio_text(file_.get(), variable, attribute.c_str(), text.c_str());
}

void FieldFile::set_number(const std::string& attribute, int64_t value) {
  leadline_fieldio_number(file_.get(), attribute.c_str(), value);
}

void FieldFile::end_definitions() { expect(leadline_fieldio_end_definitions(file_.get())); }

int64_t FieldFile::length(const std::string& dimension) {
  int64_t length = 0;
  expect(leadline_fieldio_get_length(file_.get(), dimension.c_str(), &length));
  return length;
}

int64_t FieldFile::number(const std::string& attribute) {
  int64_t value = 0;
  expect(leadline_fieldio_get_number(file_.get(), attribute.c_str(), &value));
  return value;
}

int FieldFile::variable(const std::string& name, const std::vector<int64_t>& shape) {
  int variable = 0;
  expect(leadline_fieldio_variable(file_.get(), name.c_str(), static_cast<int>(shape.size()), shape.data(), &variable));
  return variable;
}

double FieldFile::value(int variable) {
  double value = 0.0;
  expect(leadline_fieldio_get(file_.get(), variable, 0, nullptr, nullptr, LEADLINE_FIELDIO_DOUBLE, &value));
  return value;
}

void FieldFile::read(int variable, const std::vector<int64_t>& leading, const Spread& spread, double* values) {
  expect(leadline_fieldio_read(file_.get(), variable, static_cast<int>(leading.size()), leading.data(),
                               spread.spread_.get(), LEADLINE_FIELDIO_DOUBLE, values));
}

void FieldFile::write(int variable, const std::vector<int64_t>& leading, const Spread& spread, const double* values) {
  expect(leadline_fieldio_write(file_.get(), variable, static_cast<int>(leading.size()), leading.data(),
                                spread.spread_.get(), LEADLINE_FIELDIO_DOUBLE, values));
}

void FieldFile::put(int variable, const std::vector<int64_t>& first, const std::vector<int64_t>& count,
                    const double* values) {
  leadline_fieldio_put(file_.get(), variable, static_cast<int>(first.size()), first.data(), count.data(),
                       LEADLINE_FIELDIO_DOUBLE, values);
}

void FieldFile::put(int variable, const std::vector<int64_t>& first, const std::vector<int64_t>& count,
                    const int64_t* values) {
  leadline_fieldio_put(file_.get(), variable, static_cast<int>(first.size()), first.data(), count.data(),
                       LEADLINE_FIELDIO_INT64, values);
}

void FieldFile::settle() { expect(leadline_fieldio_settle(file_.get())); }

void FieldFile::close() { expect(leadline_fieldio_close(file_.get())); }

}  // namespace kit
