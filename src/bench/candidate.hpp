// One way to do an operation: point to point or collective, the library's own or one of src/collectives.
#pragma once

#include <memory>
#include <string>

#include "bench/contents.hpp"
#include "bench/job.hpp"
#include "bench/plan.hpp"

namespace leadline::bench {

class Candidate {
 public:
  virtual ~Candidate() = default;
  virtual void run() = 0;  // once, on every rank
  int times_per_run = 1;   // a ping-pong is two messages
};

bool kind_of(const std::string& operation, Kind* kind);

// nullptr, with the reason in `why`: the same answer on every rank.
std::unique_ptr<Candidate> make_candidate(const Job& job, const Plan& plan, Kind kind, const CandidateName& name,
                                          Contents* contents, std::string* why);
std::unique_ptr<Candidate> make_exchange(const Job& job, const CandidateName& name, Contents* contents,
                                         std::string* why);
std::unique_ptr<Candidate> make_collective(const Job& job, const Plan& plan, Kind kind, const CandidateName& name,
                                           Contents* contents, std::string* why);

}  // namespace leadline::bench
