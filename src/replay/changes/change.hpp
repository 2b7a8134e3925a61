// Changes to a recorded program before it is replayed: each one transforms its tree, so that all can be combined.
//
// A change that the record shows to be impossible is refused: it returns why, and the tree is of no use any more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/tree.hpp"

namespace leadline::replay {

// Loops and call sites, by their numbers in the run.
struct Selection {
  std::vector<uint32_t> loops, sites;
};

// What a change did, over all ranks.
struct Made {
  uint64_t calls_before = 0, calls_after = 0;        // the calls that it replaced, and by how many
  uint64_t messages_before = 0, messages_after = 0;  // those that they send
};

// Empty: done. Otherwise why it cannot be done: a sentence without a capital and full stop.
using Refusal = std::string;

// The messages that `most` iterations of the loops make at the same place become one for each partner; 0: of all
// iterations of an execution of the loop. Of sites: the innermost loops around them.
Refusal pack(const Selection& at, uint64_t most, Tree* tree, Made* made);

// All ranks compute equally long in each segment of the main loop (segments.hpp): in each iteration, or only in all of
// them together, so that what varies from one to the next stays.
Refusal balance(bool each_iteration, Tree* tree, Made* made);

// The computation before a call takes the median of the same call in all iterations of the main loop; without one, of
// all calls of its leaf.
Refusal without_noise(Tree* tree, Made* made);

// The computation before the calls of the sites, or in the loops, is multiplied.
Refusal computation(const Selection& at, double factor, Tree* tree, Made* made);

// Blocking collective calls, blocking messages at both ends, and calls about objects are not made; what is computed
// before them stays.
Refusal remove_calls(const Selection& at, Tree* tree, Made* made);

// Exchanges one after another that have the same partners become one: the last, with the bytes of all. So do blocking
// collectives of one kind with the same communicator and root.
Refusal merge(const Selection& at, Tree* tree, Made* made);

// Messages one after another to the same partner, with nothing received between, become one with the bytes of all.
Refusal join(const Selection& at, Tree* tree, Made* made);

// Blocking sends and receives of an exchange become nonblocking, with one wait at its end.
Refusal nonblocking(const Selection& at, Tree* tree, Made* made);
// The same, also of single messages; and that part of what ranks compute between an exchange and their next call comes
// before the exchange's waits.
Refusal overlap(const Selection& at, double part, Tree* tree, Made* made);

// Where the calls of the sites, or in the loops, poll again and again and find nothing, they poll once.
// `if_any`: there may be none, as where a success always ends them.
Refusal poll_once(const Selection& at, bool if_any, Tree* tree, Made* made);

// File calls of one rank take so much of their time.
Refusal scale_files(const Selection& at, double factor, Tree* tree, Made* made);

// Synchronous sends do not wait for their receive any more, where the message is short enough.
Refusal relax_sends(const Selection& at, Tree* tree, Made* made);

// Messages of all ranks of a communicator to one become a gather; over a tree, in messages of one size, a reduction.
Refusal gather(const Selection& at, Tree* tree, Made* made);
// Those of one to all become a broadcast, or a scatter if their sizes differ; those of one that others pass on, in a
// tree, a broadcast.
Refusal distribute(const Selection& at, Tree* tree, Made* made);
// Those of all to all become an all-to-all.
Refusal exchange_all(const Selection& at, Tree* tree, Made* made);

// Those of an MPI_Alltoallv (or w) become nonblocking messages to and from the ranks that data go to or come from.
Refusal exchange_few(const Selection& at, Tree* tree, Made* made);

// Ranks that have no data in any of these collective calls do not make them; the others do on a communicator of their
// own.
Refusal leave_out_idle(const Selection& at, Tree* tree, Made* made);

// Of a leaf: whether the calls of a class's members are selected.
std::vector<uint8_t> selected_leaves(const TreeClass& of, const Selection& at);
// Whether each message that a change made is received as it is sent; otherwise which is not.
Refusal check_channels(const Tree& tree);
// The same for collectives: whether all ranks of a communicator make the changed ones alike.
Refusal check_collectives(const Tree& tree);
// Waits whose requests differ from call to call keep them only if the last ones before the call stay as they are.
constexpr uint64_t most_ages_that_vary = 64;
constexpr const char* varies_in_waits = " waits for other requests each time";
// How many requests a call of the leaf makes.
uint32_t requests_of(const TreeLeaf& leaf);

}  // namespace leadline::replay
