// The on-node engine with threads as ranks, all of which see its memory at one address, so that a thread sanitizer can
// look at every access: all operations, short and long, with other roots in each turn, every result checked.
//     team_of_threads THREADS TURNS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "collectives/node/team.hpp"

using namespace leadline::collectives;

namespace {

int threads;
std::unique_ptr<std::barrier<>> meeting_point;
std::vector<char> offers;
std::atomic<bool> agreed{true};
std::atomic<long> wrong{0};
char* shared_memory;
std::atomic<int> users{0};

bool gather(void* state, const void* mine, void* all, int bytes) {
  const int rank = *static_cast<int*>(state);
  if (rank == 0) offers.resize(static_cast<size_t>(threads * bytes));
  meeting_point->arrive_and_wait();
  memcpy(offers.data() + rank * bytes, mine, static_cast<size_t>(bytes));
  meeting_point->arrive_and_wait();
  memcpy(all, offers.data(), offers.size());
  meeting_point->arrive_and_wait();
  return true;
}

bool all_agree(void*, bool mine) {
  if (!mine) agreed = false;
  meeting_point->arrive_and_wait();
  return agreed;
}

int64_t value(int turn, int from, int to, int64_t i) { return turn * 1009 + from * 101 + to * 17 + i % 251; }

struct Turn {
  Operation operation;
  int64_t count;
  int number, root;
};

// Element i of what `rank` is to have.
int64_t expected(const Turn& turn, int rank, int64_t i) {
  const OperationFacts& facts = facts_of(turn.operation);
  const int to = facts.contributed.block_per_rank ? rank : 0;
  if (facts.reduces) {
    int64_t sum = 0;
    for (int from = 0; from < threads; ++from) sum += value(turn.number, from, 0, i);
    return sum;
  }
  const int from = facts.received.block_per_rank ? static_cast<int>(i / turn.count) : turn.root;
  return value(turn.number, from, to, i % turn.count);
}

void carry_out(node::Team& team, const node::Means& means, const Turn& turn) {
  const OperationFacts& facts = facts_of(turn.operation);
  const int rank = team.rank();
  const bool is_root = rank == turn.root;
  const int64_t given = turn.count * facts.blocks_contributed(threads);
  std::vector<int64_t> input(static_cast<size_t>(given) + 1);
  std::vector<int64_t> data(static_cast<size_t>(turn.count * facts.blocks_received(threads)) + 1, -1);
  for (int64_t i = 0; i < given; ++i)
    input[static_cast<size_t>(i)] = value(turn.number, rank, static_cast<int>(i / turn.count), i % turn.count);
  if (facts.has_one_buffer() && is_root) data = input;
  const auto bytes = [](std::vector<int64_t>& of) { return reinterpret_cast<char*>(of.data()); };
  if (team.run({turn.operation, turn.root, turn.count, bytes(input), bytes(data)}, means)) ++wrong;
  if (!facts.has_data || !facts.has_result(is_root)) return;
  for (int64_t i = 0; i < turn.count * facts.blocks_received(threads); ++i)
    if (data[static_cast<size_t>(i)] != expected(turn, rank, i)) {
      ++wrong;
      return;
    }
}

void be_rank(int rank, int turns) {
  const auto team = node::Team::make(rank, threads, nullptr, {&rank, gather, all_agree});
  if (!team) {
    ++wrong;
    return;
  }
  node::Means means{};
  means.reduce = [](void*, const void* from, void* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) static_cast<int64_t*>(to)[i] += static_cast<const int64_t*>(from)[i];
    return 0;
  };
  means.copy = [](void*, const void* from, void* to, int64_t count) {
    memcpy(to, from, static_cast<size_t>(count * 8));
    return 0;
  };
  means.progress = [](void*) { std::this_thread::yield(); };
  means.extent = 8;
  constexpr Operation operations[] = {Operation::broadcast, Operation::reduce,   Operation::allreduce,
                                      Operation::barrier,   Operation::alltoall, Operation::gather,
                                      Operation::allgather, Operation::scatter};
  constexpr int64_t counts[] = {1, 3, 40, 500, 3000, 30000};  // to slots, and to rings several times round
  for (int number = 0; number < turns; ++number)
    for (size_t i = 0; i < std::size(operations) * std::size(counts); ++i) {
      // Short ones follow one another, so that slots are used again.
      const size_t which = (i * 5 + static_cast<size_t>(number)) % (std::size(operations) * std::size(counts));
      means.combine = which % 3 ? node::find_combine("MPI_SUM", "MPI_INT64_T", 8) : nullptr;
      carry_out(*team, means,
                {operations[which % std::size(operations)], counts[which / std::size(operations)], number,
                 static_cast<int>(which + static_cast<size_t>(number)) % threads});
    }
  meeting_point->arrive_and_wait();
}

}  // namespace

// In place of segment.cpp, whose memory has another address in each process.
namespace leadline::collectives::node {

Segment::~Segment() { release(); }
void Segment::release() {
  if (memory_ && --users == 0) free(memory_);
  memory_ = nullptr;
}
void Segment::close_file() {}
bool Segment::make(int64_t bytes) {
  shared_memory = static_cast<char*>(aligned_alloc(4096, static_cast<size_t>(bytes + 4095) / 4096 * 4096));
  memset(shared_memory, 0, static_cast<size_t>(bytes));
  bytes_ = bytes;
  return open({});
}
Offer Segment::offer() const { return {{}, bytes_, 0, 0}; }
bool Segment::open(const Offer&) {
  memory_ = shared_memory;
  ++users;
  return true;
}

}  // namespace leadline::collectives::node

int main(int argc, char** argv) {
  threads = argc > 1 ? atoi(argv[1]) : 2;
  const int turns = argc > 2 ? atoi(argv[2]) : 1;
  meeting_point = std::make_unique<std::barrier<>>(threads);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < threads; ++rank) ranks.emplace_back(be_rank, rank, turns);
  for (std::thread& rank : ranks) rank.join();
  printf("%d threads, %d turns: %ld wrong\n", threads, turns, wrong.load());
  return wrong != 0;
}
