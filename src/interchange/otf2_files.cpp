#include "interchange/otf2_files.hpp"

#include <iterator>

#include "interchange/file_modes.hpp"

namespace leadline::interchange {

namespace {

constexpr uint8_t posix = 0, iso_c = 1, mpi_io = 2;
struct Paradigm {
  const char *identification, *name;
  uint8_t parallel;
  uint32_t of_system;  // no other paradigm lies beneath it
};
constexpr Paradigm paradigms[] = {
    {otf2::posix_io, "POSIX I/O", 0, 1}, {otf2::iso_c_io, "ISO C I/O", 0, 0}, {otf2::mpi_io, "MPI-IO", 1, 0}};
constexpr uint32_t pre_created = 1;

}  // namespace

uint32_t Otf2Files::file(const std::string& name) {
  const auto [at, fresh] = file_numbers_.try_emplace(name, static_cast<uint32_t>(files_.size()));
  if (fresh) files_.push_back(name);
  return at->second;
}

uint32_t Otf2Files::handle(const trace::Process& process, const OpenFile& open, uint32_t comm) {
  const bool by_mpi = open.by == OpenFile::Interface::mpi;
  const bool known = open.file && open.file < process.files.size();
  const uint32_t of = known ? file(process.files[open.file].name) : otf2::undefined;
  const uint8_t paradigm = by_mpi ? mpi_io : open.stream ? iso_c : posix;
  uint64_t which = open.number;
  if (by_mpi && open.number < process.communicators.size()) {
    const uint64_t identity = process.communicators[open.number].identity;
    if (identity) which = identity;
  }
  const auto [at, fresh] =
      numbers_.try_emplace({paradigm, which, of, open.created}, static_cast<uint32_t>(handles_.size()));
  if (!fresh) return at->second;
  Handle made{of, comm, paradigm, open.created, -1, -1};
  if (open.flags >= 0) {
    const FileModes modes = by_mpi ? modes_of_mpi(open.flags, process.family) : modes_of_open(open.flags);
    made.access = modes.access;
    made.status = modes.status;
  }
  handles_.push_back(made);
  return at->second;
}

void Otf2Files::define(const otf2::Library& library, otf2::GlobalDefWriter* to, const String& string,
                       const Check& check) const {
  if (handles_.empty()) return;
  const uint32_t nothing = string("");
  for (uint8_t i = 0; i < std::size(paradigms); ++i) {
    const Paradigm& p = paradigms[i];
    check(library.GlobalDefWriter_WriteIoParadigm(to, i, string(p.identification), string(p.name), p.parallel,
                                                  p.of_system, 0, nullptr, nullptr, nullptr));
  }
  for (uint32_t i = 0; i < files_.size(); ++i) {
    check(library.GlobalDefWriter_WriteIoRegularFile(to, i, string(files_[i]), otf2::undefined));
  }
  const uint32_t unknown = string(otf2::unknown_file);
  for (uint32_t i = 0; i < handles_.size(); ++i) {
    const Handle& h = handles_[i];
    check(library.GlobalDefWriter_WriteIoHandle(to, i, h.file == otf2::undefined ? unknown : nothing, h.file,
                                                h.paradigm, h.created ? 0 : pre_created, h.comm, otf2::undefined));
    if (h.created || h.access < 0) continue;
    check(library.GlobalDefWriter_WriteIoPreCreatedHandleState(to, i, static_cast<uint8_t>(h.access),
                                                               static_cast<uint32_t>(h.status)));
  }
}

}  // namespace leadline::interchange
