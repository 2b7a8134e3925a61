#include "interchange/predicted/copied_tables.hpp"

#include <algorithm>
#include <cstdio>

#include "trace/frames.hpp"

namespace leadline::interchange::predicted {

using importing::RecordedProcess;
using importing::RecordedThread;

namespace {

uint64_t word_of(const trace::Frame& frame) {
  const uint32_t module = frame.module == trace::no_module ? trace::no_module_word : frame.module;
  return trace::frame_word(module, frame.offset & trace::frame_offset_mask);
}

recording::LiveDatatype live(const trace::Datatype& type) {
  recording::LiveDatatype made{};
  std::snprintf(made.name, sizeof(made.name), "%s", type.name.c_str());
  made.size = type.size;
  made.extent = type.extent;
  made.lb = type.lb;
  made.true_extent = type.true_extent;
  made.combiner = type.combiner;
  made.contiguous = type.contiguous;
  made.dims = std::min<uint64_t>(type.sides.size(), recording::LiveDatatype::most_dims);
  for (uint64_t d = 0; d < made.dims; ++d) made.sides[d] = {type.sides[d].whole, type.sides[d].part};
  return made;
}

// Without the stretches that were read: they say where in the file, which no report needs.
recording::LiveFile live(const trace::ProcessFile& file) {
  recording::LiveFile made{};
  made.size = file.size;
  made.flags = (file.opened_by_mpi ? trace::file_opened_by_mpi : 0) | (file.mapped ? trace::file_mapped : 0) |
               (file.has_view ? trace::file_has_view : 0) | (file.offset_unknown ? trace::file_offset_unknown : 0);
  made.reads.overflow = made.beneath.overflow = 1;
  for (size_t l = 0; l < file.layers.size() && l < trace::file_layers; ++l) {
    const trace::ProcessFile::Counts& c = file.layers[l];
    const uint64_t all[] = {c.opens,         c.closes,  c.reads,      c.writes,  c.others, c.bytes_read,
                            c.bytes_written, c.time_ns, c.sequential, c.strided, c.random};
    static_assert(std::size(all) == trace::file_counts);
    std::copy(std::begin(all), std::end(all), made.counts[l]);
  }
  return made;
}

recording::LiveLoop live(const trace::Stream& stream, size_t number) {
  const trace::SourceLoop& loop = stream.loops[number];
  recording::LiveLoop made{};
  made.header = word_of(loop.header);
  made.last = word_of(loop.last);
  made.context = loop.context;
  made.outer = loop.outer;
  made.by_order = loop.by_order;
  // The reader finds those iterations again.
  made.silent = loop.silent || std::any_of(stream.steps.begin(), stream.steps.end(),
                                           [&](const trace::SilentSteps& s) { return s.outer == number; });
  return made;
}

}  // namespace

RecordedProcess::Facts facts_of(const trace::Process& from, const std::string& host, uint64_t clock) {
  RecordedProcess::Facts facts;
  facts.rank = from.rank;
  facts.world_size = from.world_size;
  facts.world = from.world;
  facts.host = host;
  facts.program = from.program;
  facts.clock = clock;
  facts.tick_factor = one_ns_per_tick;
  facts.library = from.library;
  facts.family = from.family;
  if (!from.modules.empty()) {
    facts.module = from.modules.front().path;
    facts.build = from.modules.front().build_id;
  }
  return facts;
}

void copy_tables(const trace::Process& from, RecordedProcess* to) {
  for (size_t i = 1; i < from.modules.size(); ++i) to->add_module(from.modules[i].path, from.modules[i].build_id);
  for (size_t i = 1; i < from.functions.size(); ++i) to->function(from.functions[i].name, from.functions[i].cls);
  for (size_t i = 1; i < from.communicators.size(); ++i) {
    const trace::Communicator& c = from.communicators[i];
    recording::LiveCommunicator made{};
    made.kind = static_cast<uint8_t>(c.kind);
    made.parent = c.parent;
    made.identity = c.identity;
    made.rank = c.rank;
    made.size = c.size;
    made.topology = static_cast<uint8_t>(c.topology);
    to->communicator(made, c.world.ranks(), c.grid);
  }
  std::vector<recording::LiveDatatype> types;
  for (size_t i = 1; i < from.datatypes.size(); ++i) types.push_back(live(from.datatypes[i]));
  to->set_datatypes(types);
  for (size_t i = 1; i < from.ops.size(); ++i) to->add_operation(from.ops[i]);
  for (size_t i = 1; i < from.regions.size(); ++i) to->region(from.regions[i].parent, from.regions[i].name);
  for (size_t i = 1; i < from.files.size(); ++i) to->add_file(from.files[i].name, live(from.files[i]));
}

void copy_source(const trace::Process& from, const trace::Stream& stream, RecordedProcess* to, RecordedThread* thread) {
  for (size_t i = trace::first_context; i < stream.contexts.size(); ++i)
    thread->add_context(word_of(stream.contexts[i].frame), stream.contexts[i].parent);
  std::vector<recording::LiveLoop> loops;
  for (size_t i = 0; i < stream.loops.size(); ++i) loops.push_back(i ? live(stream, i) : recording::LiveLoop{});
  thread->set_loops(loops);
  for (size_t s = 1; s < stream.sites.size(); ++s) {
    const trace::Site& site = stream.sites[s];
    const std::string& name =
        site.function < from.functions.size() ? from.functions[site.function].name : std::string();
    thread->site(to->function(name, from.functions[site.function].cls), site.context, site.region);
    thread->set_around(site.context, stream.loop_around(static_cast<uint32_t>(s)));
  }
}

}  // namespace leadline::interchange::predicted
