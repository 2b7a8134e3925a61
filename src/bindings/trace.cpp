// One process's trace: its tables, its tallies, its calls in order.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/text.hpp"
#include "calls/thread_calls.hpp"
#include "recording/reading/process_files.hpp"
#include "recording/reading/salvage.hpp"
#include "structure/build_tree.hpp"
#include "structure/cut_loops.hpp"
#include "structure/silent_steps.hpp"
#include "structure/tree_check.hpp"
#include "trace/checksum.hpp"
#include "trace/file_systems.hpp"
#include "trace/reading/kept_times.hpp"
#include "trace/reading/node_members.hpp"
#include "trace/reading/opened_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace leadline::bindings {

namespace {

using structure::CallPart;
using trace::Process;
using trace::Stream;
using ProcessPtr = std::shared_ptr<Process>;

struct OwnedTally {
  trace::Key key;
  uint64_t times = 0;
  std::vector<int64_t> words;
};

struct Call : structure::DecodedCall {
  uint64_t times = 1;  // > 1: equal calls in a row, or failed polls (to a power of two)
};

// Keeps the process alive while its calls are walked.
struct Calls {
  ProcessPtr process;
  calls::ThreadCalls thread;
  Calls(ProcessPtr owner, size_t stream)
      : process(std::move(owner)), thread(*process, stream, {calls::Wanted::Form::equal, true}) {}
};

ProcessPtr open_process(const std::string& path, trace::FilesRead* files, bool keep) {
  auto process = std::make_shared<Process>();
  trace::ReadError error;
  {
    nb::gil_scoped_release unlocked;
    error = recording::read_process(path, process.get(), files, keep);
    if (error.message.empty()) {
      structure::find_silent_steps(process.get());
      structure::mark_cut_loops(process.get());
    }
  }
  if (!error.message.empty()) throw TraceError(printable(error.message));
  return process;
}

const Stream& stream_at(const Process& process, size_t index) {
  if (index >= process.streams.size()) throw nb::index_error("thread index out of range");
  return process.streams[index];
}

std::vector<OwnedTally> tallies_of(const Process& process, size_t index) {
  std::vector<OwnedTally> tallies;
  trace::for_each_tally(stream_at(process, index), [&](const trace::Tally& tally) {
    tallies.push_back({*tally.key, tally.times, {tally.words, tally.words + tally.word_count}});
  });
  return tallies;
}

// Runs of failed polls: with their places, and without them.
std::pair<uint64_t, uint64_t> poll_runs_of(const Process& process, size_t index) {
  std::pair<uint64_t, uint64_t> runs;
  for (const trace::WrittenGeneration& g : stream_at(process, index).generations) {
    runs.first += g.facts().polls_kept;
    runs.second += g.facts().polls_dropped;
  }
  return runs;
}

std::string tree_difference(const Process& process, size_t index) {
  const trace::Stream& stream = stream_at(process, index);
  return structure::difference(stream, structure::loop_tree(stream));
}

void bind_tables(nb::module_& m) {
  nb::class_<trace::Function>(m, "Function")
      .def_ro("name", &trace::Function::name)
      .def_prop_ro("cls", [](const trace::Function& f) {
        const auto index = static_cast<size_t>(f.cls);
        return index < static_cast<size_t>(trace::call_class_count) ? trace::call_facts[index].name : "other";
      });
  nb::class_<trace::Module>(m, "Module")
      .def_prop_ro("path", [](const trace::Module& m) { return path_to_python(m.path); })
      .def_ro("build_id", &trace::Module::build_id);
  nb::class_<trace::Frame>(m, "Frame").def_ro("module", &trace::Frame::module).def_ro("offset", &trace::Frame::offset);
  nb::class_<trace::Site>(m, "Site")
      .def_ro("function", &trace::Site::function)
      .def_ro("context", &trace::Site::context)
      .def_ro("whole", &trace::Site::whole);
  nb::class_<trace::Communicator>(m, "Communicator")
      .def_prop_ro("kind",
                   [](const trace::Communicator& c) {
                     constexpr const char* names[] = {"intra", "inter", "window", "file"};
                     return names[static_cast<size_t>(c.kind) & 3];
                   })
      .def_ro("parent", &trace::Communicator::parent)
      .def_ro("identity", &trace::Communicator::identity)
      .def_ro("rank", &trace::Communicator::rank)
      .def_ro("size", &trace::Communicator::size)
      .def_prop_ro("world", [](const trace::Communicator& c) { return c.world.ranks(); })
      .def_prop_ro("topology",
                   [](const trace::Communicator& c) {
                     constexpr const char* names[] = {"none", "cartesian", "graph", "distributed graph"};
                     return names[static_cast<size_t>(c.topology) & 3];
                   })
      .def_prop_ro("grid", [](const trace::Communicator& c) {
        std::vector<std::pair<int32_t, bool>> grid;
        for (const trace::GridSide& side : c.grid) grid.emplace_back(side.extent, side.periodic);
        return grid;
      });
  nb::class_<trace::Datatype>(m, "Datatype")
      .def_ro("name", &trace::Datatype::name)
      .def_ro("size", &trace::Datatype::size)
      .def_ro("extent", &trace::Datatype::extent)
      .def_ro("lb", &trace::Datatype::lb)
      .def_ro("true_extent", &trace::Datatype::true_extent)
      .def_ro("combiner", &trace::Datatype::combiner)
      .def_ro("contiguous", &trace::Datatype::contiguous)
      .def_prop_ro("sides", [](const trace::Datatype& d) {
        std::vector<std::pair<int64_t, int64_t>> sides;
        for (const trace::ArraySide& side : d.sides) sides.emplace_back(side.whole, side.part);
        return sides;
      });
  nb::class_<trace::TimeStats>(m, "TimeStats")
      .def_ro("count", &trace::TimeStats::count)
      .def_ro("sum_ns", &trace::TimeStats::sum_ns)
      .def_ro("min_ns", &trace::TimeStats::min_ns)
      .def_ro("max_ns", &trace::TimeStats::max_ns)
      .def_ro("gap_sum_ns", &trace::TimeStats::gap_sum_ns)
      .def_ro("hist", &trace::TimeStats::hist);
  nb::class_<trace::LocalCalls>(m, "LocalCalls")
      .def_ro("function", &trace::LocalCalls::function)
      .def_ro("caller", &trace::LocalCalls::caller)
      .def_ro("calls", &trace::LocalCalls::calls)
      .def_ro("sum_ns", &trace::LocalCalls::sum_ns);
  nb::class_<trace::LibraryVariable>(m, "LibraryVariable")
      .def_ro("name", &trace::LibraryVariable::name)
      .def_ro("description", &trace::LibraryVariable::description)
      .def_ro("cls", &trace::LibraryVariable::cls)
      .def_ro("value", &trace::LibraryVariable::value);
  nb::class_<trace::LibrarySetting>(m, "LibrarySetting")
      .def_ro("name", &trace::LibrarySetting::name)
      .def_ro("value", &trace::LibrarySetting::value);
  nb::class_<trace::Conditions>(m, "Conditions")
      .def_ro("known", &trace::Conditions::known)
      .def_ro("processors", &trace::Conditions::processors)
      .def_ro("quota", &trace::Conditions::quota)
      .def_ro("allowed", &trace::Conditions::allowed)
      .def_ro("threads", &trace::Conditions::threads)
      .def_ro("busy", &trace::Conditions::busy)
      .def_ro("cpu_ns", &trace::Conditions::cpu_ns)
      .def_ro("waited_ns", &trace::Conditions::waited_ns)
      .def_ro("launcher_ranks", &trace::Conditions::launcher_ranks)
      .def_ro("launcher_rank", &trace::Conditions::launcher_rank)
      .def_ro("launcher", &trace::Conditions::launcher)
      .def_ro("budget_files", &trace::Conditions::budget_files)
      .def_ro("budget_memory", &trace::Conditions::budget_memory)
      .def_ro("budgets_given", &trace::Conditions::budgets_given)
      .def_prop_ro("file_system",
                   [](const trace::Conditions& p) -> std::string {
                     if (!p.file_system) return "";
                     const trace::FileSystem* known = trace::find_file_system(p.file_system);
                     char number[24];
                     snprintf(number, sizeof(number), "0x%llx", static_cast<unsigned long long>(p.file_system));
                     return known ? known->name : number;
                   })
      .def_prop_ro("remote",
                   [](const trace::Conditions& p) { return p.file_system && !trace::is_local(p.file_system); })
      .def_prop_ro("live_kind",
                   [](const trace::Conditions& p) {
                     constexpr const char* kinds[] = {"run", "memory", "disk", "chosen"};
                     return kinds[static_cast<uint32_t>(p.live_kind) & 3];
                   })
      .def_prop_ro("live_reason", [](const trace::Conditions& p) -> std::string {
        constexpr const char* reasons[] = {"", "asked-for", "no-local-directory", "too-little-room", "not-permitted"};
        const auto reason = static_cast<uint32_t>(p.live_reason);
        return reason < sizeof(reasons) / sizeof(*reasons) ? reasons[reason] : "";
      });
  nb::class_<trace::Sample>(m, "Sample")
      .def_ro("thread", &trace::Sample::thread)
      .def_prop_ro("site",
                   [](const trace::Sample& s) { return s.site == UINT32_MAX ? std::optional<uint32_t>{} : s.site; })
      .def_prop_ro("module",
                   [](const trace::Sample& s) { return s.module == UINT32_MAX ? std::optional<uint32_t>{} : s.module; })
      .def_ro("offset", &trace::Sample::offset)
      .def_ro("count", &trace::Sample::count);
  nb::class_<trace::Sampling>(m, "Sampling")
      .def_ro("rate", &trace::Sampling::rate)
      .def_ro("refused", &trace::Sampling::refused)
      .def_ro("error", &trace::Sampling::error)
      .def_ro("taken", &trace::Sampling::taken)
      .def_ro("in_mpi", &trace::Sampling::in_mpi)
      .def_ro("no_room", &trace::Sampling::no_room)
      .def_ro("lost", &trace::Sampling::lost)
      .def_ro("samples", &trace::Sampling::samples);
  nb::class_<trace::Pauses>(m, "Pauses")
      .def_ro("count", &trace::Pauses::count)
      .def_ro("sum_ns", &trace::Pauses::sum_ns)
      .def_ro("lasted", &trace::Pauses::lasted)
      .def_ro("calls", &trace::Pauses::calls)
      .def_prop_ro("first", [](const trace::Pauses& p) {
        nb::list intervals;
        for (const auto& i : p.first) intervals.append(nb::make_tuple(i.from_ns, i.to_ns));
        return intervals;
      });
  nb::class_<trace::Loss>(m, "Loss")
      .def_ro("code", &trace::Loss::code)
      .def_ro("amount", &trace::Loss::amount)
      .def_ro("message", &trace::Loss::message);
}

void bind_calls(nb::module_& m) {
  nb::class_<trace::Key>(m, "Key")
      .def_ro("site", &trace::Key::site)
      .def_ro("comm", &trace::Key::comm)
      .def_ro("count", &trace::Key::count)
      .def_ro("peer", &trace::Key::peer)
      .def_ro("tag", &trace::Key::tag)
      .def_ro("datatype", &trace::Key::datatype)
      .def_ro("extra", &trace::Key::extra)
      .def_ro("value", &trace::Key::value);
  nb::class_<OwnedTally>(m, "Tally")
      .def_ro("key", &OwnedTally::key)
      .def_ro("times", &OwnedTally::times)
      .def_ro("words", &OwnedTally::words);
  nb::class_<CallPart>(m, "CallPart")
      .def_prop_ro("moves", [](const CallPart& p) { return names_of_moves(p.moves); })
      .def_prop_ro("request", [](const CallPart& p) { return trace::request_names[static_cast<int>(p.request)]; })
      .def_ro("wildcard", &CallPart::wildcard)
      .def_ro("cancelled", &CallPart::cancelled)
      .def_ro("names_message", &CallPart::names_message)
      .def_ro("partitioned", &CallPart::partitioned)
      .def_ro("partner_told", &CallPart::partner_told)
      .def_prop_ro("maker_thread", [](const CallPart& p) { return p.maker.thread; })
      .def_prop_ro("maker_site", [](const CallPart& p) { return p.maker.site; })
      .def_prop_ro("maker_function", [](const CallPart& p) { return p.maker.function; })
      .def_prop_ro("maker_age", [](const CallPart& p) { return p.maker.age; })
      .def_prop_ro("maker_number", [](const CallPart& p) { return p.maker.number; })
      .def_ro("comm", &CallPart::comm)
      .def_ro("identity", &CallPart::identity)
      .def_prop_ro("peer", [](const CallPart& p) { return p.partner.rank; })
      .def_prop_ro("world_peer", [](const CallPart& p) { return p.partner.world; })
      .def_ro("tag", &CallPart::tag)
      .def_ro("count", &CallPart::count)
      .def_ro("datatype", &CallPart::datatype)
      .def_ro("posted_bytes", &CallPart::posted_bytes)
      .def_ro("out_bytes", &CallPart::out_bytes)
      .def_ro("in_bytes", &CallPart::in_bytes);
  nb::class_<Call>(m, "Call")
      .def_ro("times", &Call::times)
      .def_ro("site", &Call::site)
      .def_ro("function", &Call::function)
      .def_ro("nothing", &Call::nothing)
      .def_ro("flags", &Call::flags)
      .def_ro("comm", &Call::comm)
      .def_ro("identity", &Call::identity)
      .def_prop_ro("peer", [](const Call& c) { return c.partner.rank; })
      .def_prop_ro("world_peer", [](const Call& c) { return c.partner.world; })
      .def_ro("tag", &Call::tag)
      .def_ro("count", &Call::count)
      .def_ro("datatype", &Call::datatype)
      .def_ro("datatype_bytes", &Call::datatype_bytes)
      .def_ro("posted_bytes", &Call::posted_bytes)
      .def_ro("value", &Call::value)
      .def_ro("made", &Call::made)
      .def_ro("error", &Call::error)
      .def_ro("open_file", &Call::open_file)
      .def_ro("positioned", &Call::positioned)
      .def_ro("distance", &Call::distance)
      .def_ro("parts", &Call::parts);
  nb::class_<Calls>(m, "Calls")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", [](Calls& self) {
        if (!self.thread.next()) throw nb::stop_iteration();
        return Call{self.thread.decoded(), self.thread.times()};
      });
}

}  // namespace

void bind_trace(nb::module_& m) {
  bind_tables(m);
  bind_calls(m);
  m.attr("PEER_NONE") = trace::peer_none;
  m.attr("PEER_NULL") = trace::peer_null;
  m.attr("PEER_ANY") = trace::peer_any;
  m.attr("PEER_ROOT") = trace::peer_root;
  m.attr("TAG_ANY") = trace::tag_any;
  m.attr("FLAG_ANY_SOURCE") = trace::flag_any_source;
  m.attr("FLAG_ANY_TAG") = trace::flag_any_tag;
  m.attr("FLAG_IN_PLACE") = trace::flag_in_place;
  m.attr("FLAG_CANCELLED") = trace::flag_cancelled;
  m.attr("FLAG_NOTHING") = trace::flag_nothing;
  nb::class_<Process>(m, "Process")
      .def_ro("file", &Process::file)
      .def_ro("rank", &Process::rank)
      .def_ro("world_size", &Process::world_size)
      .def_ro("world", &Process::world)
      .def_ro("host", &Process::host)
      .def_ro("program", &Process::program)
      .def_ro("library", &Process::library)
      .def_ro("family", &Process::family)
      .def_ro("pid", &Process::pid)
      .def_ro("initialized", &Process::initialized)
      .def_ro("initializing", &Process::initializing)
      .def_ro("finalized", &Process::finalized)
      .def_ro("complete", &Process::complete)
      .def_ro("start_unix_ns", &Process::start_unix_ns)
      .def_ro("duration_ns", &Process::duration_ns)
      .def_ro("own_overhead_ns", &Process::own_overhead_ns)
      .def_ro("own_between_calls_ns", &Process::own_between_calls_ns)
      .def_ro("file_bytes", &Process::file_bytes)
      .def_ro("functions", &Process::functions)
      .def_ro("modules", &Process::modules)
      .def_ro("communicators", &Process::communicators)
      .def_ro("datatypes", &Process::datatypes)
      .def_ro("ops", &Process::ops)
      .def_ro("losses", &Process::losses)
      .def_ro("pauses", &Process::pauses)
      .def_ro("sampling", &Process::sampling)
      .def_ro("conditions", &Process::conditions)
      .def_prop_ro("clock_comparisons",
                   [](const Process& p) {
                     nb::list all;
                     for (const trace::ProcessClock::Comparison& c : p.clock.comparisons) {
                       all.append(nb::make_tuple(c.own_ns, c.offset_ns, c.error_ns));
                     }
                     return all;
                   })
      .def_prop_ro("threads", [](const Process& p) { return p.streams.size(); })
      .def(
          "sites", [](const Process& p, size_t thread) { return stream_at(p, thread).sites; }, "thread"_a = 0)
      .def(
          "frames",
          [](const Process& p, size_t thread, uint32_t context) {
            return trace::frames_of(stream_at(p, thread).contexts, context);
          },
          "thread"_a, "context"_a)
      .def(
          "locals", [](const Process& p, size_t thread) { return stream_at(p, thread).locals; }, "thread"_a = 0)
      .def("tallies", &tallies_of, "thread"_a = 0)
      .def("poll_runs", &poll_runs_of, "thread"_a = 0)
      .def("tree_difference", &tree_difference, "thread"_a = 0)
      .def(
          "calls",
          [](ProcessPtr p, size_t thread) {
            stream_at(*p, thread);
            return std::make_unique<Calls>(std::move(p), thread);
          },
          "thread"_a = 0);
  nb::class_<trace::FilesRead>(m, "FilesRead").def(nb::init<>());
  m.def("open_process", &open_process, "path"_a, "files"_a.none() = nullptr, "keep_bytes"_a = false);
  m.def(
      "trace_files",
      [](const std::string& directory) {
        trace::ReadError error;
        auto files = recording::trace_files(directory, &error);
        if (!error.message.empty()) throw TraceError(printable(error.message));
        nb::list paths;
        for (const std::string& file : files) paths.append(path_to_python(file));
        return paths;
      },
      "directory"_a);
  m.def(
      "chunks_of_killed",
      [](const std::string& path) {
        std::vector<uint8_t> chunks;
        const std::string wrong = recording::chunks_of_killed(path, &chunks);
        if (!wrong.empty()) throw TraceError(printable(path + ": " + wrong));
        return nb::bytes(chunks.data(), chunks.size());
      },
      "path"_a);
  m.def("crc32c", [](const nb::bytes& data) { return trace::crc32c(data.data(), data.size()); }, "data"_a);
  m.def("trace_bytes", [](const std::string& path) { return trace::OpenedFile(path).size(); }, "path"_a);
  m.def(
      "node_members",
      [](const std::string& path) {
        nb::list found;
        for (const trace::NodeMember& member : trace::node_members(path)) {
          found.append(nb::make_tuple(path_to_python(member.name), member.begin, member.size, member.whole));
        }
        return found;
      },
      "path"_a);
}

}  // namespace leadline::bindings
