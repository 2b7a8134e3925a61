// A process whose calls come from elsewhere, recorded as the recorder would have done: by the same code
// (src/recording), in plain memory, written to a trace file. Its memory does not grow with the number of calls.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "recording/chunks.hpp"
#include "recording/event_graph.hpp"
#include "trace/call_class.hpp"
#include "trace/process.hpp"

namespace leadline::interchange::importing {

// Memory of which only touched pages take space.
class Region {
 public:
  explicit Region(size_t bytes);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  char* get() const { return memory_; }

 private:
  char* memory_;
  size_t bytes_;
};

// Chunks of a trace, one after another.
class ChunkFile {
 public:
  explicit ChunkFile(const std::string& path);
  ~ChunkFile() { close(); }
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;
  void put(trace::ChunkType type, const trace::ByteSink& payload);
  int close();  // 0 or errno, of anything that failed
  bool failed() const { return error_ != 0; }

 private:
  void write(const void* data, size_t size);
  FILE* file_;
  int error_ = 0;
};

class RecordedThread;

class RecordedProcess {
 public:
  struct Facts {
    int32_t rank = -1, world_size = 0;
    uint64_t world = 0;
    std::string host, program;
    uint64_t clock = 0;         // identity, the same for all processes of the archive
    uint64_t tick_factor = 0;   // ns per tick, 32.32
    std::string module, build;  // of the frames of call paths
    std::string library{}, family{};
  };
  // `series`: how many times of calls each thread keeps; UINT64_MAX: all.
  RecordedProcess(const std::string& path, const Facts& facts, uint64_t series);
  ~RecordedProcess();

  RecordedThread* add_thread();  // nullptr: there are as many as a trace may have
  uint32_t function(const std::string& name, trace::CallClass cls);
  // 0: the table is full.
  uint32_t communicator(const recording::LiveCommunicator& made, const std::vector<int32_t>& members,
                        const std::vector<trace::GridSide>& grid = {});
  uint32_t file(const std::string& name, bool by_mpi);
  recording::LiveFile& file_counts(uint32_t number) { return files_[number]; }
  uint32_t region(uint32_t parent, const std::string& name);
  uint32_t bytes_type() const { return bytes_type_; }  // its elements are bytes
  // Of another process, whose numbers these then have: modules after the first, the names of operations, files.
  void add_module(const std::string& path, const std::string& build);
  void add_operation(const std::string& name);
  void add_file(const std::string& name, const recording::LiveFile& like);
  // In the place of the only one, with one of bytes after them.
  void set_datatypes(const std::vector<recording::LiveDatatype>& types);

  // MPI_Init begins, MPI_Finalize has returned; calls before and after do not count for the run's time.
  void begins(uint64_t ticks, int64_t unix_ns);
  bool has_begun() const { return begun_; }
  void ends(uint64_t ticks);
  void last_call(uint64_t ticks);
  void lose(trace::LossKind kind, uint64_t n = 1) { header_.losses[static_cast<size_t>(kind)] += n; }

  int finish(bool finalized);  // writes the rest; 0 or errno

 private:
  friend class RecordedThread;
  struct FunctionKind {
    trace::CallClass cls;
  };
  void append_text(recording::TableState* state, size_t at, size_t capacity, const std::string& text);
  void know_functions(RecordedThread* thread) const;
  void write_process(bool last);
  void write_threads();

  Region region_;
  recording::ProcessHeader& header_;
  recording::LiveFile* files_;
  ChunkFile out_;
  uint64_t series_;
  uint32_t bytes_type_ = 1;
  bool begun_ = false, ended_ = false;
  std::vector<std::unique_ptr<RecordedThread>> threads_;
  std::unordered_map<std::string, uint32_t> functions_, file_numbers_, regions_;
  std::vector<FunctionKind> kinds_;
};

// A thread of it. Calls come in their order, their times in ticks of the process's clock.
class RecordedThread {
 public:
  RecordedThread(RecordedProcess* process, uint32_t number);

  uint32_t context(uint64_t frame, uint32_t parent);  // 0: the table is full
  uint64_t frame_of(uint32_t context) const;
  uint32_t site(uint32_t function, uint32_t context, uint32_t region);
  uint32_t intern(const std::vector<int64_t>& words);
  // What is known of its source otherwise: a context even if there is an equal one, all of its loops, the innermost one
  // around the calls of a context, and what going from one call to another repeats.
  uint32_t add_context(uint64_t frame, uint32_t parent);
  void set_loops(const std::vector<recording::LiveLoop>& loops);
  void set_around(uint32_t context, uint32_t loop);
  void know_step(uint32_t from, uint32_t to, uint32_t loop) { graph_.know_step(from, to, loop); }
  void add(const trace::Key& key, uint64_t begin, uint64_t end);
  void add_poll(uint32_t site, uint64_t begin, uint64_t end);
  void add_local(uint32_t function, uint64_t frame, uint64_t begin, uint64_t end);
  // The same for several calls, with the sum of their times.
  void add_locals(uint32_t function, uint64_t frame, uint64_t calls, uint64_t ticks);
  void add_region_time(uint32_t region, uint64_t ticks);
  void begins(uint64_t ticks);  // before its first call
  uint64_t calls() const { return header().calls_before + recording::calls_of(header()); }
  recording::ThreadHeader& header() const { return *reinterpret_cast<recording::ThreadHeader*>(region_.get()); }

 private:
  friend class RecordedProcess;
  void turn();
  bool spill(bool last);
  // The gap before a call that begins then, and its duration; time never goes back.
  uint64_t gap_before(uint64_t begin, uint64_t end, uint64_t* duration);

  RecordedProcess& process_;
  Region region_;
  recording::EventGraph graph_;
  std::unordered_map<uint64_t, uint32_t> contexts_, sites_, locals_;
};

}  // namespace leadline::interchange::importing
