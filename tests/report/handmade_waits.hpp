// Runs built by hand whose waits are known, and what is expected of them: kind, call site, rank, seconds and cause.
#pragma once

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

namespace leadline::test {

using analysis::Doing;
using analysis::RunWaits;
using analysis::WaitKind;
using analysis::WaitRow;
using recording::MemoryThread;
using testing::check;
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
    std::vector<int32_t> members;
    for (int32_t r = 0; r < size_; ++r) members.push_back(r);
    p->communicators[world].world = trace::Members(members);
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

inline const WaitRow* row_of(const RunWaits& found, WaitKind kind, uint32_t site, uint32_t rank) {
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
inline void expect(const std::string& name, const RunWaits& found, WaitKind kind, uint32_t site, uint32_t rank,
                   double ns, const Cause& cause, double share = 1) {
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

inline void expect_rows(const std::string& name, const RunWaits& found, size_t rows) {
  std::string all;
  for (const WaitRow& r : found.rows)
    all += std::string(" ") + name_of(r.kind) + "@" + facts[r.site].function + "/" + std::to_string(r.process);
  check(found.rows.size() == rows, name + ": waits" + all);
}

constexpr uint64_t steps = 200;

}  // namespace leadline::test
