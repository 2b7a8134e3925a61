// Replays of recorded runs.
#include "replay/replay.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "analysis/profile.hpp"
#include "bindings/bindings.hpp"
#include "bindings/replayed_tree.hpp"
#include "replay/changes/change.hpp"
#include "replay/recorded.hpp"
#include "replay/translation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using replay::Recorded;
using replay::Settings;

void add(Recorded& self, const analysis::Profile& profile, const trace::Process& process, uint32_t index,
         uint32_t node) {
  const analysis::ProcessSummary& own = profile.processes().at(index);
  if (own.site_numbers.empty() || process.streams.empty()) throw nb::value_error("the process made no calls");
  nb::gil_scoped_release released;
  const double begin_ns = profile.time().processes[index].begin_ns;
  self.add(process, index, {own.site_numbers[0], own.loop_numbers[0]}, begin_ns, node);
}

std::vector<double> seconds(const std::vector<int64_t>& ps) {
  std::vector<double> found;
  for (const int64_t each : ps) found.push_back(each < 0 ? std::nan("") : static_cast<double>(each) * 1e-12);
  return found;
}

const char* name_of(replay::Stuck::On on) {
  switch (on) {
    case replay::Stuck::On::message_from:
      return "message";
    case replay::Stuck::On::receive_of:
      return "receive";
    case replay::Stuck::On::collective:
      return "collective";
  }
  return "";
}

nb::tuple counts(const replay::Refusal& refusal, const replay::Made& made) {
  if (!refusal.empty()) throw nb::value_error(refusal.c_str());
  return nb::make_tuple(made.calls_before, made.calls_after, made.messages_before, made.messages_after);
}

template <class Apply>
nb::tuple apply(const Apply& change) {
  replay::Made made;
  replay::Refusal refusal;
  {
    nb::gil_scoped_release released;
    refusal = change(&made);
  }
  return counts(refusal, made);
}

nb::tuple pack(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites, uint64_t most) {
  return apply([&](replay::Made* made) { return replay::pack({loops, sites}, most, &self.tree, made); });
}

nb::tuple balance(Changed& self, bool each_iteration) {
  return apply([&](replay::Made* made) { return replay::balance(each_iteration, &self.tree, made); });
}

nb::tuple without_noise(Changed& self) {
  return apply([&](replay::Made* made) { return replay::without_noise(&self.tree, made); });
}

nb::tuple computation(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites, double factor) {
  return apply([&](replay::Made* made) { return replay::computation({loops, sites}, factor, &self.tree, made); });
}

nb::tuple remove_calls(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::remove_calls({loops, sites}, &self.tree, made); });
}

nb::tuple merge(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::merge({loops, sites}, &self.tree, made); });
}

nb::tuple join(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::join({loops, sites}, &self.tree, made); });
}

nb::tuple nonblocking(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::nonblocking({loops, sites}, &self.tree, made); });
}

nb::tuple overlap(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites, double part) {
  return apply([&](replay::Made* made) { return replay::overlap({loops, sites}, part, &self.tree, made); });
}

nb::tuple scale_files(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites, double factor) {
  return apply([&](replay::Made* made) { return replay::scale_files({loops, sites}, factor, &self.tree, made); });
}

nb::tuple relax_sends(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::relax_sends({loops, sites}, &self.tree, made); });
}

nb::tuple poll_once(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites, bool if_any) {
  return apply([&](replay::Made* made) { return replay::poll_once({loops, sites}, if_any, &self.tree, made); });
}

nb::tuple gather(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::gather({loops, sites}, &self.tree, made); });
}

nb::tuple distribute(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::distribute({loops, sites}, &self.tree, made); });
}

nb::tuple exchange_all(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::exchange_all({loops, sites}, &self.tree, made); });
}

nb::tuple exchange_few(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::exchange_few({loops, sites}, &self.tree, made); });
}

nb::tuple leave_out_idle(Changed& self, std::vector<uint32_t> loops, std::vector<uint32_t> sites) {
  return apply([&](replay::Made* made) { return replay::leave_out_idle({loops, sites}, &self.tree, made); });
}

// nodes: of each rank, numbered from 0.
void place(Changed& self, const std::vector<uint32_t>& nodes) {
  std::vector<replay::TreeMember>& members = self.tree.members;
  if (nodes.size() != members.size()) throw nb::value_error("every rank needs a node");
  for (size_t r = 0; r < nodes.size(); ++r) members[r].node = nodes[r];
}

uint32_t nodes_of(const Changed& self) {
  uint32_t nodes = 0;
  for (const replay::TreeMember& member : self.tree.members) nodes = std::max(nodes, member.node + 1);
  return nodes;
}

// (rank, what it waits for, whom for, the function that it is in, its site in the run)
nb::tuple told(const replay::Tree& tree, const replay::Stuck& s) {
  const size_t leaf = s.call - replay::RecordedShape::marks;
  const std::vector<replay::TreeLeaf>& leaves = tree.classes[tree.members[s.rank].of_class].leaves;
  const bool known = s.call >= replay::RecordedShape::marks && leaf < leaves.size();
  return nb::make_tuple(s.rank, name_of(s.on), s.other, known ? leaves[leaf].leaf.function : std::string(),
                        known ? leaves[leaf].leaf.site : structure::no_index);
}

// A tree as it is replayed under some settings.
struct Translated {
  Translated(const Changed& changed, const Settings& settings)
      : tree(changed.tree), program(replay::program_of(changed.of, changed.tree, settings, &differences)) {}
  const replay::Tree& tree;
  replay::Differences differences;
  const replay::Program program;
};

nb::dict run(const Translated& self, uint64_t seed, bool sensitivities) {
  const replay::Differences& d = self.differences;
  replay::Outcome outcome;
  {
    nb::gil_scoped_release released;
    outcome = replay::replay(self.program, {true, sensitivities, seed});
  }
  nb::dict found, different;
  found["end_s"] = seconds(outcome.end_ps);
  found["loop_begin_s"] = seconds(outcome.mark_ps[0]);
  found["loop_end_s"] = seconds(outcome.mark_ps[1]);
  found["messages"] = outcome.messages;
  found["replayed"] = outcome.replayed;
  const replay::Share share = outcome.share();
  found["sensitivities"] = nb::make_tuple(share.latencies, share.overheads, share.gaps, share.gap_bytes);
  nb::list stuck;
  for (const replay::Stuck& s : outcome.stuck) stuck.append(told(self.tree, s));
  found["stuck"] = stuck;
  different["lost"] = d.lost;
  different["varying"] = d.varying;
  different["unknown"] = d.unknown;
  different["wildcards"] = d.wildcards;
  different["one_sided"] = d.one_sided;
  different["threads"] = d.threads;
  different["untimed"] = d.untimed;
  different["unusable"] = d.unusable;
  found["differences"] = different;
  return found;
}

nb::dict translated_and_run(const Changed& self, const Settings& settings, bool sensitivities) {
  std::optional<Translated> translated;
  {
    nb::gil_scoped_release released;
    translated.emplace(self, settings);
  }
  return run(*translated, 0, sensitivities);
}

// By rank: when it began a late iteration of the main loop, and of each call in it the site in the run, the function,
// begin, end and what it waited, in seconds.
nb::list trace(const Changed& self, Settings settings) {
  settings.trace = true;
  replay::Outcome outcome;
  {
    nb::gil_scoped_release released;
    replay::Differences d;
    outcome = replay::replay(replay::program_of(self.of, self.tree, settings, &d), {});
  }
  nb::list ranks;
  for (size_t rank = 0; rank < outcome.traces.size(); ++rank) {
    const std::vector<replay::TracedCall>& calls = outcome.traces[rank];
    const std::vector<replay::TreeLeaf>& leaves = self.tree.classes[self.tree.members[rank].of_class].leaves;
    nb::list found;
    for (size_t i = 1; i < calls.size(); ++i) {
      const calls::Leaf& leaf = leaves[calls[i].call - replay::RecordedShape::marks].leaf;
      const double begin_s = static_cast<double>(calls[i].begin_ps) * 1e-12;
      found.append(nb::make_tuple(leaf.site == structure::no_index ? -1 : static_cast<int64_t>(leaf.site),
                                  leaf.function, begin_s, static_cast<double>(calls[i].end_ps) * 1e-12,
                                  static_cast<double>(calls[i].waited_ps) * 1e-12));
    }
    const double start_s = calls.empty() ? 0 : static_cast<double>(calls.front().end_ps) * 1e-12;
    ranks.append(nb::make_tuple(start_s, found));
  }
  return ranks;
}

nb::list recorded_times(const Recorded& self) {
  nb::list found;
  for (const replay::RecordedTimes& t : self.times()) {
    found.append(nb::make_tuple(t.begin_ns * 1e-9, t.loop_begin_ns * 1e-9, t.loop_end_ns * 1e-9, t.end_ns * 1e-9));
  }
  return found;
}

}  // namespace

void bind_replay(nb::module_& m) {
  using replay::MessageCosts;
  nb::class_<MessageCosts>(m, "MessageCosts")
      .def(nb::init<>())
      .def_ro_static("any_size", &MessageCosts::any_size)
      .def_rw("call_ns", &MessageCosts::call_ns)
      .def_prop_rw(
          "after_send", [](const MessageCosts& self) { return self.after_send; },
          [](MessageCosts& self, double part) { self.after_send = std::clamp(part, 0.0, 0.95); })
      .def_rw("long_start_ns", &MessageCosts::long_start_ns)
      .def_rw("together", &MessageCosts::together)
      .def_rw("long_send_ns", &MessageCosts::long_send_ns)
      .def_rw("long_receive_ns", &MessageCosts::long_receive_ns)
      .def("set_receive", [](MessageCosts& self, uint32_t site, int bits, double whole_ns,
                             double message_ns) { self.receives[{site, bits}] = {whole_ns, message_ns}; })
      .def("set_long_busy", [](MessageCosts& self, int64_t bytes, double ns) { self.long_busy_ns[bytes] = ns; });
  nb::class_<Settings>(m, "ReplaySettings")
      .def(nb::init<>())
      .def_rw("steps", &Settings::steps)
      .def_rw("compute", &Settings::compute)
      .def_rw("ideal", &Settings::ideal)
      .def_rw("seed", &Settings::seed)
      .def_rw("eager_bytes", &Settings::eager_bytes)
      .def_rw("copied_bytes", &Settings::copied_bytes)
      .def("set_algorithm", [](Settings& self, const std::string& operation,
                               const std::string& algorithm) { self.algorithms[operation] = algorithm; })
      .def_rw("forced_eager_bytes", &Settings::forced_eager_bytes)
      .def_rw("forced_progress", &Settings::forced_progress)
      .def_rw("quick_windows", &Settings::quick_windows)
      .def_rw("old_windows", &Settings::old_windows)
      .def_rw("latency_ns", &Settings::latency_ns)
      .def_rw("collective_ns", &Settings::collective_ns)
      .def_rw("messages", &Settings::messages)
      .def_rw("last_repeats", &Settings::last_repeats)
      .def_prop_rw(
          "cost_level", [](const Settings& self) { return self.cost_level; },
          [](Settings& self, uint32_t level) { self.cost_level = std::min(level, Recorded::cost_levels - 1); })
      .def_rw("copy_per_byte_ns", &Settings::copy_per_byte_ns)
      .def(
          "set_copies",
          [](Settings& self, const std::map<int64_t, double>& per_byte_ns, double part_ns, double fresh_ns) {
            self.copies = {per_byte_ns, part_ns, fresh_ns};
          },
          "per_byte_ns"_a, "part_ns"_a, "fresh_ns"_a)
      .def(
          "set_network", [](Settings& self, const network::Network& network) { self.network = &network; }, "network"_a,
          nb::keep_alive<1, 2>());
  nb::class_<Recorded>(m, "Recorded")
      .def(nb::init<uint32_t>(), "main_loop"_a)
      .def_ro_static("cost_levels", &Recorded::cost_levels)
      .def("add", &add, "profile"_a, "process"_a, "index"_a, "node"_a)
      .def_prop_ro("steps", &Recorded::steps)
      .def("times", &recorded_times);
  nb::class_<Changed>(m, "ReplayTree")
      .def(nb::init<const Recorded&>(), "of"_a, nb::keep_alive<1, 2>(), nb::call_guard<nb::gil_scoped_release>())
      .def(nb::init<const Changed&>(), "of"_a, nb::keep_alive<1, 2>(), nb::call_guard<nb::gil_scoped_release>())
      .def("pack", &pack, "loops"_a, "sites"_a, "most"_a)
      .def("balance", &balance, "each_iteration"_a = true)
      .def("without_noise", &without_noise)
      .def("computation", &computation, "loops"_a, "sites"_a, "factor"_a)
      .def("remove_calls", &remove_calls, "loops"_a, "sites"_a)
      .def("merge", &merge, "loops"_a, "sites"_a)
      .def("join", &join, "loops"_a, "sites"_a)
      .def("nonblocking", &nonblocking, "loops"_a, "sites"_a)
      .def("overlap", &overlap, "loops"_a, "sites"_a, "part"_a)
      .def("scale_files", &scale_files, "loops"_a, "sites"_a, "factor"_a)
      .def("relax_sends", &relax_sends, "loops"_a, "sites"_a)
      .def("poll_once", &poll_once, "loops"_a, "sites"_a, "if_any"_a)
      .def("gather", &gather, "loops"_a, "sites"_a)
      .def("distribute", &distribute, "loops"_a, "sites"_a)
      .def("exchange_all", &exchange_all, "loops"_a, "sites"_a)
      .def("exchange_few", &exchange_few, "loops"_a, "sites"_a)
      .def("leave_out_idle", &leave_out_idle, "loops"_a, "sites"_a)
      .def("place", &place, "nodes"_a)
      .def_prop_ro("nodes", &nodes_of)
      .def_prop_ro("last_is_apart", [](const Changed& self) { return self.tree.last_is_apart(); })
      .def("trace", &trace, "settings"_a)
      .def("replay", &translated_and_run, "settings"_a, "sensitivities"_a = false);
  nb::class_<Translated>(m, "ReplayProgram")
      .def(nb::init<const Changed&, const Settings&>(), "tree"_a, "settings"_a, nb::keep_alive<1, 2>(),
           nb::call_guard<nb::gil_scoped_release>())
      .def("replay", &run, "seed"_a = 0, "sensitivities"_a = false);
}

}  // namespace leadline::bindings
