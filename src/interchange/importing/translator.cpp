#include "interchange/importing/translator.hpp"

#include <algorithm>

#include "trace/completions.hpp"
#include "trace/structure.hpp"

namespace leadline::interchange::importing {

using trace::CallClass;
using trace::EventForm;
using trace::Key;
using trace::RequestUse;
using Kind = Effect::Kind;

namespace {

// As lists have them.
int64_t peer_and_tag(const Key& key) {
  const uint64_t peer = static_cast<uint32_t>(key.peer);
  return static_cast<int64_t>(peer << 32 | static_cast<uint32_t>(key.tag));
}

}  // namespace

void Translator::local(const Call& call) {
  const uint32_t function = process_.function(call.routine->name, call.routine->cls);
  const uint64_t frame = call.context >= trace::first_context ? thread_.frame_of(call.context) : 0;
  thread_.add_local(function, frame, call.begin, call.end);
}

void Translator::translate(const Call& call) {
  const CallClass cls = call.routine->cls;
  const uint32_t function = process_.function(call.routine->name, cls);
  Key key;
  key.site = thread_.site(function, call.context, call.region);
  key.peer = trace::peer_none;
  initialized_ |= cls == CallClass::init;
  if (cls == CallClass::finalize) {
    finalized_ = true;
    finalized_at_ = call.end;
  }
  if (polls_in_vain(call)) return add_polls(call, key.site);
  // A switch over the forms, so that a new one must be thought about.
  switch (trace::facts_of(cls).event) {
    case EventForm::message:
      message(call, &key);
      break;
    case EventForm::exchange:
      exchange(call, &key);
      break;
    case EventForm::completion:
      completion(call, &key);
      break;
    case EventForm::completions:
      completions(call, &key);
      break;
    case EventForm::start:
      start(call, &key, false);
      break;
    case EventForm::starts:
      start(call, &key, true);
      break;
    case EventForm::collective:
      collective(call, &key);
      break;
    case EventForm::object:
    case EventForm::creation:
    case EventForm::plain:
    case EventForm::probe:
      object(call, &key);
      break;
    case EventForm::access:
      access(call, &key);
      break;
    case EventForm::file:
      transfer(call, &key);
      break;
    case EventForm::libc:
      libc(call, &key);
      break;
  }
  const RequestUse use = trace::facts_of(cls).requests;
  if (use == RequestUse::makes) make(call, key);
  if (use == RequestUse::creates) {
    const uint64_t number = ++thread_.header().persistent_made;
    const uint8_t moves = trace::facts_of(cls).moves;
    if (creations_.size() >= most_creations) creations_.pop_front();
    creations_.push_back({number, key.site,
                          moves & trace::moves::sends      ? Kind::send_request
                          : moves & trace::moves::receives ? Kind::receive_request
                                                           : Kind::collective_request});
  }
  thread_.add(key, call.begin, call.end);
}

// A test that completed nothing is no event. Our own export has those as regions of their own.
bool Translator::polls_in_vain(const Call& call) const {
  if (call.routine->polls) return true;
  if (map_.ours()) return false;
  const CallClass cls = call.routine->cls;
  const bool tests =
      cls == CallClass::test || cls == CallClass::testany || cls == CallClass::testall || cls == CallClass::testsome;
  return tests && !call.find(Kind::send_done) && !call.find(Kind::receive_done) && !call.find(Kind::collective_done) &&
         !call.find(Kind::cancelled) && !call.find(Kind::transfer_done) && !call.find(Kind::access_done);
}

// Our own export says how many there were, to a power of two.
void Translator::add_polls(const Call& call, uint32_t site) {
  constexpr uint64_t most = 1 << 15;
  const Effect* told = call.find(Kind::parameter);
  const uint64_t polls = std::clamp<uint64_t>(told ? told->bytes : 1, 1, most);
  const uint64_t each = call.end > call.begin ? (call.end - call.begin) / polls : 0;
  for (uint64_t i = 0; i < polls; ++i) {
    const uint64_t begin = call.begin + i * each;
    thread_.add_poll(site, begin, i + 1 < polls ? begin + each : call.end);
  }
}

// --- Messages ---

bool Translator::place(const Effect& effect, Key* key) {
  const Objects::Communicator comm = objects_.communicator(effect.comm);
  if (!comm.number) {
    ++missing_.unknown_comms;
    return false;
  }
  key->comm = comm.number | (key->comm & ~trace::comm_mask);
  key->peer = static_cast<int32_t>(effect.peer - static_cast<uint32_t>(comm.rank));
  if (key->peer < trace::first_real_peer) key->peer = trace::peer_none;
  key->tag = static_cast<int32_t>(effect.tag);
  return true;
}

void Translator::fill_sent(const Effect& effect, Key* key) {
  place(effect, key);
  key->count = bytes_of(effect.bytes);
  key->datatype = process_.bytes_type();
}

void Translator::fill_received(const Effect& effect, Key* key) {
  if (effect.told) {
    place(effect, key);
    key->count = bytes_of(effect.bytes);
  } else {  // only its completion, if any, tells what it did
    key->peer = trace::peer_any;
    key->tag = trace::tag_any;
    key->comm |= trace::flag_any_source | trace::flag_any_tag;
  }
  key->datatype = process_.bytes_type();
}

void Translator::message(const Call& call, Key* key) {
  const CallClass cls = call.routine->cls;
  const bool blocks = trace::facts_of(cls).requests == RequestUse::none;
  if (trace::facts_of(cls).requests == RequestUse::creates) return;  // the archive does not describe it
  const bool receives = trace::facts_of(cls).moves & trace::moves::receives;
  const Effect* found = nullptr;
  if (receives) {
    found = call.find(blocks ? Kind::receive : Kind::receive_request);
    if (!found) found = call.find(blocks ? Kind::receive_done : Kind::receive);
    key->value = trace::unknown_value;
  } else {
    found = call.find(blocks ? Kind::send : Kind::send_request);
    if (!found) found = call.find(blocks ? Kind::send_request : Kind::send);
  }
  if (!found) {
    ++missing_.no_message;
    key->peer = trace::peer_null;
    return;
  }
  missing_.left_over += static_cast<uint64_t>(
      std::count_if(call.effects.begin(), call.effects.end(), [&](const Effect& e) { return e.kind == found->kind; }) -
      1);
  receives ? fill_received(*found, key) : fill_sent(*found, key);
  if (receives && blocks) key->value = key->count;
}

void Translator::exchange(const Call& call, Key* key) {
  const bool blocks = trace::facts_of(call.routine->cls).requests == RequestUse::none;
  const Effect* sent = call.find(blocks ? Kind::send : Kind::send_request);
  if (!sent) sent = call.find(blocks ? Kind::send_request : Kind::send);
  const Effect* received = call.find(blocks ? Kind::receive : Kind::receive_request);
  if (!received) received = call.find(blocks ? Kind::receive_done : Kind::receive);
  Key other;
  other.peer = trace::peer_null;
  if (received) fill_received(*received, &other);
  key->comm = other.comm;
  if (sent) {
    fill_sent(*sent, key);
  } else {
    key->peer = trace::peer_null;
  }
  missing_.no_message += !sent + !received;
  words_ = {other.count, process_.bytes_type(), other.peer, other.tag};
  key->value = !blocks ? trace::unknown_value : received ? other.count : 0;
  key->extra = thread_.intern(words_);
}

// --- Requests ---

uint32_t Translator::link(uint64_t age, uint32_t site) {
  if (trace::link_fits(age, site)) return trace::link_pack(age, site);
  words_ = {static_cast<int64_t>(age), static_cast<int64_t>(site)};
  return thread_.intern(words_) | trace::link_interned;
}

void Translator::make(const Call& call, const Key& key) {
  Request request;
  request.maker = key;
  request.number = ++thread_.header().requests_made;
  if (requests_.size() >= most_requests) requests_.clear();
  const Effect* sent = call.find(Kind::send_request);
  const Effect* received = call.find(Kind::receive_request);
  for (const Effect& e : call.effects) {
    const bool asks = e.kind == Kind::send_request || e.kind == Kind::receive_request ||
                      e.kind == Kind::collective_request || e.kind == Kind::transfer || e.kind == Kind::put ||
                      e.kind == Kind::get || e.kind == Kind::atomic;
    if (!asks || (e.kind == Kind::transfer && !is_own_file(call, e))) continue;
    request.receives = received != nullptr;
    if (e.kind == Kind::transfer) {
      request.file = objects_.file(e.comm, true).file;
      request.writes = e.writes;
    }
    request.other = sent && received ? (e.kind == Kind::send_request ? received->id : sent->id) : 0;
    requests_.insert_or_assign(e.id, request);
  }
}

Translator::Request* Translator::request_of(const Effect& done) {
  const bool completes = done.kind == Kind::send_done || done.kind == Kind::receive_done ||
                         done.kind == Kind::collective_done || done.kind == Kind::cancelled ||
                         done.kind == Kind::transfer_done || done.kind == Kind::access_done;
  if (!completes) return nullptr;
  const auto at = requests_.find(done.id);
  return at == requests_.end() ? nullptr : &at->second;
}

void Translator::forget(uint64_t id) {
  const auto at = requests_.find(id);
  if (at == requests_.end()) return;
  const uint64_t other = at->second.other;
  requests_.erase(at);
  if (other) requests_.erase(other);
}

void Translator::completion(const Call& call, Key* key) {
  const bool cancels = call.routine->cls == CallClass::cancel;
  for (const Effect& done : call.effects) {
    Request* request = request_of(done);
    if (!request) continue;
    const uint32_t site = key->site;
    *key = request->maker;
    key->site = site;
    key->value = request->receives && done.kind == Kind::receive_done ? bytes_of(done.bytes) : 0;
    if (done.kind == Kind::receive_done && (key->comm & trace::flag_any_source)) place(done, key);
    if (done.kind == Kind::cancelled && !cancels) key->comm |= trace::flag_cancelled;
    if (done.kind == Kind::transfer_done) {
      key->value = moved_by(*request, done);
      if (key->value >= 0) key->comm |= trace::flag_bytes_told;
    }
    key->extra = link(thread_.header().requests_made - request->number + 1, request->maker.site);
    if (!cancels) forget(done.id);
    return;
  }
  const bool named = std::any_of(call.effects.begin(), call.effects.end(), [](const Effect& e) {
    return e.kind == Kind::send_done || e.kind == Kind::receive_done || e.kind == Kind::collective_done;
  });
  if (named) {
    ++missing_.unknown_requests;
    process_.lose(trace::LossKind::requests_unknown);
  } else {
    ++missing_.no_completion;
  }
}

void Translator::completions(const Call& call, Key* key) {
  words_ = {0};
  for (const Effect& done : call.effects) {
    Request* request = request_of(done);
    if (!request) {
      if (done.kind == Kind::send_done || done.kind == Kind::receive_done) {
        const bool already = map_.ours();  // the other half of a request that went both ways
        missing_.unknown_requests += !already;
        if (!already) process_.lose(trace::LossKind::requests_unknown);
      }
      continue;
    }
    const Key& maker = request->maker;
    Key resolved = maker;
    const bool wild = done.kind == Kind::receive_done && (maker.comm & trace::flag_any_source) != 0;
    if (wild) place(done, &resolved);
    ++words_[0];
    words_.push_back(trace::listed_link(thread_.header().requests_made - request->number + 1, maker.site, -1));
    const int64_t moved = done.kind == Kind::transfer_done ? moved_by(*request, done) : trace::unknown_value;
    const bool told = moved >= 0;
    words_.push_back(told ? moved : request->receives && done.kind == Kind::receive_done ? bytes_of(done.bytes) : 0);
    words_.push_back(told                           ? trace::listed_bytes_told
                     : done.kind == Kind::cancelled ? trace::listed_cancelled
                     : wild                         ? peer_and_tag(resolved)
                                                    : 0);
    words_.push_back(maker.count);
    forget(done.id);
  }
  key->count = words_[0];
  missing_.no_completion += words_[0] == 0;
  key->extra = thread_.intern(words_);
}

// The archive does not say to which creation a start belongs. A request that was started before is known by its number;
// otherwise the one of its kind that was not started for the longest time is taken.
Translator::Creation* Translator::creation_for(const Effect& effect) {
  const auto known = created_for_.find(effect.id);
  if (known != created_for_.end()) return &known->second;
  const auto next = std::find_if(creations_.begin(), creations_.end(),
                                 [&](const Creation& c) { return c.starts_with == effect.kind; });
  if (next == creations_.end()) return nullptr;
  const Creation found = *next;
  creations_.erase(next);
  creations_.push_back(found);
  if (created_for_.size() >= most_creations) created_for_.clear();
  return &(created_for_[effect.id] = found);
}

// What the creation of the request would have recorded.
void Translator::start_one(const Effect& effect, uint32_t site, Key* started) {
  started->site = site;
  started->peer = trace::peer_none;
  if (effect.kind == Kind::send_request) return fill_sent(effect, started);
  if (effect.kind == Kind::receive_request) return fill_received(effect, started);
  started->comm = trace::flag_persistent_collective;
  started->count = started->value = trace::unknown_value;
  if (!effect.told) return void(++missing_.no_collective);
  started->comm |= objects_.communicator(effect.comm).number;
  started->peer = root_of(effect.peer);
  started->value = bytes_of(effect.bytes);
  started->count = bytes_of(effect.other);
}

void Translator::start(const Call& call, Key* key, bool list) {
  std::vector<int64_t> words = {0};
  for (const Effect& e : call.effects) {
    const bool collective = e.kind == Kind::collective_request;
    if (e.kind != Kind::send_request && e.kind != Kind::receive_request && !collective) continue;
    const Creation* creation = creation_for(e);
    if (!creation) {
      ++missing_.starts;
      continue;
    }
    Key started;
    start_one(e, creation->site, &started);
    const uint64_t age = thread_.header().persistent_made - creation->number + 1;
    Request request;
    request.maker = started;
    request.number = ++thread_.header().requests_made;
    request.receives = e.kind == Kind::receive_request;
    if (requests_.size() >= most_requests) requests_.clear();
    requests_.insert_or_assign(e.id, request);
    if (!list) {
      const uint32_t site = key->site;
      *key = started;
      key->site = site;
      key->extra = link(age, creation->site);
      return;
    }
    ++words[0];
    words.push_back(trace::listed_link(age, creation->site, -1));
    words.push_back(collective ? started.value : started.count);
    words.push_back(collective ? started.count : peer_and_tag(started));
    words.push_back(started.comm);
  }
  if (!list) return;
  key->count = words[0];
  key->extra = thread_.intern(words);
}

}  // namespace leadline::interchange::importing
