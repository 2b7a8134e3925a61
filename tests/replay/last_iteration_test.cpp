// Of more iterations, one that is unlike all others stays the last; what is not apart comes over and over.

#include <string>

#include "../native/check.hpp"
#include "replay/recorded_shape.hpp"

namespace {

using namespace leadline::replay;

constexpr uint32_t usual = 0, other = 1, common = 2, writes = 3;  // leaves

// A main loop whose iterations make the calls of one leaf and `common`, one kind after another.
RecordedShape shape_of(const std::vector<std::pair<uint32_t, uint64_t>>& kinds) {
  RecordedShape made;
  made.shape.calls = RecordedShape::marks + 4;
  made.shape.bodies.resize(2);
  made.loop_of = {0, 1};
  made.is_iteration = {0, 0};
  std::vector<uint32_t> body_of(4, UINT32_MAX);
  for (const auto& [leaf, times] : kinds) {
    if (body_of[leaf] == UINT32_MAX) {
      body_of[leaf] = static_cast<uint32_t>(made.shape.bodies.size());
      made.shape.bodies.push_back({{RecordedShape::call_of(leaf)}, {RecordedShape::call_of(common)}});
      made.loop_of.push_back(0);
      made.is_iteration.push_back(1);
    }
    made.shape.bodies[1].push_back({body_of[leaf], true, times});
  }
  made.main_body = 1;
  made.shape.bodies[0] = {{0, false, 1}, {1, true, 1}, {1, false, 1}};
  made.recount();
  return made;
}

std::string after(RecordedShape shape, uint64_t steps, bool last_stays) {
  shape.resize(steps, last_stays);
  std::string found;
  shape.for_each_call([&](uint32_t leaf, uint64_t) {
    if (leaf != common) found += "uo.w"[leaf];
  });
  return found;
}

std::string some(const RecordedShape& shape, const std::vector<uint8_t>& wanted) {
  std::string found;
  shape.for_each_call_of(wanted, [&](uint32_t leaf) { found += "uocw"[leaf]; });
  return found;
}

}  // namespace

int main() {
  const RecordedShape apart = shape_of({{usual, 2}, {other, 1}, {writes, 1}});
  testing::check_equal(apart.iterations, 4U, "iterations");
  testing::check(apart.last_is_apart(), "the last one is apart");
  testing::check_equal(apart.in_last_iteration()[writes], 1U, "its calls");
  testing::check_equal(apart.in_last_iteration()[usual], 0U, "calls of others");
  testing::check_equal(apart.in_last_iteration()[common], 1U, "calls of all");
  testing::check_equal(some(apart, {true, false, true, true}), std::string("ucuccwc"), "of some leaves");
  testing::check_equal(some(apart, {false, true, false, false}), std::string("o"), "of one leaf");
  testing::check_equal(some(apart, {false, false, false, false}), std::string(), "of none");
  testing::check_equal(after(apart, 9, true), std::string("uuouuouuw"), "it stays the last");
  testing::check_equal(after(apart, 10, true), std::string("uuouuouuow"), "of whole rounds, too");
  testing::check_equal(after(apart, 9, false), std::string("uuowuuowu"), "over and over");
  testing::check_equal(after(apart, 4, true), std::string("uuow"), "as recorded");
  testing::check_equal(after(apart, 2, true), std::string("uu"), "fewer");
  testing::check(!shape_of({{usual, 1}, {writes, 1}, {usual, 1}, {writes, 1}}).last_is_apart(), "others are like it");
  testing::check(!shape_of({{usual, 3}}).last_is_apart(), "all are alike");
  testing::check(!shape_of({{usual, 1}, {writes, 1}}).last_is_apart(), "of two, none is");
  testing::check_equal(after(shape_of({{usual, 3}}), 5, true), std::string("uuuuu"), "alike, on a rank beside others");
  return testing::result();
}
