#include "interchange/site_sums.hpp"

#include <algorithm>
#include <map>

#include "analysis/measure.hpp"
#include "analysis/sums.hpp"
#include "calls/iteration_calls.hpp"
#include "calls/timed_calls.hpp"

namespace leadline::interchange {

namespace {

using analysis::Transfer;

class Summing {
 public:
  Summing(const analysis::Profile& profile, const trace::Process& process, uint32_t index)
      : numbers_(profile.processes()[index].site_numbers), process_(process) {}

  void add(const analysis::Measurer& measurer, size_t stream, const trace::Tally& tally, double time_ns) {
    SiteSum* own = at(stream, tally.key->site);
    if (!own) return;
    own->calls += tally.times;
    own->time_ns += time_ns;
    transfers_.clear();
    measurer.measure(tally, &transfers_);
    for (const Transfer& t : transfers_) {
      if (SiteSum* whose = at(t.stream, t.site)) count(t, whose);
    }
  }

  SiteSum* at(size_t stream, uint32_t site) {
    if (stream >= numbers_.size() || site >= numbers_[stream].size()) return nullptr;
    const uint32_t number = numbers_[stream][site];
    return number == UINT32_MAX ? nullptr : &sums_[number];
  }

  ProcessSums finish() {
    ProcessSums found;
    for (auto& [site, sum] : sums_) {
      sum.site = site;
      if (sum.calls) found.sites.push_back(sum);
    }
    found.sizes = sizes_;
    return found;
  }

 private:
  void count(const Transfer& t, SiteSum* sum) {
    switch (t.kind) {
      case Transfer::Kind::message:
        sum->messages += t.times;
        add_size(t);
        [[fallthrough]];
      case Transfer::Kind::put:
      case Transfer::Kind::written:
      case Transfer::Kind::contributed:
        return analysis::add_to(sum->sent, t.bytes);
      case Transfer::Kind::got:
      case Transfer::Kind::received:
      case Transfer::Kind::collected:
        return analysis::add_to(sum->received, t.bytes);
      case Transfer::Kind::operation:
        return;
    }
  }

  void add_size(const Transfer& t) {
    sizes_.exact &= t.exact_size;
    sizes_.least = sizes_.messages ? std::min(sizes_.least, t.size) : t.size;
    sizes_.most = std::max(sizes_.most, t.size);
    const auto size = static_cast<double>(t.size), times = static_cast<double>(t.times);
    sizes_.messages += t.times;
    sizes_.sum += size * times;
    sizes_.squares += size * size * times;
  }

  const std::vector<std::vector<uint32_t>>& numbers_;
  const trace::Process& process_;
  std::map<uint32_t, SiteSum> sums_;  // by the profile's number
  MessageSizes sizes_;
  std::vector<Transfer> transfers_;
};

}  // namespace

ProcessSums site_sums(const analysis::Profile& profile, const trace::Process& process, uint32_t index,
                      const analysis::ProcessLoop& loop, const Window& window) {
  Summing summing(profile, process, index);
  uint64_t untimed = 0;
  if (window.whole) {
    for (size_t s = 0; s < process.streams.size(); ++s) {
      const trace::Stream& stream = process.streams[s];
      const analysis::Measurer measurer(process, s);
      trace::for_each_tally(stream, [&](const trace::Tally& tally) { summing.add(measurer, s, tally, 0); });
      trace::for_each_site_time(stream, [&](uint32_t site, const trace::TimeStats& times) {
        if (SiteSum* sum = summing.at(s, site)) sum->time_ns += times.sum_ns;
      });
    }
  } else if (loop.found && window.first < window.end) {
    const analysis::Measurer measurer(process, loop.stream);
    uint64_t timed = 0;  // without failed polls
    calls::TimedCalls calls(process, loop.stream, loop.times);
    calls.visit(window.first, window.end - 1, [&](const calls::Call& call) {
      if (!call.inside || call.iteration < window.first || call.iteration >= window.end) return;
      const trace::Event& e = call.event.event;
      timed += e.run ? 0 : e.times;
      summing.add(measurer, loop.stream, {&e.key, e.times, e.words, e.word_count, 0, false}, call.event.duration_ns);
    });
    const uint64_t all = calls::calls_in_iterations(process, loop.stream, loop.times, window.first, window.end);
    untimed = all > timed ? all - timed : 0;
  }
  ProcessSums found = summing.finish();
  found.untimed = untimed;
  return found;
}

}  // namespace leadline::interchange
