#include "collectives/pipelines.hpp"

namespace leadline::collectives {

void PassDown::advance(int64_t segment) {
  const bool receives = links_.parent >= 0;
  if (receives && segment == 0) arriving_ = schedule_->receive(segments_[0], links_.parent);
  const uint32_t arriving = arriving_;
  if (receives && segment + 1 < segments_.number())
    arriving_ = schedule_->receive(segments_[segment + 1], links_.parent);
  if (receives) schedule_->wait(arriving);
  for (const int child : links_.children) sends_.push_back(schedule_->send(segments_[segment], child));
  wait_for_sends(links_.children.size() * static_cast<size_t>(ahead_));
}

void PassDown::wait_for_sends(size_t but_for) {
  while (sends_.size() - waited_for_ > but_for) schedule_->wait(sends_[waited_for_++]);
}

void PassDown::finish() { wait_for_sends(0); }

void PassDown::all() {
  for (int64_t segment = 0; segment < segments_.number(); ++segment) advance(segment);
  finish();
}

ReduceUp::ReduceUp(Schedule* schedule, const OrderedTreeLinks& links, const Segments& data, bool data_is_free)
    : schedule_(schedule), links_(links), data_(data), data_is_free_(data_is_free || links.parent < 0) {
  const int64_t length = data.length() * std::min<int64_t>(slots, data.number());
  if (links.left >= 0) left_ = schedule->reserve(length);
  if (links.right >= 0) right_ = schedule->reserve(length);
  if (links.left >= 0 && links.right < 0 && !data_is_free_) own_ = schedule->reserve(length);
  std::fill_n(sends_, slots, no_request);
}

Range ReduceUp::slot(Range slots_of, int64_t segment) const {
  return {Space::scratch, slots_of.first + segment % slots * data_.length(), data_[segment].count};
}

void ReduceUp::receive(int64_t segment) {
  // Messages from these slots are sent before the slots are written again.
  uint32_t* send = &sends_[segment % slots];
  schedule_->wait(*send);
  *send = no_request;
  if (links_.right >= 0) from_right_[segment % slots] = schedule_->receive(slot(right_, segment), links_.right);
  if (links_.left >= 0) from_left_[segment % slots] = schedule_->receive(slot(left_, segment), links_.left);
}

void ReduceUp::advance(int64_t segment) {
  if (segment == 0) receive(0);
  if (segment + 1 < data_.number()) receive(segment + 1);
  const Range data = data_[segment], input = in_space(Space::input, data);
  Range sum = input;
  if (links_.right >= 0) {
    sum = slot(right_, segment);
    schedule_->wait(from_right_[segment % slots]);
    schedule_->reduce(input, sum);
  } else if (links_.left >= 0 || links_.parent < 0) {
    sum = data_is_free_ ? data : slot(own_, segment);
    schedule_->copy(input, sum);
  }
  if (links_.left >= 0) {
    schedule_->wait(from_left_[segment % slots]);
    schedule_->reduce(slot(left_, segment), sum);
  }
  if (links_.parent >= 0)
    sends_[segment % slots] = schedule_->send(sum, links_.parent);
  else if (sum.space != Space::data)
    schedule_->copy(sum, data);
}

void ReduceUp::finish() {
  for (uint32_t& request : sends_) {
    schedule_->wait(request);
    request = no_request;
  }
}

void ReduceUp::all() {
  for (int64_t segment = 0; segment < data_.number(); ++segment) advance(segment);
  finish();
}

}  // namespace leadline::collectives
