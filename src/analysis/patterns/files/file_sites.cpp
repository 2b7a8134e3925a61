#include "analysis/patterns/files/file_sites.hpp"

#include <algorithm>
#include <vector>

#include "calls/thread_calls.hpp"

namespace leadline::analysis {

namespace {

using structure::DecodedCall;
using trace::CallClass;
using trace::Category;

bool opens(CallClass c) { return c == CallClass::posix_open || c == CallClass::file_open; }

// Call sites of the stream that open files or move their data.
std::vector<bool> sites_on_files(const structure::CallDecoder& decoder, const trace::Stream& stream) {
  std::vector<bool> found(stream.sites.size());
  for (uint32_t s = 0; s < stream.sites.size(); ++s) {
    const CallClass c = decoder.class_of(s);
    found[s] =
        category_of(c) == Category::io && (opens(c) || trace::facts_of(c).moves || trace::facts_of(c).by_function);
  }
  return found;
}

}  // namespace

void FileSites::add(const trace::Process& process, uint32_t index) {
  if (process.files.empty() || process.streams.empty()) return;
  OpenFiles open;
  const uint64_t most = std::min(most_calls, most_in_all / profile_.processes().size()) / process.streams.size();
  for (size_t stream = 0; stream < process.streams.size(); ++stream) walk(process, stream, index, most, &open);
}

const FileUseSites* FileSites::find(uint32_t process, uint32_t file) const {
  const auto found = uses_.find({process, file});
  return found == uses_.end() ? nullptr : &found->second;
}

void FileSites::open_file(const DecodedCall& call, uint32_t file, OpenFiles* open) {
  if (trace::is_posix(call.cls)) {
    open->libc[call.open_file] = file;
  } else {
    open->mpi[call.made] = file;
  }
}

void FileSites::walk(const trace::Process& process, size_t index, uint32_t p, uint64_t most, OpenFiles* open) {
  const trace::Stream& stream = process.streams[index];
  const structure::CallDecoder decoder(process, index);
  const std::vector<bool> wanted = sites_on_files(decoder, stream);
  if (std::find(wanted.begin(), wanted.end(), true) == wanted.end()) return;
  if (index >= profile_.processes()[p].site_numbers.size()) return;
  const std::vector<uint32_t>& numbers = profile_.processes()[p].site_numbers[index];
  calls::ThreadCalls thread(process, index, {.form = calls::Wanted::Form::equal});
  uint64_t highest = 0;  // number of a file that the thread has opened
  const auto opened = [&](const DecodedCall& call, uint64_t file, uint64_t times) {
    if (file >= process.files.size()) return false;
    // An MPI file that is not among the files has no number either.
    if (!trace::is_posix(call.cls) && !process.files[file].opened_by_mpi) return false;
    highest = std::max(highest, file);
    open_file(call, static_cast<uint32_t>(file), open);
    uses_[{p, static_cast<uint32_t>(file)}].opens[numbers[call.site]] += times;
    return true;
  };
  for (uint64_t taken = 0; taken < most && thread.next(); ++taken) {
    const uint32_t site = thread.event().event.key.site;
    if (thread.polls() || site >= wanted.size() || !wanted[site]) continue;
    if (site >= numbers.size() || numbers[site] >= profile_.sites().size()) continue;
    const DecodedCall& call = thread.decoded();
    if (!opens(call.cls)) {
      const bool libc = trace::is_posix(call.cls);
      const auto file = libc ? open->libc.find(call.open_file) : open->libc.end();
      const auto mpi_file = libc ? open->mpi.end() : open->mpi.find(call.comm);
      if (file != open->libc.end()) uses_[{p, file->second}].transfers.insert(numbers[site]);
      if (mpi_file != open->mpi.end()) uses_[{p, mpi_file->second}].transfers.insert(numbers[site]);
      continue;
    }
    if (trace::is_posix(call.cls) ? call.open_file == 0 : call.made == 0) continue;  // it failed
    const uint64_t new_files = call.count > 0 ? 0 : thread.times();
    if (!new_files) opened(call, static_cast<uint64_t>(call.count), thread.times());
    for (uint64_t i = 0; i < new_files && opened(call, highest + 1, 1); ++i) {
    }
  }
}

}  // namespace leadline::analysis
