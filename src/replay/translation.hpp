// From the leaves of a recorded run to actions.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "replay/recorded.hpp"

namespace leadline::replay {

// Marks 0 and 1 of the program: begin and end of the main loop.
// `tree`: that of the recording, or as changes made it.
Program program_of(const Recorded& recorded, const Tree& tree, const Settings& settings, Differences* differences);

class Translation {
 public:
  Translation(const Recorded& recorded, const Tree& tree, const Settings& settings, Differences* differences)
      : recorded_(recorded), tree_(tree), settings_(settings), differences_(*differences) {}

  Program make();

 private:
  using Leaf = calls::Leaf;
  struct At {  // a leaf on a rank
    uint32_t rank;
    size_t member;
    size_t index;
    const TreeLeaf& from;
    const Leaf& leaf;
    const structure::LeafTimes& times;
    uint64_t calls;
    bool one_of_many = false;  // a kind of the calls of a leaf that varies
  };

  using LeafKey = std::pair<uint32_t, uint32_t>;  // what it stands for, and its number in the trees of all classes
  static constexpr size_t no_leaf = SIZE_MAX;

  void times(uint32_t rank, size_t leaf, const RecordedShape& shape);
  void call(const At& at);
  void note(size_t leaf, bool begins);
  std::vector<uint64_t> noted_calls(const RecordedShape& shape, const TreeMember& member) const;
  void choose_traced(const std::vector<RecordedShape>& shapes);
  void find_posted_before();
  void choose(const At& at, const RecordedShape& shape);
  void messages(const At& at);
  void requests(const At& at);
  void completions(const At& at);
  void collective(const At& at, bool nonblocking);
  void formula(const At& at, bool nonblocking, uint32_t group, uint32_t member, uint32_t root);
  bool schedule(const At& at, const std::vector<int32_t>& members, uint32_t me, uint32_t root);
  void nothing(const At& at);  // a request that is complete at once
  void as_long(const At& at);  // as the call took
  double in_old_window(const At& at);

  bool message(const At& at, size_t part, bool sends, bool own, double call_ns);
  void wait(const std::vector<uint32_t>& ages, bool own, double call_ns);
  void withdraw(const std::vector<uint32_t>& ages);
  void of_requests(Action action, const std::vector<uint32_t>& ages);
  uint32_t cost(double ns, const Share& share = {});
  uint32_t transfer(uint32_t from, uint32_t to, int64_t bytes, bool posted_before, bool together);
  bool has_routes() const;
  uint32_t route(uint32_t from, uint32_t to);
  uint32_t channel(uint64_t identity, uint32_t from, uint32_t to, int64_t tag);
  uint32_t group(uint64_t identity);
  bool fence(const At& at);
  const network::Link& link(uint32_t from, uint32_t to) const;
  double shortest_ns(const At& at) const;
  double packed_ns(const At& at, double one_ns) const { return packed_ns(at, one_ns, one_ns); }
  double packed_ns(const At& at, double one_ns, double most_ns) const;
  const MessageCosts::Receive* receive_cost(const At& at, bool any_size) const;
  MessageCosts::Receive received(const At& at, bool any_size) const;
  static int64_t received_bytes(const At& at);
  bool waits_for_receiver(int64_t bytes) const;
  double send_ns(const At& at, double ns) const;
  double usual_message_ns(int64_t bytes) const;
  void rest_of_send(double ns);
  void after(double ns);
  bool has_messages() const { return settings_.messages.has_long() && !settings_.network; }
  void copies(const At& at, bool receives);
  int64_t bytes_from_here(const At& at) const;
  int64_t touched_bytes(const At& at);
  double copy_ns(int64_t bytes) const;
  Action::Meeting meeting_of_waiting(const At& at, Action::Meeting meeting, bool is_root) const;
  double gathered_ns(const At& at, Action::Meeting meeting, bool is_root, size_t ranks) const;
  double last_to_come_ns(const At& at, uint32_t group);
  double mean_of_last_ns(uint32_t group, LeafKey key);
  size_t leaf_of(uint32_t of_class, LeafKey key);
  static LeafKey key_of(const std::vector<TreeLeaf>& leaves, const TreeLeaf& leaf);
  void series(const std::vector<float>& ns, double mean_ns, double factor, const RecordedShape& shape, size_t leaf);

  const Recorded& recorded_;
  const Tree& tree_;
  const Settings& settings_;
  Differences& differences_;
  Program program_;
  RankProgram* own_ = nullptr;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t>, uint32_t> costs_;
  // Within a node, posted before, together, bytes, links of the route.
  std::map<std::tuple<bool, bool, bool, int64_t, size_t>, uint32_t> transfers_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> routes_;  // by nodes
  std::map<uint32_t, uint32_t> links_;                        // numbers of the topology's that some route takes
  std::map<std::tuple<uint64_t, uint32_t, uint32_t, int64_t>, uint32_t> channels_;
  std::set<std::tuple<uint64_t, uint32_t, uint32_t, int32_t>> posted_before_;  // communicator, ranks, tag
  std::map<uint64_t, uint32_t> groups_;
  std::map<std::pair<uint32_t, LeafKey>, double> last_to_come_;  // by group
  std::vector<std::map<LeafKey, size_t>> leaves_of_;             // by class
  std::map<std::string, double> one_sided_ns_;                   // by function: the least of all its leaves
  std::map<uint32_t, int64_t> touched_bytes_;                    // by rank; not there: not known yet
  bool last_stays_ = false;                                      // the last one of the main loop's iterations
  std::vector<std::vector<uint64_t>> last_calls_;                // then, by class and leaf: its calls
  std::vector<uint32_t> alone_;                                  // by rank: its group of one; UINT32_MAX: not made yet
};

}  // namespace leadline::replay
