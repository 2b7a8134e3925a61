#include "interchange/call_rows.hpp"

#include <limits>
#include <utility>

namespace leadline::interchange {

namespace {

constexpr double unknown_s = std::numeric_limits<double>::quiet_NaN();

int64_t sum_of(const std::vector<MessageEnd>& ends) {
  int64_t sum = 0;
  for (const MessageEnd& end : ends) {
    if (end.bytes < 0) return -1;
    sum += end.bytes;
  }
  return sum;
}

void add(const CallStream& c, uint32_t thread, uint32_t site, CallRows* rows) {
  rows->thread.push_back(static_cast<int32_t>(thread));
  rows->site.push_back(site == UINT32_MAX ? -1 : static_cast<int32_t>(site));
  rows->iteration.push_back(c.iteration());
  rows->calls.push_back(static_cast<int64_t>(c.times()));
  rows->polls.push_back(c.polls());
  rows->begin_s.push_back(c.timed() ? c.begin_ns() * 1e-9 : unknown_s);
  rows->end_s.push_back(c.timed() ? c.end_ns() * 1e-9 : unknown_s);
  rows->messages_sent.push_back(static_cast<int64_t>(c.sends().size()));
  rows->messages_received.push_back(static_cast<int64_t>(c.receives().size()));
  int64_t out = sum_of(c.sends()), in = sum_of(c.receives());
  const trace::CallFacts& facts = c.call().facts();
  if (facts.requests != trace::RequestUse::completes) {
    for (const structure::CallPart& part : c.call().parts) {
      if (part.sends() || part.receives()) continue;  // messages are counted where they begin and end
      out = out < 0 || part.out_bytes < 0 ? -1 : out + part.out_bytes;
      in = in < 0 || part.in_bytes < 0 ? -1 : in + part.in_bytes;
    }
  }
  rows->bytes_sent.push_back(out);
  rows->bytes_received.push_back(in);
  const bool one = c.sends().size() + c.receives().size() == 1;
  const MessageEnd* end = !one ? nullptr : c.sends().empty() ? &c.receives()[0] : &c.sends()[0];
  rows->has_message.push_back(one);
  rows->partner.push_back(end ? (end->sends ? end->dest() : end->source()) : -1);
  rows->tag.push_back(end ? end->tag() : -1);
}

}  // namespace

void visit_rows(const Exporting& exporting, const trace::Process& process, uint32_t index, size_t most,
                const std::function<void(CallRows&&)>& give) {
  CallRows rows;
  Exported sums;
  const auto each = [&](size_t stream, const CallStream& c) {
    add(c, process.streams[stream].thread, exporting.site(index, stream, c.event().event.key.site), &rows);
    if (rows.size() == most) give(std::exchange(rows, {}));
  };
  exporting.visit(process, index, false, each, &sums);
  if (rows.size()) give(std::move(rows));
}

}  // namespace leadline::interchange
