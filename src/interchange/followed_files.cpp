#include "interchange/followed_files.hpp"

#include <algorithm>

#include "trace/file_functions.hpp"

namespace leadline::interchange {

using trace::CallClass;
using trace::EventForm;

namespace {

const NumberUse* find(const NumberUses& uses, uint64_t key) {
  const auto at = uses.find(key);
  return at == uses.end() ? nullptr : &at->second;
}

}  // namespace

void OpenedFiles::add(const NumberUses& of_thread) {
  threads_.push_back(of_thread);
  for (const auto& [key, use] : of_thread) {
    NumberUse& sum = all_[key];
    sum.opens += use.opens;
    sum.closes_of_others += use.closes_of_others;
    if (use.opens) sum.opened = use.opened;
  }
}

// Otherwise a file that had the number before, opened without a call in the trace, would have been closed by a thread
// that had not opened it.
std::optional<OpenFile> OpenedFiles::by_another(size_t stream, uint64_t key) const {
  const NumberUse* all = find(all_, key);
  if (!all || all->opens != 1 || all->closes_of_others || stream >= threads_.size()) return std::nullopt;
  const NumberUse* own = find(threads_[stream], key);
  if (own && own->opens) return std::nullopt;
  return all->opened;
}

bool OpenedFiles::doubtful(size_t stream, uint64_t key) const {
  const NumberUse* all = find(all_, key);
  if (!all || all->opens < 2 || stream >= threads_.size()) return false;
  const NumberUse* own = find(threads_[stream], key);
  return all->closes_of_others > (own ? own->closes_of_others : 0);
}

FollowedFiles::FollowedFiles(const trace::Process& process, size_t stream, const OpenedFiles* all)
    : process_(process), stream_(stream), all_(all), duplicating_(structure::no_index) {
  of_streams_.reserve(process.functions.size());
  for (uint32_t i = 0; i < process.functions.size(); ++i) {
    const std::string& name = process.functions[i].name;
    of_streams_.push_back(trace::is_of_stream(name));
    if (name == "fdopen") duplicating_ = i;
  }
}

void FollowedFiles::follow(const structure::DecodedCall& call, bool exported, double begin_ns) {
  now_ = {};
  opens_ = closes_ = false;
  replaced_.reset();
  const EventForm form = call.facts().event;
  const bool closes_mpi = call.cls == CallClass::file_close, opens_mpi = call.cls == CallClass::file_open;
  if (call.nothing || (form != EventForm::file && form != EventForm::libc && !closes_mpi && !opens_mpi)) return;
  stream_call_ = call.function < of_streams_.size() && of_streams_[call.function];
  pass_pauses(begin_ns);
  if (opens_mpi) {
    // A failed call created nothing.
    const int64_t mode = call.value > 0 ? call.value : -1;
    if (!call.made) return;
    open({Interface::mpi, false, exported && mode > 0, call.made, file_of(call.count, Interface::mpi), mode});
  } else if (form == EventForm::libc) {
    if (call.open_file <= 0) return;
    const auto number = static_cast<uint32_t>(call.open_file);
    if (call.cls == CallClass::posix_close) return close(Interface::libc, number);
    if (call.cls != CallClass::posix_open || call.function == duplicating_) return use(Interface::libc, number);
    open({Interface::libc, stream_call_, exported, number, file_of(call.count, Interface::libc), call.value});
  } else if (call.comm) {
    closes_mpi ? close(Interface::mpi, call.comm) : use(Interface::mpi, call.comm);
  }
}

// Beyond the table's end: a file that had no room there.
uint32_t FollowedFiles::file_of(int64_t count, Interface by) {
  const int64_t file = count > 0 ? count : int64_t{highest_} + 1;
  if (file >= static_cast<int64_t>(process_.files.size())) return 0;
  // An MPI file whose name led nowhere has no number either.
  const bool is_it = count > 0 || by == Interface::libc || process_.files[static_cast<size_t>(file)].opened_by_mpi;
  if (!is_it) return 0;
  highest_ = std::max(highest_, static_cast<uint32_t>(file));
  return static_cast<uint32_t>(file);
}

void FollowedFiles::open(OpenFile file) {
  const auto [at, fresh] = open_.try_emplace(file.key(), file);
  if (!fresh) {
    if (!all_ || !all_->doubtful(stream_, file.key())) replaced_ = at->second;
    at->second = file;
  }
  NumberUse& use = uses_[file.key()];
  ++use.opens;
  use.opened = file;
  now_ = file;
  opens_ = true;
}

void FollowedFiles::close(Interface by, uint32_t number) {
  use(by, number);
  closes_ = true;
  if (!open_.erase(now_.key())) ++uses_[now_.key()].closes_of_others;
}

void FollowedFiles::use(Interface by, uint32_t number) {
  now_.by = by;
  now_.number = number;
  now_.stream = stream_call_;
  const auto at = open_.find(now_.key());
  if (at != open_.end()) {
    if (!all_ || !all_->doubtful(stream_, now_.key())) now_ = at->second;
  } else if (all_ && process_.pauses.count == 0) {
    if (const std::optional<OpenFile> other = all_->by_another(stream_, now_.key())) now_ = *other;
  }
}

// The effects on files during a pause are unknown.
void FollowedFiles::pass_pauses(double begin_ns) {
  const trace::Pauses& pauses = process_.pauses;
  const size_t before = pauses_passed_;
  while (pauses_passed_ < pauses.first.size() && begin_ns >= pauses.first[pauses_passed_].to_ns) ++pauses_passed_;
  const bool of_unknown_times = pauses.count > pauses.first.size() && pauses_passed_ == pauses.first.size();
  if (pauses_passed_ > before || of_unknown_times) open_.clear();
}

}  // namespace leadline::interchange
