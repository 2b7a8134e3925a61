// File calls: their handles are made and destroyed, and what is moved through them begins and is complete.
#include <string_view>

#include "interchange/file_modes.hpp"
#include "interchange/otf2_thread.hpp"

namespace leadline::interchange {

using trace::CallClass;
using trace::EventForm;

namespace {

constexpr uint8_t reading = 0, writing = 1, flushing = 2;       // modes of operations
constexpr uint32_t non_blocking = 1, collective_operation = 2;  // flags of operations
constexpr uint8_t from_current = 1;                             // where a seek's offset is counted from

// MPI_File_read_all, _at_all, _ordered, their begins and ends.
bool is_collective(std::string_view function) {
  for (const std::string_view end : {"_c", "_begin", "_end"}) {
    if (function.ends_with(end)) function.remove_suffix(end.size());
  }
  return function.ends_with("_all") || function.ends_with("_ordered") || function == "MPI_File_sync";
}

bool flushes_file(std::string_view function) {
  return function == "MPI_File_sync" || function == "fsync" || function == "fdatasync" || function == "fflush";
}

uint64_t told(int64_t bytes) { return bytes >= 0 ? static_cast<uint64_t>(bytes) : otf2::undefined_bytes; }

int64_t moved_by(const structure::CallPart& part) {
  return part.moves & trace::moves::writes ? part.out_bytes : part.in_bytes;
}

}  // namespace

uint32_t Otf2Thread::handle(const OpenFile& file) {
  const auto [looked_up, fresh] = handles_.try_emplace({file.key(), file.file, file.stream, file.created}, 0);
  if (!fresh) return looked_up->second;
  uint32_t comm = otf2::undefined;
  if (file.by == OpenFile::Interface::mpi && file.number < process_.communicators.size()) {
    const uint32_t over = process_.communicators[file.number].parent;
    const Communicator* known =
        over < process_.communicators.size() ? to_.communicator(process_.communicators[over].identity) : nullptr;
    if (known) comm = known->number;
  }
  return looked_up->second = to_.files.handle(process_, file, comm);
}

Otf2Thread::FunctionFacts& Otf2Thread::facts_of(uint32_t function) {
  FunctionFacts& f = functions_[function];
  if (f.looked_up) return f;
  f.looked_up = true;
  std::string_view name = name_of(function);
  if (name.ends_with("_c")) name.remove_suffix(2);
  f.flushes = flushes_file(name);
  f.collective = is_collective(name);
  f.split_begin = name.ends_with("_begin");
  f.split_end = name.ends_with("_end");
  return f;
}

// Also finds its handle.
Otf2Thread::FileEvent Otf2Thread::file_event(const CallStream& c) {
  const structure::DecodedCall& call = c.call();
  const FollowedFiles& files = c.files();
  handle_ = otf2::undefined;
  if (files.file().by == OpenFile::Interface::none || call.function >= functions_.size()) return FileEvent::none;
  handle_ = handle(files.file());
  if (files.opens()) return files.file().created ? FileEvent::opens : FileEvent::other;
  if (files.closes()) return FileEvent::closes;
  if (!call.parts.empty()) return FileEvent::moves;
  if (facts_of(call.function).flushes) return FileEvent::flushes;
  return call.cls == CallClass::posix_seek && !call.error ? FileEvent::seeks : FileEvent::other;
}

void Otf2Thread::file_begins(const CallStream& c, uint64_t at) {
  if (file_event_ == FileEvent::none) return;
  if (c.files().replaced()) {
    check(otf2_.EvtWriter_IoDestroyHandle(writer_, nullptr, at, handle(*c.files().replaced())));
  }
  if (file_event_ == FileEvent::moves || file_event_ == FileEvent::flushes) transfer_begins(c, at);
}

void Otf2Thread::transfer_begins(const CallStream& c, uint64_t at) {
  const structure::DecodedCall& call = c.call();
  const FunctionFacts& f = facts_of(call.function);
  if (f.split_end) return;
  const bool with_request = !c.made().empty();
  transfer_ = of_thread_ | (with_request ? send_id(c.made().front().number) : transfer_id(++transfers_));
  const bool by_mpi = call.facts().event == EventForm::file;
  uint8_t mode = flushing;
  int64_t asked = structure::bytes_unknown;
  if (!call.parts.empty()) {
    const structure::CallPart& part = call.parts.front();
    mode = part.moves & trace::moves::writes ? writing : reading;
    if (by_mpi) asked = part.posted_bytes;  // libc's calls tell only what was moved
  }
  const uint32_t flags = (with_request || f.split_begin ? non_blocking : 0) | (f.collective ? collective_operation : 0);
  check(otf2_.EvtWriter_IoOperationBegin(writer_, nullptr, at, handle_, mode, flags, told(asked), transfer_));
}

void Otf2Thread::transfer_ends(const CallStream& c, uint64_t at) {
  const structure::DecodedCall& call = c.call();
  const FunctionFacts& f = facts_of(call.function);
  if (f.split_begin) split_[handle_] = {transfer_, !call.parts.empty() && moved_by(call.parts.front()) != 0};
  if (f.split_begin || !c.made().empty()) {
    return check(otf2_.EvtWriter_IoOperationIssued(writer_, nullptr, at, handle_, transfer_));
  }
  // A nonblocking call that failed made no request.
  if (call.cls == CallClass::file_iio) return;
  int64_t moved = call.parts.empty() ? structure::bytes_unknown : moved_by(call.parts.front());
  if (f.split_end) {
    const auto begun = split_.find(handle_);
    if (begun == split_.end()) return;
    transfer_ = begun->second.transfer;
    if (begun->second.counted) moved = structure::bytes_unknown;  // what the end moved was not recorded
    split_.erase(begun);
  }
  check(otf2_.EvtWriter_IoOperationComplete(writer_, nullptr, at, handle_, told(moved), transfer_));
}

void Otf2Thread::file_ends(const CallStream& c, uint64_t at) {
  switch (file_event_) {
    case FileEvent::opens: {
      const OpenFile& file = c.files().file();
      const FileModes modes =
          file.by == OpenFile::Interface::mpi ? modes_of_mpi(file.flags, process_.family) : modes_of_open(file.flags);
      return check(
          otf2_.EvtWriter_IoCreateHandle(writer_, nullptr, at, handle_, modes.access, modes.creation, modes.status));
    }
    case FileEvent::closes:
      return check(otf2_.EvtWriter_IoDestroyHandle(writer_, nullptr, at, handle_));
    case FileEvent::moves:
    case FileEvent::flushes:
      return transfer_ends(c, at);
    case FileEvent::seeks:  // only by how far is in the trace
      return check(
          otf2_.EvtWriter_IoSeek(writer_, nullptr, at, handle_, c.call().count, from_current, otf2::undefined_bytes));
    case FileEvent::none:
    case FileEvent::other:
      return;
  }
}

}  // namespace leadline::interchange
