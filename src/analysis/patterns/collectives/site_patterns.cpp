#include "analysis/patterns/collectives/site_patterns.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace leadline::analysis {

namespace {

using trace::CallClass;
using trace::Category;

constexpr double bound_share = 0.3;          // of the time of a loop's iterations
constexpr double small_bytes = 1 << 12;      // a smaller allreduce takes as long as an empty one
constexpr uint64_t failed_per_success = 10;  // polls
constexpr uint64_t least_polls = 1000;
constexpr double nearly_all = 0.9;  // of the steps
constexpr uint64_t least_steps_of_local = 20;
constexpr double few_partners = 0.5;        // of the other ranks
constexpr int32_t least_of_few = 4;         // ranks
constexpr double most_beside_steps = 0.02;  // calls beside those of the steps, as a share; one, in any case

bool is_allreduce(const std::string& name) { return name == "MPI_Allreduce" || name == "MPI_Allreduce_c"; }
bool is_alltoall_by_counts(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name == "MPI_Alltoallv" || name == "MPI_Alltoallw";
}
// Blocking ones: what a rank has may be nothing.
bool has_counts_by_rank(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  return name == "MPI_Gatherv" || name == "MPI_Scatterv" || is_alltoall_by_counts(name);
}
bool is_barrier(const std::string& name) { return name == "MPI_Barrier"; }
// Communicators to other programs are made when those connect.
bool connects(const std::string& name) {
  return name.starts_with("MPI_Comm_spawn") || name == "MPI_Comm_accept" || name == "MPI_Comm_connect" ||
         name == "MPI_Comm_join";
}

// Local calls that make a datatype, and the one that makes it usable.
bool makes_datatype(const std::string& name) {
  return name.starts_with("MPI_Type_") &&
         (name == "MPI_Type_commit" || name.find("contiguous") != std::string::npos ||
          name.find("vector") != std::string::npos || name.find("indexed") != std::string::npos ||
          name.starts_with("MPI_Type_struct") || name.starts_with("MPI_Type_create_struct") ||
          name.find("subarray") != std::string::npos || name.find("darray") != std::string::npos ||
          name.starts_with("MPI_Type_create_resized") || name == "MPI_Type_dup");
}

double time_of(const GlobalSite& site) {
  double sum = 0;
  for (const Cell& c : site.cells) sum += c.counts.time_ns;
  return sum;
}

class SitePatterns {
 public:
  SitePatterns(const Profile& profile, const RunTraffic& traffic, const FileOrder& files, const SourcePlaces& places,
               std::vector<Pattern>* found)
      : profile_(profile),
        traffic_(traffic),
        files_(files),
        places_(places),
        found_(found),
        main_(profile.loops().main()) {
    for (uint32_t s = 0; s < profile.sites().size(); ++s) copies_[place(s)].push_back(s);
  }

  void run() {
    barriers();
    allreduces();
    polls();
    few_exchange();
    idle_ranks();
    created({CallClass::comm_create, CallClass::comm_icreate}, CallClass::comm_free, "communicators");
    created({CallClass::win_create}, CallClass::win_free, "windows");
    datatypes();
  }

 private:
  const trace::Function& function(uint32_t s) const { return profile_.functions()[profile_.sites()[s].function]; }
  bool within(uint32_t s, uint32_t loop) const {
    return loop && traffic_.sites()[s].loop && profile_.loops().within(traffic_.sites()[s].loop, loop);
  }

  Pattern pattern(const char* name, std::vector<uint32_t> sites) const {
    Pattern p;
    p.name = name;
    p.sites = std::move(sites);
    std::set<uint32_t> ranks;
    for (const uint32_t s : p.sites) {
      p.in_main_loop |= within(s, main_);
      for (const Cell& c : profile_.sites()[s].cells) {
        if (c.counts.calls) ranks.insert(c.process);
        p.messages += c.counts.messages;
        p.bytes += c.counts.sent + c.counts.contributed;
      }
    }
    p.ranks = static_cast<uint32_t>(ranks.size());
    return p;
  }

  uint64_t calls(uint32_t s) const {
    uint64_t sum = 0;
    for (const Cell& c : profile_.sites()[s].cells) sum += c.counts.calls;
    return sum;
  }

  // What a barrier may have to order: accesses to files around it, to windows and to shared memory, and receives from
  // anyone. (A message already synchronises both ranks.) Only in the main loop: at the start and at the end a barrier
  // costs nothing. Where nothing but barriers is called there, they order what the recording does not show, or are
  // timed.
  void barriers() {
    std::vector<uint32_t> found;
    bool communicates = false;
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      if (profile_.sites()[s].local || !within(s, main_)) continue;
      const Category category = category_of(function(s).cls);
      if (category == Category::one_sided || traffic_.sites()[s].wildcards) return;
      if (is_barrier(function(s).name))
        found.push_back(s);
      else
        communicates |= category == Category::point_to_point || category == Category::collective;
    }
    if (!communicates) return;
    // A barrier called in only a few steps delimits what is measured.
    std::erase_if(found, [&](uint32_t s) {
      return 2 * calls(s) < profile_.loops().iterations(main_) * profile_.sites()[s].cells.size() ||
             files_.may_order(s);
    });
    if (found.empty()) return;
    uint64_t times = 0;
    for (const uint32_t s : found) times += calls(s);
    Pattern p = pattern("redundant_barrier", found);
    p.evidence = {{"barriers", static_cast<int64_t>(times)}};
    found_->push_back(std::move(p));
  }

  // The innermost loops whose time goes into small allreduces.
  void allreduces() {
    const RunLoops& loops = profile_.loops();
    for (uint32_t l = 1; l < loops.all().size(); ++l) {
      std::vector<uint32_t> sites;
      double time = 0;
      uint64_t times = 0;
      int64_t bytes = 0;
      for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
        if (profile_.sites()[s].local || traffic_.sites()[s].loop != l || !is_allreduce(function(s).name)) continue;
        if (profile_.sites()[s].cells.size() < 2) continue;
        sites.push_back(s);
        time += time_of(profile_.sites()[s]);
        times += calls(s);
        for (const Cell& c : profile_.sites()[s].cells) bytes += c.counts.contributed;
      }
      const double whole = loops.time_ns(l);
      if (sites.empty() || loops.iterations(l) < 2 || time < bound_share * whole) continue;
      if (time > whole) continue;               // while the program runs, not all loops are known
      if (2 * times < iterations(l)) continue;  // few that wait long, as of a command that is rarely carried out
      if (static_cast<double>(bytes) > small_bytes * static_cast<double>(times)) continue;
      Pattern p = pattern("allreduce_bound", sites);
      p.evidence = {{"loop", int64_t{l}},
                    {"share_of_loop", time / whole},
                    {"bytes_of_one", static_cast<double>(bytes) / static_cast<double>(times)},
                    {"allreduces", static_cast<int64_t>(times)}};
      found_->push_back(std::move(p));
    }
  }

  // Of all ranks; failed polls alone make no iteration.
  uint64_t iterations(uint32_t loop) const {
    uint64_t sum = 0;
    for (const LoopCell& c : profile_.loops().all()[loop].cells) sum += c.iterations();
    return sum;
  }

  void polls() {
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      const SiteTraffic& t = traffic_.sites()[s];
      if (t.failed_polls < least_polls || t.failed_polls < failed_per_success * (t.polls - t.failed_polls)) continue;
      // One poll in an iteration that also makes other calls only lets the library make progress.
      if (t.failed_polls < failed_per_success * iterations(t.loop)) continue;
      Pattern p = pattern("polling", {s});
      p.evidence = {{"polls", static_cast<int64_t>(t.polls)}, {"in_vain", static_cast<int64_t>(t.failed_polls)}};
      found_->push_back(std::move(p));
    }
  }

  // All-to-alls in which ranks have data for few others.
  void few_exchange() {
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      const SiteTraffic& t = traffic_.sites()[s];
      if (!is_alltoall_by_counts(function(s).name) || !t.counted || t.counted != calls(s)) continue;
      if (t.least_size != t.most_size || t.most_size < least_of_few) continue;
      const double partners = static_cast<double>(t.partners) / static_cast<double>(t.counted);
      if (partners > few_partners * (t.most_size - 1)) continue;
      Pattern p = pattern("sparse_alltoall", {s});
      p.evidence = {{"partners", partners},
                    {"most_partners", static_cast<int64_t>(t.most_partners)},
                    {"of_ranks", int64_t{t.most_size}}};
      found_->push_back(std::move(p));
    }
  }

  // Collectives that some ranks always make without data, and several others with data; in the main loop.
  void idle_ranks() {
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      if (profile_.sites()[s].local || !within(s, main_) || !has_counts_by_rank(function(s).name)) continue;
      int64_t idle = 0, others = 0;
      for (const Cell& c : profile_.sites()[s].cells) {
        if (c.counts.calls) ++(c.counts.contributed || c.counts.collected ? others : idle);
      }
      if (!idle || others < 2) continue;
      Pattern p = pattern("idle_in_collective", {s});
      p.evidence = {{"idle", idle}, {"of_ranks", idle + others}};
      found_->push_back(std::move(p));
    }
  }

  // Communicators or windows that are made in every step, by collectives that could be called once before the loop.
  // The calls that free them belong to it.
  void created(const std::set<CallClass>& making, CallClass freeing, const char* what) {
    std::vector<uint32_t> sites, freed;
    std::set<uint32_t> processes;
    uint64_t times = 0;
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      const trace::Function& f = function(s);
      if (profile_.sites()[s].local || !within(s, main_) || (f.cls != freeing && !making.count(f.cls))) continue;
      if (connects(f.name) || !in_most_steps(s)) continue;
      if (f.cls == freeing) {
        freed.push_back(s);
        continue;
      }
      sites.push_back(s);
      times += calls(s);
      for (const Cell& c : profile_.sites()[s].cells) processes.insert(c.process);
    }
    if (sites.empty()) return;
    const double all = static_cast<double>(profile_.loops().iterations(main_)) * static_cast<double>(processes.size());
    sites.insert(sites.end(), freed.begin(), freed.end());
    Pattern p = pattern("repeated_creation", sites);
    p.evidence = {{"what", std::string(what)},
                  {"made", static_cast<int64_t>(times)},
                  {"made_per_step", static_cast<double>(times) / std::max(all, 1.0)}};
    found_->push_back(std::move(p));
  }

  // Datatypes that are made in every step. Local calls are counted, but not kept in their order: those of the steps are
  // as many as a multiple of the steps, on every process, and few more.
  void datatypes() {
    const RunLoops& loops = profile_.loops();
    if (!main_ || loops.iterations(main_) < least_steps_of_local) return;
    const auto steps = static_cast<double>(loops.iterations(main_));
    std::vector<uint32_t> sites;
    uint64_t committed = 0;
    std::set<uint32_t> processes;
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      const trace::Function& f = function(s);
      const bool frees = f.cls == CallClass::type_free;
      if (!profile_.sites()[s].local || (!frees && !makes_datatype(f.name)) || !once_in_steps(s, steps)) continue;
      sites.push_back(s);
      if (f.name != "MPI_Type_commit") continue;
      committed += calls(s);
      for (const Cell& c : profile_.sites()[s].cells) processes.insert(c.process);
    }
    if (!committed) return;
    Pattern p = pattern("repeated_creation", sites);
    p.in_main_loop = true;
    p.evidence = {{"what", std::string("datatypes")},
                  {"made", static_cast<int64_t>(committed)},
                  {"made_per_step",
                   std::floor(static_cast<double>(committed) / (steps * static_cast<double>(processes.size())))}};
    found_->push_back(std::move(p));
  }

  bool once_in_steps(uint32_t s, double steps) const {
    const std::vector<Cell>& cells = profile_.sites()[s].cells;
    return !cells.empty() && std::all_of(cells.begin(), cells.end(), [&](const Cell& c) {
      const auto calls = static_cast<double>(c.counts.calls);
      return calls >= steps && calls - steps * std::floor(calls / steps) <= std::max(1.0, most_beside_steps * steps);
    });
  }

  // Called in nearly all steps, on the processes that call there. Many calls in a few steps do not count: an inner loop
  // that the call is in must be entered as often. Compilers copy calls: one place may stand for all steps of a kind.
  bool in_most_steps(uint32_t s) const {
    const RunLoops& loops = profile_.loops();
    std::set<uint32_t> processes;
    std::map<uint32_t, uint64_t> by_loop;
    for (const uint32_t copy : copies_.at(place(s))) {
      if (!within(copy, main_)) continue;
      uint32_t inner = traffic_.sites()[copy].loop;
      while (inner != main_ && loops.all()[inner].outer != main_) inner = loops.all()[inner].outer;
      by_loop[inner] += calls(copy);
      for (const Cell& c : profile_.sites()[copy].cells) processes.insert(c.process);
    }
    uint64_t times = 0;
    for (const auto& [inner, made] : by_loop) {
      uint64_t entries = 0;
      for (const LoopCell& c : loops.all()[inner].cells) entries += c.entries;
      times += inner == main_ ? made : std::min(made, entries);
    }
    const auto steps = static_cast<double>(loops.iterations(main_));
    return static_cast<double>(times) >= nearly_all * steps * static_cast<double>(processes.size());
  }

  // Of a call in the source.
  using Place = std::pair<uint32_t, uint32_t>;
  Place place(uint32_t s) const {
    return {profile_.sites()[s].function, s < places_.lines.size() ? places_.lines[s] : s};
  }

  const Profile& profile_;
  const RunTraffic& traffic_;
  const FileOrder& files_;
  const SourcePlaces& places_;
  std::vector<Pattern>* found_;
  uint32_t main_;
  std::map<Place, std::vector<uint32_t>> copies_;  // call sites
};

}  // namespace

void patterns_of_sites(const Profile& profile, const RunTraffic& traffic, const FileOrder& files,
                       const SourcePlaces& places, std::vector<Pattern>* found) {
  SitePatterns(profile, traffic, files, places, found).run();
}

}  // namespace leadline::analysis
