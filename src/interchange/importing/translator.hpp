// Turns a call of an archive into the event that the recorder would have written (docs/reference/format.md, Events).
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "interchange/importing/call.hpp"
#include "interchange/importing/objects.hpp"
#include "interchange/importing/recorded_process.hpp"

namespace leadline::interchange::importing {

// As a trace has them: bytes, and the root of a collective.
int64_t bytes_of(uint64_t bytes);
int64_t known_bytes(uint64_t bytes);  // -1: the archive says that they are unknown
int32_t root_of(uint32_t root);

class Translator {
 public:
  Translator(ArchiveMap* map, RecordedProcess* process, RecordedThread* thread, Objects* objects, Missing* missing)
      : map_(*map), process_(*process), thread_(*thread), objects_(*objects), missing_(*missing) {}

  void translate(const Call& call);
  void local(const Call& call);
  bool initialized() const { return initialized_; }
  bool finalized() const { return finalized_; }
  uint64_t finalized_at() const { return finalized_at_; }

 private:
  // A request under way.
  struct Request {
    trace::Key maker;     // of the call that made it; of the creation, for a persistent one
    uint64_t number = 0;  // among the thread's requests
    uint64_t other = 0;   // of a call that makes one request of a send and a receive: the other's id
    bool receives = false;
    uint32_t file = 0;  // of a transfer
    bool writes = false;
  };
  struct Creation {
    uint64_t number;  // among the thread's creations
    uint32_t site;
    Effect::Kind starts_with;  // what the archive says of its starts
  };
  static constexpr size_t most_requests = size_t{1} << 20, most_creations = size_t{1} << 16;

  void message(const Call& call, trace::Key* key);
  void exchange(const Call& call, trace::Key* key);
  void completion(const Call& call, trace::Key* key);
  void completions(const Call& call, trace::Key* key);
  void start(const Call& call, trace::Key* key, bool list);
  void collective(const Call& call, trace::Key* key);
  void object(const Call& call, trace::Key* key);
  void access(const Call& call, trace::Key* key);
  void transfer(const Call& call, trace::Key* key);
  int64_t moved_by(const Request& request, const Effect& done);
  void libc(const Call& call, trace::Key* key);
  bool polls_in_vain(const Call& call) const;
  void fill_sent(const Effect& effect, trace::Key* key);
  void fill_received(const Effect& effect, trace::Key* key);
  bool place(const Effect& effect, trace::Key* key);
  void make(const Call& call, const trace::Key& key);
  Request* request_of(const Effect& done);
  void forget(uint64_t id);
  Creation* creation_for(const Effect& effect);
  uint32_t link(uint64_t age, uint32_t site);
  void add_polls(const Call& call, uint32_t site);
  void start_one(const Effect& effect, uint32_t site, trace::Key* started);
  bool is_own_file(const Call& call, const Effect& effect);
  const Effect* on_file(const Call& call, Effect::Kind kind);  // on a file of the call's own interface, if there is one
  void count_in_file(const Call& call, uint32_t file, trace::FileLayer layer, int64_t bytes);

  ArchiveMap& map_;
  RecordedProcess& process_;
  RecordedThread& thread_;
  Objects& objects_;
  Missing& missing_;
  std::unordered_map<uint64_t, Request> requests_;      // by OTF2's number
  std::unordered_map<uint64_t, Creation> created_for_;  // the creation that a request's starts belong to
  std::unordered_map<uint64_t, int64_t> split_bytes_;  // asked for, by the number that pairs a transfer's begin and end
  std::deque<Creation> creations_;                     // in the order in which they are expected to be started
  std::vector<int64_t> words_;
  bool initialized_ = false, finalized_ = false;
  uint64_t finalized_at_ = 0;
};

}  // namespace leadline::interchange::importing
