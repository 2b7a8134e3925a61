#include "interchange/goal.hpp"

#include "interchange/goal_collectives.hpp"

namespace leadline::interchange {

namespace {

constexpr int32_t first_collective_tag = 1 << 28, collective_tags = 1 << 24;

}  // namespace

// The section of one rank.
class GoalExport::Rank {
 public:
  Rank(Output* out, int32_t rank, int32_t ranks) : out_(*out), rank_(rank), ranks_(ranks) {}

  void take(const Action& a) {
    switch (a.kind) {
      case Action::Kind::compute:
        return block(operation("calc " + std::to_string(static_cast<int64_t>(a.ns + 0.5))));
      case Action::Kind::send:
      case Action::Kind::receive: {
        const uint64_t label = message(a.kind == Action::Kind::send, a.partner, a.bytes, a.tag);
        if (!a.request) return block(label);
        start(label);
        under_way_[2 * a.request + (a.kind == Action::Kind::send)] = label;
        return;
      }
      case Action::Kind::wait: {
        const auto at = under_way_.find(2 * a.request + a.sends);
        if (at == under_way_.end()) return;
        last_.push_back(at->second);
        under_way_.erase(at);
        if (last_.size() > 1) block(operation("calc 0"));
        return;
      }
      case Action::Kind::collective:
        return collective(a);
    }
  }

 private:
  uint64_t operation(const std::string& what) {
    out_.write("l" + std::to_string(++labels_) + ": " + what + "\n");
    return labels_;
  }
  uint64_t message(bool sends, int32_t partner, int64_t bytes, int32_t tag) {
    return operation((sends ? "send " : "recv ") + std::to_string(bytes) + (sends ? "b to " : "b from ") +
                     std::to_string(partner) + " tag " + std::to_string(tag));
  }
  void start(uint64_t label) {
    for (const uint64_t l : last_) out_.write("l" + std::to_string(label) + " requires l" + std::to_string(l) + "\n");
  }
  void block(uint64_t label) {
    start(label);
    last_ = {label};
  }
  // All ranks make the same collectives in the same order.
  void collective(const Action& a) {
    const int32_t tag = first_collective_tag + static_cast<int32_t>(collectives_++ % collective_tags);
    for (const GoalRound& round : rounds_of(a, rank_, ranks_)) {
      const uint64_t sent = round.to < 0 ? 0 : message(true, round.to, round.bytes, tag);
      const uint64_t received = round.from < 0 ? 0 : message(false, round.from, round.in_bytes, tag);
      if (sent) start(sent);
      if (received) start(received);
      last_.clear();
      if (sent) last_.push_back(sent);
      if (received) last_.push_back(received);
      if (last_.size() > 1) block(operation("calc 0"));
    }
  }

  Output& out_;
  int32_t rank_, ranks_;
  uint64_t labels_ = 0, collectives_ = 0;
  std::vector<uint64_t> last_;  // what comes next requires these
  std::unordered_map<uint64_t, uint64_t> under_way_;
};

GoalExport::GoalExport(const std::string& path, Actions* actions, int32_t ranks, const std::string& comment)
    : out_(path), actions_(*actions), ranks_(ranks) {
  if (!comment.empty()) out_.write("// " + comment + "\n");
  out_.write("num_ranks " + std::to_string(ranks) + "\n");
}

void GoalExport::write(const trace::Process& process, uint32_t index) {
  out_.write("\nrank " + std::to_string(process.rank) + " {\n");
  Rank rank(&out_, process.rank, ranks_);
  actions_.visit(process, index, [&](const Action& a) { rank.take(a); });
  out_.write("}\n");
}

void GoalExport::write_nothing(int32_t rank) { out_.write("\nrank " + std::to_string(rank) + " {\nl1: calc 0\n}\n"); }

int GoalExport::finish() { return out_.close(); }

}  // namespace leadline::interchange
