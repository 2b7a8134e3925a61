// Phases of programs made by hand: what belongs to each, how often, and its times.
#include "analysis/phases/phases.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../native/check.hpp"
#include "../recording/memory_thread.hpp"
#include "../recording/programs.hpp"
#include "analysis/profile.hpp"

namespace {

using testing::check;
using namespace leadline;
using analysis::Phase;
using analysis::PhaseFinder;
using analysis::PhaseTime;
using analysis::Profile;
using analysis::RunPhases;
using recording::MemoryThread;
using trace::CallClass;
using trace::Process;
using trace::programs::plain;

enum Site : uint32_t { none, init, setup, step, solve, output, finish, finalize, sites };
enum Loop : uint32_t { outside, main_loop, inner_loop, loops };
enum Region : uint32_t { no_region, model, physics, regions };

constexpr uint64_t iterations = 12, solves = 3, every = 4;

// A program of these calls: two at the start, then twelve steps of a sum, three sends of a solver and, in every fourth,
// a write; then a barrier. `slow`: what this rank computes for longer than others before each sum. `uneven`: the solver
// has one send more in every second step.
Process program(uint64_t slow, bool uneven = false) {
  MemoryThread thread;
  const auto call = [&](Site site, uint64_t duration, uint64_t gap) {
    thread.add(plain(site, 8, 0, 0), duration, gap);
  };
  call(init, 5000, 0);
  for (int i = 0; i < 2; ++i) call(setup, 100, 10);
  for (uint64_t i = 0; i < iterations; ++i) {
    call(step, 50, 1000 + slow);
    for (uint64_t n = 0; n < solves + (uneven && i % 2); ++n) call(solve, 20, 300);
    if (i % every == every - 1) call(output, 400, 5);
  }
  call(finish, 70, 30);
  call(finalize, 2000, 1);

  Process p;
  std::string error;
  trace::Stream stream = thread.decode(&error);
  check(error.empty(), error);
  p.functions = {{"", CallClass::other},           {"MPI_Init", CallClass::init},
                 {"MPI_Bcast", CallClass::coll},   {"MPI_Allreduce", CallClass::coll},
                 {"MPI_Send", CallClass::send},    {"MPI_File_write", CallClass::file_io},
                 {"MPI_Barrier", CallClass::coll}, {"MPI_Finalize", CallClass::finalize}};
  p.modules = {{"/usr/bin/model", "c0ffee"}};
  p.communicators.resize(2);
  p.datatypes.resize(4);
  p.regions.resize(regions);
  p.regions[model] = {no_region, "model"};
  p.regions[physics] = {model, "physics"};
  stream.contexts.resize(2);
  stream.sites.resize(sites);
  for (uint32_t s = init; s < sites; ++s) {
    stream.contexts.push_back({{0, 0x100 * s}, 1, 1});
    stream.sites[s] = {s, s + 1, no_region, true};
  }
  stream.loops.resize(loops);
  stream.loops[main_loop].header = {0, 0x280};
  stream.loops[main_loop].repeats = iterations - 1;
  stream.loops[main_loop].entries = 1;
  stream.loops[inner_loop].header = {0, 0x380};
  stream.loops[inner_loop].outer = main_loop;
  stream.loops[inner_loop].repeats = iterations * (solves - 1) + (uneven ? iterations / 2 : 0);
  stream.loops[inner_loop].entries = iterations;
  stream.site_loops = {outside, outside, outside, main_loop, inner_loop, main_loop, outside, outside};
  stream.back_edges = {{solve, step, main_loop}, {solve, solve, inner_loop}, {output, step, main_loop}};
  p.streams.push_back(std::move(stream));
  return p;
}

struct Run {
  explicit Run(std::vector<Process> given) : processes(std::move(given)) {
    for (const Process& p : processes) profile.add(p);
    PhaseFinder finder(profile);
    for (uint32_t i = 0; i < processes.size(); ++i) finder.add(processes[i], i);
    std::vector<std::vector<uint32_t>> paths(profile.sites().size());
    for (uint32_t s = 0; s < paths.size(); ++s) paths[s] = {s};
    found = finder.find(paths);
  }
  const Phase* phase(Phase::Kind kind) const {
    const auto at =
        std::find_if(found.phases.begin(), found.phases.end(), [&](const Phase& p) { return p.kind == kind; });
    return at != found.phases.end() ? &*at : nullptr;
  }

  std::vector<Process> processes;
  Profile profile;
  RunPhases found;
};

void takes(const Phase* phase, uint32_t process, const PhaseTime& want, const std::string& what) {
  check(phase != nullptr, what + " is missing");
  if (!phase) return;
  const PhaseTime& t = phase->times[process];
  const auto same = [](double a, double b) { return std::abs(a - b) < 0.5; };
  const bool right = same(t.computation, want.computation) && same(t.mpi, want.mpi) && same(t.io, want.io) &&
                     same(t.startup, want.startup);
  check(right, what + " of process " + std::to_string(process) + ": " + std::to_string(t.computation) +
                   " computation, " + std::to_string(t.mpi) + " MPI, " + std::to_string(t.io) + " files, " +
                   std::to_string(t.startup));
}

void times_are_those_of_the_calls() {
  const Run run({program(0), program(250)});
  for (const uint32_t p : {0u, 1u}) {
    const double slow = p ? 250 : 0;
    takes(run.phase(Phase::Kind::init), p, {2 * 10, 2 * 100, 0, 5000}, "initialisation");
    takes(run.phase(Phase::Kind::loop), p, {12 * (1000 + slow) + 36 * 300 + 3 * 5, 12 * 50 + 36 * 20, 3 * 400, 0},
          "loop");
    takes(run.phase(Phase::Kind::inner), p, {36 * 300, 36 * 20, 0, 0}, "inner loop");
    takes(run.phase(Phase::Kind::recurring), p, {3 * 5, 0, 3 * 400, 0}, "output");
    takes(run.phase(Phase::Kind::final), p, {30 + 1, 70, 0, 2000}, "finalisation");
  }
  check(run.found.phases.size() == 5, std::to_string(run.found.phases.size()) + " phases");
}

void iterations_are_counted() {
  const Run run({program(0)});
  check(run.found.iterations == iterations && run.phase(Phase::Kind::loop)->iterations == iterations,
        "iterations of the main loop");
  const Phase* recurring = run.phase(Phase::Kind::recurring);
  check(recurring && recurring->iterations == 3 && recurring->every == every && recurring->writes,
        "every fourth writes");
  const Phase* inner = run.phase(Phase::Kind::inner);
  check(inner && inner->inner_iterations == iterations * solves && inner->loop &&
            inner->loop != run.phase(Phase::Kind::loop)->loop,
        "iterations of the inner loop");
}

// Each rank counts once, and ranks with a different number of its iterations do not count.
void the_mean_of_an_iteration_is_over_ranks() {
  Process cut_off = program(0), other = program(0);
  cut_off.streams[0].loops[main_loop].repeats = iterations - 3;  // nearly as many as the others
  other.streams[0].loops[main_loop].repeats = 10 * iterations - 1;
  const Run run({program(0), program(250), std::move(cut_off), std::move(other)});
  const double all = 12 * (1000 + 50) + 36 * (300 + 20) + 3 * (5 + 400);
  const double want = (all / 12 + (all + 12 * 250) / 12 + all / 10) / 3;
  const double found = run.profile.loops().mean_ns(run.phase(Phase::Kind::loop)->loop);
  check(std::abs(found - want) < 0.5, "mean of an iteration: " + std::to_string(found));
}

// What recording took is part of neither, also where a call came so soon that the time before it is less than usual.
void a_loop_takes_as_long_as_its_phase() {
  Process p = program(0), q = program(250);
  p.own_per_call_ns = q.own_per_call_ns = 7;
  const Run run({std::move(p), std::move(q)});
  const double one = 12 * (1000 + 50) + 36 * (300 + 20) + 3 * (5 + 400), own = 12 * 7 + 36 * 7 + 3 * 5;
  for (const Phase::Kind kind : {Phase::Kind::loop, Phase::Kind::inner}) {
    double phase = 0;
    for (const PhaseTime& t : run.phase(kind)->times) phase += t.computation + t.mpi + t.io;
    const double loop = run.profile.loops().time_ns(run.phase(kind)->loop);
    check(std::abs(loop - phase) < 0.5, std::to_string(loop) + " and " + std::to_string(phase) + " ns");
    const double want = kind == Phase::Kind::loop ? 2 * (one - own) + 12 * 250 : 2 * 36 * (300 + 20 - 7);
    check(std::abs(loop - want) < 0.5, std::to_string(loop) + " for " + std::to_string(want) + " ns");
  }
}

void without_a_loop_everything_is_initialisation() {
  Process p = program(0);
  p.streams[0].loops.resize(1);
  p.streams[0].site_loops.assign(sites, outside);
  p.streams[0].back_edges.clear();
  const Run run({std::move(p)});
  takes(run.phase(Phase::Kind::init), 0,
        {20 + 12 * 1000 + 36 * 300 + 3 * 5 + 30, 200 + 12 * 50 + 36 * 20 + 70, 3 * 400, 5000}, "all");
  takes(run.phase(Phase::Kind::final), 0, {1, 0, 0, 2000}, "MPI_Finalize");
  check(!run.phase(Phase::Kind::loop) && !run.phase(Phase::Kind::inner), "no loop");
}

// The region of a phase is the innermost one around all of its calls.
void phases_are_in_the_regions_around_their_calls() {
  Process p = program(0);
  for (const Site site : {step, solve, output}) p.streams[0].sites[site].region = model;
  p.streams[0].sites[solve].region = physics;
  const Run run({std::move(p)});
  const auto name = [&](Phase::Kind kind) { return run.profile.regions()[run.phase(kind)->region].name; };
  check(name(Phase::Kind::loop) == "model", "loop: " + name(Phase::Kind::loop));
  check(name(Phase::Kind::inner) == "physics", "inner loop: " + name(Phase::Kind::inner));
  check(name(Phase::Kind::recurring) == "model", "output: " + name(Phase::Kind::recurring));
  check(run.phase(Phase::Kind::init)->region == 0 && run.phase(Phase::Kind::final)->region == 0, "outside of regions");
}

// Where iterations may go unseen, the iterations of an inner loop may be those of several. If they differ, it is not
// known how far apart the iterations with output are.
void distances_are_known_if_all_iterations_are_seen() {
  for (const bool silent : {false, true}) {
    for (const bool uneven : {false, true}) {
      Process p = program(0, uneven);
      p.streams[0].loops[main_loop].silent = silent;
      const Run run({std::move(p)});
      const Phase* writes = run.phase(Phase::Kind::recurring);
      check(writes && writes->iterations == iterations / every, "iterations with output");
      check(writes && writes->every == (silent && uneven ? 0 : every),
            "every " + std::to_string(writes ? writes->every : 0) + (silent ? ", some unseen" : ""));
    }
  }
}

// A loop that takes less than a twentieth of the main one is no phase, nor is one without more iterations than it has.
void small_inner_loops_are_left_out() {
  Process p = program(200000);
  const Run run({std::move(p)});
  check(run.phase(Phase::Kind::loop) && !run.phase(Phase::Kind::inner), "11,520 of 2,425,935 ns");
}

}  // namespace

int main() {
  times_are_those_of_the_calls();
  iterations_are_counted();
  the_mean_of_an_iteration_is_over_ranks();
  a_loop_takes_as_long_as_its_phase();
  without_a_loop_everything_is_initialisation();
  phases_are_in_the_regions_around_their_calls();
  small_inner_loops_are_left_out();
  distances_are_known_if_all_iterations_are_seen();
  return testing::result();
}
