// What the calls at each call site of the run do, whatever their order: who sends to whom, and which calls complete
// whose requests. Counted on tallies, so the figures are exact and cost nothing per step.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/patterns/exchanges/shape.hpp"
#include "analysis/profile.hpp"
#include "trace/process.hpp"

namespace leadline::analysis {

// What a call does to a window's memory, of those that move data one way.
enum class Access : uint8_t { none, put, get, accumulate };
Access access_of(const trace::Function& function);

struct SiteTraffic {
  using Edge = std::pair<uint32_t, uint32_t>;  // processes
  struct Amount {
    uint64_t messages = 0;
    int64_t bytes = 0;
  };
  // From whom to whom data go: messages, or one-sided operations, of which a get has its target as the sender.
  std::map<Edge, Amount> sent;
  uint32_t loop = 0;                  // of the run: the innermost one around it, 0 for none
  std::set<uint64_t> communicators;   // identities: of messages and collectives, and of what windows were made over
  std::set<uint64_t> windows;         // identities
  std::map<uint32_t, int32_t> ranks;  // by process, in the only communicator
  std::set<uint32_t> completes;       // call sites that made or created the requests completed or started here
  uint64_t receives = 0;              // posted or made here
  uint64_t wildcards = 0;             // of these, for any source
  std::vector<uint32_t> wildcard_receivers;  // processes
  int32_t least_size = 0, most_size = 0;     // of the communicators: ranks
  std::set<int64_t> halo_widths;             // of what is sent, as far as datatypes tell (halo_width.hpp)
  uint64_t polls = 0, failed_polls = 0;      // calls that may find nothing, and those that did
  // Calls with counts for each rank, the ranks that they exchange data with, and the most of one call.
  uint64_t counted = 0, partners = 0, most_partners = 0;
};

class RunTraffic {
 public:
  // The profile has all processes.
  explicit RunTraffic(const Profile& profile);
  // The process with this index in the profile.
  void add(const trace::Process& process, uint32_t index);

  const std::vector<SiteTraffic>& sites() const { return sites_; }  // by number in the profile

 private:
  void add_stream(const trace::Process& process, size_t stream, uint32_t index);

  const Profile& profile_;
  std::map<std::pair<uint64_t, int32_t>, uint32_t> processes_;  // by world and rank in it
  std::vector<SiteTraffic> sites_;
};

}  // namespace leadline::analysis
