#include "analysis/expand.hpp"

namespace leadline::analysis {

using trace::CallClass;
using trace::EventForm;

Expansion::Expansion(const trace::Process& process, size_t stream)
    : process_(process), stream_(process.streams[stream]), measurer_(process, stream), walker_(stream_) {}

void Expansion::complete(const trace::Event& event, CallClass cls, Call* call) const {
  const uint32_t extra = event.key.extra;
  switch (trace::facts_of(cls).event) {
    case EventForm::completion:
    case EventForm::start:
      call->nothing = extra == trace::extra_nothing;
      if (extra == 0 || call->nothing) return;
      if ((extra & trace::link_interned) == 0)
        call->completed.push_back(
            {trace::link_age(extra), static_cast<int32_t>(trace::link_site(extra)), event.key.value});
      else if (event.word_count >= 2)
        call->completed.push_back({static_cast<uint64_t>(event.words[0]), static_cast<int32_t>(event.words[1]),
                                   event.key.value, event.word_count >= 3 ? event.words[2] : -1});
      return;
    case EventForm::completions:
    case EventForm::starts:
      call->nothing = extra == trace::extra_nothing;
      for (size_t i = 1; i + 4 <= event.word_count; i += 4) {
        const int64_t link = event.words[i];
        call->completed.push_back({static_cast<uint64_t>(link) >> 32, static_cast<int32_t>(trace::listed_site(link)),
                                   event.words[i + 1], trace::listed_thread(link)});
      }
      return;
    case EventForm::probe:
      call->nothing = extra == trace::extra_nothing;
      return;
    case EventForm::plain:
    case EventForm::message:
    case EventForm::exchange:
    case EventForm::collective:
    case EventForm::creation:
    case EventForm::object:
    case EventForm::access:
    case EventForm::file:
    case EventForm::libc:
      return;
  }
}

bool Expansion::next(Call* call) {
  trace::Event event;
  if (!walker_.next(&event)) return false;
  const trace::Key& key = event.key;
  *call = Call{};
  call->site = key.site;
  call->function = key.site < stream_.sites.size() ? stream_.sites[key.site].function : 0;
  call->times = event.times;
  call->count = key.count;
  call->datatype = key.datatype;
  call->datatype_bytes = measurer_.posted_bytes(1, key.datatype);
  call->comm = key.comm & trace::comm_mask;
  call->flags = key.comm & ~trace::comm_mask;
  call->peer = key.peer;
  const CallClass cls = measurer_.class_of(key.site);
  const bool absolute = trace::facts_of(cls).event == EventForm::collective;
  if (!absolute && key.peer >= trace::first_real_peer && call->comm < process_.communicators.size())
    call->peer = key.peer + process_.communicators[call->comm].rank;
  call->world_peer = absolute ? partner_unknown : measurer_.world_partner(key.comm, key.peer);
  call->tag = key.tag;
  call->value = key.value;
  call->extra = key.extra;
  complete(event, cls, call);
  call->words.assign(event.words, event.words + event.word_count);
  return true;
}

}  // namespace leadline::analysis
