// Calls on what all ranks of a communicator share: collectives, windows and files.
#include <algorithm>

#include "interchange/file_modes.hpp"
#include "interchange/importing/translator.hpp"
#include "trace/file_functions.hpp"

namespace leadline::interchange::importing {

using trace::CallClass;
using trace::FileCount;
using trace::FileLayer;
using trace::Key;
using Kind = Effect::Kind;

namespace {

constexpr uint32_t from_current = 1;  // of a seek

FileModes modes_of(const Effect& opened) {
  return {static_cast<uint8_t>(opened.peer), opened.tag, static_cast<uint32_t>(opened.other)};
}

constexpr uint32_t root_self = UINT32_MAX - 1, root_this_group = UINT32_MAX - 2;  // of intercommunicators

}  // namespace

int64_t known_bytes(uint64_t bytes) { return bytes == otf2::undefined_bytes ? trace::unknown_value : bytes_of(bytes); }

int64_t bytes_of(uint64_t bytes) { return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)); }

int32_t root_of(uint32_t root) {
  if (root == otf2::undefined) return trace::peer_none;
  if (root == root_self) return trace::peer_root;
  return root == root_this_group ? trace::peer_null : static_cast<int32_t>(root);
}

void Translator::collective(const Call& call, Key* key) {
  const Effect* found = call.find(Kind::collective);
  if (!found) found = call.find(Kind::collective_request);
  int64_t out = trace::unknown_value, in = trace::unknown_value;
  if (found && found->told) {
    out = bytes_of(found->bytes);
    in = bytes_of(found->other);
    const Objects::Communicator comm = objects_.communicator(found->comm);
    missing_.unknown_comms += !comm.number;
    key->comm = comm.number;
    key->peer = root_of(found->peer);
    key->count = out;
    key->datatype = process_.bytes_type();
  } else {
    ++missing_.no_collective;
  }
  words_ = {out, in, 0, std::max<int64_t>(in, 0), process_.bytes_type(), 0, 0};
  key->extra = thread_.intern(words_);
}

// What makes and frees communicators, windows and files; and all that has no data.
void Translator::object(const Call& call, Key* key) {
  const CallClass cls = call.routine->cls;
  if (const Effect* found = call.find(Kind::collective)) key->comm = objects_.communicator(found->comm).number;
  const bool frees = cls == CallClass::win_free;
  if (const Effect* window = call.find(frees ? Kind::window_freed : Kind::window_made)) {
    const uint32_t number = objects_.window(window->comm).number;
    (frees ? key->comm : key->extra) = number;
  }
  const bool closes = cls == CallClass::file_close;
  const Effect* file = on_file(call, closes ? Kind::file_closed : Kind::file_opened);
  const Effect* named = file ? file : on_file(call, Kind::file_named);
  if (!named) return;
  const Objects::File f = objects_.file(named->comm, true);
  (closes ? key->comm : key->extra) = f.number;
  if (!closes) {
    key->comm = objects_.communicator_of(named->comm).number;
    key->count = f.file;
    key->value = file ? mpi_mode(modes_of(*file)) : 0;
  }
  count_in_file(call, f.file, FileLayer::mpi, 0);
}

void Translator::access(const Call& call, Key* key) {
  const Effect* found = call.find(Kind::put);
  if (!found) found = call.find(Kind::get);
  if (!found) found = call.find(Kind::atomic);
  if (!found) {
    missing_.no_message += trace::facts_of(call.routine->cls).by_function;
    return;
  }
  const Objects::Communicator window = objects_.window(found->comm);
  if (!window.number) {
    ++missing_.unknown_comms;
    return;
  }
  key->comm = window.number;
  key->peer = static_cast<int32_t>(found->peer - static_cast<uint32_t>(window.rank));
  if (key->peer < trace::first_real_peer) key->peer = trace::peer_none;
  const uint8_t moves = trace::moves_of(call.routine->cls, call.routine->name);
  if (found->kind == Kind::get && (moves & trace::moves::puts)) key->comm |= trace::flag_only_fetches;
  key->value = key->count = bytes_of(std::max(found->bytes, found->other));
  key->datatype = process_.bytes_type();
}

// Score-P records what a call does to the files beneath its own, too: a stream's descriptor, what the MPI library
// calls.
bool Translator::is_own_file(const Call& call, const Effect& effect) {
  const std::string paradigm = objects_.paradigm(effect.comm);
  const bool by_mpi = !trace::is_posix(call.routine->cls);
  return paradigm.empty() || paradigm == (by_mpi                                    ? otf2::mpi_io
                                          : trace::is_of_stream(call.routine->name) ? otf2::iso_c_io
                                                                                    : otf2::posix_io);
}

const Effect* Translator::on_file(const Call& call, Kind kind) {
  const Effect* first = nullptr;
  for (const Effect& e : call.effects) {
    if (e.kind != kind) continue;
    if (is_own_file(call, e)) return &e;
    if (!first) first = &e;
  }
  return first;
}

void Translator::transfer(const Call& call, Key* key) {
  const Effect* begun = on_file(call, Kind::transfer);
  const Effect* done = on_file(call, Kind::transfer_done);
  const Effect* any = begun ? begun : done ? done : on_file(call, Kind::file_named);
  const bool moves = trace::moves_of(call.routine->cls, call.routine->name) != 0;
  if (!any) {
    missing_.no_transfer += moves;
    return;
  }
  const Objects::File file = objects_.file(any->comm, true);
  key->comm = file.number;
  if (!moves) return count_in_file(call, file.file, FileLayer::mpi, 0);
  const bool begins_split = begun && call.routine->name.ends_with("_begin");
  const bool ends_split = !begun && done;
  int64_t asked = begun ? known_bytes(begun->bytes) : trace::unknown_value;
  if (begins_split) split_bytes_.insert_or_assign(begun->id, asked);
  if (ends_split) {
    if (const auto split = split_bytes_.extract(done->id)) asked = split.mapped();
  }
  const int64_t moved = done ? known_bytes(done->bytes) : trace::unknown_value;
  key->datatype = process_.bytes_type();
  key->count = asked >= 0 ? asked : std::max<int64_t>(moved, 0);
  key->value = begins_split ? 0 : moved;  // its end has the bytes
  count_in_file(call, file.file, FileLayer::mpi, begins_split ? 0 : moved >= 0 ? moved : key->count);
}

// What a request's transfer moved. Its begin counted in the file what was asked for.
int64_t Translator::moved_by(const Request& request, const Effect& done) {
  const int64_t moved = known_bytes(done.bytes);
  if (moved < 0 || !request.file) return moved;
  const FileCount bytes = request.writes ? FileCount::bytes_written : FileCount::bytes_read;
  uint64_t (&counts)[trace::file_counts] =
      process_.file_counts(request.file).counts[static_cast<size_t>(FileLayer::mpi)];
  counts[static_cast<size_t>(bytes)] += static_cast<uint64_t>(moved - request.maker.count);
  return moved;
}

void Translator::libc(const Call& call, Key* key) {
  const CallClass cls = call.routine->cls;
  const Effect* any = nullptr;
  for (const Kind kind : {Kind::transfer, Kind::transfer_done, Kind::file_opened, Kind::file_closed, Kind::file_moved,
                          Kind::file_named}) {
    if (!any) any = on_file(call, kind);
  }
  if (!any) {  // what failed to open is no file
    missing_.no_transfer += cls != CallClass::posix_open;
    return;
  }
  const Objects::File file = objects_.file(any->comm, false);
  const Effect* done = on_file(call, Kind::transfer_done);
  const int64_t moved = done ? std::max<int64_t>(known_bytes(done->bytes), 0) : 0;
  key->tag = static_cast<int32_t>(any->comm + 1);  // of the open file
  if (const Effect* opened = on_file(call, Kind::file_opened)) {
    key->count = file.file;
    key->value = open_flags(modes_of(*opened));
  }
  if (cls == CallClass::posix_read || cls == CallClass::posix_write) key->value = moved;
  if (cls == CallClass::posix_seek && any->kind == Kind::file_moved && any->peer == from_current) {
    key->count = static_cast<int64_t>(any->bytes);
  }
  count_in_file(call, file.file, FileLayer::program, moved);
}

void Translator::count_in_file(const Call& call, uint32_t file, FileLayer layer, int64_t bytes) {
  uint64_t (&counts)[trace::file_counts] = process_.file_counts(file).counts[static_cast<size_t>(layer)];
  const auto count = [&](FileCount what, uint64_t n = 1) { counts[static_cast<size_t>(what)] += n; };
  const CallClass cls = call.routine->cls;
  const uint8_t moves = trace::moves_of(cls, call.routine->name);
  const bool opens = call.find(Kind::file_opened) || cls == CallClass::file_open;
  const bool closes = cls == CallClass::file_close || cls == CallClass::posix_close;
  if (opens) {
    count(FileCount::opens);
  } else if (closes) {
    count(FileCount::closes);
  } else if (moves & trace::moves::reads) {
    count(FileCount::reads);
    count(FileCount::bytes_read, static_cast<uint64_t>(bytes));
  } else if (moves & trace::moves::writes) {
    count(FileCount::writes);
    count(FileCount::bytes_written, static_cast<uint64_t>(bytes));
  } else {
    count(FileCount::others);
  }
  count(FileCount::ticks, call.end - call.begin);
}

}  // namespace leadline::interchange::importing
