// Patterns of file I/O of processes built by hand: which files are of one kind, what their calls take, and what would
// remain.
#include "analysis/patterns/files/file_patterns.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "../report/handmade.hpp"
#include "trace/file_counts.hpp"

using leadline::analysis::EvidenceValue;
using leadline::analysis::FileSites;
using leadline::analysis::Pattern;
using leadline::analysis::Profile;
using leadline::trace::FileLayer;
using leadline::trace::Process;
using leadline::trace::ProcessFile;

namespace {

constexpr double second = 1e9;

struct Run {
  std::vector<Process> processes;
  explicit Run(int32_t ranks) {
    for (int32_t r = 0; r < ranks; ++r) {
      processes.push_back(handmade::process(r, ranks));
      processes.back().files.resize(1);  // number 0 has no name
    }
  }
  ProcessFile& file(size_t rank, const std::string& name, int64_t size = -1) {
    for (ProcessFile& f : processes[rank].files) {
      if (f.name == name) return f;
    }
    ProcessFile f;
    f.name = name;
    f.size = size;
    processes[rank].files.push_back(f);
    return processes[rank].files.back();
  }
  void read(size_t rank, const std::string& name, uint64_t calls, uint64_t each, double s,
            FileLayer layer = FileLayer::program) {
    ProcessFile::Counts& c = file(rank, name).layers[static_cast<size_t>(layer)];
    c.reads += calls;
    c.bytes_read += calls * each;
    c.time_ns += static_cast<uint64_t>(s * second);
  }
  void write(size_t rank, const std::string& name, uint64_t calls, uint64_t each, double s,
             FileLayer layer = FileLayer::program) {
    ProcessFile::Counts& c = file(rank, name).layers[static_cast<size_t>(layer)];
    c.writes += calls;
    c.bytes_written += calls * each;
    c.time_ns += static_cast<uint64_t>(s * second);
  }
  std::vector<Pattern> patterns(const std::string& name) const {
    Profile profile;
    for (const Process& p : processes) profile.add(p);
    FileSites sites(profile);
    for (uint32_t p = 0; p < processes.size(); ++p) sites.add(processes[p], p);
    std::vector<Pattern> all, found;
    leadline::analysis::patterns_of_files(profile, sites, &all);
    std::copy_if(all.begin(), all.end(), std::back_inserter(found), [&](const Pattern& p) { return p.name == name; });
    return found;
  }
};

const EvidenceValue* value(const Pattern& p, const std::string& name) {
  for (const auto& [own, v] : p.evidence) {
    if (own == name) return &v;
  }
  return nullptr;
}
int64_t integer(const Pattern& p, const std::string& name) { return std::get<int64_t>(*value(p, name)); }
double real(const Pattern& p, const std::string& name) { return std::get<double>(*value(p, name)); }

// 24 files of 10 writes of 300 bytes each are one statement; no file has enough of its own.
void files_whose_names_differ_in_numbers_are_one_kind() {
  Run run(2);
  for (int i = 0; i < 24; ++i) run.write(i % 2, "/out/step." + std::to_string(1000 + i), 10, 300, 0.5);
  const std::vector<Pattern> small = run.patterns("small_io");
  CHECK_EQUAL(small.size(), 1u);
  CHECK_EQUAL(integer(small[0], "files"), 24);
  CHECK_EQUAL(integer(small[0], "transfers"), 240);
  CHECK_EQUAL(integer(small[0], "writes"), 240);
  CHECK_EQUAL(integer(small[0], "reads"), 0);
  CHECK_EQUAL(real(small[0], "bytes_each"), 300.0);
  CHECK_EQUAL(small[0].time_ns, 12 * second);
  CHECK_EQUAL(small[0].files.size(), 8u);
  CHECK_EQUAL(small[0].files[0] == "/out/step.1000", true);
  CHECK_EQUAL(small[0].ranks, 2u);
  CHECK_EQUAL(value(small[0], "remaining_s") == nullptr, true);  // no large transfers to judge by
}

void files_of_other_names_are_apart_unless_their_opening_is_known() {
  Run run(1);
  for (const char* name : {"/a/left.txt", "/a/right.txt"}) run.write(0, name, 1000, 100, 1);
  CHECK_EQUAL(run.patterns("small_io").size(), 2u);
}

// Before MPI_Init there are no call sites, and no time that counts.
void files_used_before_init_are_one_kind_by_their_extension() {
  Run run(2);
  for (size_t rank = 0; rank < 2; ++rank) {
    for (const char* name : {"/lib/re.pyc", "/lib/os.pyc"}) {
      run.read(rank, name, 1, 50'000, 3, FileLayer::outside);
      run.file(rank, name).size = 50'000;
      run.file(rank, name).reads.runs = {{0, 50'000, 0, 1}};
    }
  }
  const std::vector<Pattern> found = run.patterns("read_all_by_all");
  CHECK_EQUAL(found.size(), 1u);
  CHECK_EQUAL(integer(found[0], "files"), 2);
  CHECK_EQUAL(integer(found[0], "file_bytes"), 100'000);
  CHECK_EQUAL(found[0].bytes, 200'000);
  CHECK_EQUAL(found[0].time_ns, 0.0);
}

// Large writes go at 10 MB/s: so would the 2 MB that are written in pieces of 200 bytes.
void what_remains_of_small_transfers_is_the_time_of_large_ones() {
  Run run(2);
  run.write(0, "/out/fields.bin", 20, 1'000'000, 2);
  run.write(1, "/out/table.txt", 10'000, 200, 5);
  const std::vector<Pattern> small = run.patterns("small_io");
  CHECK_EQUAL(small.size(), 1u);
  CHECK_EQUAL(small[0].time_ns, 5 * second);
  CHECK_EQUAL(real(small[0], "remaining_s"), 0.2);
}

// 100 modules of 3 kB, each read once, with a second call that finds the end: larger transfers are not possible. Of a
// log that is opened for each of its lines, they are.
void small_files_are_no_small_transfers() {
  Run run(1);
  for (int i = 0; i < 100; ++i) {
    const std::string name = "/lib/module" + std::to_string(i) + ".pyc";
    run.file(0, name, 3000).layers[0].opens = 1;
    run.read(0, name, 2, 1500, 0.1);
  }
  CHECK_EQUAL(run.patterns("small_io").size(), 0u);
  run.file(0, "/out/log", 100'000).layers[0].opens = 1000;
  run.write(0, "/out/log", 1000, 100, 1);
  const std::vector<Pattern> small = run.patterns("small_io");
  CHECK_EQUAL(small.size(), 1u);
  CHECK_EQUAL(integer(small[0], "transfers"), 1000);
}

void reads_do_not_tell_how_long_writes_take() {
  Run run(2);
  run.read(0, "/in/fields.bin", 20, 1'000'000, 2);
  run.write(1, "/out/table.txt", 10'000, 200, 5);
  CHECK_EQUAL(value(run.patterns("small_io")[0], "remaining_s") == nullptr, true);
}

// The library makes transfers of 50 kB for collective calls of 100 bytes per rank; in the other file it does not.
void transfers_that_the_library_merges_are_not_small() {
  Run run(2);
  for (size_t rank = 0; rank < 2; ++rank) {
    run.write(rank, "/out/merged", 1000, 100, 1, FileLayer::mpi);
    run.write(rank, "/out/apart", 1000, 100, 1, FileLayer::mpi);
    run.write(rank, "/out/apart", 1000, 100, 1, FileLayer::beneath);
  }
  run.write(0, "/out/merged", 4, 50'000, 1, FileLayer::beneath);
  const std::vector<Pattern> small = run.patterns("small_io");
  CHECK_EQUAL(small.size(), 1u);
  CHECK_EQUAL(small[0].files[0] == "/out/apart", true);
  CHECK_EQUAL(small[0].time_ns, 2 * second);
}

// Readings of 1, 2 and 3 s: the first one may have been the longest because it was the first.
void what_remains_of_reading_by_all_is_the_longest_reading() {
  Run run(3);
  for (size_t rank = 0; rank < 3; ++rank) {
    run.file(rank, "/in/mesh.nc", 200'000);
    run.read(rank, "/in/mesh.nc", 2, 100'000, 1 + static_cast<double>(rank));
    run.file(rank, "/in/mesh.nc").reads.runs = {{0, 200'000, 0, 1}};
  }
  const std::vector<Pattern> found = run.patterns("read_all_by_all");
  CHECK_EQUAL(found.size(), 1u);
  CHECK_EQUAL(integer(found[0], "readers"), 3);
  CHECK_EQUAL(found[0].time_ns, 6 * second);
  CHECK_EQUAL(real(found[0], "remaining_s"), 3.0);
}

// Each rank gets the whole file from MPI_File_read_at_all, for which the library read each half once.
void a_collective_that_reads_a_file_once_is_no_reading_by_all() {
  Run run(2);
  for (size_t rank = 0; rank < 2; ++rank) {
    ProcessFile& f = run.file(rank, "/in/mesh.nc", 200'000);
    f.opened_by_mpi = true;
    f.reads.runs = {{0, 200'000, 0, 1}};
    f.beneath.runs = {{rank * 100'000, 100'000, 0, 1}};
    run.read(rank, "/in/mesh.nc", 1, 200'000, 1, FileLayer::mpi);
    run.read(rank, "/in/mesh.nc", 1, 100'000, 1, FileLayer::beneath);
  }
  CHECK_EQUAL(run.patterns("read_all_by_all").size(), 0u);
  for (size_t rank = 0; rank < 2; ++rank) run.file(rank, "/in/mesh.nc").beneath.runs = {{0, 200'000, 0, 1}};
  CHECK_EQUAL(run.patterns("read_all_by_all").size(), 1u);
}

// Of 8 s that one of four ranks writes, each of the four would write 2 s.
void what_remains_of_writing_by_one_is_a_share_for_each_rank() {
  Run run(4);
  run.write(2, "/out/u.nc", 6, 1'000'000, 5);
  run.write(2, "/out/v.nc", 10, 1'000'000, 3);
  run.write(0, "/out/log", 10, 10, 1);
  const std::vector<Pattern> found = run.patterns("write_by_one");
  CHECK_EQUAL(found.size(), 1u);
  CHECK_EQUAL(integer(found[0], "writer"), 2);
  CHECK_EQUAL(integer(found[0], "files"), 2);
  CHECK_EQUAL(integer(found[0], "bytes_written"), 16'000'000);
  CHECK_EQUAL(found[0].files[0] == "/out/v.nc", true);
  CHECK_EQUAL(found[0].time_ns, 8 * second);
  CHECK_EQUAL(real(found[0], "remaining_s"), 2.0);
}

// The calls that open the files are not known here: then nothing is said of what they take.
void a_file_per_rank_costs_nothing_that_is_known() {
  Run run(2);
  for (size_t rank = 0; rank < 2; ++rank) run.write(rank, "/out/part." + std::to_string(rank), 4, 100'000, 1);
  const std::vector<Pattern> found = run.patterns("file_per_rank");
  CHECK_EQUAL(found.size(), 1u);
  CHECK_EQUAL(integer(found[0], "files"), 2);
  CHECK_EQUAL(value(found[0], "remaining_s") == nullptr, true);
}

}  // namespace

int main() {
  files_whose_names_differ_in_numbers_are_one_kind();
  files_of_other_names_are_apart_unless_their_opening_is_known();
  files_used_before_init_are_one_kind_by_their_extension();
  what_remains_of_small_transfers_is_the_time_of_large_ones();
  small_files_are_no_small_transfers();
  reads_do_not_tell_how_long_writes_take();
  transfers_that_the_library_merges_are_not_small();
  what_remains_of_reading_by_all_is_the_longest_reading();
  a_collective_that_reads_a_file_once_is_no_reading_by_all();
  what_remains_of_writing_by_one_is_a_share_for_each_rank();
  a_file_per_rank_costs_nothing_that_is_known();
  return 0;
}
