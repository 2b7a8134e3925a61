#include "interchange/matches.hpp"

#include <algorithm>

namespace leadline::interchange {

void Matches::see(const MessageEnd& end, uint32_t process, size_t stream) {
  Both& both = channels_[end.channel];
  End& own = end.sends ? both.sent : both.received;
  const std::pair<uint32_t, size_t> thread{process, stream};
  if (own.runs.empty()) own.thread = thread;
  own.several |= own.thread != thread;
  if (!own.runs.empty() && own.runs.back().end == end.number) {
    ++own.runs.back().end;
  } else {
    own.runs.push_back({end.number, end.number + 1});
  }
  if (end.sends) keep_size(end, &both);
}

void Matches::keep_size(const MessageEnd& end, Both* both) {
  std::vector<Size>& sizes = both->sizes;
  if (!sizes.empty() && sizes.back().first > end.number) {  // of another thread, whose channel is not matched
    sizes.back().bytes = structure::bytes_unknown;
    return;
  }
  const int64_t bytes = sizes_ < most_sizes ? end.bytes : structure::bytes_unknown;
  if (!sizes.empty() && sizes.back().bytes == bytes) return;
  sizes.push_back({end.number, bytes});
  ++sizes_;
}

int64_t Matches::sent_bytes(const MessageEnd& end) const {
  const auto at = channels_.find(end.channel);
  if (at == channels_.end()) return structure::bytes_unknown;
  const std::vector<Size>& sizes = at->second.sizes;
  const auto after =
      std::upper_bound(sizes.begin(), sizes.end(), end.number, [](uint64_t n, const Size& s) { return n < s.first; });
  return after == sizes.begin() ? structure::bytes_unknown : after[-1].bytes;
}

void Matches::settle() {
  const auto total = [](const std::vector<Run>& runs) {
    uint64_t sum = 0;
    for (const Run& r : runs) sum += r.end - r.first;
    return sum;
  };
  const auto by_first = [](const Run& a, const Run& b) { return a.first < b.first; };
  for (auto& [channel, both] : channels_) {
    std::vector<Run>&sent = both.sent.runs, &received = both.received.runs;
    std::sort(sent.begin(), sent.end(), by_first);
    std::sort(received.begin(), received.end(), by_first);
    uint64_t matched = 0;
    const bool alone = !both.sent.several && !both.received.several;
    for (size_t s = 0, r = 0; alone && s < sent.size() && r < received.size();) {
      const uint64_t first = std::max(sent[s].first, received[r].first), end = std::min(sent[s].end, received[r].end);
      if (first < end) {
        both.runs.push_back({first, end, messages_ + 1});
        messages_ += end - first;
        matched += end - first;
      }
      sent[s].end < received[r].end ? ++s : ++r;
    }
    unmatched_ += total(sent) + total(received) - 2 * matched;
    both.sent = both.received = {};
  }
}

uint64_t Matches::number(const MessageEnd& end) const {
  const auto at = channels_.find(end.channel);
  if (at == channels_.end()) return 0;
  const std::vector<Run>& runs = at->second.runs;
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), end.number, [](uint64_t n, const Run& r) { return n < r.first; });
  if (after == runs.begin() || end.number >= after[-1].end) return 0;
  return after[-1].number + (end.number - after[-1].first);
}

}  // namespace leadline::interchange
