// Messages one after another from one rank to another become one, as when an array is sent number by number: the last
// one carries the bytes of all. What was received cannot be part of what was sent before, so nothing has to be assumed
// of what the program does with the data, if nothing was received in between.
#include <algorithm>
#include <string>
#include <utility>

#include "replay/changes/rewriting.hpp"

namespace leadline::replay {

namespace {

using calls::LeafPart;
using structure::CallPart;
using Role = Rewriting::Role;

class Joining {
 public:
  Joining(TreeClass* of, size_t members) : class_(*of), members_(members), rewriting_(of) {}

  Refusal run(const std::vector<uint8_t>& wanted, const std::vector<uint8_t>& computes,
              const std::vector<TreeMember*>& members, bool* found, Made* made) {
    std::vector<Role> roles;
    for (size_t l = 0; l < wanted.size(); ++l) {
      const TreeLeaf& leaf = class_.leaves[l];
      roles.push_back(wanted[l] && (is_single(leaf) || is_completion(leaf)) ? Role::wanted
                      : is_local(leaf)                                      ? Role::passes
                                                                            : Role::ends);
    }
    rewriting_.for_each_row(roles, computes, [this](const Row& row, std::vector<uint32_t>* leaves) {
      return refusal_.empty() && one_row(row, leaves);
    });
    if (!refusal_.empty()) return refusal_;
    *found = *found || rewriting_.changes();
    return rewriting_.finish(members, made);
  }

 private:
  static bool is_single(const TreeLeaf& leaf) { return is_message(leaf) && leaf.leaf.call.parts.size() == 1; }
  const CallPart& part(const Row& row, size_t call) const {
    return class_.leaves[row.leaves[call]].leaf.call.parts.front();
  }

  bool one_row(const Row& row, std::vector<uint32_t>* leaves) {
    *leaves = row.leaves;
    std::vector<std::vector<size_t>> sends, receives, blocking;  // of calls, a group for each partner
    std::vector<std::vector<size_t>> all;                        // joined last, since that adds leaves
    const auto end = [&](std::vector<std::vector<size_t>>* groups) {
      for (std::vector<size_t>& group : *groups)
        if (group.size() > 1) all.push_back(std::move(group));
      groups->clear();
    };
    for (size_t c = 0; c < row.leaves.size(); ++c) {
      const TreeLeaf& l = class_.leaves[row.leaves[c]];
      if (is_completion(l)) {
        end(&sends);
        end(&receives);
        end(&blocking);
      }
      if (!is_message(l)) continue;
      const CallPart& p = part(row, c);
      if (l.leaf.varies || p.wildcard || p.cancelled) {
        refusal_ = "whom " + l.leaf.function + " receives from is unknown for some calls";
        return false;
      }
      // What is sent after a blocking receive may be what that brought; nonblocking ones bring it at their wait.
      if (p.sends()) {
        end(&blocking);
      } else if (!requests_of(l)) {
        end(&sends);
      }
      std::vector<std::vector<size_t>>& groups = p.sends() ? sends : requests_of(l) ? receives : blocking;
      const auto at = std::find_if(groups.begin(), groups.end(),
                                   [&](const std::vector<size_t>& group) { return alike(row, group.front(), c); });
      if (at == groups.end()) {
        groups.push_back({c});
      } else {
        at->push_back(c);
      }
    }
    end(&sends);
    end(&receives);
    end(&blocking);
    for (const std::vector<size_t>& group : all) join(row, group, leaves);
    return !all.empty();
  }

  // To or from the same partner, on all ranks of the class.
  bool alike(const Row& row, size_t one, size_t other) const {
    const TreeLeaf &a = class_.leaves[row.leaves[one]], &b = class_.leaves[row.leaves[other]];
    if (requests_of(a) != requests_of(b)) return false;
    for (size_t m = 0; m < members_; ++m) {
      const LeafPart &mine = a.leaf.parts.front().of(m), &its = b.leaf.parts.front().of(m);
      if (mine.partner.world != its.partner.world || mine.identity != its.identity) return false;
    }
    return true;
  }

  void join(const Row& row, const std::vector<size_t>& group, std::vector<uint32_t>* leaves) {
    const uint32_t old = row.leaves[group.back()], last = rewriting_.copy(old);
    {
      TreeLeaf& kept = rewriting_.made(last);
      kept.of = kept.stands_for > 1 ? kept.of : old;
      kept.stands_for *= static_cast<uint32_t>(group.size());
      const bool sends = kept.leaf.call.parts.front().sends();
      kept.leaf.parts.front() = changed(kept.leaf.parts.front(), [&](LeafPart* part, size_t m) {
        for (const size_t c : group) {
          if (c == group.back()) continue;
          const LeafPart& other = class_.leaves[row.leaves[c]].leaf.parts.front().of(m);
          const int64_t bytes = sends ? other.out_bytes : std::max(other.posted_bytes, other.in_bytes);
          for (int64_t* sum : {&part->posted_bytes, sends ? &part->out_bytes : &part->in_bytes})
            *sum = std::max<int64_t>(*sum, 0) + std::max<int64_t>(bytes, 0);
        }
      });
    }
    (*leaves)[group.back()] = last;
    for (const size_t c : group) {
      if (c == group.back()) continue;
      const uint32_t made = rewriting_.copy(row.leaves[c]);
      rewriting_.made(made).removed = true;
      rewriting_.made(made).stands_for = 0;
      (*leaves)[c] = made;
    }
  }

  TreeClass& class_;
  const size_t members_;
  Rewriting rewriting_;
  Refusal refusal_;
};

}  // namespace

Refusal join(const Selection& at, Tree* tree, Made* made) {
  bool found = false;
  const std::vector<std::vector<uint8_t>> computes = computing_leaves(*tree);
  for (size_t c = 0; c < tree->classes.size(); ++c) {
    std::vector<TreeMember*> members;
    for (TreeMember& member : tree->members)
      if (member.of_class == c) members.push_back(&member);
    TreeClass& of = tree->classes[c];
    if (of.leaves.empty()) continue;
    Joining joining(&of, of.leaves.front().leaf.times.size());
    if (const Refusal why = joining.run(selected_leaves(of, at), computes[c], members, &found, made); !why.empty())
      return why;
  }
  if (!found) return "no messages to one partner follow one another there, without computation between";
  return check_channels(*tree);
}

}  // namespace leadline::replay
