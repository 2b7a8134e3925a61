#include "analysis/open_receives.hpp"

namespace leadline::analysis {

using trace::CallClass;
using trace::EventForm;
using trace::RequestUse;

namespace {

constexpr uint32_t wildcards = trace::flag_any_source | trace::flag_any_tag;
constexpr uint64_t most_open = uint64_t{1} << 20;  // what is open for that long stays open

bool is_open(const trace::Key& request) {
  return request.comm & wildcards || request.peer == trace::peer_any || request.tag == trace::tag_any;
}

}  // namespace

void for_each_request(const trace::Key& key, const int64_t* words, size_t word_count, const Measurer& measurer,
                      const std::function<void(const trace::Key& request, Measurer::Maker maker)>& made) {
  const trace::CallFacts& facts = trace::facts_of(measurer.class_of(key.site));
  switch (facts.requests) {
    case RequestUse::makes:
      return made(key, measurer.maker_of(key.site));
    case RequestUse::starts:
      if (facts.event == EventForm::starts) {
        for (size_t i = 1; i + 4 <= word_count; i += 4) {
          trace::Key one;
          one.comm = static_cast<uint32_t>(words[i + 3]);
          if ((one.comm & trace::flag_persistent_collective) == 0) {
            one.peer = static_cast<int32_t>(words[i + 2] >> 32);
            one.tag = static_cast<int32_t>(words[i + 2]);
          } else {
            one.comm = trace::flag_persistent_collective;
          }
          made(one, measurer.listed(words[i]));
        }
      } else if (key.extra > trace::extra_nothing) {
        made(key, measurer.linked(key.extra, words, word_count));
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

void OpenReceives::made(const trace::Key& maker, uint32_t site) {
  ++requests_;
  if (is_open(maker)) open_[requests_] = {site, maker.comm & trace::comm_mask};
  if (requests_ > most_open) open_.erase(requests_ - most_open);
}

void OpenReceives::follow(const trace::Event& e) {
  if (e.run) return;
  for (uint64_t i = 0; i < e.times; ++i) {
    for_each_request(e.key, e.words, e.word_count, measurer_,
                     [&](const trace::Key& request, Measurer::Maker maker) { made(request, maker.site); });
  }
}

uint32_t OpenReceives::communicator(uint64_t number, uint32_t site) const {
  const auto at = open_.find(number);
  return at != open_.end() && at->second.site == site ? at->second.comm : 0;
}

ProcessReceives::ProcessReceives(const trace::Process& process, size_t stream)
    : process_(process), stream_(stream), measurer_(process, stream), own_(process, stream) {
  for (size_t s = 0; s < process.streams.size(); ++s) {
    const Measurer measurer(process, s);
    trace::for_each_tally(process.streams[s], [&](const trace::Tally& t) {
      for_each_request(*t.key, t.words, t.word_count, measurer, [&](const trace::Key& request, Measurer::Maker maker) {
        const uint32_t comm = is_open(request) ? request.comm & trace::comm_mask : 0;
        by_site_ &= sites_.try_emplace({maker.stream, maker.site}, comm).first->second == comm;
      });
    });
  }
}

uint32_t ProcessReceives::communicator(int64_t link) {
  const Measurer::Maker maker = measurer_.listed(link);
  if (by_site_) {
    const auto at = sites_.find({maker.stream, maker.site});
    return at != sites_.end() ? at->second : 0;
  }
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
