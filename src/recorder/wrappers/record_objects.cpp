// Communicators, windows and files: made, used and freed.
#include "recorder/files/files.hpp"
#include "recorder/library/facts.hpp"
#include "recorder/wrappers/mpi_files.hpp"
#include "recorder/wrappers/record.hpp"

namespace leadline::recorder {

using trace::Key;

namespace {

bool spawns(const Call& call) { return call.fn == Fn::Comm_spawn || call.fn == Fn::Comm_spawn_multiple; }

}  // namespace

// MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, ...) and
// MPI_Comm_spawn_multiple(count, commands, argvs, maxprocs, infos, root, comm, ...)
void before_spawn(Call& call) {
  if (!spawns(call)) return;
  const int info = call.fn == Fn::Comm_spawn ? 3 : 4;
  if (!host::SpawnInfos::needed(call.args[info + 1], call.args[info + 2])) return;
  host::SpawnInfos& infos = call.thread.spawn_infos;
  call.args[info] =
      info == 3 ? infos.with_variables(call.args[info]) : infos.with_variables(call.args[info], call.int_arg(0));
  if (infos.had_no_room()) {
    tell(
        "spawned programs are not recorded: LD_PRELOAD is too long for an MPI_Info value (install Leadline in a "
        "shorter path)");
  }
}

void record_comm_create(Call& call) {
  if (spawns(call)) call.thread.spawn_infos.free();
  const Roles& r = call.roles();
  Key key;
  if (!begin_key(call, &key)) return;
  uint64_t parent = r.comm >= 0 ? abi.comm(call.arg(r.comm)) : 0;
  key.peer = trace::peer_none;
  const bool at_once = call.traits.cls == CallClass::comm_create;
  uint32_t pending = 0;
  {
    const Locked locked(this_process.lock());
    Handles& handles = this_process.handles();
    // A failed call may have had any arguments. Over a known communicator it counts, as on the other ranks.
    if (call.rc != 0 && !handles.known_comm(parent).known) parent = 0;
    if (parent) key.comm = handles.comm(parent).id;
    const bool made = call.rc == 0 && r.newcomm >= 0;
    const uint64_t handle = made ? Abi::stored(call.arg(r.newcomm), abi.family->handle_bytes.comm) : abi.comm_null;
    if (at_once) {
      call.thread.time_this_call();
      if (handle != abi.comm_null) find_library_facts(handle);  // of a session the first that can be used
      const bool duplicate = call.fn == Fn::Comm_dup || call.fn == Fn::Comm_dup_with_info;
      key.extra = handles.add_comm(handle, parent, call.fn != Fn::Comm_create_group, duplicate);
    } else {  // still being made: asked about when its request is complete
      pending = handles.begin_comm(handle, parent);
    }
  }
  if (!at_once && r.request >= 0) {
    Key maker = key;
    maker.extra = 0;
    if (call.rc == 0) add_request(call.thread, maker, call.arg(r.request), {.pending = pending});
  }
  add_event(call, key);
}

void record_comm_free(Call& call) {
  Key key;
  if (!begin_key(call, &key)) return;
  key.peer = trace::peer_none;
  {
    const Locked locked(this_process.lock());
    key.comm = this_process.handles().known_comm(call.handle).id;
    if (call.rc == 0) this_process.handles().forget(Kind::intra, call.handle);
  }
  add_event(call, key);
}

// MPI_File_open(comm, filename, amode, ...)
const char* file_name(const Call& call) { return reinterpret_cast<const char*>(call.args[1]); }
constexpr int8_t access_mode = 2;

void before_open(Call& call) { before_file_open(call.thread, file_name(call)); }

void record_object(Call& call) {
  const Roles& r = call.roles();
  const CallClass c = call.traits.cls;
  uint32_t object = 0, file = 0;
  if (c == CallClass::file_open) file = after_file_open(call.thread, file_name(call), call.rc == 0);
  Key key;
  if (!begin_key(call, &key)) return;
  key.peer = trace::peer_none;
  if (file) key.count = number_in_event(call.thread, file);
  if (c == CallClass::file_open) key.value = call.int_arg(access_mode);
  const Kind kind = c == CallClass::win_create || c == CallClass::win_free ? Kind::window : Kind::file;
  {
    const Locked locked(this_process.lock());
    Handles& handles = this_process.handles();
    if (c == CallClass::win_create || c == CallClass::file_open) {
      const HandleBytes& width = abi.family->handle_bytes;
      const uint64_t comm = abi.comm(call.arg(r.comm));
      key.comm = (call.rc == 0 ? handles.comm(comm) : handles.known_comm(comm)).id;
      if (call.rc == 0) {
        const uint64_t made =
            kind == Kind::window ? Abi::stored(call.arg(r.win), width.win) : Abi::stored(call.arg(r.file), width.file);
        call.thread.time_this_call();
        key.extra = object = handles.add_object(kind, made, comm);
      }
    } else {
      key.comm = object = handles.object(kind, call.handle).id;
      if (call.rc == 0) handles.forget(kind, call.handle);
    }
  }
  if (c == CallClass::file_open && object) set_file_of_object(object, file);
  if (kind == Kind::file && object) count_mpi_file_call(call, object, 0);
  add_event(call, key);
}

namespace {

// MPI_NO_OP: the target's data are fetched, and the origin's arguments mean nothing.
bool only_fetches(const Call& call) {
  const int8_t role = call.roles().op;
  if (role < 0 || call.roles().rtype < 0) return false;
  return Abi::handle(call.arg(role), abi.family->handle_bytes.op) == abi.no_op;
}

}  // namespace

void record_rma(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  if (says_no(call)) return add_poll(call, key.site);  // MPI_Win_test
  key.peer = trace::peer_none;
  CommView win;
  if (r.win >= 0) {
    const Locked locked(this_process.lock());
    win = this_process.handles().object(Kind::window, Abi::handle(call.arg(r.win), abi.family->handle_bytes.win));
  }
  key.comm = win.id;
  if (r.target >= 0) key.peer = relative(win, call.int_arg(r.target));
  const bool fetches = only_fetches(call);
  if (fetches) key.comm |= trace::flag_only_fetches;
  const int8_t count = r.scount >= 0 && !fetches ? r.scount : r.rcount;
  const int8_t type = r.stype >= 0 && !fetches ? r.stype : r.rtype;
  if (call.rc != 0) key.peer = trace::peer_none;  // nothing was moved, and its arguments may be invalid
  if (call.rc == 0 && type >= 0 && call.traits.cls != CallClass::rma_sync) {
    const TypeView view = type_of(call, call.arg(type));
    key.datatype = view.id;
    key.count = count >= 0 ? call.count_arg(count) : 1;  // Fetch_and_op, Compare_and_swap: one element
    key.value = key.peer == trace::peer_null ? 0 : key.count * view.size;
  }
  if (call.traits.cls == CallClass::rma_request && r.request >= 0) {
    if (call.rc == 0) add_request(t, key, call.arg(r.request), {});
  }
  add_event(call, key);
}

void record_file_io(Call& call) {
  const Roles& r = call.roles();
  Thread& t = call.thread;
  Key key;
  if (!begin_key(call, &key)) return;
  key.peer = trace::peer_none;
  uint32_t object = 0;
  int64_t bytes = 0;
  if (r.file >= 0) {
    const Locked locked(this_process.lock());
    key.comm = object =
        this_process.handles().object(Kind::file, Abi::handle(call.arg(r.file), abi.family->handle_bytes.file)).id;
  }
  const int8_t count = r.scount >= 0 ? r.scount : r.rcount;
  const int8_t type = r.stype >= 0 ? r.stype : r.rtype;
  if (ends_split(call)) {
    bytes = end_split_transfer(call, object, &key);
  } else if (count >= 0 && type >= 0 && call.traits.cls != CallClass::file_other) {
    const TypeView view = type_of(call, call.arg(type));
    key.datatype = view.id;
    key.count = call.count_arg(count);
    key.value = trace::unknown_value;
    if (const Word status = filled_status(call)) key.value = read_status(status).bytes;
    bytes = call.rc != 0 ? 0 : key.value >= 0 ? key.value : key.count * view.size;
    if (call.rc != 0) key.value = 0;
    const auto distance = static_cast<uint64_t>(mpi_file_transfer(call, object, bytes));
    if (r.offset >= 0) {
      key.comm |= trace::flag_offset;
      key.tag = static_cast<int32_t>(distance);
      key.extra = static_cast<uint32_t>(distance >> 32);
    }
    if (call.traits.cls == CallClass::file_iio && r.request >= 0) {
      const NewRequest made = {.file_moves = call.traits.moves, .posted_bytes = bytes};
      if (call.rc == 0) add_request(t, key, call.arg(r.request), made);
    }
    if (begins_split(call)) {  // its end has the bytes
      begin_split_transfer(call, object, key, view.size);
      key.value = bytes = 0;
    }
  }
  count_mpi_file_call(call, object, bytes);
  add_event(call, key);
}

}  // namespace leadline::recorder
