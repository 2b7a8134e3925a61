#include "analysis/patterns/files/file_uses.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <tuple>

#include "trace/file_counts.hpp"

namespace leadline::analysis {

namespace {

using trace::FileLayer;
using trace::ProcessFile;

constexpr uint64_t large_bytes = 1 << 16;  // of one transfer
constexpr uint64_t least_known = 1 << 20;  // bytes from which a rate is known

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// "nc" of "/data/forcing.nc", "#" of "out.#"; nothing if the last part of the name is long.
std::string_view extension(std::string_view name) {
  constexpr size_t longest = 8;
  const size_t dot = name.rfind('.'), slash = name.rfind('/');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash)) return {};
  const std::string_view last = name.substr(dot + 1);
  return last.size() > longest ? std::string_view{} : last;
}

FileUse::Amount amount(const ProcessFile& f, FileLayer layer) {
  const ProcessFile::Counts& c = f.layers[static_cast<size_t>(layer)];
  return {c.reads, c.writes, c.bytes_read, c.bytes_written, static_cast<double>(c.time_ns)};
}

}  // namespace

std::string without_numbers(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (!is_digit(c)) out += c;
    if (is_digit(c) && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

FileUse::Amount& FileUse::Amount::operator+=(const Amount& other) {
  reads += other.reads;
  writes += other.writes;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
  time_ns += other.time_ns;
  return *this;
}

uint64_t FileUse::opens() const {
  return file->layers[static_cast<size_t>(FileLayer::program)].opens +
         file->layers[static_cast<size_t>(FileLayer::mpi)].opens;
}

bool FileUse::whole_at_once() const {
  constexpr double nearly = 0.99;
  const uint64_t all = opens() + file->layers[static_cast<size_t>(FileLayer::outside)].opens;
  if (!all || file->size <= 0 || libc.transfers() + mpi.transfers() > 2 * all) return false;
  return static_cast<double>(bytes()) >= nearly * static_cast<double>(file->size) * static_cast<double>(all);
}

FileUses::FileUses(const Profile& profile, const FileSites& sites) : profile_(profile), sites_(sites) {
  for (uint32_t p = 0; p < profile.processes().size(); ++p) {
    const std::vector<ProcessFile>& files = profile.processes()[p].meta.files;
    for (uint32_t number = 0; number < files.size(); ++number) {
      const ProcessFile& f = files[number];
      if (f.name.empty() || f.name.starts_with("/dev/") || f.name.starts_with("/proc/")) continue;
      FileUse use{p, number, &f, amount(f, FileLayer::program), amount(f, FileLayer::mpi)};
      learn_large(use.libc, libc_reads, libc_writes);
      learn_large(use.mpi, mpi_reads, mpi_writes);
      FileUse::Amount outside = amount(f, FileLayer::outside);
      outside.time_ns = 0;  // it is no part of the ranks' time
      use.libc += outside;
      beneath_[f.name] += amount(f, FileLayer::beneath);
      all_.push_back(use);
    }
  }
}

void FileUses::learn_large(const FileUse::Amount& amount, Way reads, Way writes) {
  if (!amount.larger_than(large_bytes) || (amount.reads && amount.writes)) return;
  Moved& moved = large_[amount.reads ? reads : writes];
  moved.bytes += amount.bytes();
  moved.time_ns += amount.time_ns;
}

std::optional<double> FileUses::time_of_large_ns(const std::vector<FileUse>& uses) const {
  std::array<uint64_t, ways> bytes{};
  for (const FileUse& u : uses) {
    if (u.libc.time_ns > 0) bytes[libc_reads] += u.libc.bytes_read, bytes[libc_writes] += u.libc.bytes_written;
    bytes[mpi_reads] += u.mpi.bytes_read, bytes[mpi_writes] += u.mpi.bytes_written;
  }
  double sum = 0;
  for (size_t way = 0; way < ways; ++way) {
    if (!bytes[way]) continue;
    if (large_[way].bytes < least_known) return std::nullopt;
    sum += static_cast<double>(bytes[way]) * large_[way].time_ns / static_cast<double>(large_[way].bytes);
  }
  return sum;
}

const FileUse::Amount& FileUses::beneath(const std::string& name) const { return beneath_.at(name); }

// Files used by calls with a known order are alike if the same calls move their data and their extensions agree. The
// innermost frame is the place of a call: an interpreter comes to it in many ways.
std::string FileUses::kind_of(const std::string& family, const std::vector<FileUse>& uses, uint8_t moved) const {
  const std::string_view last = extension(family);
  std::set<std::tuple<uint32_t, uint32_t, uint64_t>> places;  // function, module, offset
  bool before = true;                                         // MPI_Init, or elsewhere where there is no order
  for (const FileUse& u : uses) {
    before &= u.time_ns() <= 0;
    const FileUseSites* known = sites_.find(u.process, u.number);
    if (!known) continue;
    for (const uint32_t site : known->transfers) {
      const GlobalSite& s = profile_.sites()[site];
      const trace::Function& f = profile_.functions()[s.function];
      if ((trace::moves_of(f.cls, f.name) & moved) == 0) continue;
      const trace::Frame& frame = profile_.contexts()[s.context].frame;
      places.insert({s.function, frame.module, frame.offset});
    }
  }
  if (last.empty() || (places.empty() && !before)) return family;
  std::string kind = "*." + std::string(last);
  for (const auto& [function, module, offset] : places)
    kind += '\n' + std::to_string(function) + ' ' + std::to_string(module) + ' ' + std::to_string(offset);
  return kind;
}

std::vector<std::vector<FileUse>> FileUses::kinds(uint8_t moved) const {
  std::map<std::string, std::vector<FileUse>> families, kinds;
  for (const FileUse& u : all_) families[without_numbers(u.file->name)].push_back(u);
  for (const auto& [family, uses] : families) {
    std::vector<FileUse>& kind = kinds[kind_of(family, uses, moved)];
    kind.insert(kind.end(), uses.begin(), uses.end());
  }
  std::vector<std::vector<FileUse>> found;
  for (auto& [name, uses] : kinds) found.push_back(std::move(uses));
  return found;
}

std::map<std::string, std::vector<FileUse>> FileUses::families_of_one_rank() const {
  std::map<std::string, std::vector<FileUse>> by_name, families;
  std::set<std::string> shared;
  for (const FileUse& u : all_) {
    if (u.bytes()) by_name[u.file->name].push_back(u);
  }
  for (const auto& [name, uses] : by_name) {
    const std::string family = without_numbers(name);
    if (uses.size() > 1) shared.insert(family);
    families[family].push_back(uses[0]);
  }
  for (const std::string& family : shared) families.erase(family);
  return families;
}

}  // namespace leadline::analysis
