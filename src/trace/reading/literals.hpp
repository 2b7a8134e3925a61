// The values written out in a graph's literals, and the effects of its symbols.
#pragma once

#include <algorithm>
#include <type_traits>

#include "trace/structure.hpp"

namespace leadline::trace {

inline void read_literal(ByteReader& in, Token* t) {
  *t = Token{};
  t->run = in.varint();
  t->target = static_cast<uint32_t>(in.varint());
}

inline void read_literal(ByteReader& in, Variation* v) {
  *v = Variation{};
  v->position = static_cast<uint32_t>(in.varint());
  const uint8_t mask = in.byte();
  if (mask & 1) v->count = in.svarint();
  if (mask & 2) v->peer = static_cast<int32_t>(in.svarint());
  if (mask & 4) v->tag = static_cast<int32_t>(in.svarint());
  if (mask & 8) v->extra = static_cast<int32_t>(in.svarint());
  if (mask & 16) v->value = in.svarint();
}

inline void read_literal(ByteReader& in, PollRun* r) {
  const uint64_t packed = in.varint();
  *r = PollRun{packed >> 5, 0, static_cast<uint32_t>(packed >> 1) & largest_magnitude};
  if (packed & 1) r->first = static_cast<uint32_t>(std::min<uint64_t>(in.varint(), UINT32_MAX));
}

// Applies the changes to a wild position's fields.
inline void apply(const Variation& v, Key* key) {
  key->count = wrapping_sum(key->count, v.count);
  key->value = wrapping_sum(key->value, v.value);
  key->peer = static_cast<int32_t>(static_cast<uint32_t>(key->peer) + static_cast<uint32_t>(v.peer));
  key->tag = static_cast<int32_t>(static_cast<uint32_t>(key->tag) + static_cast<uint32_t>(v.tag));
  key->extra = key->extra + static_cast<uint32_t>(v.extra);
}

// One literal of the event stream (event_graph.cpp, add_literal).
struct EventLiteral {
  enum class Kind { position, key, repeat } kind = Kind::key;
  bool last = false;
  uint64_t number = 0;  // position, or number of repeats
};
// Whether the next one is a key, which stands there as its difference from the one before.
inline bool key_follows(ByteReader in) { return in.byte() >> 1 == 1; }
inline bool read_event_literal(ByteReader& in, EventLiteral* literal, Key* k) {
  const uint8_t control = in.byte();
  literal->last = control & 1;
  switch (control >> 1) {
    case 0:
      literal->kind = EventLiteral::Kind::position;
      literal->number = in.varint();
      break;
    case 1: {
      literal->kind = EventLiteral::Kind::key;
      const uint8_t mask = in.byte();
      const auto field = [&](uint8_t bit, auto* f) {
        if (mask & bit) *f = static_cast<std::remove_reference_t<decltype(*f)>>(wrapping_sum(in.svarint(), *f));
      };
      field(1, &k->site);
      field(2, &k->comm);
      field(4, &k->count);
      field(8, &k->peer);
      field(16, &k->tag);
      field(32, &k->datatype);
      field(64, &k->extra);
      field(128, &k->value);
      break;
    }
    case 2:
      literal->kind = EventLiteral::Kind::repeat;
      literal->number = in.varint();
      break;
    default:
      in.fail();
  }
  return in.ok();
}

}  // namespace leadline::trace
