#include "trace/frames.hpp"
#include "trace/limits.hpp"
#include "trace/reading/decode.hpp"

namespace leadline::trace {

namespace {

Frame frame_from(uint64_t module, uint64_t offset) {
  return {module < no_module_word ? static_cast<uint32_t>(module) : no_module, offset & frame_offset_mask};
}

void decode_contexts(ByteReader& in, std::vector<Context>* contexts) {
  const size_t n = in.count(2);
  std::vector<uint32_t> last_child(first_context);
  std::vector<uint64_t> module(first_context);
  for (size_t i = first_context; i < n + first_context && in.ok(); ++i) {
    const uint64_t control = in.varint();
    if (control >> 1 > i - 1) return in.fail();
    const auto parent = static_cast<uint32_t>(i - 1 - (control >> 1));
    const uint32_t near = last_child[parent] ? last_child[parent] : static_cast<uint32_t>(i - 1);
    const Frame& reference = (*contexts)[near].frame;
    module.push_back(control & 1 ? in.varint() : module[near]);
    const auto offset = static_cast<uint64_t>(wrapping_sum(static_cast<int64_t>(reference.offset), in.svarint()));
    const uint32_t depth = (*contexts)[parent].depth + 1;
    if (depth > most_frames) return in.fail();
    contexts->push_back({frame_from(module[i], offset), parent, depth});
    last_child[parent] = static_cast<uint32_t>(i);
    last_child.push_back(0);
  }
}

// Decodes sites that have their own frames; the trace does not say whether their paths are whole.
void decode_frames(ByteReader in, Stream* s) {
  in.varint();  // the number of sites
  for (Site& site : s->sites) {
    in.varint();
    std::vector<Frame> frames(in.count(2));
    for (Frame& frame : frames) {
      const uint64_t module = in.varint();
      frame = frame_from(module, in.varint());
    }
    site.context = add_path(&s->contexts, frames, false);
  }
}

}  // namespace

void decode_sites(ByteReader& in, Stream* s) {
  const ByteReader begin = in;
  const size_t n = in.count(2);
  s->contexts.assign(first_context, {});
  size_t most = 0;
  for (size_t i = 0; i < n && in.ok(); ++i) {
    Site site;
    site.function = static_cast<uint32_t>(in.varint());
    const size_t frames = in.count(2);
    for (size_t f = 0; f < 2 * frames; ++f) in.varint();
    most = frames > most ? frames : most;
    s->sites.push_back(site);
  }
  for (size_t i = 0; i < n && !in.at_end() && in.ok(); ++i) s->sites[i].region = static_cast<uint32_t>(in.varint());
  if (most > most_frames) in.fail();
  if (in.ok() && !in.at_end()) {
    decode_contexts(in, &s->contexts);
    int64_t context = 0;
    for (size_t i = 0; i < n && in.ok(); ++i) {
      context = wrapping_sum(context, in.svarint());
      const bool known = context >= 0 && static_cast<uint64_t>(context) < s->contexts.size();
      s->sites[i].context = known ? static_cast<uint32_t>(context) : context_unknown;
    }
  } else if (in.ok()) {
    decode_frames(begin, s);
  }
}

void check_sites(const Process& p, Stream* s) {
  if (s->sites.empty()) s->sites.emplace_back();
  if (s->contexts.size() < first_context) s->contexts.resize(first_context);
  std::vector<bool> whole(s->contexts.size());
  whole[context_begin] = true;
  for (size_t i = first_context; i < whole.size(); ++i) {
    Context& c = s->contexts[i];
    whole[i] = whole[c.parent];
    if (c.frame.module >= p.modules.size() && c.frame.module != no_module) c.frame = {no_module, 0};
  }
  for (Site& site : s->sites) {
    if (site.function >= p.functions.size()) site.function = static_cast<uint32_t>(p.functions.size() - 1);
    if (site.region >= p.regions.size()) site.region = 0;
    site.whole = whole[site.context];
  }
}

std::vector<Frame> frames_of(const std::vector<Context>& contexts, uint32_t context) {
  std::vector<Frame> frames;
  for (; context >= first_context && context < contexts.size(); context = contexts[context].parent)
    frames.push_back(contexts[context].frame);
  return frames;
}

uint32_t add_path(std::vector<Context>* contexts, const std::vector<Frame>& frames, bool whole) {
  if (contexts->size() < first_context) contexts->resize(first_context);
  uint32_t context = whole ? context_begin : context_unknown;
  for (size_t i = frames.size(); i-- > 0;) {
    contexts->push_back({frames[i], context, static_cast<uint32_t>(frames.size() - i)});
    context = static_cast<uint32_t>(contexts->size() - 1);
  }
  return context;
}

}  // namespace leadline::trace
