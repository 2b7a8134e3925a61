#include "analysis/patterns/exchanges/site_traffic.hpp"

#include <algorithm>
#include <optional>

#include "analysis/measure.hpp"
#include "analysis/patterns/exchanges/halo_width.hpp"
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

// The part of the transfer's call that sends.
bool is_sent(Transfer::Kind kind, Access access) {
  if (access == Access::none) return kind == Transfer::Kind::message;
  return kind == (access == Access::get ? Transfer::Kind::got : Transfer::Kind::put);
}

// A window's ranks are those of the communicator it was made over.
uint32_t communicator_of(const trace::Process& process, uint32_t number) {
  const trace::Communicator& comm = process.communicators[number];
  const bool window = comm.kind == trace::Communicator::Kind::window && comm.parent < process.communicators.size();
  return window ? comm.parent : number;
}

// Other ranks that data go to or come from; nothing: the call has no counts for each rank, or they were not kept.
std::optional<uint64_t> partners_of(const DecodedCall& call, int32_t own) {
  const auto &sent = call.collective.send_counts, &received = call.collective.receive_counts;
  if (sent.empty() || sent.size() != received.size()) return std::nullopt;
  uint64_t partners = 0;
  for (size_t i = 0; i < sent.size(); ++i)
    partners += static_cast<int64_t>(i) != own && (sent[i] > 0 || received[i] > 0);
  return partners;
}

}  // namespace

Access access_of(const trace::Function& function) {
  if (function.cls != CallClass::rma && function.cls != CallClass::rma_request) return Access::none;
  const std::string_view name = function.name;
  if (name == "MPI_Put" || name == "MPI_Rput") return Access::put;
  if (name == "MPI_Get" || name == "MPI_Rget") return Access::get;
  return name == "MPI_Accumulate" || name == "MPI_Raccumulate" ? Access::accumulate : Access::none;
}

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
    // A rank that goes through an inner loop only once does not reveal it, so the deepest loop of all ranks counts.
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
      if (site >= sites_.size()) continue;
      const Access access = access_of(profile_.functions()[profile_.sites()[site].function]);
      if (!is_sent(t.kind, access)) continue;
      const auto other = processes_.find({process.world, t.partner});
      if (other == processes_.end()) continue;
      const bool takes = access == Access::get;
      SiteTraffic::Amount& amount = sites_[site].sent[{takes ? other->second : p, takes ? p : other->second}];
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
      const uint32_t number = communicator_of(process, call.comm);
      const trace::Communicator& comm = process.communicators[number];
      if (site.communicators.empty()) site.least_size = comm.size;
      site.communicators.insert(comm.identity);
      if (number != call.comm) site.windows.insert(call.identity);
      site.least_size = std::min(site.least_size, comm.size);
      site.most_size = std::max(site.most_size, comm.size);
      if (comm.kind == trace::Communicator::Kind::intra) {
        site.ranks[p] = comm.rank;
        if (const std::optional<uint64_t> partners = partners_of(call, comm.rank)) {
          site.counted += tally.times;
          site.partners += *partners * tally.times;
          site.most_partners = std::max(site.most_partners, *partners);
        }
      }
    }
    for (const CallPart& part : call.parts) {
      const bool accesses = call.facts().event == trace::EventForm::access;
      if ((part.sends() || accesses) && part.datatype < process.datatypes.size()) {
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
