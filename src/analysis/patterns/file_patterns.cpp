#include "analysis/patterns/file_patterns.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>

#include "analysis/files.hpp"
#include "trace/file_counts.hpp"

namespace leadline::analysis {

namespace {

using trace::FileLayer;
using trace::ProcessFile;

constexpr double whole = 0.99;             // of a file's bytes
constexpr double nearly_all = 0.9;         // of the ranks
constexpr uint64_t least_bytes = 1 << 16;  // less is no matter
constexpr uint64_t small_bytes = 1 << 12;
constexpr uint64_t least_transfers = 100;

// One file as a process used it: the program's calls of either kind.
struct Use {
  uint32_t process;
  const ProcessFile* file;
  uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;
  double time_ns = 0;
};

// The name with a '#' for each number in it: "out.0003" is "out.#".
std::string without_numbers(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) out += c;
    if (digit && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

class FilePatterns {
 public:
  FilePatterns(const Profile& profile, std::vector<Pattern>* found) : profile_(profile), found_(found) {
    for (uint32_t p = 0; p < profile.processes().size(); ++p) {
      for (const ProcessFile& f : profile.processes()[p].meta.files) {
        if (f.name.empty() || f.name.starts_with("/dev/") || f.name.starts_with("/proc/")) continue;
        Use use{p, &f};
        for (const FileLayer layer : {FileLayer::program, FileLayer::outside, FileLayer::mpi}) {
          const ProcessFile::Counts& c = f.layers[static_cast<size_t>(layer)];
          use.reads += c.reads;
          use.writes += c.writes;
          use.bytes_read += c.bytes_read;
          use.bytes_written += c.bytes_written;
          use.time_ns += static_cast<double>(c.time_ns);
        }
        uses_[f.name].push_back(use);
      }
    }
  }

  void run() {
    read_by_all();
    written_by_one();
    one_per_rank();
    small();
  }

 private:
  size_t ranks() const { return profile_.processes().size(); }

  Pattern pattern(const char* name, const std::vector<Use>& uses, uint8_t moved) const {
    Pattern p;
    p.name = name;
    std::set<uint32_t> processes;
    for (const Use& u : uses) {
      processes.insert(u.process);
      if (p.files.empty() || p.files.back() != u.file->name) p.files.push_back(u.file->name);
      p.bytes += static_cast<int64_t>(u.bytes_read + u.bytes_written);
      p.time_ns += u.time_ns;
    }
    p.ranks = static_cast<uint32_t>(processes.size());
    for (uint32_t s = 0; s < profile_.sites().size(); ++s) {
      const GlobalSite& site = profile_.sites()[s];
      const trace::Function& f = profile_.functions()[site.function];
      const bool file = category_of(f.cls) == Category::io;
      if (!file || (trace::moves_of(f.cls, f.name) & moved) == 0) continue;
      if (std::any_of(site.cells.begin(), site.cells.end(), [&](const Cell& c) { return processes.count(c.process); }))
        p.sites.push_back(s);
    }
    return p;
  }

  void read_by_all() {
    for (const auto& [name, uses] : uses_) {
      std::vector<Use> readers;
      uint64_t bytes = 0;
      for (const Use& u : uses) {
        const int64_t distinct = std::max(distinct_bytes(u.file->reads), distinct_bytes(u.file->beneath));
        if (u.file->size <= 0 || static_cast<double>(distinct) < whole * static_cast<double>(u.file->size)) continue;
        readers.push_back(u);
        bytes += u.bytes_read;
      }
      const bool all = static_cast<double>(readers.size()) >= nearly_all * static_cast<double>(ranks());
      if (readers.size() < 2 || !all || bytes < least_bytes) continue;
      Pattern p = pattern("read_all_by_all", readers, trace::moves::reads);
      p.evidence = {{"file_bytes", readers.front().file->size}, {"readers", static_cast<int64_t>(readers.size())}};
      found_->push_back(std::move(p));
    }
  }

  void written_by_one() {
    std::map<uint32_t, uint64_t> by_process;
    uint64_t all = 0;
    for (const auto& [name, uses] : uses_) {
      for (const Use& u : uses) {
        by_process[u.process] += u.bytes_written;
        all += u.bytes_written;
      }
    }
    if (all < least_bytes || ranks() < 2) return;
    const auto most = std::max_element(by_process.begin(), by_process.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (static_cast<double>(most->second) < whole * static_cast<double>(all)) return;
    std::vector<Use> own;
    for (const auto& [name, uses] : uses_) {
      for (const Use& u : uses) {
        if (u.process == most->first && u.bytes_written) own.push_back(u);
      }
    }
    Pattern p = pattern("write_by_one", own, trace::moves::writes);
    p.evidence = {{"writer", int64_t{most->first}}, {"bytes_written", static_cast<int64_t>(most->second)}};
    found_->push_back(std::move(p));
  }

  void one_per_rank() {
    std::map<std::string, std::vector<Use>> families;
    std::set<std::string> shared;
    for (const auto& [name, uses] : uses_) {
      std::vector<Use> moving;
      for (const Use& u : uses) {
        if (u.bytes_read + u.bytes_written) moving.push_back(u);
      }
      const std::string family = without_numbers(name);
      if (moving.size() > 1) shared.insert(family);
      if (moving.size() == 1) families[family].push_back(moving[0]);
    }
    for (const auto& [family, uses] : families) {
      std::set<uint32_t> processes;
      for (const Use& u : uses) processes.insert(u.process);
      const bool all = static_cast<double>(processes.size()) >= nearly_all * static_cast<double>(ranks());
      if (processes.size() < 2 || !all || shared.count(family)) continue;
      Pattern p = pattern("file_per_rank", uses, trace::moves::reads | trace::moves::writes);
      p.evidence = {{"names", family}, {"files", static_cast<int64_t>(uses.size())}};
      if (p.files.size() > most_names) p.files.resize(most_names);
      found_->push_back(std::move(p));
    }
  }

  void small() {
    for (const auto& [name, uses] : uses_) {
      std::vector<Use> small;
      uint64_t transfers = 0, bytes = 0;
      for (const Use& u : uses) {
        const uint64_t own = u.reads + u.writes;
        if (!own || (u.bytes_read + u.bytes_written) / own >= small_bytes) continue;
        small.push_back(u);
        transfers += own;
        bytes += u.bytes_read + u.bytes_written;
      }
      if (transfers < least_transfers || bytes < least_bytes) continue;
      Pattern p = pattern("small_io", small, trace::moves::reads | trace::moves::writes);
      p.evidence = {{"transfers", static_cast<int64_t>(transfers)},
                    {"bytes_each", static_cast<double>(bytes) / static_cast<double>(transfers)}};
      found_->push_back(std::move(p));
    }
  }

  static constexpr size_t most_names = 8;
  const Profile& profile_;
  std::vector<Pattern>* found_;
  std::map<std::string, std::vector<Use>> uses_;  // by name
};

}  // namespace

void patterns_of_files(const Profile& profile, std::vector<Pattern>* found) { FilePatterns(profile, found).run(); }

}  // namespace leadline::analysis
