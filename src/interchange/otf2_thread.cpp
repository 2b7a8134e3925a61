#include "interchange/otf2_thread.hpp"

#include <algorithm>
#include <optional>

#include "interchange/otf2_meanings.hpp"

namespace leadline::interchange {

namespace {

const std::string unknown_name = "?";
uint64_t ticks(double ns) { return ns > 0 ? static_cast<uint64_t>(ns + 0.5) : 0; }
uint64_t known(int64_t bytes) { return bytes > 0 ? static_cast<uint64_t>(bytes) : 0; }

}  // namespace

Otf2Thread::Otf2Thread(Otf2Shared* to, const Exporting& exporting, otf2::EvtWriter* writer,
                       const trace::Process& process, size_t stream)
    : to_(*to),
      exporting_(exporting),
      otf2_(to->otf2),
      writer_(writer),
      process_(process),
      of_thread_(uint64_t{stream} << 48) {
  functions_.resize(process.functions.size());
}

void Otf2Thread::call(const CallStream& c, uint32_t context) {
  const uint32_t region = region_of(c);
  const uint64_t begin = ticks(c.begin_ns()), end = ticks(c.end_ns());
  to_.first = std::min(to_.first, begin);
  to_.last = std::max(to_.last, end);
  file_event_ = file_event(c);
  const bool names_file = file_event_ == FileEvent::other && handle_ != otf2::undefined;
  otf2::AttributeList* with = context == otf2::undefined && !names_file ? nullptr : to_.attributes;
  if (context != otf2::undefined) check(otf2_.AttributeList_AddCallingContextRef(with, otf2::call_path, context));
  if (names_file) check(otf2_.AttributeList_AddIoHandleRef(with, otf2::on_file, handle_));
  check(otf2_.EvtWriter_Enter(writer_, with, begin, region));  // which empties the list
  if (c.polls()) check(otf2_.EvtWriter_ParameterUnsignedInt(writer_, nullptr, begin, otf2::polls_parameter, c.times()));
  events_at_begin(c, begin);
  events_at_end(c, begin, end);
  check(otf2_.EvtWriter_Leave(writer_, nullptr, end, region));
}

void Otf2Thread::events_at_begin(const CallStream& c, uint64_t begin) {
  const structure::DecodedCall& call = c.call();
  for (const MessageEnd& m : c.sends()) send(m, begin);
  for (const RequestUnderWay& r : c.made()) {
    if (r.receives) check(otf2_.EvtWriter_MpiIrecvRequest(writer_, nullptr, begin, receive_id(r.number)));
    if (described(r)) check(otf2_.EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, begin, send_id(r.number)));
  }
  if (c.one_sided().started()) access(c, begin);
  if (call.cls == trace::CallClass::win_create) window(call.made, begin, otf2_.EvtWriter_RmaWinCreate);
  if (call.cls == trace::CallClass::win_free) window(call.comm, begin, otf2_.EvtWriter_RmaWinDestroy);
  file_begins(c, begin);
}

void Otf2Thread::events_at_end(const CallStream& c, uint64_t begin, uint64_t end) {
  if (c.collective() && c.call().facts().requests == trace::RequestUse::none) collective(c, begin, end);
  for (const MessageEnd& m : c.receives()) receive(m, end);
  for (const RequestUnderWay& r : c.completed()) {
    if (r.exported) completed(r, end);
  }
  for (const OneSidedOperations::Done& d : c.one_sided().done()) {
    access_done(c.call().identity, d.operation, d.here, d.there, end);
  }
  file_ends(c, end);
}

// --- Names ---

const std::string& Otf2Thread::name_of(uint32_t function) const {
  return function < process_.functions.size() ? process_.functions[function].name : unknown_name;
}

uint32_t Otf2Thread::region_of(const CallStream& c) {
  const structure::DecodedCall& call = c.call();
  if (call.function >= functions_.size()) return to_.region(unknown_name, call.cls);
  FunctionFacts& f = functions_[call.function];
  uint32_t& known = c.polls() ? f.region_of_polls : f.region;
  if (known == otf2::undefined) {
    const std::string& name = name_of(call.function);
    known = to_.region(c.polls() ? name + " (failed polls)" : name, call.cls);
  }
  return known;
}

// --- Messages and collectives ---

bool Otf2Thread::exports(const MessageEnd& m) const {
  return to_.communicator(m.identity()) && (to_.complete || exporting_.matches().number(m));
}

void Otf2Thread::send(const MessageEnd& m, uint64_t at) {
  const Communicator* comm = to_.communicator(m.identity());
  if (!comm) ++to_.undescribed;
  if (!exports(m)) return;
  ++to_.sums.messages;
  const auto dest = static_cast<uint32_t>(m.dest()), tag = static_cast<uint32_t>(m.tag());
  check(m.request ? otf2_.EvtWriter_MpiIsend(writer_, nullptr, at, dest, comm->number, tag, known(m.bytes),
                                             send_id(m.request))
                  : otf2_.EvtWriter_MpiSend(writer_, nullptr, at, dest, comm->number, tag, known(m.bytes)));
}

void Otf2Thread::receive(const MessageEnd& m, uint64_t at) {
  const Communicator* comm = to_.communicator(m.identity());
  if (!comm) ++to_.undescribed;
  if (!exports(m)) return;
  const auto source = static_cast<uint32_t>(m.source()), tag = static_cast<uint32_t>(m.tag());
  check(m.request ? otf2_.EvtWriter_MpiIrecv(writer_, nullptr, at, source, comm->number, tag, known(m.bytes),
                                             receive_id(m.request))
                  : otf2_.EvtWriter_MpiRecv(writer_, nullptr, at, source, comm->number, tag, known(m.bytes)));
}

// Whether OTF2 has the collective that the request is of.
bool Otf2Thread::described(const RequestUnderWay& r) const {
  return r.collective && otf2_.EvtWriter_NonBlockingCollectiveRequest &&
         otf2_.EvtWriter_NonBlockingCollectiveComplete && to_.communicator(r.collective->identity) &&
         otf2::operation_of(name_of(r.collective->function), trace::CallClass::icoll);
}

void Otf2Thread::completed(const RequestUnderWay& r, uint64_t at) {
  if (described(r)) collective_done(r, at);
  if (r.cancelled && r.receives) check(otf2_.EvtWriter_MpiRequestCancelled(writer_, nullptr, at, receive_id(r.number)));
  if (r.sent && exports(*r.sent)) {
    const auto ends = r.cancelled ? otf2_.EvtWriter_MpiRequestCancelled : otf2_.EvtWriter_MpiIsendComplete;
    check(ends(writer_, nullptr, at, send_id(r.number)));
  }
  if (r.access && r.access->completed) access_done(r.access->window, r.access->operation, true, false, at);
  if (r.file) {
    const uint64_t moved = r.moved >= 0 ? static_cast<uint64_t>(r.moved) : otf2::undefined_bytes;
    check(otf2_.EvtWriter_IoOperationComplete(writer_, nullptr, at, handle(*r.file), moved,
                                              of_thread_ | send_id(r.number)));
  }
}

void Otf2Thread::collective_done(const RequestUnderWay& r, uint64_t at) {
  const CollectiveUnderWay& c = *r.collective;
  const auto operation = otf2::operation_of(name_of(c.function), trace::CallClass::icoll);
  const uint32_t root = c.root >= 0 ? static_cast<uint32_t>(c.root) : otf2::undefined;
  ++to_.sums.collectives;
  check(otf2_.EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, at, *operation,
                                                      to_.communicator(c.identity)->number, root, known(c.out_bytes),
                                                      known(c.in_bytes), send_id(r.number)));
}

void Otf2Thread::collective(const CallStream& c, uint64_t begin, uint64_t end) {
  const structure::DecodedCall& call = c.call();
  const std::optional<uint8_t> operation = otf2::operation_of(name_of(call.function), call.cls);
  const Communicator* comm = to_.communicator(call.identity);
  if (!comm) ++to_.undescribed;
  if (!operation || !comm) return;
  ++to_.sums.collectives;
  uint64_t out = 0, in = 0;
  for (const structure::CallPart& part : call.parts) {
    out += known(part.out_bytes);
    in += known(part.in_bytes);
  }
  const uint32_t root = call.partner.rank >= 0 ? static_cast<uint32_t>(call.partner.rank) : otf2::undefined;
  check(otf2_.EvtWriter_MpiCollectiveBegin(writer_, nullptr, begin));
  check(otf2_.EvtWriter_MpiCollectiveEnd(writer_, nullptr, end, *operation, comm->number, root, out, in));
}

// --- One-sided operations ---

void Otf2Thread::access(const CallStream& c, uint64_t at) {
  const structure::DecodedCall& call = c.call();
  const auto window = to_.windows.find(call.identity);
  if (window == to_.windows.end()) return;
  const structure::CallPart& part = call.parts.front();
  const uint64_t id = access_id(c.one_sided().started());
  const uint32_t number = window->second.number;
  const auto target = static_cast<uint32_t>(call.partner.rank);
  const uint64_t out = known(part.out_bytes), in = known(part.in_bytes);
  const bool puts = part.moves & trace::moves::puts, gets = part.moves & trace::moves::gets;
  check(puts && gets
            ? otf2_.EvtWriter_RmaAtomic(writer_, nullptr, at, number, target, otf2::atomic_accumulate, out, in, id)
        : gets ? otf2_.EvtWriter_RmaGet(writer_, nullptr, at, number, target, in, id)
               : otf2_.EvtWriter_RmaPut(writer_, nullptr, at, number, target, out, id));
}

void Otf2Thread::access_done(uint64_t window, uint64_t operation, bool here, bool there, uint64_t at) {
  const auto found = to_.windows.find(window);
  if (found == to_.windows.end()) return;
  const uint64_t id = access_id(operation);
  if (here) check(otf2_.EvtWriter_RmaOpCompleteNonBlocking(writer_, nullptr, at, found->second.number, id));
  if (there) check(otf2_.EvtWriter_RmaOpCompleteRemote(writer_, nullptr, at, found->second.number, id));
}

void Otf2Thread::window(uint32_t object, uint64_t at, WindowEvent write) {
  if (object >= process_.communicators.size()) return;
  const auto window = to_.windows.find(process_.communicators[object].identity);
  if (window != to_.windows.end()) check(write(writer_, nullptr, at, window->second.number));
}

}  // namespace leadline::interchange
