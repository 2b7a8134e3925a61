// One way to do an operation: point to point or collective, the library's own or one of src/collectives.
#pragma once

#include <memory>
#include <string>

#include "bench/contents.hpp"
#include "bench/job.hpp"
#include "bench/plan.hpp"
#include "leadline/operations.hpp"

namespace leadline::bench {

class Candidate {
 public:
  virtual ~Candidate() = default;
  virtual void run() = 0;  // once, on every rank
  int times_per_run = 1;   // a ping-pong is two messages
};

// What a point measures: a collective, or nullptr: the exchange of two ranks. False: there is no such operation.
bool facts_of(const std::string& operation, const collectives::OperationFacts** facts);

// Returns nullptr, with the reason in `why`, if it cannot be measured; the answer is the same on every rank.
std::unique_ptr<Candidate> make_candidate(const Job& job, const Plan& plan, const std::string& operation,
                                          const CandidateName& name, Contents* contents, std::string* why);
std::unique_ptr<Candidate> make_exchange(const Job& job, const CandidateName& name, Contents* contents,
                                         std::string* why);
std::unique_ptr<Candidate> make_collective(const Job& job, const Plan& plan, collectives::Operation operation,
                                           const CandidateName& name, Contents* contents, std::string* why);

}  // namespace leadline::bench
