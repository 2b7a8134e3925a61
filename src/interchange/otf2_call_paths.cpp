// What attributes of calls name: where each call was made, as calling contexts, and files. Readers that know no calling
// contexts see regions of calls only.
#include <map>
#include <utility>

#include "interchange/otf2.hpp"

namespace leadline::interchange {

uint32_t Otf2Export::context_of(uint32_t site) const {
  return site < context_of_site_.size() && context_of_site_[site] < contexts_.size() ? context_of_site_[site]
                                                                                     : otf2::undefined;
}

void Otf2Export::define_attributes(otf2::GlobalDefWriter* to) {
  const uint32_t nothing = string(to, "");
  check(otf2_.GlobalDefWriter_WriteAttribute(to, otf2::call_path, string(to, otf2::call_path_name), nothing,
                                             otf2::type_calling_context));
  check(otf2_.GlobalDefWriter_WriteAttribute(to, otf2::on_file, string(to, otf2::on_file_name), nothing,
                                             otf2::type_io_handle));
}

void Otf2Export::define_call_paths(otf2::GlobalDefWriter* to) {
  const uint32_t nothing = string(to, "");
  std::map<std::pair<std::string, std::string>, uint32_t> routines;
  std::map<std::pair<std::string, uint32_t>, uint32_t> places;
  for (uint32_t number = 0; number < contexts_.size(); ++number) {
    const CallingContext& c = contexts_[number];
    const uint32_t file = string(to, c.file);
    const auto [routine, is_new] = routines.try_emplace({c.full, c.file}, shared_.regions.size() + routines.size());
    if (is_new) {
      const uint32_t name = string(to, c.routine), full = string(to, c.full);
      check(otf2_.GlobalDefWriter_WriteRegion(to, routine->second, name, full, nothing, otf2::role_function,
                                              otf2::paradigm_compiler, 0, file, 0, 0));
    }
    uint32_t at = otf2::undefined;
    if (c.line) {
      const auto [place, fresh] = places.try_emplace({c.file, c.line}, static_cast<uint32_t>(places.size()));
      if (fresh) check(otf2_.GlobalDefWriter_WriteSourceCodeLocation(to, place->second, file, c.line));
      at = place->second;
    }
    const uint32_t parent = c.parent < number ? c.parent : otf2::undefined;
    check(otf2_.GlobalDefWriter_WriteCallingContext(to, number, routine->second, at, parent));
  }
}

}  // namespace leadline::interchange
