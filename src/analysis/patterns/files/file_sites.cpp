#include "analysis/patterns/files/file_sites.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "analysis/patterns/files/open_files.hpp"
#include "calls/thread_calls.hpp"
#include "structure/call_decoder.hpp"
#include "structure/tree_calls.hpp"
#include "trace/saturating.hpp"

namespace leadline::analysis {

namespace {

using structure::CallDecoder;
using structure::CallItem;
using structure::DecodedCall;
using structure::Element;
using structure::Item;
using structure::LoopTree;
using structure::Sequence;
using trace::CallClass;
using trace::Category;

bool opens(CallClass c) { return c == CallClass::posix_open || c == CallClass::file_open; }

bool closes(CallClass c) { return c == CallClass::posix_close || c == CallClass::file_close; }

// Call sites of the stream that open or close files or move their data.
std::vector<bool> sites_on_files(const CallDecoder& decoder, const trace::Stream& stream) {
  std::vector<bool> found(stream.sites.size());
  for (uint32_t s = 0; s < stream.sites.size(); ++s) {
    const CallClass c = decoder.class_of(s);
    found[s] = category_of(c) == Category::io &&
               (opens(c) || closes(c) || trace::facts_of(c).moves || trace::facts_of(c).by_function);
  }
  return found;
}

// Follows the calls of a process on its files.
class Following {
 public:
  explicit Following(const trace::Process& process) : process_(process) {}

  // The calls of a thread. `numbers`: its sites' in the profile.   `most`: calls to look at.
  void thread(size_t stream, const std::vector<uint32_t>& numbers, size_t sites, uint64_t most) {
    const CallDecoder decoder(process_, stream);
    wanted_ = sites_on_files(decoder, process_.streams[stream]);
    for (size_t s = 0; s < wanted_.size(); ++s) wanted_[s] = wanted_[s] && s < numbers.size() && numbers[s] < sites;
    if (std::find(wanted_.begin(), wanted_.end(), true) == wanted_.end()) return;
    numbers_ = &numbers;
    left_ = most;
    open_.begin_thread();
    const LoopTree tree = structure::loop_tree(process_.streams[stream]);
    tells_all(tree, decoder) ? through(tree, decoder) : one_by_one(stream);
  }

  // By file.
  const std::map<uint32_t, FileUseSites>& uses() {
    for (const Opened& o : opened_) uses_[o.file].opens[o.site] += o.times;
    opened_.clear();
    return uses_;
  }

 private:
  struct Opened {
    uint32_t file, site;
    uint64_t times;
  };

  bool wants(uint32_t site) const { return site < wanted_.size() && wanted_[site]; }

  // Whether the tree distinguishes the files of calls. For calls whose parameters vary without end it keeps an MPI
  // file, but neither the open file nor a file's number.
  bool tells_all(const LoopTree& tree, const CallDecoder& decoder) const {
    if (tree.lost_calls) return false;
    return std::none_of(tree.calls.begin(), tree.calls.end(), [&](const CallItem& call) {
      const CallClass c = decoder.class_of(call.key.site);
      return call.varies && wants(call.key.site) && (opens(c) || trace::is_posix(c));
    });
  }

  void one_by_one(size_t stream) {
    calls::ThreadCalls thread(process_, stream, {.form = calls::Wanted::Form::equal});
    for (; left_ && thread.next(); --left_) {
      if (!thread.polls() && wants(thread.event().event.key.site)) take(thread.decoded(), thread.times());
    }
  }

  void through(const LoopTree& tree, const CallDecoder& decoder) {
    tree_ = &tree;
    calls_.assign(tree.calls.size(), {});
    for (size_t i = 0; i < tree.calls.size(); ++i) {
      if (wants(tree.calls[i].key.site)) decoder.decode(tree.calls[i].key, nullptr, 0, &calls_[i]);
    }
    holds_.assign(tree.sequences.size(), Holds::nothing);
    for (Sequence s = 1; s < tree.sequences.size(); ++s) {
      for (const Element& e : tree.sequences.elements(s)) holds_[s] = std::max(holds_[s], holds(e));
    }
    known_.assign(tree.sequences.size(), 0);
    go_through(tree.root);
  }

  enum class Holds : uint8_t { nothing, transfers, opens };
  Holds holds(const Element& e) const {
    if (!structure::is_call(e)) return holds_[structure::inside(*tree_, e)];
    const uint32_t call = Item(e.id).index();
    if (!wants(tree_->calls[call].key.site)) return Holds::nothing;
    return opens(calls_[call].cls) ? Holds::opens : Holds::transfers;
  }

  struct Place {
    Sequence sequence = 0;
    size_t element = 0;
    uint64_t done = 0;               // times that the element was gone through
    size_t changes = 0, opened = 0;  // of open files, and files opened, before the last time
  };

  // Not by recursion: sequences may be deep.
  void go_through(Sequence root) {
    std::vector<Place> stack{{root}};
    while (!stack.empty() && left_) {
      Place& at = stack.back();
      const std::span<const Element> elements = tree_->sequences.elements(at.sequence);
      if (at.element == elements.size()) {
        stack.pop_back();
        if (!stack.empty()) came_back(&stack.back());
        continue;
      }
      const Element& e = elements[at.element];
      const Sequence in = structure::inside(*tree_, e);
      if (holds(e) == Holds::nothing || (in && says_nothing_new(in))) {
        ++at.element;
      } else if (!in) {
        --left_;
        ++at.element;
        take(calls_[Item(e.id).index()], e.times);
      } else {
        at.changes = open_.changes();
        at.opened = opened_.size();
        stack.push_back({in});
      }
    }
  }

  // Transfers alone repeat as long as the same files are open.
  bool says_nothing_new(Sequence s) {
    return holds_[s] == Holds::transfers && std::exchange(known_[s], open_.state()) == open_.state();
  }

  // Once an iteration leaves the files open that were open before it, all that follow do the same.
  void came_back(Place* at) {
    const uint64_t times = tree_->sequences.elements(at->sequence)[at->element].times;
    const bool same = open_.same_as_at(at->changes);
    if (++at->done < times && !same) return;
    for (size_t i = at->opened; same && i < opened_.size(); ++i) {
      opened_[i].times = trace::saturating_product(opened_[i].times, times - at->done + 1);
    }
    ++at->element;
    at->done = 0;
  }

  void take(const DecodedCall& call, uint64_t times) {
    const bool libc = trace::is_posix(call.cls);
    if (opens(call.cls)) {
      if (libc ? call.open_file == 0 : call.made == 0) return;  // it failed
      const uint64_t new_files = call.count > 0 ? 0 : times;
      if (!new_files) open(call, static_cast<uint64_t>(call.count), times);
      for (uint64_t i = 0; i < new_files && open(call, open_.highest() + 1, 1); ++i) {
      }
      return;
    }
    const auto file =
        libc ? open_.file(OpenFiles::By::libc, call.open_file) : open_.file(OpenFiles::By::mpi, call.comm);
    if (!file) return;
    (closes(call.cls) ? uses_[*file].closes : uses_[*file].transfers).insert((*numbers_)[call.site]);
  }

  bool open(const DecodedCall& call, uint64_t file, uint64_t times) {
    if (file >= process_.files.size()) return false;
    // An MPI file that is not among the files has no number either.
    const bool libc = trace::is_posix(call.cls);
    if (!libc && !process_.files[file].opened_by_mpi) return false;
    const auto number = static_cast<uint32_t>(file);
    open_.reach(number);
    libc ? open_.set(OpenFiles::By::libc, call.open_file, number) : open_.set(OpenFiles::By::mpi, call.made, number);
    opened_.push_back({number, (*numbers_)[call.site], times});
    return true;
  }

  const trace::Process& process_;
  OpenFiles open_;
  std::map<uint32_t, FileUseSites> uses_;
  std::vector<Opened> opened_;  // in their order
  // Of the thread that is followed:
  std::vector<bool> wanted_;  // by its site
  const std::vector<uint32_t>* numbers_ = nullptr;
  uint64_t left_ = 0;
  const LoopTree* tree_ = nullptr;
  std::vector<DecodedCall> calls_;  // by number in the tree, the wanted ones
  std::vector<Holds> holds_;        // by sequence
  std::vector<uint64_t> known_;     // by sequence: the state in which it was gone through last
};

}  // namespace

void FileSites::add(const trace::Process& process, uint32_t index) {
  if (process.files.empty() || process.streams.empty()) return;
  const std::vector<std::vector<uint32_t>>& numbers = profile_.processes()[index].site_numbers;
  const uint64_t most = std::min(most_calls, most_in_all / profile_.processes().size()) / process.streams.size();
  Following following(process);
  for (size_t stream = 0; stream < std::min(process.streams.size(), numbers.size()); ++stream) {
    following.thread(stream, numbers[stream], profile_.sites().size(), most);
  }
  for (const auto& [file, uses] : following.uses()) uses_[{index, file}] = uses;
}

const FileUseSites* FileSites::find(uint32_t process, uint32_t file) const {
  const auto found = uses_.find({process, file});
  return found == uses_.end() ? nullptr : &found->second;
}

}  // namespace leadline::analysis
