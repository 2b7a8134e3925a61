// An operation done by other operations of the library, which a good library is never slower than: the guidelines of
// Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", 2010.
#pragma once

#include "bench/candidate.hpp"

namespace leadline::bench {

// name: "reduce+bcast", as api/operations.toml lists them. nullptr: there is none of that name, or with the reason in
// `why` it cannot be measured here; the answer is the same on every rank.
std::unique_ptr<Candidate> make_parts(const Job& job, const Plan& plan, collectives::Operation operation,
                                      const std::string& name, const Contents& contents, std::string* why);

}  // namespace leadline::bench
