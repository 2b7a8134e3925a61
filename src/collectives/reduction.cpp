#include "collectives/reduction.hpp"

#include <utility>

namespace leadline::collectives {

void take_input(const Problem& problem, Schedule* schedule) {
  if (has_result(problem)) schedule->copy({Space::input, 0, problem.count}, {Space::data, 0, problem.count});
}

Partial::Partial(const Problem& problem, Schedule* schedule)
    : schedule_(schedule), here_{Space::input, 0, problem.count}, home_{Space::data, 0, problem.count} {
  if (!has_result(problem)) home_ = schedule->reserve(problem.count);
  other_ = schedule->reserve(problem.count);
}

Partial::Partial(Range from, Range home, Schedule* schedule)
    : schedule_(schedule), here_(from), home_(home), other_(schedule->reserve(from.count)) {}

void Partial::exchange(Range sent, Range kept, int peer, bool peer_is_lower) {
  const uint32_t first = schedule_->requests;
  // The input is left as it is; it may be the same memory as `home_`.
  Range free = here_.space == home_.space && here_.first == home_.first ? other_ : home_;
  if (here_.space == Space::input) free = other_;
  schedule_->receive(at(free, kept), peer);
  schedule_->send(at(here_, sent), peer);
  if (peer_is_lower && here_.space == Space::input) {
    schedule_->copy(at(here_, kept), at(home_, kept));
    here_ = home_;
  }
  schedule_->wait_from(first);
  if (peer_is_lower) {
    schedule_->reduce(at(free, kept), at(here_, kept));
  } else {
    schedule_->reduce(at(here_, kept), at(free, kept));
    here_ = free;
  }
}

void Partial::send(Range elements, int peer) { schedule_->wait(schedule_->send(here(elements), peer)); }

void Partial::rearrange(const std::vector<Range>& parts) {
  Range next = here_.space == home_.space && here_.first == home_.first ? other_ : home_;
  const Range to = next;
  for (const Range& part : parts) {
    next.count = part.count;
    schedule_->copy(here(part), next);
    next.first += part.count;
  }
  here_ = to;
}

void Partial::settle(Range elements) {
  if (here_.space != home_.space || here_.first != home_.first) schedule_->copy(here(elements), at_home(elements));
  here_ = home_;
}

Folding::Folding(const Problem& problem) : root_(facts_of(problem.operation).received.root_only ? problem.root : -1) {
  while (2 * participants_ <= problem.processes) participants_ *= 2;
  pairs_ = problem.processes - participants_;
  if (problem.rank >= 2 * pairs_) {
    position_ = problem.rank - pairs_;
    return;
  }
  partner_ = problem.rank ^ 1;
  if (rank_of(problem.rank / 2) == problem.rank) position_ = problem.rank / 2;
}

int Folding::rank_of(int position) const {
  if (position >= pairs_) return position + pairs_;
  return 2 * position == root_ ? root_ : 2 * position + 1;
}

int Folding::position_of_root() const { return root_ < 2 * pairs_ ? root_ / 2 : root_ - pairs_; }

void Folding::fold(const Problem& problem, Partial* partial) const {
  if (partner_ < 0) return;
  const Range all = whole(problem);
  if (position_ < 0)
    partial->send(all, partner_);
  else
    partial->exchange({Space::data, 0, 0}, all, partner_, partner_ < problem.rank);
}

void Folding::unfold(const Problem& problem, Schedule* schedule) const {
  if (partner_ < 0) return;
  const Range all = whole(problem);
  schedule->wait(position_ < 0 ? schedule->receive(all, partner_) : schedule->send(all, partner_));
}

}  // namespace leadline::collectives
