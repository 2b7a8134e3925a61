// The events of one thread in an OTF2 archive.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "interchange/otf2_shared.hpp"

namespace leadline::interchange {

class Otf2Thread {
 public:
  Otf2Thread(Otf2Shared* to, const Exporting& exporting, otf2::EvtWriter* writer, const trace::Process& process,
             size_t stream);

  // `context`: that it was made in.
  void call(const CallStream& c, uint32_t context);

 private:
  // What the archive says of a call on a file.
  enum class FileEvent : uint8_t { none, opens, closes, moves, flushes, seeks, other };
  struct FunctionFacts {
    uint32_t region = otf2::undefined, region_of_polls = otf2::undefined;
    bool looked_up = false;
    bool flushes = false, collective = false, split_begin = false, split_end = false;
  };

  const std::string& name_of(uint32_t function) const;
  FunctionFacts& facts_of(uint32_t function);
  uint32_t region_of(const CallStream& c);
  void events_at_begin(const CallStream& c, uint64_t begin);
  void events_at_end(const CallStream& c, uint64_t begin, uint64_t end);

  // A request may have a message each way. Operations without a request are counted.
  static uint64_t send_id(uint64_t request) { return 4 * request; }
  static uint64_t receive_id(uint64_t request) { return 4 * request + 1; }
  static uint64_t access_id(uint64_t operation) { return 4 * operation + 2; }
  static uint64_t transfer_id(uint64_t operation) { return 4 * operation + 3; }
  void check(int error) {
    if (error) to_.check(error);
  }

  bool exports(const MessageEnd& m) const;
  void send(const MessageEnd& m, uint64_t at);
  void receive(const MessageEnd& m, uint64_t at);
  bool described(const RequestUnderWay& r) const;
  void completed(const RequestUnderWay& r, uint64_t at);
  void collective_done(const RequestUnderWay& r, uint64_t at);
  void collective(const CallStream& c, uint64_t begin, uint64_t end);

  using WindowEvent = int (*)(otf2::EvtWriter*, otf2::AttributeList*, uint64_t, uint32_t);
  void window(uint32_t object, uint64_t at, WindowEvent write);
  void access(const CallStream& c, uint64_t at);
  void access_done(uint64_t window, uint64_t operation, bool here, bool there, uint64_t at);

  // Files (otf2_thread_files.cpp).
  FileEvent file_event(const CallStream& c);
  uint32_t handle(const OpenFile& file);
  void file_begins(const CallStream& c, uint64_t at);
  void file_ends(const CallStream& c, uint64_t at);
  void transfer_begins(const CallStream& c, uint64_t at);
  void transfer_ends(const CallStream& c, uint64_t at);

  using Communicator = Otf2Shared::Communicator;
  Otf2Shared& to_;
  const Exporting& exporting_;
  const otf2::Library& otf2_;
  otf2::EvtWriter* writer_;
  const trace::Process& process_;
  uint64_t of_thread_;  // in the numbers of transfers, which all threads of a process must tell apart
  std::map<std::tuple<uint64_t, uint32_t, bool, bool>, uint32_t> handles_;  // that were looked up: by number and file
  std::vector<FunctionFacts> functions_;  // whose regions and names are looked up once
  uint64_t transfers_ = 0;                // without a request
  uint64_t transfer_ = 0;                 // of the call
  FileEvent file_event_ = FileEvent::none;
  uint32_t handle_ = otf2::undefined;  // of the call's file
  struct SplitTransfer {
    uint64_t transfer;
    bool counted;  // with the begin, as earlier recorders did
  };
  std::map<uint32_t, SplitTransfer> split_;  // that have begun: by handle
};

}  // namespace leadline::interchange
