// The requests that are under way, found by the calls that complete them. The record of a call that completes a list
// names the call that made each request, but not its communicator, and its partner and tag only if they were wildcards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "structure/call_decoder.hpp"
#include "structure/decoded_call.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

// The requests of one thread, numbered from 1 in the order in which they become active.
class Requests {
 public:
  enum class Keep : uint8_t { all, wildcards };
  explicit Requests(Keep keep) : keep_(keep) {}

  // The thread's next call, so many times in a row.
  void follow(const DecodedCall& call, uint64_t times);
  // The part of the call that made or started the request. nullptr if that was not at this site, or is unknown.
  const CallPart* find(uint64_t number, uint32_t site) const;
  // The number of the request that the thread made so many requests ago, of the persistent request that it created so
  // many creations ago; 0: there is none.
  uint64_t made_ago(uint64_t age) const { return age && age <= state_.made ? state_.made - age + 1 : 0; }
  uint64_t created_ago(uint64_t age) const { return age && age <= state_.created ? state_.created - age + 1 : 0; }

  // A place among the calls, to go on from there. If only the numbers of a place are known, requests that were made
  // before it are not found.
  struct Mark {
    uint64_t made = 0, created = 0;
    std::map<uint64_t, CallPart> active;  // by number
  };
  const Mark& mark() const { return state_; }
  void go_to(const Mark& mark) { state_ = mark; }

 private:
  void make(const CallPart& part, uint64_t times);
  void end(const CallPart& part);

  Keep keep_;
  Mark state_;
};

// The requests of all threads of a process. One thread is followed; the others are read when one of their requests is
// asked for.
class ProcessRequests {
 public:
  ProcessRequests(const trace::Process& process, size_t stream, Requests::Keep keep)
      : process_(process), stream_(stream), keep_(keep), decoder_(process, stream), own_(keep) {}

  // Adds to the call what the calls that made its requests say, then counts it as the followed thread's next one, so
  // many times in a row.
  void follow(DecodedCall* call, uint64_t times);

  const Requests::Mark& mark() const { return own_.mark(); }
  void go_to(const Requests::Mark& mark) { own_.go_to(mark); }

 private:
  void resolve(CallPart* part, bool listed);
  const Requests& of(size_t stream);

  const trace::Process& process_;
  size_t stream_;
  Requests::Keep keep_;
  CallDecoder decoder_;
  Requests own_;
  std::unordered_map<size_t, std::unique_ptr<Requests>> others_;
};

// What call sites say of all the requests that they made, whatever the order of the calls.
class RequestSites {
 public:
  explicit RequestSites(const trace::Process& process);

  // Whether the requests of each site are on one communicator, and all of them with wildcards or all without. If so,
  // the messages that calls on lists complete are named without following the calls.
  bool alike() const { return alike_; }
  // Whether any receive was posted for any source or any tag: if not, completions name no messages.
  bool wildcards() const { return wildcards_; }
  // Adds communicators to the requests that a call on a list completes; partner and tag only if they were wildcards.
  void resolve(const CallDecoder& decoder, DecodedCall* call);
  // Whether the process created one partitioned request only with the communicator, partner, tag and direction of this
  // one. If so, each of its starts belongs to one start at the other end. (Several are paired as they were created.)
  bool only_one(const CallPart& partitioned) const;

 private:
  struct Made {
    uint32_t comm = 0;
    bool wildcard = false;
    bool operator==(const Made&) const = default;
  };
  bool alike_ = true, wildcards_ = false;
  // What the maker's site made; nullptr if it is no site of the trace.
  std::optional<Made>* of(const Maker& maker) {
    const bool known = maker.stream < sites_.size() && maker.site < sites_[maker.stream].size();
    return known ? &sites_[maker.stream][maker.site] : nullptr;
  }
  std::vector<std::vector<std::optional<Made>>> sites_;       // by stream and site
  using Pair = std::tuple<bool, uint32_t, int32_t, int32_t>;  // sends, communicator, partner, tag
  static Pair pair_of(const CallPart& p) { return {p.sends(), p.comm, p.partner.rank, p.tag}; }
  std::map<Pair, uint64_t> partitioned_;  // requests created
};

}  // namespace leadline::structure
