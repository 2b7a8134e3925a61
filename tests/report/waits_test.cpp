// Waits of known length on known ranks, in runs built by hand: kind, call site, rank, seconds and cause.
#include "analysis/waits/waits.hpp"

#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "analysis/matching/window_calls.hpp"
#include "analysis/profile.hpp"
#include "analysis/waits/imbalance.hpp"

namespace {

using testing::check;
using namespace leadline;
using analysis::Doing;
using analysis::RunWaits;
using analysis::WaitKind;
using analysis::WaitRow;
using recording::MemoryThread;
using trace::CallClass;
using trace::Key;
using trace::Process;

enum Site : uint32_t {
  none,
  send,
  recv,
  isend,
  irecv,
  wait,
  barrier,
  allreduce,
  reduce,
  bcast,
  file_write,
  ibarrier,
  alltoallv,
  ssend,
  scan,
  halo_wait,
  probe,
  put,
  fence,
  win_free,
  win_start,
  win_complete,
  win_post,
  win_wait,
  sites
};
struct SiteFacts {
  const char* function;
  CallClass cls;
};
constexpr SiteFacts facts[sites] = {{"other", CallClass::other},
                                    {"MPI_Send", CallClass::send},
                                    {"MPI_Recv", CallClass::recv},
                                    {"MPI_Isend", CallClass::isend},
                                    {"MPI_Irecv", CallClass::irecv},
                                    {"MPI_Wait", CallClass::wait},
                                    {"MPI_Barrier", CallClass::coll},
                                    {"MPI_Allreduce", CallClass::coll},
                                    {"MPI_Reduce", CallClass::coll},
                                    {"MPI_Bcast", CallClass::coll},
                                    {"write", CallClass::posix_write},
                                    {"MPI_Ibarrier", CallClass::icoll},
                                    {"MPI_Alltoallv", CallClass::coll},
                                    {"MPI_Ssend", CallClass::send},
                                    {"MPI_Scan", CallClass::coll},
                                    {"MPI_Waitall", CallClass::waitall},
                                    {"MPI_Probe", CallClass::probe},
                                    {"MPI_Put", CallClass::rma},
                                    {"MPI_Win_fence", CallClass::rma_sync},
                                    {"MPI_Win_free", CallClass::win_free},
                                    {"MPI_Win_start", CallClass::rma_sync},
                                    {"MPI_Win_complete", CallClass::rma_sync},
                                    {"MPI_Win_post", CallClass::rma_sync},
                                    {"MPI_Win_wait", CallClass::rma_sync}};

constexpr uint64_t us = 1000, ms = 1000 * us;
constexpr uint32_t world = 1, window = 2;

// One rank's calls, each after so much computation and of such a length.
class Rank {
 public:
  Rank(int32_t rank, int32_t size) : rank_(rank), size_(size) {}

  void message(Site site, int32_t partner, uint64_t gap, uint64_t length, int32_t elements = 1, int32_t tag = 5) {
    Key k = key(site);
    k.peer = partner - rank_;
    k.count = elements;
    k.tag = tag;
    k.datatype = 1;
    if (site == recv || site == probe) k.value = 8 * elements;
    thread_.add(k, length, gap);
  }
  void complete(Site made_by, int32_t partner, uint64_t gap, uint64_t length, uint32_t age = 1) {
    Key k = key(wait);
    k.peer = partner - rank_;
    k.tag = 5;
    k.count = 1;
    k.datatype = 1;
    k.extra = trace::link_pack(age, made_by);
    thread_.add(k, length, gap);
  }
  void complete_all(std::initializer_list<Site> made_by, uint64_t gap, uint64_t length) {  // the last one first
    std::vector<int64_t> words{static_cast<int64_t>(made_by.size())};
    uint64_t age = 1;
    for (const Site s : made_by) words.insert(words.end(), {trace::listed_link(age++, s, -1), 8, 0, 8});
    Key k = key(halo_wait);
    k.comm = 0;
    k.peer = trace::peer_none;
    k.extra = thread_.graph().intern(words.data(), words.size());
    thread_.add(k, length, gap);
  }
  void collective(Site site, uint64_t gap, uint64_t length, int32_t root = trace::peer_none, int64_t out = 8,
                  int64_t in = 8, const std::vector<int64_t>& from = {}) {
    std::vector<int64_t> words{out, in, 0, 1, 1};
    if (!from.empty()) {
      words.push_back(0);
      words.push_back(static_cast<int64_t>(from.size()));
      words.insert(words.end(), from.begin(), from.end());
    }
    Key k = key(site);
    k.peer = root;
    k.count = 1;
    k.datatype = 1;
    k.extra = thread_.graph().intern(words.data(), words.size());
    thread_.add(k, length, gap);
  }
  void access(Site site, uint64_t gap, uint64_t length, int32_t target = trace::peer_none) {
    Key k = key(site);
    k.comm = window;
    k.peer = target == trace::peer_none ? target : target - rank_;
    k.datatype = k.peer == trace::peer_none ? 0 : 1;
    k.count = k.datatype;
    k.value = 8 * k.count;
    thread_.add(k, length, gap);
  }
  void write(uint64_t gap, uint64_t length) {
    Key k;
    k.site = file_write;
    k.tag = 1;
    k.value = 4096;
    thread_.add(k, length, gap);
  }

  std::shared_ptr<Process> finish(const std::string& host) {
    auto p = std::make_shared<Process>();
    p->rank = rank_;
    p->world_size = size_;
    p->host = host;
    p->initialized = p->finalized = true;
    p->datatypes.resize(2);
    p->datatypes[1].size = 8;
    p->communicators.resize(3);
    p->communicators[world].identity = 100;
    p->communicators[world].rank = rank_;
    p->communicators[world].size = size_;
    for (int32_t r = 0; r < size_; ++r) p->communicators[world].world.push_back(r);
    p->communicators[window].kind = trace::Communicator::Kind::window;
    p->communicators[window].parent = world;
    p->communicators[window].identity = 200;
    p->communicators[window].rank = rank_;
    p->communicators[window].size = size_;
    std::string error;
    p->streams.push_back(thread_.decode(&error));
    check(error.empty(), error);
    for (const SiteFacts& f : facts) {
      p->functions.push_back({f.function, f.cls});
      p->streams[0].sites.push_back({static_cast<uint32_t>(p->functions.size() - 1), 0, 0, false});
    }
    p->streams[0].site_loops.assign(sites, 0);
    return p;
  }

 private:
  static Key key(Site site) {
    Key k;
    k.site = site;
    k.comm = world;
    return k;
  }
  int32_t rank_, size_;
  MemoryThread thread_;
};

struct Run {
  std::vector<std::unique_ptr<Rank>> ranks;
  explicit Run(int32_t size) {
    for (int32_t r = 0; r < size; ++r) ranks.push_back(std::make_unique<Rank>(r, size));
  }
  Rank& operator[](size_t r) { return *ranks[r]; }

  RunWaits waits(size_t ranks_of_host = SIZE_MAX) {
    std::vector<std::shared_ptr<Process>> processes;
    for (size_t r = 0; r < ranks.size(); ++r)
      processes.push_back(ranks[r]->finish("host" + std::to_string(r / ranks_of_host)));
    analysis::Profile profile;
    for (const auto& p : processes) profile.add(*p);
    analysis::WaitFinder finder(profile);
    for (uint32_t p = 0; p < processes.size(); ++p) finder.add(*processes[p], p);
    RunWaits found = finder.find();
    for (WaitRow& row : found.rows) {
      row.site = site_of(profile, row.site);
      for (auto& c : row.causes) c.site = site_of(profile, c.site);
    }
    for (auto& p : found.path) p.site = site_of(profile, p.site);
    return found;
  }

 private:
  static uint32_t site_of(const analysis::Profile& profile, uint32_t number) {
    const std::string& name = profile.functions()[profile.sites()[number].function].name;
    for (uint32_t s = 0; s < sites; ++s) {
      if (name == facts[s].function) return s;
    }
    return none;
  }
};

const WaitRow* row_of(const RunWaits& found, WaitKind kind, uint32_t site, uint32_t rank) {
  for (const WaitRow& r : found.rows) {
    if (r.kind == kind && r.site == site && r.process == rank) return &r;
  }
  return nullptr;
}

struct Cause {
  uint32_t rank;
  Doing doing;
  uint32_t site;
};

// Seconds within 5 %, nearly all of it by this cause.
void expect(const std::string& name, const RunWaits& found, WaitKind kind, uint32_t site, uint32_t rank, double ns,
            const Cause& cause, double share = 1) {
  const WaitRow* row = row_of(found, kind, site, rank);
  check(row != nullptr, name + ": no wait of this kind there");
  if (!row) return;
  check(std::abs(row->ns - ns) <= 0.05 * ns, name + ": " + std::to_string(row->ns) + " ns");
  check(
      !row->causes.empty() && row->causes[0].process == cause.rank && row->causes[0].doing == cause.doing &&
          row->causes[0].site == cause.site && std::abs(row->causes[0].share - share) <= 0.05,
      name + ": cause " +
          (row->causes.empty() ? "none"
                               : std::to_string(row->causes[0].process) + " " + name_of(row->causes[0].doing) + " " +
                                     facts[row->causes[0].site].function + " " + std::to_string(row->causes[0].share)));
}

void expect_rows(const std::string& name, const RunWaits& found, size_t rows) {
  std::string all;
  for (const WaitRow& r : found.rows)
    all += std::string(" ") + name_of(r.kind) + "@" + facts[r.site].function + "/" + std::to_string(r.process);
  check(found.rows.size() == rows, name + ": waits" + all);
}

constexpr uint64_t steps = 200;

// Rank 0 computes 3 ms longer than rank 1 before it sends in each step.
void late_senders() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(send, 1, 4 * ms, 10 * us);
    run[1].message(recv, 0, 1 * ms, 3 * ms + 10 * us);
  }
  const RunWaits found = run.waits();
  expect("late sender", found, WaitKind::late_sender, recv, 1, steps * 3e6, {0, Doing::computation, send});
  expect_rows("late sender", found, 1);
  check(!found.estimated, "late sender: exact");
  double path = 0;
  for (const auto& p : found.path) path += p.process == 0 && p.doing == Doing::computation ? p.share : 0;
  check(path > 0.95, "critical path: the sender's computation has " + std::to_string(path));
}

// The wait is in the call that completes the receive.
void late_senders_of_posted_receives() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(isend, 1, 5 * ms, 10 * us);
    run[0].complete(isend, 1, 0, 10 * us);
    run[1].message(irecv, 0, 500 * us, 10 * us);
    run[1].complete(irecv, 0, 490 * us, 4 * ms + 20 * us);
  }
  const RunWaits found = run.waits();
  expect("posted receive", found, WaitKind::late_sender, wait, 1, steps * 4e6, {0, Doing::computation, isend});
  expect_rows("posted receive", found, 1);
}

// The wait is in the probe that finds the message.
void late_senders_of_probed_messages() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(probe, 1, 1 * ms, 2 * ms);  // sent after 3 ms
    run[0].message(probe, 1, 0, 0);            // the same again
    run[0].message(probe, 2, 0, 4 * ms);       // sent after 7 ms
    run[0].message(recv, 2, 0, 10 * us);
    run[0].message(recv, 1, 0, 10 * us);
    run[1].message(send, 0, 3 * ms, 10 * us);
    run[1].collective(barrier, 0, 4 * ms + 20 * us);
    run[2].message(send, 0, 7 * ms, 10 * us);
    run[2].collective(barrier, 0, 20 * us);
    run[0].collective(barrier, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("probe", found, WaitKind::late_sender, probe, 0, steps * 6e6, {2, Doing::computation, send}, 4. / 6);
}

// Rank 2 waits for 1, which waits for 0, which writes a file for 6 of the 8 ms.
void chains_lead_to_their_root() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].write(2 * ms, 6 * ms);
    run[0].message(send, 1, 0, 10 * us);
    run[1].message(recv, 0, 2 * ms, 6 * ms + 10 * us);
    run[1].message(send, 2, 0, 10 * us);
    run[2].message(recv, 1, 2 * ms, 6 * ms + 20 * us);
    run[0].collective(barrier, 0, 20 * us);
    run[1].collective(barrier, 0, 10 * us);
    run[2].collective(barrier, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("chain, second", found, WaitKind::late_sender, recv, 1, steps * 6e6, {0, Doing::io, file_write});
  expect("chain, third", found, WaitKind::late_sender, recv, 2, steps * 6e6, {0, Doing::io, file_write});
}

void late_receivers() {
  const auto times = [](Site site, int32_t elements) {
    Run run(2);
    for (uint64_t i = 0; i < steps; ++i) {
      run[0].message(site, 1, 1 * ms, 2 * ms + 100 * us, elements);
      run[1].message(recv, 0, 3 * ms, 100 * us, elements);
    }
    return run.waits();
  };
  const Cause cause{1, Doing::computation, recv};
  expect("large send", times(send, 100000), WaitKind::late_receiver, send, 0, steps * 2e6, cause);
  expect("synchronous send", times(ssend, 1), WaitKind::late_receiver, ssend, 0, steps * 2e6, cause);
  expect_rows("small send", times(send, 1), 0);
}

// Sends of a size that mostly end before their receive is posted, if that comes late, do not wait for it. A few may end
// before as long as the library has buffers: those that come a little late.
void sends_that_need_no_receiver() {
  const auto found = [](bool buffered, int32_t elements) {
    Run run(2);
    for (uint64_t i = 0; i < steps; ++i) {
      const bool odd = i % 4 == 3;
      const bool returns = odd != buffered;  // else the receiver comes while the send is under way
      const uint64_t late = odd && !buffered ? 50 * us : 2 * ms;
      run[0].message(send, 1, 1 * ms, returns ? 40 * us : late + 100 * us, elements);
      run[0].collective(barrier, 0, returns ? late + 160 * us : 100 * us);
      run[1].message(recv, 0, 1 * ms + late, 100 * us, elements);
      run[1].collective(barrier, 0, 100 * us);
    }
    return run.waits();
  };
  check(!row_of(found(true, 100000), WaitKind::late_receiver, send, 0), "a send that is known to be buffered");
  check(!row_of(found(true, 1), WaitKind::late_receiver, send, 0), "a small send");
  const auto* row = row_of(found(false, 100000), WaitKind::late_receiver, send, 0);
  check(row, "a send that is buffered now and then");
}

// Longer sends that return show that shorter ones do, too, if they do so for long.
void longer_sends_are_evidence() {
  const auto found = [](uint64_t late) {
    Run run(2);
    for (uint64_t i = 0; i < steps; ++i) {
      run[0].message(send, 1, 1 * ms, 2100 * us, 100000);
      run[0].message(send, 1, 1 * ms, 40 * us, 300000);
      run[0].collective(barrier, 0, late + 160 * us);
      run[1].message(recv, 0, 3 * ms, 100 * us, 100000);
      run[1].message(recv, 0, 1 * ms + late, 100 * us, 300000);
      run[1].collective(barrier, 0, 100 * us);
    }
    return run.waits();
  };
  check(row_of(found(50 * us), WaitKind::late_receiver, send, 0), "longer sends that return a little early");
  check(!row_of(found(9 * ms), WaitKind::late_receiver, send, 0), "longer sends that return early");
}

// All wait for the rank that enters the fence last; rank 2 computes for 3 ms before its put.
void fences() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    for (int32_t r = 0; r < 3; ++r) {
      const auto rank = static_cast<uint64_t>(r);
      run[rank].access(put, (1 + rank) * ms, 10 * us, (r + 1) % 3);
      run[rank].access(fence, 0, (2 - rank) * ms + 20 * us);
    }
  }
  for (uint64_t r = 0; r < 3; ++r)
    run[r].access(win_free, 100 * us + (r == 0 ? 5 * ms : 0), 50 * us + (r ? 5 * ms : 0));
  const RunWaits found = run.waits();
  const Cause cause{2, Doing::computation, put};
  expect("fence, first", found, WaitKind::wait_at_fence, fence, 0, steps * 2e6, cause);
  expect("fence, second", found, WaitKind::wait_at_fence, fence, 1, steps * 1e6, cause);
  expect("window freed", found, WaitKind::wait_at_barrier, win_free, 2, 5e6, {0, Doing::computation, win_free});
  expect_rows("fence", found, 4);
}

// Rank 0 waits at the fence for 1, which waits for 2, which computes for 6 of the 8 ms.
void causes_of_fences_are_followed_back() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[2].message(send, 1, 8 * ms, 10 * us);
    run[1].message(recv, 2, 2 * ms, 6 * ms + 10 * us);
    run[0].access(put, 2 * ms - 10 * us, 10 * us, 1);
    run[0].access(fence, 0, 6 * ms + 20 * us);
    run[1].access(fence, 0, 10 * us);
    run[2].access(fence, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("fence behind a receive", found, WaitKind::wait_at_fence, fence, 0, steps * 6e6,
         {2, Doing::computation, send});
}

// A fence that a rank left before the last one entered it does not synchronise, and neither do the others there. Where
// they all overlap, that is how long they last.
void fences_that_need_not_wait() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    const bool slow = i % 2;
    run[0].access(fence, 1 * ms, slow ? 2100 * us : 100 * us);
    run[0].collective(barrier, 0, slow ? 100 * us : 2100 * us);
    run[1].access(fence, 3 * ms, 100 * us);
    run[1].collective(barrier, 0, 100 * us);
  }
  check(!row_of(run.waits(), WaitKind::wait_at_fence, fence, 0), "a fence that is known not to synchronise");
}

// Rank 1 exposes its window late, 0 puts and completes late; the first of two origins is the earlier one.
Run epochs(bool exposes_once_more) {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].access(win_start, 1 * ms, 2 * ms + 10 * us);  // until the post after 3 ms
    run[0].access(put, 0, 10 * us, 1);
    run[0].access(win_complete, 4 * ms - 20 * us, 10 * us);  // after 7 ms
    run[1].access(win_post, 3 * ms, 10 * us);
    run[1].access(win_wait, 1 * ms - 10 * us, 3 * ms + 10 * us);
    run[2].access(win_start, 3 * ms, 20 * us);
    run[2].access(put, 0, 10 * us, 1);
    run[2].access(win_complete, 2 * ms - 30 * us, 10 * us);  // after 5 ms
    run[2].collective(barrier, 0, 2 * ms + 10 * us);
    run[0].collective(barrier, 0, 10 * us);
    run[1].collective(barrier, 0, 10 * us);
  }
  if (exposes_once_more) {  // to nobody: all epochs might be others'
    run[1].access(win_post, 0, 10 * us);
    run[1].access(win_wait, 0, 10 * us);
  }
  return run;
}

// The order of epochs of two threads is not known.
void epochs_of_threads() {
  analysis::Epochs seen;
  seen.expose(200, 1, {0, 10, 11});
  seen.expose(200, 1, {0, 12, 13});
  seen.access(200, 0, 1, {0, 1, 2});
  seen.access(200, 0, 1, {1, 5, 6});
  seen.access(200, 2, 1, {0, 20, 21});
  seen.access(200, 2, 1, {0, 22, 23});
  const std::vector<analysis::StepEpoch> found = seen.matched();
  check(found.size() == 2 && found[0].start == 20 && found[0].post == 10 && found[1].complete == 23 &&
            found[1].wait == 13,
        "epochs of one thread are matched in order, those of two are not");
}

void late_posts_and_completes() {
  const RunWaits found = epochs(false).waits();
  expect("late post", found, WaitKind::late_post, win_start, 0, steps * 2e6, {1, Doing::computation, win_post});
  expect("late complete", found, WaitKind::late_complete, win_wait, 1, steps * 3e6,
         {0, Doing::computation, win_complete});
  const RunWaits unknown = epochs(true).waits();
  check(!row_of(unknown, WaitKind::late_post, win_start, 0), "late post: it is not known which epochs match");
  check(!row_of(unknown, WaitKind::late_complete, win_wait, 1), "late complete: it is not known which epochs match");
}

void collectives() {
  Run run(4);
  for (uint64_t i = 0; i < steps; ++i) {
    for (size_t r = 0; r < 4; ++r) {  // rank r comes r ms late
      const uint64_t late = r * ms, left = (3 - r) * ms;
      run[r].collective(barrier, 1 * ms + late, left + 10 * us);
      run[r].collective(allreduce, 1 * ms + (3 - r) * ms, late + 10 * us);
      run[r].collective(reduce, 1 * ms + late, r == 0 ? 3 * ms + 10 * us : 10 * us, 0, r == 0 ? 0 : 8, r == 0 ? 8 : 0);
      // The root of the broadcast comes 4 ms after all the others.
      const uint64_t then = r == 0 ? 3 * ms : r * ms;
      run[r].collective(bcast, 5 * ms - then + (r == 3 ? 4 * ms : 0), r == 3 ? 10 * us : 4 * ms + 10 * us, 3,
                        r == 3 ? 8 : 0, r == 3 ? 0 : 8);
    }
  }
  const RunWaits found = run.waits();
  for (uint32_t r = 0; r < 3; ++r) {
    expect("barrier", found, WaitKind::wait_at_barrier, barrier, r, steps * (3 - r) * 1e6,
           {3, Doing::computation, barrier});
    expect("broadcast", found, WaitKind::late_broadcast, bcast, r, steps * 4e6, {3, Doing::computation, bcast});
    expect("allreduce", found, WaitKind::wait_at_n_to_n, allreduce, r + 1, steps * (r + 1) * 1e6,
           {0, Doing::computation, allreduce});
  }
  expect("reduce", found, WaitKind::early_reduce, reduce, 0, steps * 3e6, {3, Doing::computation, reduce});
  expect_rows("collectives", found, 10);
}

// Nonblocking ones wait where they complete.
void nonblocking_collectives() {
  Run run(2);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].collective(ibarrier, 1 * ms, 10 * us);
    run[0].complete(ibarrier, 0, 1 * ms, 3 * ms);
    run[1].collective(ibarrier, 5 * ms - 10 * us, 10 * us);
    run[1].complete(ibarrier, 1, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("nonblocking barrier", found, WaitKind::wait_at_barrier, wait, 0, steps * 2.98e6,
         {1, Doing::computation, ibarrier});
  expect_rows("nonblocking barrier", found, 1);
}

// Rank 0 gets something from rank 1 only, rank 1 from rank 2 only, rank 2, which comes last, from nobody.
void vectors_say_who_is_waited_for() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].collective(alltoallv, 1 * ms, 4 * ms, trace::peer_none, 0, 8, {0, 1, 0});
    run[1].collective(alltoallv, 2 * ms, 3 * ms, trace::peer_none, 8, 8, {0, 0, 1});
    run[2].collective(alltoallv, 4 * ms, 1 * ms, trace::peer_none, 8, 0, {0, 0, 0});
  }
  const RunWaits found = run.waits();
  expect("alltoallv", found, WaitKind::wait_at_n_to_n, alltoallv, 0, steps * 1e6, {1, Doing::computation, alltoallv});
  expect("alltoallv", found, WaitKind::wait_at_n_to_n, alltoallv, 1, steps * 2e6, {2, Doing::computation, alltoallv});
  expect_rows("alltoallv", found, 2);
}

// What the record does not support is not claimed.
void nothing_is_claimed_without_evidence() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    for (size_t r = 0; r < 3; ++r) {
      run[r].collective(scan, 1 * ms + r * ms, (2 - r) * ms + 10 * us);
      run[r].collective(allreduce, 1 * ms + r * ms, (2 - r) * ms + 10 * us, trace::peer_none, 0, 0);  // no elements
      run[r].collective(bcast, 1 * ms + (r == 0) * ms, (r != 0) * ms + 10 * us, 0, 0, 0);
    }
  }
  expect_rows("no evidence", run.waits(), 0);
}

// Of several messages the last sender counts, once; the sends that are completed with them do not wait.
void lists_wait_for_the_last() {
  Run run(3);
  for (uint64_t i = 0; i < steps; ++i) {
    run[0].message(irecv, 1, 1 * ms, 10 * us);
    run[0].message(irecv, 2, 0, 10 * us);
    run[0].complete_all({irecv, irecv}, 0, 6 * ms);
    run[1].message(isend, 0, 3 * ms, 10 * us);
    run[1].complete(isend, 0, 4 * ms, 10 * us);
    run[2].message(isend, 0, 7 * ms, 10 * us);
    run[2].complete(isend, 0, 0, 10 * us);
  }
  const RunWaits found = run.waits();
  expect("list", found, WaitKind::late_sender, halo_wait, 0, steps * 5.98e6, {2, Doing::computation, isend});
  expect_rows("list", found, 1);
}

// Most times were not kept: the estimate is near what is true, its interval holds it, and slow iterations, which are
// kept as well, do not spoil it.
void estimates_hold_the_truth() {
  Run run(2);
  double waited = 0;
  uint32_t seed = 1;
  constexpr uint64_t many = 60000;
  for (uint64_t i = 0; i < many; ++i) {
    seed = seed * 1664525 + 1013904223;
    const uint64_t late = 100 * us + seed % (200 * us) + (i % 10000 == 7777 ? 20 * ms : 0);
    run[0].message(send, 1, 100 * us + late, 10 * us);
    run[0].collective(barrier, 0, 10 * us);
    run[1].message(recv, 0, 100 * us, late + 10 * us);
    run[1].collective(barrier, 0, 10 * us);
    waited += static_cast<double>(late);
  }
  const RunWaits found = run.waits();
  check(found.estimated && found.iterations > 8, "estimated from " + std::to_string(found.iterations));
  expect("estimate", found, WaitKind::late_sender, recv, 1, waited, {0, Doing::computation, send});
  if (const WaitRow* row = row_of(found, WaitKind::late_sender, recv, 1))
    check(row->error_ns > 0 && std::abs(row->ns - waited) <= row->error_ns && row->error_ns < 0.2 * waited,
          "interval " + std::to_string(row->error_ns) + " about " + std::to_string(row->ns) + ", true " +
              std::to_string(waited));
}

// Calls that wait little in most iterations, and for long in a few slow ones: these stand for themselves.
void slow_iterations_stand_for_themselves() {
  Run run(2);
  double waited = 0;
  constexpr uint64_t many = 40000;
  for (uint64_t i = 0; i < many; ++i) {
    const uint64_t late = i % 10000 == 7777 ? 500 * ms : 20 * us;
    run[0].message(send, 1, 500 * us + late, 200 * us);
    run[0].collective(barrier, 0, 10 * us);
    run[1].message(recv, 0, 500 * us, late + 200 * us);
    run[1].collective(barrier, 0, 10 * us);
    waited += static_cast<double>(late);
  }
  expect("slow iterations", run.waits(), WaitKind::late_sender, recv, 1, waited, {0, Doing::computation, send});
}

// Of 8 ranks in steps of 1 ms, `excess` gives what a rank computes beside that in a step.
analysis::Imbalance imbalance(const std::function<double(size_t, uint64_t)>& excess) {
  std::vector<analysis::StepComputation> all;
  for (uint64_t pair = 0; pair < 12; ++pair) {
    for (uint64_t i = 300 * pair; i < 300 * pair + 2; ++i) {
      analysis::StepComputation& s = all.emplace_back();
      s.iteration = i;
      for (size_t r = 0; r < 8; ++r) s.ns.push_back(1e6 + excess(r, i));
    }
  }
  return analysis::imbalance_of(all, {"a", "a", "b", "b", "c", "c", "d", "d"});
}

bool near(double value, double expected);

// 10,000 steps of 60 us, of which 10 take 40 ms more on one of 4 ranks: 30 ms lost in each, 30 us in the mean step.
void slow_steps_stand_for_themselves() {
  const auto with = [](const std::vector<uint64_t>& slow) {
    std::vector<analysis::StepComputation> usual, rare;
    for (uint64_t i = 1; i <= 12; ++i) usual.push_back({700 * i, {60e3, 60e3, 60e3, 60e3}});
    for (const uint64_t i : slow) rare.push_back({i, {60e3, 60e3 + 40e6, 60e3, 60e3}});
    analysis::Imbalance found = analysis::imbalance_of(usual, {"a", "a", "a", "a"});
    add_slow_steps(rare, 10000, &found);
    return found;
  };
  std::vector<uint64_t> regular, irregular;
  for (uint64_t i = 1; i <= 10; ++i) regular.push_back(1000 * i - 1), irregular.push_back(97 * i * i);
  const analysis::Imbalance found = with(regular);
  check(found.found && near(found.lost_ns, 30e3) && near(found.rare_ns, 30e3) && found.rare_steps == 10 &&
            found.rare_period == 1000 && near(found.computation_ns, 70e3),
        "slow steps: lost " + std::to_string(found.lost_ns) + " of " + std::to_string(found.computation_ns));
  check(with(irregular).rare_period == 0, "no period: " + std::to_string(with(irregular).rare_period));
  check(!with({}).found, "no slow steps");
}

bool near(double value, double expected) { return std::abs(value - expected) <= 0.05 * std::abs(expected) + 1; }

void kinds_of_imbalance_are_told_apart() {
  uint32_t seed = 7;
  const auto random = [&] {  // in [0, 1)
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) / double{1 << 24};
  };
  const auto constant = imbalance([](size_t r, uint64_t) { return r == 3 ? 8e5 : 0; });
  check(near(constant.fixed_ns, 7e5) && constant.wandering_ns == 0 && near(constant.noise_ns, 0) &&
            constant.slowest[0].first == 3,
        "the same rank: fixed " + std::to_string(constant.fixed_ns));
  const auto wandering = imbalance([](size_t r, uint64_t i) { return r == i / 300 % 8 ? 8e5 : 0; });
  check(wandering.fixed_ns == 0 && near(wandering.wandering_ns, 7e5) && near(wandering.noise_ns, 0),
        "another rank now and then: wandering " + std::to_string(wandering.wandering_ns) + ", fixed " +
            std::to_string(wandering.fixed_ns));
  for (int again = 0; again < 20; ++again) {
    // One rank in sixteen is interrupted.
    const auto noise = imbalance([&](size_t, uint64_t) { return random() < 1.0 / 16 ? 3e5 * random() : 0; });
    check(noise.fixed_ns == 0 && noise.wandering_ns == 0 && noise.changing_ns == 0 &&
              near(noise.noise_ns, noise.lost_ns) && noise.lost_ns > 2e4,
          "noise: fixed " + std::to_string(noise.fixed_ns) + ", wandering " + std::to_string(noise.wandering_ns) +
              ", changing " + std::to_string(noise.changing_ns));
    const auto uneven = imbalance([&](size_t, uint64_t) { return 9e5 * random(); });
    check(uneven.changing_ns > uneven.lost_ns / 2 && uneven.noise_ns == 0,
          "another rank in each step: changing " + std::to_string(uneven.changing_ns));
  }
  const auto in_turn = imbalance([](size_t r, uint64_t i) { return r == i % 8 ? 8e5 : 0; });
  check(near(in_turn.changing_ns, 7e5) && in_turn.fixed_ns == 0 && in_turn.wandering_ns == 0, "ranks in turn");
  const auto both = imbalance([&](size_t r, uint64_t) { return (r == 3 ? 8e5 : 0) + 1e5 * random(); });
  check(near(both.fixed_ns, 7e5) && both.wandering_ns == 0 && both.noise_ns < 1e5, "the same rank, with noise");
  const auto host = imbalance([&](size_t r, uint64_t) { return (r / 2 == 2 ? 5e5 : 0) + 1e4 * random(); });
  check(host.between_hosts > 0.9 && host.fixed_ns > 3e5, "a slow host");
  check(!imbalance([&](size_t, uint64_t) { return 5e3 * random(); }).found, "less than a hundredth");
}

}  // namespace

int main() {
  late_senders();
  late_senders_of_posted_receives();
  late_senders_of_probed_messages();
  chains_lead_to_their_root();
  late_receivers();
  sends_that_need_no_receiver();
  longer_sends_are_evidence();
  fences();
  causes_of_fences_are_followed_back();
  fences_that_need_not_wait();
  epochs_of_threads();
  late_posts_and_completes();
  collectives();
  nonblocking_collectives();
  vectors_say_who_is_waited_for();
  nothing_is_claimed_without_evidence();
  lists_wait_for_the_last();
  estimates_hold_the_truth();
  slow_iterations_stand_for_themselves();
  kinds_of_imbalance_are_told_apart();
  slow_steps_stand_for_themselves();
  return testing::result();
}
