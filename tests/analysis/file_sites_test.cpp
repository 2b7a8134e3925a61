// Which sites open and transfer which files: through the loop tree as call by call, on programs made at random.
#include "analysis/patterns/files/file_sites.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "../report/handmade.hpp"

namespace {

using namespace leadline;
using analysis::FileSites;
using analysis::FileUseSites;
using recording::MemoryThread;
using testing::check;
using trace::CallClass;
using trace::Key;
using trace::programs::below;
using trace::programs::Random;

constexpr uint32_t files = 60;
constexpr int64_t newly = 0;  // as a first open says it: the next number
enum Site : uint32_t { opener = 1, second_opener, reader, writer, file_opener, file_writer, barrier, sites };

trace::Process process_with_files() {
  trace::Process p = handmade::process(0, 1);
  p.communicators.resize(6, p.communicators[0]);
  for (size_t i = 4; i < 6; ++i) p.communicators[i].kind = trace::Communicator::Kind::file;
  p.files.resize(files);
  for (uint32_t f = 1; f < files; ++f) {
    p.files[f].name = "/file" + std::to_string(f);
    p.files[f].opened_by_mpi = f % 2 == 1;
  }
  handmade::add_site(&p, "MPI_Comm_rank", CallClass::local);
  handmade::add_site(&p, "open", CallClass::posix_open);
  handmade::add_site(&p, "fopen", CallClass::posix_open);
  handmade::add_site(&p, "read", CallClass::posix_read);
  handmade::add_site(&p, "write", CallClass::posix_write);
  handmade::add_site(&p, "MPI_File_open", CallClass::file_open);
  handmade::add_site(&p, "MPI_File_write", CallClass::file_io);
  handmade::add_site(&p, "MPI_Barrier", CallClass::coll);
  return p;
}

Key key_of(Site site, int64_t count, int32_t open_file) {
  Key k;
  k.site = site;
  k.count = count;
  if (site == file_opener) {
    k.extra = static_cast<uint32_t>(open_file);
  } else if (site == file_writer) {
    k.comm = static_cast<uint32_t>(open_file);
  } else {
    k.tag = open_file;
  }
  k.value = site == reader || site == writer ? 8 : 0;
  return k;
}

// Loops within loops, whose bodies open files and move their data.
void add_loop(Random& r, int depth, bool varies, std::vector<Key>* out) {
  std::vector<Key> once;
  for (uint64_t i = 1 + below(r, 5); i > 0; --i) {
    const auto open_file = static_cast<int32_t>(3 + below(r, 3)), mpi_file = static_cast<int32_t>(4 + below(r, 2));
    const auto number = static_cast<int64_t>(1 + below(r, 6));
    switch (below(r, 8)) {
      case 0:
        once.push_back(key_of(below(r, 2) ? opener : second_opener, number, open_file));
        break;
      case 1:
        once.push_back(key_of(opener, below(r, 4) ? number : newly, open_file));
        break;
      case 2:
        once.push_back(key_of(file_opener, number, mpi_file));
        break;
      case 3:
        once.push_back(key_of(file_writer, 0, mpi_file));
        break;
      case 4:
        if (depth) add_loop(r, depth - 1, varies, &once);
        break;
      case 5:
        once.push_back(key_of(barrier, 0, 0));
        break;
      default:
        once.push_back(key_of(below(r, 2) ? reader : writer, 0, open_file));
    }
  }
  for (uint64_t times = 1 + below(r, 12); times > 0 && out->size() < 20000; --times) {
    out->insert(out->end(), once.begin(), once.end());
    // The distance from where the transfer before ended, which is never the same.
    if (varies) out->push_back(key_of(writer, static_cast<int64_t>(1000 + out->size()), 3));
  }
}

// Call by call.
std::map<uint32_t, FileUseSites> expected(const trace::Process& p, const std::vector<Key>& calls) {
  std::map<uint32_t, FileUseSites> found;
  std::map<int64_t, uint32_t> libc, mpi;
  uint32_t highest = 0;
  for (const Key& k : calls) {
    const bool opens = k.site == opener || k.site == second_opener;
    if (opens || k.site == file_opener) {
      const auto file = k.count > 0 ? static_cast<uint32_t>(k.count) : highest + 1;
      if (file >= files || (!opens && !p.files[file].opened_by_mpi)) continue;
      highest = std::max(highest, file);
      (opens ? libc[k.tag] : mpi[k.extra]) = file;
      ++found[file].opens[k.site];
    } else if (k.site == reader || k.site == writer || k.site == file_writer) {
      std::map<int64_t, uint32_t>& open = k.site == file_writer ? mpi : libc;
      const auto at = open.find(k.site == file_writer ? static_cast<int64_t>(k.comm) : k.tag);
      if (at != open.end()) found[at->second].transfers.insert(k.site);
    }
  }
  return found;
}

trace::Process recorded(const std::vector<Key>& calls) {
  trace::Process p = process_with_files();
  MemoryThread thread;
  for (const Key& k : calls) thread.add(k, 100, 10);
  std::string error;
  trace::Stream stream = thread.decode(&error);
  p.streams[0].generations = std::move(stream.generations);
  check(error.empty(), error);
  return p;
}

void compare(const std::string& name, const std::vector<Key>& calls) {
  const trace::Process p = recorded(calls);
  analysis::Profile profile;
  profile.add(p);
  FileSites found(profile);
  found.add(p, 0);
  const std::vector<uint32_t>& numbers = profile.processes()[0].site_numbers[0];
  const std::map<uint32_t, FileUseSites> wanted = expected(p, calls);
  for (uint32_t file = 1; file < files; ++file) {
    const auto at = wanted.find(file);
    const FileUseSites none, *use = found.find(0, file);
    const FileUseSites& is = use ? *use : none;
    FileUseSites should;
    if (at != wanted.end()) {
      for (const auto& [site, times] : at->second.opens) should.opens[numbers[site]] = times;
      for (const uint32_t site : at->second.transfers) should.transfers.insert(numbers[site]);
    }
    const std::string which = name + ", file " + std::to_string(file) + ": ";
    check(is.opens == should.opens, which + "opens");
    check(is.transfers == should.transfers, which + "transfers");
  }
}

void repeated(const std::vector<Key>& body, uint64_t times, std::vector<Key>* calls) {
  for (; times > 0; --times) calls->insert(calls->end(), body.begin(), body.end());
}

// More calls than would be looked at one by one; the last of them is of another file.
void long_runs_are_read_to_their_end() {
  std::vector<Key> calls;
  repeated({key_of(opener, 2, 3), key_of(reader, 0, 3), key_of(opener, 4, 3), key_of(writer, 0, 3)}, 300000, &calls);
  calls.push_back(key_of(second_opener, 6, 5));
  calls.push_back(key_of(writer, 0, 5));
  check(calls.size() > uint64_t{1} << 20, "longer than what is looked at one by one");
  compare("a long run", calls);
}

}  // namespace

int main() {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random r(seed);
    std::vector<Key> calls;
    for (uint64_t loops = 1 + below(r, 4); loops > 0; --loops) add_loop(r, 3, seed % 10 == 0, &calls);
    compare("program " + std::to_string(seed), calls);
  }
  std::vector<Key> fresh;  // a file of its own for each iteration, up to more than there are
  repeated({key_of(opener, newly, 3), key_of(writer, 0, 3)}, 100, &fresh);
  compare("a file for each iteration", fresh);
  long_runs_are_read_to_their_end();
  return testing::result();
}
