// Decodes keys and their words: the one place that knows what their fields mean by class of the function
// (trace/event.hpp). A key is all it needs; no index in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "structure/decoded_call.hpp"
#include "trace/process.hpp"

namespace leadline::structure {

class CallDecoder {
 public:
  // Calls of one thread; `stream` is its index. The process must outlive the decoder.
  CallDecoder(const trace::Process& process, size_t stream);

  // `call` is reused: once its storage has grown, nothing is allocated.
  void decode(const trace::Key& key, const int64_t* words, size_t word_count, DecodedCall* call) const;
  void decode(const trace::Event& event, DecodedCall* call) const {
    decode(event.key, event.words, event.word_count, call);
  }
  void decode(const trace::Tally& tally, DecodedCall* call) const {
    decode(*tally.key, tally.words, tally.word_count, call);
  }

  const trace::Process& process() const { return process_; }
  size_t stream() const { return index_; }
  trace::CallClass class_of(uint32_t site) const;
  uint64_t identity(uint32_t comm) const;
  // The partner by its rank relative to the caller, in a communicator or window of the table.
  Partner partner(uint32_t comm, int32_t peer) const;
  int64_t bytes_of(int64_t count, uint32_t datatype) const;  // 0 for meaningless values

 private:
  using Words = std::span<const int64_t>;
  struct FunctionFacts {
    trace::CallClass cls;
    uint8_t moves;
  };

  static int64_t known(int64_t bytes) { return bytes >= 0 ? bytes : bytes_unknown; }
  // Receives of a matched message have its source and tag, whatever the probe asked for.
  static bool receives_matched(trace::CallClass c) {
    return c == trace::CallClass::mrecv || c == trace::CallClass::imrecv;
  }
  static bool partitioned(trace::CallClass c) {
    return c == trace::CallClass::psend_init || c == trace::CallClass::precv_init;
  }
  static constexpr uint32_t wildcard_flags = trace::flag_any_source | trace::flag_any_tag;
  // Whether source or tag of a receive is still to be known.
  static bool is_open(uint32_t flags, int32_t peer, int32_t tag) {
    return (flags & wildcard_flags) != 0 || peer == trace::peer_any || tag == trace::tag_any;
  }

  void describe(const trace::Key& key, DecodedCall* call) const;  // all but its parts
  void message(const trace::Key& key, DecodedCall* call) const;
  void exchange(const trace::Key& key, Words words, DecodedCall* call) const;
  void completion(const trace::Key& key, Words words, DecodedCall* call) const;
  void completions(Words words, DecodedCall* call) const;
  void start(const trace::Key& key, Words words, DecodedCall* call) const;
  void starts(Words words, DecodedCall* call) const;
  void collective(Words words, DecodedCall* call) const;
  void access(const trace::Key& key, DecodedCall* call) const;
  void file(const trace::Key& key, DecodedCall* call) const;
  void libc(const trace::Key& key, DecodedCall* call) const;

  // A part with the call's communicator, partner and so on.
  CallPart& add(DecodedCall* call, uint8_t moved) const;
  // What the call that made the request says of its completion, or of its start.
  // moved_told: `received` is what a file operation moved.
  void describe_completion(int64_t posted, int64_t received, bool moved_told, CallPart* part) const;
  void describe_start(uint32_t flags, int64_t posted, CallPart* part) const;
  // The call that made the request that a completion or a start is about, and of one in a list. False: there is none.
  bool linked(uint32_t extra, Words words, Maker* maker) const;
  void listed(int64_t link, Maker* maker) const;
  void identify(Maker* maker) const;  // its function, by stream and site

  Partner root(uint32_t comm, int32_t rank) const;  // as collectives have it
  uint8_t moves_of(uint32_t function) const { return function < functions_.size() ? functions_[function].moves : 0; }
  size_t stream_of(int64_t thread) const;
  uint32_t valid_comm(uint32_t comm) const {
    return (comm & trace::comm_mask) < process_.communicators.size() ? comm & trace::comm_mask : 0;
  }
  uint32_t valid_datatype(int64_t type) const {
    return type >= 0 && type < static_cast<int64_t>(process_.datatypes.size()) ? static_cast<uint32_t>(type) : 0;
  }

  const trace::Process& process_;
  size_t index_;
  std::vector<FunctionFacts> functions_;
};

}  // namespace leadline::structure
