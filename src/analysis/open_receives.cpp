#include "analysis/open_receives.hpp"

namespace leadline::analysis {

using trace::CallClass;
using trace::EventForm;
using trace::RequestUse;

namespace {

constexpr uint32_t wildcards = trace::flag_any_source | trace::flag_any_tag;
constexpr uint64_t most_open = uint64_t{1} << 20;  // what is open for that long stays open

}  // namespace

void OpenReceives::made(const trace::Key& maker, uint32_t site) {
  ++requests_;
  const bool open = maker.comm & wildcards || maker.peer == trace::peer_any || maker.tag == trace::tag_any;
  if (open) open_[requests_] = {site, maker.comm & trace::comm_mask};
  if (requests_ > most_open) open_.erase(requests_ - most_open);
}

void OpenReceives::follow(const trace::Event& e) {
  const trace::CallFacts& facts = trace::facts_of(measurer_.class_of(e.key.site));
  if (e.run) return;
  switch (facts.requests) {
    case RequestUse::makes:
      for (uint64_t i = 0; i < e.times; ++i) made(e.key, e.key.site);
      return;
    case RequestUse::starts:
      if (facts.event == EventForm::starts) {
        for (size_t i = 1; i + 4 <= e.word_count; i += 4) {
          trace::Key one;
          one.comm = static_cast<uint32_t>(e.words[i + 3]);
          if (one.comm & trace::flag_persistent_collective) {
            ++requests_;
            continue;
          }
          one.peer = static_cast<int32_t>(e.words[i + 2] >> 32);
          one.tag = static_cast<int32_t>(e.words[i + 2]);
          made(one, trace::listed_site(e.words[i]));
        }
      } else if (e.key.extra > trace::extra_nothing) {
        const Measurer::Maker maker = measurer_.linked(e.key.extra, e.words, e.word_count);
        for (uint64_t i = 0; i < e.times; ++i) made(e.key, maker.site);
      }
      return;
    case RequestUse::none:
    case RequestUse::creates:
    case RequestUse::completes:
    case RequestUse::frees:
    case RequestUse::cancels:
      return;
  }
}

uint32_t OpenReceives::communicator(uint64_t number, uint32_t site) const {
  const auto at = open_.find(number);
  return at != open_.end() && at->second.site == site ? at->second.comm : 0;
}

uint32_t ProcessReceives::communicator(int64_t link) {
  const Measurer::Maker maker = measurer_.listed(link);
  const uint64_t age_or_number = static_cast<uint64_t>(link) >> 32;
  if (maker.stream == stream_ && trace::listed_thread(link) < 0) {
    return age_or_number <= own_.requests() ? own_.communicator(own_.requests() - age_or_number + 1, maker.site) : 0;
  }
  if (maker.stream >= process_.streams.size()) return 0;
  std::unique_ptr<OpenReceives>& other = others_[maker.stream];
  if (!other) {
    other = std::make_unique<OpenReceives>(process_, maker.stream);
    trace::Walker walker(process_.streams[maker.stream]);
    trace::Event e;
    while (walker.next(&e)) other->follow(e);
  }
  return other->communicator(age_or_number, maker.site);
}

}  // namespace leadline::analysis
