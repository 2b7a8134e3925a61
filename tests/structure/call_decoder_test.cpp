// Every form of event decoded once, each expectation worked out by hand; then keys that no recorder writes.
#include "structure/call_decoder.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../report/handmade.hpp"
#include "structure/requests.hpp"

namespace {

using namespace handmade;
using namespace leadline;
using structure::CallDecoder;
using structure::CallPart;
using structure::DecodedCall;
using structure::Partner;
using structure::ProcessRequests;
using structure::Requests;
using trace::RequestUse;

void check(const std::string& what, const std::string& is, const std::string& expected) {
  testing::check_equal(is, expected, what);
}

// Rank 2 of four, which is rank 1 of the three on `half`. The window is over `half`.
constexpr uint32_t world = 0, half = 1, window = 2, file = 3, doubles = 1;

struct Program {
  Process process = handmade::process(2, 4);
  uint32_t send = add_site(&process, "MPI_Send", CallClass::send);
  uint32_t isend = add_site(&process, "MPI_Isend", CallClass::isend);
  uint32_t recv = add_site(&process, "MPI_Recv", CallClass::recv);
  uint32_t irecv = add_site(&process, "MPI_Irecv", CallClass::irecv);
  uint32_t imrecv = add_site(&process, "MPI_Imrecv", CallClass::imrecv);
  uint32_t sendrecv = add_site(&process, "MPI_Sendrecv", CallClass::sendrecv);
  uint32_t isendrecv = add_site(&process, "MPI_Isendrecv", CallClass::isendrecv);
  uint32_t probe = add_site(&process, "MPI_Probe", CallClass::probe);
  uint32_t wait = add_site(&process, "MPI_Wait", CallClass::wait);
  uint32_t waitall = add_site(&process, "MPI_Waitall", CallClass::waitall);
  uint32_t test = add_site(&process, "MPI_Test", CallClass::test);
  uint32_t free = add_site(&process, "MPI_Request_free", CallClass::request_free);
  uint32_t send_init = add_site(&process, "MPI_Send_init", CallClass::send_init);
  uint32_t recv_init = add_site(&process, "MPI_Recv_init", CallClass::recv_init);
  uint32_t psend_init = add_site(&process, "MPI_Psend_init", CallClass::psend_init);
  uint32_t reduce_init = add_site(&process, "MPI_Reduce_init", CallClass::coll_init);
  uint32_t start = add_site(&process, "MPI_Start", CallClass::start);
  uint32_t startall = add_site(&process, "MPI_Startall", CallClass::startall);
  uint32_t reduce = add_site(&process, "MPI_Reduce", CallClass::coll);
  uint32_t ireduce = add_site(&process, "MPI_Ireduce", CallClass::icoll);
  uint32_t dup = add_site(&process, "MPI_Comm_dup", CallClass::comm_create);
  uint32_t win_create = add_site(&process, "MPI_Win_create", CallClass::win_create);
  uint32_t get_accumulate = add_site(&process, "MPI_Get_accumulate", CallClass::rma);
  uint32_t rput = add_site(&process, "MPI_Rput", CallClass::rma_request);
  uint32_t fence = add_site(&process, "MPI_Win_fence", CallClass::rma_sync);
  uint32_t win_test = add_site(&process, "MPI_Win_test", CallClass::rma_sync);
  uint32_t write_at = add_site(&process, "MPI_File_write_at", CallClass::file_io);
  uint32_t iread = add_site(&process, "MPI_File_iread", CallClass::file_iio);
  uint32_t read = add_site(&process, "read", CallClass::posix_read);
  uint32_t barrier_free = add_site(&process, "MPI_Comm_free", CallClass::comm_free);

  Program() {
    process.communicators[world].identity = 70;
    trace::Communicator c;
    c.identity = 71;
    c.rank = 1;
    c.size = 3;
    c.world = trace::Members({0, 2, 3});
    process.communicators.push_back(c);
    c.kind = trace::Communicator::Kind::window;
    c.parent = half;
    c.identity = 72;
    c.world = {};
    process.communicators.push_back(c);
    c.kind = trace::Communicator::Kind::file;
    c.identity = 73;
    process.communicators.push_back(c);
    process.ops = {"", "MPI_SUM"};
    process.streams.push_back(process.streams[0]);
    process.streams[1].thread = 6;
  }
};

Key key(uint32_t site, uint32_t comm, int64_t count, int32_t peer, int32_t tag, int64_t value = -1,
        uint32_t extra = 0) {
  Key k;
  k.site = site;
  k.comm = comm;
  k.count = count;
  k.peer = peer;
  k.tag = tag;
  k.datatype = doubles;
  k.value = value;
  k.extra = extra;
  return k;
}

int64_t whom(int32_t peer, int32_t tag) {
  return static_cast<int64_t>(uint64_t{static_cast<uint32_t>(peer)} << 32 | static_cast<uint32_t>(tag));
}

std::string rank(const Partner& p) {
  if (p.peer == trace::peer_none) return "nobody";
  if (p.peer == trace::peer_null) return "null";
  if (p.peer == trace::peer_any) return "anybody";
  if (p.peer == trace::peer_root) return "root";
  return (p.rank < 0 ? "?" : std::to_string(p.rank)) + " = world " + (p.world < 0 ? "?" : std::to_string(p.world));
}

std::string bytes(int64_t n) { return n < 0 ? "?" : std::to_string(n); }

// "sends makes | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | names": one part.
std::string text(const Process& process, const CallPart& p) {
  std::string s;
  for (int bit = 0; bit < trace::moves::count; ++bit) {
    if (p.moves >> bit & 1) s += std::string(trace::moves::names[bit]) + ' ';
  }
  if (p.request != RequestUse::none) s += trace::request_names[static_cast<int>(p.request)];
  if (p.request != RequestUse::none && p.request != RequestUse::makes && p.request != RequestUse::creates) {
    const bool known = p.maker.function < process.functions.size();
    s += " " + (known ? process.functions[p.maker.function].name : "?");
    if (p.maker.age) s += " " + std::to_string(p.maker.age) + " ago";
    if (p.maker.number) s += " number " + std::to_string(p.maker.number);
    if (p.maker.thread >= 0) s += " of thread " + std::to_string(p.maker.thread);
  }
  s += " | comm " + (p.identity ? std::to_string(p.identity) : "?") + ", " + (p.partner_told ? "" : "untold ") +
       rank(p.partner) + ", tag " + (p.tag == trace::tag_any ? "any" : std::to_string(p.tag));
  s += " | posted " + bytes(p.posted_bytes) + ", out " + bytes(p.out_bytes) + ", in " + bytes(p.in_bytes) + " |";
  for (const auto& [is, word] : {std::pair{p.names_message, " names"},
                                 {p.wildcard, " wildcard"},
                                 {p.cancelled, " cancelled"},
                                 {p.partitioned, " partitioned"}}) {
    if (is) s += word;
  }
  return s;
}

struct Case {
  const char* what;
  Key key;
  std::vector<int64_t> words;
  std::vector<std::string> parts;
};

const Program program;

void decodes(const Case& c) {
  DecodedCall call;
  call.parts.resize(3);  // left from before
  CallDecoder(program.process, 0).decode(c.key, c.words.data(), c.words.size(), &call);
  check(std::string(c.what) + ": parts", std::to_string(call.parts.size()), std::to_string(c.parts.size()));
  for (size_t i = 0; i < call.parts.size() && i < c.parts.size(); ++i) {
    check(c.what, text(program.process, call.parts[i]), c.parts[i]);
  }
}

constexpr uint32_t any_source = trace::flag_any_source, any_tag = trace::flag_any_tag, interned = trace::link_interned;

void messages() {
  const Program& p = program;
  const std::vector<Case> cases = {
      {"send",
       key(p.send, world, 10, 1, 5),
       {},
       {"sends  | comm 70, 3 = world 3, tag 5 | posted 80, out 80, in 0 | names"}},
      {"send on a communicator",
       key(p.isend, half, 10, -1, 5),
       {},
       {"sends makes | comm 71, 0 = world 0, tag 5 | posted 80, out 80, in 0 | names"}},
      {"send to nobody",
       key(p.send, world, 10, trace::peer_null, 5),
       {},
       {"sends  | comm 70, null, tag 5 | posted 80, out 80, in 0 | names"}},
      {"receive",
       key(p.recv, world | any_source, 10, -1, 5, 24),
       {},
       {"receives  | comm 70, 1 = world 1, tag 5 | posted 80, out 0, in 24 | names wildcard"}},
      {"receive without a status",
       key(p.recv, world | any_tag, 10, -1, trace::tag_any),
       {},
       {"receives  | comm 70, 1 = world 1, tag any | posted 80, out 0, in ? | wildcard"}},
      {"posted receive",
       key(p.irecv, half, 10, 1, 5),
       {},
       {"receives makes | comm 71, 2 = world 3, tag 5 | posted 80, out 0, in ? | names"}},
      {"posted receive from anybody",
       key(p.irecv, half | any_source, 10, trace::peer_any, 5),
       {},
       {"receives makes | comm 71, anybody, tag 5 | posted 80, out 0, in ? | wildcard"}},
      {"receive of a matched message",
       key(p.imrecv, half | any_source, 10, 1, 5, 16),
       {},
       {"receives makes | comm 71, 2 = world 3, tag 5 | posted 80, out 0, in 16 | names"}},
      {"persistent send created",
       key(p.send_init, half, 10, 1, 5),
       {},
       {"sends creates | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 |"}},
      {"partitioned send created",
       key(p.psend_init, half, 10, 1, 5),
       {},
       {"sends creates | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | partitioned"}},
      {"exchange",
       key(p.sendrecv, half, 10, 1, 5, 16),
       {4, doubles, -1, 6},
       {"sends  | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | names",
        "receives  | comm 71, 0 = world 0, tag 6 | posted 32, out 0, in 16 | names"}},
      {"posted exchange",
       key(p.isendrecv, half | any_source, 10, 1, 5),
       {4, doubles, trace::peer_any, 6},
       {"sends makes | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | names",
        "receives makes | comm 71, anybody, tag 6 | posted 32, out 0, in ? | wildcard"}},
      {"exchange without its words",
       key(p.sendrecv, half, 10, 1, 5),
       {4, doubles},
       {"sends  | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | names",
        "receives  | comm 71, anybody, tag any | posted 80, out 0, in ? |"}},
      {"probe", key(p.probe, half, 0, 1, 5, 24), {}, {}},
  };
  for (const Case& c : cases) decodes(c);
}

void completions() {
  const Program& p = program;
  const auto link = [](uint64_t age, uint32_t site) { return trace::link_pack(age, site); };
  const std::vector<Case> cases = {
      {"wait for a send",
       key(p.wait, half, 10, 1, 5, 0, link(3, p.isend)),
       {},
       {"sends completes MPI_Isend 3 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 |"}},
      {"wait for a receive",
       key(p.wait, half, 10, 1, 5, 24, link(3, p.irecv)),
       {},
       {"receives completes MPI_Irecv 3 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 0, in 24 |"}},
      {"wait for a receive from anybody",
       key(p.wait, half | any_source, 10, 1, 5, 24, link(3, p.irecv)),
       {},
       {"receives completes MPI_Irecv 3 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 0, in 24 | names wildcard"}},
      {"wait for a cancelled one",
       key(p.wait, half | any_source | trace::flag_cancelled, 10, trace::peer_any, 5, 0, link(3, p.irecv)),
       {},
       {"receives completes MPI_Irecv 3 ago | comm 71, anybody, tag 5 | posted 80, out 0, in 0 | wildcard cancelled"}},
      {"wait for a matched message",
       key(p.wait, half | any_source, 10, 1, 5, 24, link(1, p.imrecv)),
       {},
       {"receives completes MPI_Imrecv 1 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 0, in 24 |"}},
      {"wait for an exchange",
       key(p.wait, half, 10, 1, 5, 24, link(1, p.isendrecv)),
       {},
       {"sends receives completes MPI_Isendrecv 1 ago | comm 71, untold 2 = world 3, tag 5 | posted ?, out 80, in 24 "
        "|"}},
      {"link too large to pack",
       key(p.wait, half, 10, 1, 5, 0, interned | 2),
       {40000, p.isend},
       {"sends completes MPI_Isend 40000 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 |"}},
      {"request of another thread",
       key(p.wait, half, 10, 1, 5, 0, interned | 2),
       {9, p.isend, 6},
       {"sends completes MPI_Isend number 9 of thread 6 | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 |"}},
      {"wait for a reduction to rank 2",
       key(p.wait, half, 10, 2, 0, 0, link(1, p.ireduce)),
       {},
       {"contributes collects completes MPI_Ireduce 1 ago | comm 71, 2 = world 3, tag 0 | posted ?, out ?, in ? |"}},
      {"wait for a put",
       key(p.wait, window, 10, 1, 0, 0, link(1, p.rput)),
       {},
       {"puts completes MPI_Rput 1 ago | comm 72, 2 = world 3, tag 0 | posted 80, out ?, in 0 |"}},
      {"wait for a read",
       key(p.wait, file | trace::flag_offset, 10, trace::peer_none, 77, 0, link(1, p.iread)),
       {},
       {"reads completes MPI_File_iread 1 ago | comm 73, nobody, tag 0 | posted 80, out 0, in ? |"}},
      {"request freed",
       key(p.free, half, 10, 1, 5, -1, link(3, p.irecv)),
       {},
       {"receives frees MPI_Irecv 3 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 0, in ? |"}},
      {"wait for nothing", key(p.wait, world, 0, trace::peer_none, 0), {}, {}},
      {"test that found nothing", key(p.test, trace::flag_nothing, 0, 0, 0, 0, trace::extra_nothing), {}, {}},
      {"list",
       key(p.waitall, world, 3, trace::peer_none, 0, -1, 4),
       {3, trace::listed_link(2, p.irecv, -1), 16, whom(-1, 7), 80, trace::listed_link(1, p.isend, -1), 0, 0, 40,
        trace::listed_link(8, p.irecv, 6), -1, 0, 24},
       {"receives completes MPI_Irecv 2 ago | comm ?, ? = world ?, tag 7 | posted 80, out 0, in 16 | wildcard",
        "sends completes MPI_Isend 1 ago | comm ?, untold ? = world ?, tag 0 | posted 40, out 40, in 0 |",
        "receives completes MPI_Irecv number 8 of thread 6 | comm ?, untold ? = world ?, tag 0 | posted 24, out 0, in "
        "? |"}},
  };
  for (const Case& c : cases) decodes(c);
}

void starts() {
  const Program& p = program;
  const auto link = [](uint64_t age, uint32_t site) { return trace::link_pack(age, site); };
  const uint32_t collective = half | trace::flag_persistent_collective;
  const std::vector<Case> cases = {
      {"start of a send",
       key(p.start, half, 10, 1, 5, -1, link(2, p.send_init)),
       {},
       {"sends starts MPI_Send_init 2 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | names"}},
      {"start of a receive from anybody",
       key(p.start, half | any_source, 10, trace::peer_any, 5, -1, link(2, p.recv_init)),
       {},
       {"receives starts MPI_Recv_init 2 ago | comm 71, anybody, tag 5 | posted 80, out 0, in ? | wildcard"}},
      {"start of a partitioned send",
       key(p.start, half, 10, 1, 5, -1, link(2, p.psend_init)),
       {},
       {"sends starts MPI_Psend_init 2 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | names "
        "partitioned"}},
      {"start of a reduction to rank 2",
       key(p.start, collective, 0, 2, 0, 80, link(2, p.reduce_init)),
       {},
       {"contributes collects starts MPI_Reduce_init 2 ago | comm 71, 2 = world 3, tag 0 | posted ?, out 80, in 0 |"}},
      {"start of what nobody created", key(p.start, half, 0, trace::peer_none, 0), {}, {}},
      {"start of what is not persistent",
       key(p.start, half, 10, 1, 5, -1, link(2, p.isend)),
       {},
       {"starts MPI_Isend 2 ago | comm 71, 2 = world 3, tag 5 | posted ?, out 0, in 0 |"}},
      {"starts",
       key(p.startall, world, 3, trace::peer_none, 0, -1, 4),
       {3, trace::listed_link(3, p.send_init, -1), 80, whom(1, 5), half, trace::listed_link(2, p.recv_init, -1), 24,
        whom(-1, 6), world, trace::listed_link(UINT32_MAX, p.reduce_init, -1), 16, 8, collective},
       {"sends starts MPI_Send_init 3 ago | comm 71, 2 = world 3, tag 5 | posted 80, out 80, in 0 | names",
        "receives starts MPI_Recv_init 2 ago | comm 70, 1 = world 1, tag 6 | posted 24, out 0, in ? | names",
        "contributes collects starts MPI_Reduce_init | comm 71, untold nobody, tag 0 | posted ?, out 16, in 8 |"}},
  };
  for (const Case& c : cases) decodes(c);
}

void others() {
  const Program& p = program;
  const std::vector<Case> cases = {
      {"collective",
       key(p.reduce, half, 10, 2, 0, -1, 3),
       {80, 0, 1, 0, 0, 0, 0},
       {"contributes collects  | comm 71, 2 = world 3, tag 0 | posted ?, out 80, in 0 |"}},
      {"collective without its words", key(p.reduce, half, 10, 2, 0), {80}, {}},
      {"creation", key(p.dup, world, 0, trace::peer_none, 0, -1, half), {}, {}},
      {"window made", key(p.win_create, half, 0, trace::peer_none, 0, -1, window), {}, {}},
      {"access both ways",
       key(p.get_accumulate, window, 10, 1, 0, 80),
       {},
       {"puts gets  | comm 72, 2 = world 3, tag 0 | posted 80, out 80, in 80 |"}},
      {"access that only fetches",
       key(p.get_accumulate, window | trace::flag_only_fetches, 10, 1, 0, 80),
       {},
       {"gets  | comm 72, 2 = world 3, tag 0 | posted 80, out 0, in 80 |"}},
      {"fence", key(p.fence, window, 0, trace::peer_none, 0), {}, {}},
      {"test of a window that was too early",
       key(p.win_test, trace::flag_nothing, 0, 0, 0, 0, trace::extra_nothing),
       {},
       {}},
      {"file written",
       key(p.write_at, file | trace::flag_offset, 10, trace::peer_none, -2, 72, 0xffffffff),
       {},
       {"writes  | comm 73, nobody, tag 0 | posted 80, out 72, in 0 |"}},
      {"file to be read",
       key(p.iread, file, 10, trace::peer_none, 0),
       {},
       {"reads makes | comm 73, nobody, tag 0 | posted 80, out 0, in ? |"}},
      {"read by libc",
       key(p.read, world, 4096, trace::peer_none, 3, 100),
       {},
       {"reads  | comm 70, nobody, tag 0 | posted ?, out 0, in 100 |"}},
      {"plain", key(p.barrier_free, half, 0, trace::peer_none, 0), {}, {}},
  };
  for (const Case& c : cases) decodes(c);
}

DecodedCall decoded(const Key& k, const std::vector<int64_t>& words = {}) {
  DecodedCall call;
  CallDecoder(program.process, 0).decode(k, words.data(), words.size(), &call);
  return call;
}

void calls_have_what_is_not_of_a_part() {
  const Program& p = program;
  const DecodedCall probe = decoded(key(p.probe, half, 0, 1, 5, 24));
  check("probe", rank(probe.partner) + " tag " + std::to_string(probe.tag) + " bytes " + std::to_string(probe.value),
        "2 = world 3 tag 5 bytes 24");
  check("creation", std::to_string(decoded(key(p.dup, world, 0, trace::peer_none, 0, -1, half)).made), "1");
  check("window", std::to_string(decoded(key(p.win_create, half, 0, trace::peer_none, 0, -1, window)).made), "2");
  const DecodedCall written =
      decoded(key(p.write_at, file | trace::flag_offset, 10, trace::peer_none, -2, 72, 0xffffffff));
  check("distance", std::to_string(written.positioned) + ' ' + std::to_string(written.distance), "1 -2");
  const DecodedCall read = decoded(key(p.read, world, 4096, trace::peer_none, 3, -1, 4));
  check("libc", std::to_string(read.open_file) + ' ' + std::to_string(read.error) + ' ' + std::to_string(read.distance),
        "3 4 4096");
  const std::vector<int64_t> words{80, 96, 1, 0, 1, 3, 1, 2, 3, 2, 8, 9};
  const DecodedCall vectors = decoded(key(p.reduce, half, 10, trace::peer_none, 0), words);
  const structure::CollectiveArguments& with = vectors.collective;
  check("vectors",
        std::to_string(with.op) + ' ' + std::to_string(with.send_counts.size()) + ' ' +
            std::to_string(with.send_counts[2]) + ' ' + std::to_string(with.receive_counts.size()) + ' ' +
            std::to_string(with.receive_counts[1]) + ' ' + std::to_string(with.vector_lost),
        "1 3 3 2 9 0");
  const std::vector<int64_t> lost{80, 96, 1, 0, 1, -1, 0};
  check("lost", std::to_string(decoded(key(p.reduce, half, 10, trace::peer_none, 0), lost).collective.vector_lost),
        "1");
}

// The follower adds what the calls that made the requests say.
void requests_of_a_list_have_their_own_communicators() {
  const Program& p = program;
  ProcessRequests requests(program.process, 0, Requests::Keep::all);
  Requests::Mark before;
  before.made = 100;  // a place in the middle of a run, of which only the numbers are known
  before.created = 7;
  requests.go_to(before);
  const auto follow = [&](DecodedCall call) {
    requests.follow(&call, 1);
    return call;
  };
  follow(decoded(key(p.irecv, half | any_source, 10, trace::peer_any, 5)));
  follow(decoded(key(p.irecv, world | any_source, 10, trace::peer_any, 5)));
  follow(decoded(key(p.isend, half, 10, 1, 6)));
  follow(decoded(key(p.isendrecv, half, 10, 1, 5), {4, doubles, -1, 6}));
  const std::vector<int64_t> words{5,
                                   trace::listed_link(4, p.irecv, -1),
                                   16,
                                   whom(-1, 5),
                                   80,
                                   trace::listed_link(3, p.irecv, -1),
                                   16,
                                   0,
                                   80,  // from itself, tag 0
                                   trace::listed_link(2, p.isend, -1),
                                   0,
                                   0,
                                   80,
                                   trace::listed_link(1, p.isendrecv, -1),
                                   8,
                                   0,
                                   32,
                                   trace::listed_link(5, p.irecv, -1),
                                   8,
                                   0,
                                   80};
  const DecodedCall done = follow(decoded(key(p.waitall, world, 5, trace::peer_none, 0, -1, 4), words));
  const std::vector<std::string> expected = {
      "receives completes MPI_Irecv 4 ago number 101 | comm 71, 0 = world 0, tag 5 | posted 80, out 0, in 16 | names "
      "wildcard",
      "receives completes MPI_Irecv 3 ago number 102 | comm 70, 2 = world 2, tag 0 | posted 80, out 0, in 16 | names "
      "wildcard",
      "sends completes MPI_Isend 2 ago number 103 | comm 71, 2 = world 3, tag 6 | posted 80, out 80, in 0 |",
      "sends receives completes MPI_Isendrecv 1 ago number 104 | comm 71, 0 = world 0, tag 6 | posted 32, out ?, in 8 "
      "|",
      "receives completes MPI_Irecv 5 ago number 100 | comm ?, untold ? = world ?, tag 0 | posted 80, out 0, in 8 |"};
  for (size_t i = 0; i < expected.size(); ++i) check("of a list", text(program.process, done.parts[i]), expected[i]);
  check("all are over", std::to_string(requests.mark().active.size()), "0");
  // A persistent request is created once and started again and again.
  follow(decoded(key(p.recv_init, half | any_tag, 10, -1, trace::tag_any)));
  const Key start = key(p.start, half | any_tag, 10, -1, trace::tag_any, -1, trace::link_pack(1, p.recv_init));
  for (const char* number : {"105", "106"}) {
    check("creation", std::to_string(follow(decoded(start)).parts[0].maker.number), "8");
    const std::vector<int64_t> one{1, trace::listed_link(1, p.recv_init, -1), 16, whom(-1, 9), 80};
    const DecodedCall again = follow(decoded(key(p.waitall, world, 1, trace::peer_none, 0, -1, 4), one));
    check("started", text(program.process, again.parts[0]),
          "receives completes MPI_Recv_init 1 ago number " + std::string(number) +
              " | comm 71, 0 = world 0, tag 9 | posted 80, out 0, in 16 | names wildcard");
  }
}

void requests_take_bounded_memory() {
  const Program& p = program;
  Requests requests(Requests::Keep::all);
  requests.follow(decoded(key(p.irecv, half, 10, 1, 5)), uint64_t{1} << 60);
  requests.follow(decoded(key(p.irecv, half, 10, 1, 5)), 3);
  check("made", std::to_string(requests.mark().made), std::to_string((uint64_t{1} << 60) + 3));
  check("kept", std::to_string(requests.mark().active.size()), std::to_string(1 << 16));
  check("latest", requests.find(requests.made_ago(1), p.irecv) ? "found" : "lost", "found");
  check("other site", requests.find(requests.made_ago(1), p.isend) ? "found" : "lost", "lost");
  Requests few(Requests::Keep::wildcards);
  few.follow(decoded(key(p.irecv, half, 10, 1, 5)), 5);
  check("without wildcards", std::to_string(few.mark().active.size()), "0");
}

// Any key and any words: nothing out of range is believed.
void hostile_keys_do_no_harm() {
  const Program& p = program;
  uint64_t seed = 1;
  const auto next = [&] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
  };
  const int64_t edges[] = {0,         1,          2,         3,         -1,        7,         INT64_MAX,
                           INT64_MIN, UINT32_MAX, INT32_MIN, INT32_MAX, 1LL << 32, 5LL << 32, 0xfffffLL << 20};
  ProcessRequests requests(program.process, 0, Requests::Keep::all);
  DecodedCall call;
  const CallDecoder decoder(program.process, 0);
  for (int round = 0; round < 200000; ++round) {
    const auto edge = [&] { return edges[next() % std::size(edges)]; };
    Key k;
    k.site = static_cast<uint32_t>(next() % 8 ? next() % (p.barrier_free + 2) : static_cast<uint64_t>(edge()));
    k.comm = static_cast<uint32_t>(next() % 4) | static_cast<uint32_t>(next() << 24);
    if (next() % 8 == 0) k.comm = static_cast<uint32_t>(edge());
    k.count = edge();
    k.peer = static_cast<int32_t>(edge());
    k.tag = static_cast<int32_t>(edge());
    k.datatype = static_cast<uint32_t>(edge());
    k.extra = next() % 2 ? static_cast<uint32_t>(next()) : static_cast<uint32_t>(edge());
    k.value = edge();
    std::vector<int64_t> words(next() % 14);
    for (int64_t& w : words)
      w = next() % 2 ? edge() : trace::listed_link(next() % 9, next() % 40, static_cast<int32_t>(next() % 9) - 1);
    decoder.decode(k, words.data(), words.size(), &call);
    for (const CallPart& part : call.parts) {
      const bool fine = part.comm < program.process.communicators.size() &&
                        part.datatype < program.process.datatypes.size() &&
                        (part.maker.stream < 2 || part.maker.stream == structure::no_stream) &&
                        part.posted_bytes >= INT64_MIN && part.partner.world >= -1 && part.partner.world < 4;
      if (!fine) check("hostile key", "out of range", "in range");
    }
    if (call.collective.send_counts.size() + call.collective.receive_counts.size() > words.size())
      check("hostile vectors", "too long", "short enough");
    requests.follow(&call, next() % 3);
  }
  Process empty;
  empty.streams.resize(1);
  CallDecoder(empty, 0).decode(key(3, half, 10, 1, 5, 0, interned | 5), nullptr, 0, &call);
  check("empty tables", std::to_string(call.comm + call.datatype) + ' ' + rank(call.partner), "0 ? = world ?");
}

}  // namespace

int main() {
  messages();
  completions();
  starts();
  others();
  calls_have_what_is_not_of_a_part();
  requests_of_a_list_have_their_own_communicators();
  requests_take_bounded_memory();
  hostile_keys_do_no_harm();
  return testing::result();
}
