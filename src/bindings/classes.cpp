// The classes of calls and the kinds of time, from api/semantics.toml.
#include <nanobind/nanobind.h>

#include "bindings/bindings.hpp"
#include "leadline/call_classes.hpp"

namespace nb = nanobind;

namespace leadline::bindings {

nb::tuple names_of_moves(uint8_t moves) {
  nb::list names;
  for (int bit = 0; bit < trace::moves::count; ++bit) {
    if (moves >> bit & 1) names.append(trace::moves::names[bit]);
  }
  return nb::tuple(names);
}

void bind_classes(nb::module_& m) {
  nb::class_<trace::CategoryNames>(m, "CategoryNames")
      .def_prop_ro("name", [](const trace::CategoryNames& c) { return c.name; })
      .def_prop_ro("title", [](const trace::CategoryNames& c) { return c.title; })
      .def_prop_ro("abbreviation", [](const trace::CategoryNames& c) { return c.abbreviation; });
  nb::class_<trace::CallFacts>(m, "CallClass")
      .def_prop_ro("name", [](const trace::CallFacts& f) { return f.name; })
      .def_prop_ro("title", [](const trace::CallFacts& f) { return f.title; })
      .def_prop_ro("category",
                   [](const trace::CallFacts& f) { return trace::category_names[static_cast<int>(f.category)].name; })
      .def_prop_ro("event", [](const trace::CallFacts& f) { return trace::event_names[static_cast<int>(f.event)]; })
      .def_prop_ro("moves", [](const trace::CallFacts& f) { return names_of_moves(f.moves); });
  nb::list order;
  nb::dict categories;
  for (const trace::CategoryNames& category : trace::category_names) {
    order.append(category.name);
    categories[category.name] = category;
  }
  m.attr("CATEGORIES") = nb::tuple(order);
  m.attr("CATEGORY_NAMES") = categories;
  nb::dict classes;
  for (const trace::CallFacts& facts : trace::call_facts) classes[facts.name] = facts;
  m.attr("CALL_CLASSES") = classes;
}

}  // namespace leadline::bindings
