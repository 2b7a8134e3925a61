#include "analysis/patterns/site_traffic.hpp"

#include <algorithm>

#include "analysis/measure.hpp"
#include "analysis/patterns/halo_width.hpp"
#include "structure/call_decoder.hpp"

namespace leadline::analysis {

using structure::CallPart;
using structure::DecodedCall;
using trace::CallClass;
using trace::RequestUse;

namespace {

bool may_find_nothing(CallClass c) {
  return c == CallClass::test || c == CallClass::testall || c == CallClass::testany || c == CallClass::testsome ||
         c == CallClass::iprobe || c == CallClass::improbe;
}

}  // namespace

RunTraffic::RunTraffic(const Profile& profile) : profile_(profile), sites_(profile.sites().size()) {
  for (uint32_t p = 0; p < profile.processes().size(); ++p) {
    const trace::Process& meta = profile.processes()[p].meta;
    processes_.try_emplace({meta.world, meta.rank}, p);
  }
}

void RunTraffic::add(const trace::Process& process, uint32_t index) {
  for (size_t stream = 0; stream < process.streams.size(); ++stream) add_stream(process, stream, index);
}

void RunTraffic::add_stream(const trace::Process& process, size_t index, uint32_t p) {
  const std::vector<std::vector<uint32_t>>& numbers = profile_.processes()[p].site_numbers;
  const auto number_of = [&](size_t stream, uint32_t site) {
    return stream < numbers.size() && site < numbers[stream].size() ? numbers[stream][site] : UINT32_MAX;
  };
  const trace::Stream& stream = process.streams[index];
  const std::vector<std::vector<uint32_t>>& loops = profile_.processes()[p].loop_numbers;
  for (uint32_t s = 0; s < stream.sites.size(); ++s) {
    const uint32_t own = number_of(index, s), loop = stream.loop_around(s);
    if (own >= sites_.size() || index >= loops.size() || loop >= loops[index].size()) continue;
    // A rank that goes through an inner loop once does not show it: the deepest loop of all ranks counts.
    uint32_t& known = sites_[own].loop;
    if (loops[index][loop] && profile_.loops().within(loops[index][loop], known)) known = loops[index][loop];
  }
  Measurer measurer(process, index);
  structure::CallDecoder decoder(process, index);
  std::vector<Transfer> transfers;
  DecodedCall call;
  trace::for_each_tally(stream, [&](const trace::Tally& tally) {
    const uint32_t own = number_of(index, tally.key->site);
    if (own >= sites_.size()) return;
    transfers.clear();
    measurer.measure(tally, &transfers);
    for (const Transfer& t : transfers) {
      const uint32_t site = number_of(t.stream, t.site);
      if (t.kind != Transfer::Kind::message || site >= sites_.size()) continue;
      const auto to = processes_.find({process.world, t.partner});
      if (to == processes_.end()) continue;
      SiteTraffic::Amount& amount = sites_[site].sent[{p, to->second}];
      amount.messages += t.times;
      amount.bytes += t.bytes;
    }
    if (tally.coarse) return;
    SiteTraffic& site = sites_[own];
    decoder.decode(tally, &call);
    if (may_find_nothing(call.cls)) {
      site.polls += tally.times;
      site.failed_polls += call.nothing ? tally.times : 0;
    }
    if (call.nothing) return;
    if (call.identity && call.comm < process.communicators.size()) {
      const trace::Communicator& comm = process.communicators[call.comm];
      if (site.communicators.empty()) site.least_size = comm.size;
      site.communicators.insert(call.identity);
      site.least_size = std::min(site.least_size, comm.size);
      site.most_size = std::max(site.most_size, comm.size);
      if (comm.kind == trace::Communicator::Kind::intra) site.ranks[p] = comm.rank;
    }
    for (const CallPart& part : call.parts) {
      if (part.sends() && part.datatype < process.datatypes.size()) {
        if (const int64_t width = halo_width(process.datatypes[part.datatype])) site.halo_widths.insert(width);
      }
      if (part.request == RequestUse::completes || part.request == RequestUse::starts) {
        const uint32_t maker = number_of(part.maker.stream, part.maker.site);
        if (maker < sites_.size()) site.completes.insert(maker);
      }
      if (part.request == RequestUse::completes || !part.receives() || part.cancelled) continue;
      site.receives += tally.times;
      if ((call.flags & trace::flag_any_source) == 0) continue;
      site.wildcards += tally.times;
      if (site.wildcard_receivers.empty() || site.wildcard_receivers.back() != p) site.wildcard_receivers.push_back(p);
    }
  });
}

}  // namespace leadline::analysis
