// One recorded call as the trace knows it: a key of five words. Events with equal keys are equal.
//
// Meaning of the fields by class of the function (docs/reference/format.md has the full table):
//   sends            count, peer, tag, datatype as posted.
//   recv, mrecv      count as posted; peer and tag: the actual ones if a status gave them, with flags for wildcards;
//                    value = bytes received, unknown_value if the program did not ask.
//   irecv, recv_init as posted (peer_any, tag_any); value = unknown_value.
//   sendrecv         the send half; extra -> [rcount, rtype, source, rtag]; value = bytes received.
//   probe family     peer, tag, value = bytes of the message found.
//   wait, waitany,   the fields of the call that made the request (wildcards resolved); value = bytes received;
//   test, testany,   extra = packed link (below) to the maker;
//   request_free,    extra 0: the request was null, inactive or made by an unrecorded call.
//   cancel
//   start            the fields of the call that created the persistent request; link counts creations. Of a collective
//                    (flag_persistent_collective): count = bytes received, value = bytes contributed, no datatype.
//   waitall/some,    count = requests passed; extra -> [n, then per completed request: listed_link to the maker,
//   testall/some     bytes received (-1 unknown, 0 for sends), peer << 32 | tag, bytes posted].
//   startall         extra -> [n, then per request: listed_link, bytes posted, peer << 32 | tag, comm]; of a collective
//                    [listed_link, bytes contributed, bytes received, comm | flag_persistent_collective].
//   collectives      count = scount as passed (rcount if there is none), peer = root in the communicator (absolute) or
//                    peer_none, datatype = its type; extra -> [contributed bytes, received bytes, op, rcount, rtype,
//                    ns, s counts..., nr, r counts...]; ns, nr = -1 if the vector was too long to keep.
//   comm_create      comm = parent; extra = id of the new communicator (0: none for this rank).
//   win_create, file_open  comm = communicator; extra = id of the window or file (they share the table of
//   communicators); value of file_open: the access mode. rma, file_io     comm = id of window or file; peer = target
//   relative to this rank (peer_none: the call failed); value = bytes moved where known; flag_only_fetches: the
//   operation is MPI_NO_OP.
#pragma once

#include <cstdint>

namespace leadline::trace {

struct Key {
  uint32_t site = 0;  // index into the table of call sites
  uint32_t comm = 0;  // index into the table of communicators, windows and files | flags << 24
  int64_t count = 0;  // elements, as posted
  int32_t peer = 0;   // rank of the partner minus this rank, in the communicator, or one of peer_*
  int32_t tag = 0;    //
  uint32_t datatype = 0;
  uint32_t extra = 0;  // index of interned words, a packed link or an id: see above
  int64_t value = 0;
};
static_assert(sizeof(Key) == 40);

inline constexpr uint32_t comm_mask = 0xffffff;
inline constexpr uint32_t flag_any_source = 1u << 24;
inline constexpr uint32_t flag_any_tag = 2u << 24;
inline constexpr uint32_t flag_in_place = 4u << 24;
inline constexpr uint32_t flag_cancelled = 8u << 24;
inline constexpr uint32_t flag_nothing = 16u << 24;  // failed polls, as readers report them (extra = extra_nothing)
inline constexpr uint32_t flag_offset = 32u << 24;   // a file call whose tag and extra hold its offset
inline constexpr uint32_t flag_persistent_collective = 64u << 24;  // set by its creation, so its starts have it too
inline constexpr uint32_t flag_only_fetches = 128u << 24;          // a one-sided call that puts nothing

inline constexpr int32_t peer_none = INT32_MIN;      // the call has no partner
inline constexpr int32_t peer_null = INT32_MIN + 1;  // MPI_PROC_NULL
inline constexpr int32_t peer_any = INT32_MIN + 2;   // MPI_ANY_SOURCE, outcome not known (yet)
inline constexpr int32_t peer_root = INT32_MIN + 3;  // MPI_ROOT
inline constexpr int32_t first_real_peer = INT32_MIN + 16;
inline constexpr int32_t tag_any = INT32_MIN + 2;

inline constexpr int64_t unknown_value = -1;
inline constexpr uint32_t extra_nothing = 1;

// A link from a completion to the call that made the request: how many requests ago (1 = the latest), and at which
// site. It is packed into 32 bits if both fit (bit 31 clear, never 0 or 1), else interned as [age, site] with bit 31
// set. If another thread made the request, it is interned as [number, site, thread].
inline constexpr uint32_t link_interned = 1u << 31;
inline constexpr uint32_t link_age_bits = 15;
constexpr bool link_fits(uint64_t age, uint32_t site) { return age < (1u << link_age_bits) && site < (1u << 14); }
constexpr uint32_t link_pack(uint64_t age, uint32_t site) {
  return 2u + (static_cast<uint32_t>(age) | site << link_age_bits);
}
constexpr uint32_t link_age(uint32_t extra) { return (extra - 2u) & ((1u << link_age_bits) - 1); }
constexpr uint32_t link_site(uint32_t extra) { return (extra - 2u) >> link_age_bits; }

// The link of one request in a list: age << 32 | site; if another thread made the request, number << 32 | (thread + 1)
// << 20 | site. 32 bits of age and number are kept.
inline constexpr uint32_t listed_site_bits = 20;
inline constexpr uint32_t most_sites = 1u << listed_site_bits;
constexpr int64_t listed_link(uint64_t age_or_number, uint32_t site, int32_t thread) {
  return static_cast<int64_t>(age_or_number << 32 | static_cast<uint64_t>(thread + 1) << listed_site_bits | site);
}
constexpr uint32_t listed_site(int64_t link) { return static_cast<uint32_t>(link) & ((1u << listed_site_bits) - 1); }
// The thread that made it; -1: the thread that completed it.
constexpr int32_t listed_thread(int64_t link) {
  return static_cast<int32_t>(static_cast<uint32_t>(link) >> listed_site_bits) - 1;
}

inline bool operator==(const Key& a, const Key& b) { return __builtin_memcmp(&a, &b, sizeof(Key)) == 0; }

}  // namespace leadline::trace
