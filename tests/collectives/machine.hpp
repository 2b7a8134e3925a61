// Executes the schedules of all ranks together, without MPI, on values that say what was done to them, and watches over
// every access: nothing is read that wasn't written, or is being received; nothing written that is being sent.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "collectives/algorithm.hpp"
#include "collectives/blocks.hpp"

namespace leadline::test {

using namespace leadline::collectives;

inline uint64_t scrambled(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// An element: the contributions in it. Operations on it are associative but for `tree`.
struct Value {
  uint64_t sum = 0;       // in any order: a contribution twice or missing shows
  uint64_t sequence = 0;  // in their order
  uint64_t power = 0;     // a base to the number of contributions; 0: nothing was written
  uint64_t tree = 0;      // and in what order they were put together: what makes rounding differ
};

inline Value contribution(int rank, int64_t element) {
  const uint64_t id = scrambled(static_cast<uint64_t>(rank) << 32 | static_cast<uint64_t>(element));
  return {id, scrambled(id), 0x10000001b3, scrambled(id + 1)};
}

inline Value combined(const Value& from, const Value& to) {
  return {from.sum + to.sum, from.sequence * to.power + to.sequence, from.power * to.power,
          scrambled(from.tree) * 3 + to.tree};
}

// Of all ranks, where blocks have their own counts and places.
struct ByRank {
  std::vector<int64_t> contributed, contributed_places, received, received_places;
  int64_t own = 0;  // of a rank without any of them: the count of its block
};
inline Problem problem_of(Problem problem, int rank, const std::vector<ByRank>& all) {
  problem.rank = rank;
  if (all.empty()) return problem;
  const ByRank& of = all[static_cast<size_t>(rank)];
  const auto array = [](const std::vector<int64_t>& values) { return values.empty() ? nullptr : values.data(); };
  problem.counts_contributed = array(of.contributed);
  problem.places_contributed = array(of.contributed_places);
  problem.counts_received = array(of.received);
  problem.places_received = array(of.received_places);
  if (!problem.counts_contributed && !problem.counts_received) problem.count = of.own;
  return problem;
}

// Elements of what the problem's rank contributes or receives, up to the end of the last block.
inline int64_t end_of(const int64_t* counts, const int64_t* places, int blocks) {
  int64_t end = 0;
  for (int rank = 0; rank < blocks; ++rank) end = std::max(end, places[rank] + counts[rank]);
  return end;
}
inline int64_t contributed_by(const Problem& problem) {
  if (!problem.places_contributed) return whole(problem).count;
  return end_of(problem.counts_contributed, problem.places_contributed, problem.processes);
}
inline int64_t received_by(const Problem& problem) {
  if (!facts_of(problem.operation).received.block_per_rank) return result(problem).count;
  const int blocks = static_cast<int>(facts_of(problem.operation).blocks_received(problem.processes));
  if (!problem.counts_received) return problem.count * blocks;
  return end_of(problem.counts_received, problem.places_received, blocks);
}

// Of a whole job. One after the other is simulated with the same memory.
class Machine {
 public:
  struct Options {
    bool rendezvous = true;  // a send is complete when its receive is posted; or else at once
    bool in_place = false;   // the input is in the data
  };

  // Elements of a rank's data and input, where they do not follow from the problem.
  struct Sizes {
    int64_t received = 0, contributed = 0;
  };

  // "": all ended, and nothing was wrong.
  std::string run(const std::vector<Schedule>& schedules, const Problem& problem, Options options,
                  const std::vector<ByRank>& by_rank = {}, const std::vector<Sizes>& sizes = {}) {
    schedules_ = &schedules;
    by_rank_ = &by_rank;
    sizes_ = &sizes;
    problem_ = problem;
    options_ = options;
    error_.clear();
    messages = elements = 0;
    const auto p = static_cast<size_t>(problem.processes);
    if (channels_.size() < p * p) channels_.assign(p * p, {});
    posts_.clear();
    meetings_.clear();
    ranks_.resize(p);
    runnable_.clear();
    for (int rank = 0; rank < problem.processes; ++rank) {
      begin(rank);
      runnable_.push_back(rank);
    }
    while (!runnable_.empty() && error_.empty()) {
      const int rank = runnable_.back();
      runnable_.pop_back();
      advance(rank);
    }
    if (error_.empty()) check_ends();
    if (!error_.empty()) channels_.assign(channels_.size(), {});
    return error_;
  }

  const Value& data(int rank, int64_t element) const {
    const Rank& r = ranks_[static_cast<size_t>(rank)];
    return r.spaces[r.memory_of[0]].values[static_cast<size_t>(first(r, {Space::data, element, 1}))];
  }
  Value* writable(int rank, Space space) { return memory(ranks_[static_cast<size_t>(rank)], space).values.data(); }

  // Whether the rank has heard, by messages without data, that the other has begun.
  bool has_heard(int rank, int other) const {
    return ranks_[static_cast<size_t>(rank)].heard[static_cast<size_t>(other)];
  }

  int64_t messages = 0, elements = 0;  // sent in all

 private:
  struct Memory {
    std::vector<Value> values;
    std::vector<int32_t> in_flight;  // sends from here; -1: being received to
  };
  struct Request {
    enum State : uint8_t { unmade, pending, complete, waited } state = unmade;
    bool is_send = false;
    Range range;
    std::vector<bool> heard;  // of a receive without data: what the sender had
  };
  struct Rank {
    Memory spaces[3];
    std::vector<Request> requests;
    size_t next_step = 0;
    int64_t blocked_on = -1;  // request
    bool has_met = false;     // its step together is done
    std::vector<bool> heard;  // by rank
    // In place, the input is in the memory of the data, or the other way round: which memory a space has, from where.
    int memory_of[3] = {0, 1, 2};
    int64_t begin_of[3] = {0, 0, 0};
  };
  struct Post {
    int rank;
    uint32_t request;
    int32_t next;
    std::vector<Value> payload;  // of a send that is complete at once
    std::vector<bool> heard;     // of a send without data
  };
  struct Channel {  // what is posted and not matched: of one kind
    int32_t first = -1, last = -1;
    bool sends = false;
  };

  void begin(int rank) {
    Rank& r = ranks_[static_cast<size_t>(rank)];
    const Schedule& schedule = (*schedules_)[static_cast<size_t>(rank)];
    const OperationFacts& facts = facts_of(problem_.operation);
    const bool is_root = rank == problem_.root, has_data = facts.has_result(is_root);
    const bool has_input = facts.contributes(is_root) && !facts.has_one_buffer();
    const Problem problem = problem_of(problem_, rank, *by_rank_);
    const bool given = !sizes_->empty();
    const int64_t contributed = given ? (*sizes_)[static_cast<size_t>(rank)].contributed : contributed_by(problem);
    const int64_t received = given ? (*sizes_)[static_cast<size_t>(rank)].received : received_by(problem);
    const int64_t sizes[] = {has_data ? received : 0, has_input ? contributed : 0, schedule.scratch_elements};
    place(problem, &r, options_.in_place && has_data && has_input && !facts.exchanges());
    for (int i = 0; i < 3; ++i) {
      const auto size = static_cast<size_t>(r.memory_of[i] == i ? sizes[i] : 0);
      r.spaces[i].values.assign(size, {});
      r.spaces[i].in_flight.assign(size, 0);
    }
    r.heard.assign(facts.has_data ? 0 : static_cast<size_t>(problem_.processes), false);
    if (!facts.has_data) r.heard[static_cast<size_t>(rank)] = true;
    r.requests.assign(schedule.requests, {});
    r.next_step = 0;
    r.blocked_on = -1;
    r.has_met = false;
    if (!facts.contributes(is_root)) return;
    const Space space = facts.has_one_buffer() ? Space::data : Space::input;
    const int64_t begin = first(r, {space, 0, contributed});
    for (int64_t i = 0; i < contributed; ++i)
      memory(r, space).values[static_cast<size_t>(begin + i)] = contribution(rank, i);
  }

  // In place, a rank's contribution is where its block of the result is to be, or the result is its own block of what
  // it contributes; that of a reduction of blocks is at their begin.
  static void place(const Problem& problem, Rank* r, bool in_place) {
    const OperationFacts& facts = facts_of(problem.operation);
    for (int i = 0; i < 3; ++i) {
      r->memory_of[i] = i;
      r->begin_of[i] = 0;
    }
    if (!in_place) return;
    const int moved = facts.contributed.block_per_rank ? 0 : 1;
    r->memory_of[moved] = 1 - moved;
    const bool of_blocks = facts.contributed.block_per_rank || facts.received.block_per_rank;
    if (!of_blocks || facts.reduces) return;
    const Range own = moved ? received_from(problem, problem.rank) : contributed_to(problem, problem.rank);
    r->begin_of[moved] = own.first;
  }

  static Memory& memory(Rank& r, Space space) { return r.spaces[r.memory_of[static_cast<int>(space)]]; }

  // Where a range lies in its memory.
  static int64_t first(const Rank& r, const Range& range) {
    return range.first + r.begin_of[static_cast<int>(range.space)];
  }

  void fail(int rank, const char* what) {
    if (error_.empty())
      error_ = "rank " + std::to_string(rank) + ", step " +
               std::to_string(ranks_[static_cast<size_t>(rank)].next_step) + ": " + what;
  }

  void advance(int rank) {
    Rank& r = ranks_[static_cast<size_t>(rank)];
    const std::vector<Step>& steps = (*schedules_)[static_cast<size_t>(rank)].steps;
    while (r.next_step < steps.size() && error_.empty()) {
      if (!perform(rank, r, steps[r.next_step])) return;
      ++r.next_step;
    }
  }

  // False: it waits for others.
  bool perform(int rank, Rank& r, Step step) {
    step.from.first = first(r, step.from);
    step.to.first = first(r, step.to);
    switch (step.kind) {
      case Step::Kind::send:
      case Step::Kind::receive:
        post(rank, r, step);
        return true;
      case Step::Kind::wait:
        return wait(rank, r, step.request);
      case Step::Kind::copy:
      case Step::Kind::reduce:
        compute(rank, r, step);
        return true;
      case Step::Kind::together:
        return join(rank, r, step);
      case Step::Kind::native:
        fail(rank, "a step that is not of messages has no place here");
    }
    return true;
  }

  // Of the ranks of a node, those that have come to their next step together. It is done when all have.
  struct Meeting {
    std::vector<std::pair<int, Step>> came;
    size_t size = 0;
  };

  bool join(int rank, Rank& r, const Step& step) {
    if (r.has_met) {
      r.has_met = false;
      return true;
    }
    const auto node_of = [&](int of) { return problem_.node_of ? problem_.node_of[of] : 0; };
    Meeting& meeting = meetings_[node_of(rank)];
    if (!meeting.size)
      for (int other = 0; other < problem_.processes; ++other) meeting.size += node_of(other) == node_of(rank);
    meeting.came.emplace_back(rank, step);
    if (meeting.came.size() < meeting.size) return false;
    std::sort(meeting.came.begin(), meeting.came.end(),
              [](const auto& one, const auto& other) { return one.first < other.first; });
    work_together(meeting.came);
    for (const auto& [other, its] : meeting.came) {
      if (other == rank) continue;
      ranks_[static_cast<size_t>(other)].has_met = true;
      runnable_.push_back(other);
    }
    meeting.came.clear();
    return true;
  }

  // Ranks in their order. Everything is read before anything is written, as in the segment.
  void work_together(const std::vector<std::pair<int, Step>>& ranks) {
    const Step& first = ranks.front().second;
    const OperationFacts& facts = facts_of(first.operation);
    const auto m = static_cast<int64_t>(ranks.size());
    const auto is_root = [&](size_t i) { return facts.has_root && static_cast<int>(i) == first.root; };
    int64_t count = 0;
    for (const auto& [rank, step] : ranks) count = std::max({count, step.from.count, step.to.count});
    std::vector<std::vector<Value>> put(ranks.size());
    std::vector<std::vector<bool>> heard;
    for (size_t i = 0; i < ranks.size(); ++i) {
      const auto& [rank, step] = ranks[i];
      Rank& r = ranks_[static_cast<size_t>(rank)];
      heard.push_back(r.heard);
      if (step.operation != first.operation || step.root != first.root)
        return fail(rank, "other ranks do something else");
      if (!facts.contributes(is_root(i)) || !count) continue;
      if (step.from.count != count) return fail(rank, "counts differ");
      const Range all{step.from.space, step.from.first, count * (facts.contributed.block_per_rank ? m : 1)};
      check_read(rank, r, all);
      if (!error_.empty()) return;
      const auto begin = memory(r, all.space).values.begin() + all.first;
      put[i].assign(begin, begin + all.count);
    }
    for (size_t i = 0; i < ranks.size(); ++i)
      if (facts.has_result(is_root(i)) && !(facts.has_one_buffer() && is_root(i))) take(ranks, i, count, put, heard);
  }

  void take(const std::vector<std::pair<int, Step>>& ranks, size_t i, int64_t count,
            const std::vector<std::vector<Value>>& put, const std::vector<std::vector<bool>>& heard) {
    const auto& [rank, step] = ranks[i];
    Rank& r = ranks_[static_cast<size_t>(rank)];
    const OperationFacts& facts = facts_of(step.operation);
    const auto m = ranks.size();
    for (size_t from = 0; from < m; ++from)
      for (size_t of = 0; of < r.heard.size(); ++of)
        if (heard[from][of] && (!facts.contributed.root_only || static_cast<int>(from) == step.root))
          r.heard[of] = true;
    if (!count) return;
    if (step.to.count != count) return fail(rank, "counts differ");
    std::vector<Value> result;
    for (size_t from = 0; from < m; ++from) {
      if (put[from].empty()) continue;
      const size_t first = facts.contributed.block_per_rank ? i * static_cast<size_t>(count) : 0;
      if (!facts.reduces) result.insert(result.end(), put[from].begin() + first, put[from].begin() + first + count);
    }
    if (facts.reduces) result = put.back();
    for (size_t from = m - 1; facts.reduces && from-- > 0;)
      for (size_t at = 0; at < result.size(); ++at) result[at] = combined(put[from][at], result[at]);
    const Range to{step.to.space, step.to.first, static_cast<int64_t>(result.size())};
    check_write(rank, r, to);
    if (error_.empty()) std::copy(result.begin(), result.end(), memory(r, to.space).values.begin() + to.first);
  }

  // Only operations without data have messages of nothing.
  bool inside(const Memory& memory, const Range& range) const {
    const bool has_data = facts_of(problem_.operation).has_data;
    return range.first >= 0 && (range.count > 0) == has_data &&
           range.first + range.count <= static_cast<int64_t>(memory.values.size());
  }

  void check_read(int rank, Rank& r, const Range& range) {
    const Memory& m = memory(r, range.space);
    if (!inside(m, range)) return fail(rank, "reads outside of the buffer");
    for (int64_t i = range.first; i < range.first + range.count; ++i) {
      if (!m.values[static_cast<size_t>(i)].power) return fail(rank, "reads what wasn't written");
      if (m.in_flight[static_cast<size_t>(i)] < 0) return fail(rank, "reads what is being received");
    }
  }

  void check_write(int rank, Rank& r, const Range& range) {
    const Memory& m = memory(r, range.space);
    if (range.space == Space::input) return fail(rank, "writes to the input");
    if (!inside(m, range)) return fail(rank, "writes outside of the buffer");
    for (int64_t i = range.first; i < range.first + range.count; ++i)
      if (m.in_flight[static_cast<size_t>(i)]) return fail(rank, "writes what is being sent or received");
  }

  void compute(int rank, Rank& r, const Step& step) {
    const bool copies = step.kind == Step::Kind::copy;
    Memory &from = memory(r, step.from.space), &to = memory(r, step.to.space);
    if (step.from.count != step.to.count) return fail(rank, "counts differ");
    if (copies && &from == &to && step.from.first == step.to.first) return;  // in place
    check_read(rank, r, step.from);
    check_write(rank, r, step.to);
    if (!copies) check_read(rank, r, step.to);
    if (&from == &to && step.from.first < step.to.first + step.to.count &&
        step.to.first < step.from.first + step.from.count)
      return fail(rank, "source and target overlap");
    if (!error_.empty()) return;
    const Value* source = from.values.data() + step.from.first;
    Value* target = to.values.data() + step.to.first;
    for (int64_t i = 0; i < step.to.count; ++i) target[i] = copies ? source[i] : combined(source[i], target[i]);
  }

  void post(int rank, Rank& r, const Step& step) {
    const bool is_send = step.kind == Step::Kind::send;
    const Range& range = is_send ? step.from : step.to;
    if (step.peer < 0 || step.peer >= problem_.processes || step.peer == rank) return fail(rank, "no such peer");
    if (step.request >= r.requests.size() || r.requests[step.request].state != Request::unmade)
      return fail(rank, "a request is made twice");
    is_send ? check_read(rank, r, range) : check_write(rank, r, range);
    if (!error_.empty()) return;
    r.requests[step.request] = {Request::pending, is_send, range, {}};
    Memory& m = memory(r, range.space);
    for (int64_t i = range.first; i < range.first + range.count; ++i)
      m.in_flight[static_cast<size_t>(i)] += is_send ? 1 : -1;
    Post post{rank, step.request, -1, {}, {}};
    if (is_send) post.heard = r.heard;
    if (is_send && !options_.rendezvous) {
      post.payload.assign(m.values.begin() + range.first, m.values.begin() + range.first + range.count);
      r.requests[step.request].state = Request::complete;
    }
    messages += is_send;
    elements += is_send ? range.count : 0;
    const auto p = static_cast<size_t>(problem_.processes);
    const auto self = static_cast<size_t>(rank), peer = static_cast<size_t>(step.peer);
    Channel& channel = channels_[is_send ? self * p + peer : peer * p + self];
    if (channel.first >= 0 && channel.sends != is_send) {
      Post other = std::move(posts_[static_cast<size_t>(channel.first)]);
      channel.first = other.next;
      is_send ? match(post, other) : match(other, post);
      return;
    }
    posts_.push_back(std::move(post));
    const auto index = static_cast<int32_t>(posts_.size() - 1);
    if (channel.first < 0)
      channel = {index, index, is_send};
    else
      channel.last = posts_[static_cast<size_t>(channel.last)].next = index;
  }

  void match(const Post& send, const Post& receive) {
    Rank &from = ranks_[static_cast<size_t>(send.rank)], &to = ranks_[static_cast<size_t>(receive.rank)];
    const Range source = from.requests[send.request].range, target = to.requests[receive.request].range;
    if (source.count != target.count) return fail(receive.rank, "a message of another size is received");
    const Value* values =
        send.payload.empty() ? memory(from, source.space).values.data() + source.first : send.payload.data();
    std::copy(values, values + source.count, memory(to, target.space).values.data() + target.first);
    to.requests[receive.request].heard = send.heard;
    complete(send.rank, from, send.request);
    complete(receive.rank, to, receive.request);
  }

  void complete(int rank, Rank& r, uint32_t request) {
    if (r.requests[request].state == Request::pending) r.requests[request].state = Request::complete;
    if (r.blocked_on != request) return;
    r.blocked_on = -1;
    runnable_.push_back(rank);
  }

  bool wait(int rank, Rank& r, uint32_t number) {
    if (number >= r.requests.size()) return fail(rank, "waits for no request"), false;
    Request& request = r.requests[number];
    if (request.state == Request::unmade) return fail(rank, "waits for a request not yet made"), false;
    if (request.state == Request::waited) return fail(rank, "waits twice for a request"), false;
    if (request.state == Request::pending) {
      r.blocked_on = number;
      return false;
    }
    request.state = Request::waited;
    for (size_t other = 0; other < request.heard.size(); ++other)
      if (request.heard[other]) r.heard[other] = true;
    Memory& m = memory(r, request.range.space);
    for (int64_t i = request.range.first; i < request.range.first + request.range.count; ++i)
      m.in_flight[static_cast<size_t>(i)] -= request.is_send ? 1 : -1;
    return true;
  }

  void check_ends() {
    for (int rank = 0; rank < problem_.processes; ++rank) {
      const Rank& r = ranks_[static_cast<size_t>(rank)];
      if (r.next_step < (*schedules_)[static_cast<size_t>(rank)].steps.size()) return fail(rank, "deadlock");
      for (const Request& request : r.requests)
        if (request.state != Request::waited) return fail(rank, "a request isn't waited for");
    }
    const auto p = static_cast<size_t>(problem_.processes);
    for (size_t i = 0; i < p * p; ++i)
      if (channels_[i].first >= 0) return fail(static_cast<int>(i % p), "a message isn't received");
  }

  const std::vector<Schedule>* schedules_ = nullptr;
  const std::vector<ByRank>* by_rank_ = nullptr;
  const std::vector<Sizes>* sizes_ = nullptr;
  Problem problem_;
  Options options_;
  std::string error_;
  std::vector<Rank> ranks_;
  std::vector<Channel> channels_;  // from * p + to
  std::vector<Post> posts_;
  std::vector<int> runnable_;
  std::map<int, Meeting> meetings_;  // by node
};

}  // namespace leadline::test
