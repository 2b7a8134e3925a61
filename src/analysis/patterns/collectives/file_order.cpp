#include "analysis/patterns/collectives/file_order.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "structure/build_tree.hpp"
#include "structure/call_decoder.hpp"
#include "structure/tree_calls.hpp"

namespace leadline::analysis {

namespace {

using structure::CallDecoder;
using structure::CallItem;
using structure::DecodedCall;
using structure::Element;
using structure::Item;
using structure::LoopTree;
using structure::Sequence;
using trace::Category;

// Every rank leaves these after the last one has entered, if they move data. Those with counts by rank may move none.
bool synchronises(const std::string& name) {
  constexpr std::array<const char*, 5> all = {"MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall", "MPI_Reduce_scatter",
                                              "MPI_Reduce_scatter_block"};
  return std::any_of(all.begin(), all.end(), [&](const std::string& n) { return name == n || name == n + "_c"; });
}

// One thread's calls: which file calls come next to a barrier, with no collective of all ranks between.
class Neighbours {
 public:
  static constexpr uint32_t files = UINT32_MAX;
  Neighbours(const trace::Process& process, size_t stream, const FileOrder::Sites& sites)
      : process_(process),
        sites_(sites),
        decoder_(process, stream),
        tree_(structure::loop_tree(process.streams[stream])) {
    ends_.resize(tree_.sequences.size());
    for (Sequence s = 1; s < tree_.sequences.size(); ++s) {
      for (const Element& e : tree_.sequences.elements(s)) {
        const Ends one = of(e);
        if (e.times > 1) join(one, one);
        ends_[s] = join(ends_[s], one);
      }
    }
  }

  bool order_is_known() const { return tree_.lost_calls == 0; }
  const std::set<uint32_t>& before() const { return before_; }  // barriers with uses of files on that side
  const std::set<uint32_t>& after() const { return after_; }

 private:
  // Barriers, and `files`, up to the first collective of all ranks and since the last one.
  struct Ends {
    std::set<uint32_t> head, tail;
    bool divided = false;
  };

  Ends of(const Element& e) {
    if (!structure::is_call(e)) return ends_[structure::inside(tree_, e)];
    const CallItem& call = tree_.calls[Item(e.id).index()];
    const uint32_t site = call.key.site;
    if (site >= sites_.barrier.size()) return {};
    if (sites_.on_files[site]) return {{files}, {files}, false};
    if (sites_.barrier[site] != FileOrder::Sites::none) return {{sites_.barrier[site]}, {sites_.barrier[site]}, false};
    return {{}, {}, divides(call)};
  }

  bool divides(const CallItem& call) {
    if (call.varies || decoder_.class_of(call.key.site) != trace::CallClass::coll) return false;
    decoder_.decode(call.key, nullptr, 0, &call_);
    if (call_.refused || call_.posted_bytes <= 0 || call_.comm >= process_.communicators.size()) return false;
    const trace::Communicator& comm = process_.communicators[call_.comm];
    return comm.kind == trace::Communicator::Kind::intra && comm.size == process_.world_size &&
           call_.function < process_.functions.size() && synchronises(process_.functions[call_.function].name);
  }

  Ends join(const Ends& a, const Ends& b) {
    const bool used_before = a.tail.count(files) > 0, used_after = b.head.count(files) > 0;
    for (const uint32_t barrier : b.head) {
      if (used_before && barrier != files) before_.insert(barrier);
    }
    for (const uint32_t barrier : a.tail) {
      if (used_after && barrier != files) after_.insert(barrier);
    }
    Ends both{a.head, b.tail, a.divided || b.divided};
    if (!a.divided) both.head.insert(b.head.begin(), b.head.end());
    if (!b.divided) both.tail.insert(a.tail.begin(), a.tail.end());
    return both;
  }

  const trace::Process& process_;
  const FileOrder::Sites& sites_;
  CallDecoder decoder_;
  DecodedCall call_;
  LoopTree tree_;
  std::vector<Ends> ends_;  // by sequence
  std::set<uint32_t> before_, after_;
};

}  // namespace

void FileOrder::add(const trace::Process& process, uint32_t index) {
  if (!profile_.loops().main() || process.files.empty()) return;
  add_files(process, index);
  const ProcessSummary& summary = profile_.processes()[index];
  for (size_t s = 0; s < std::min(process.streams.size(), summary.site_numbers.size()); ++s) {
    const Sites sites = sites_of(process, index, s);
    if (!sites.use_files) continue;
    if (!sites.call_barriers) {
      at_any_time_.insert(index);
      continue;
    }
    const Neighbours neighbours(process, s, sites);
    for (const uint32_t barrier : neighbours.before()) around_[barrier].before.insert(index);
    for (const uint32_t barrier : neighbours.after()) around_[barrier].after.insert(index);
    if (!neighbours.order_is_known()) at_any_time_.insert(index);
  }
}

FileOrder::Sites FileOrder::sites_of(const trace::Process& process, uint32_t index, size_t stream) const {
  const ProcessSummary& summary = profile_.processes()[index];
  const std::vector<uint32_t>& numbers = summary.site_numbers[stream];
  const std::vector<uint32_t>& loops = summary.loop_numbers[stream];
  const CallDecoder decoder(process, stream);
  Sites sites{std::vector<uint32_t>(numbers.size(), Sites::none), std::vector<bool>(numbers.size())};
  for (uint32_t site = 0; site < numbers.size(); ++site) {
    if (numbers[site] >= profile_.sites().size() || profile_.sites()[numbers[site]].local) continue;
    const uint32_t loop = process.streams[stream].loop_around(site);
    if (loop >= loops.size() || !loops[loop] || !profile_.loops().within(loops[loop], profile_.loops().main()))
      continue;
    const trace::Function& function = profile_.functions()[profile_.sites()[numbers[site]].function];
    sites.on_files[site] = category_of(function.cls) == Category::io;
    sites.use_files |= sites.on_files[site];
    if (function.name != "MPI_Barrier") continue;
    sites.barrier[site] = numbers[site];
    sites.call_barriers = true;
  }
  return sites;
}

void FileOrder::add_files(const trace::Process& process, uint32_t index) {
  for (const trace::ProcessFile& file : process.files) {
    uint64_t uses = 0, writes = 0;
    for (const trace::ProcessFile::Counts& c : file.layers) {
      uses += c.opens + c.closes + c.reads + c.writes + c.others;
      writes += c.writes;
    }
    if (!uses && !file.mapped) continue;
    File& known = files_[file.name];
    known.users.insert(index);
    known.written |= writes > 0 || file.mapped || file.name.empty();
  }
}

bool FileOrder::may_order(uint32_t barrier) const {
  const auto found = around_.find(barrier);
  const Around around = found == around_.end() ? Around{} : found->second;
  return std::any_of(files_.begin(), files_.end(), [&](const auto& named) {
    const File& file = named.second;
    if (!file.written || file.users.size() < 2) return false;
    std::set<uint32_t> before, after;
    for (const uint32_t process : file.users) {
      if (at_any_time_.count(process) || around.before.count(process)) before.insert(process);
      if (at_any_time_.count(process) || around.after.count(process)) after.insert(process);
    }
    return !before.empty() && !after.empty() && (before.size() > 1 || before != after);
  });
}

}  // namespace leadline::analysis
