#include "analysis/patterns/files/file_patterns.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/files.hpp"
#include "analysis/patterns/files/file_uses.hpp"

namespace leadline::analysis {

namespace {

constexpr double whole = 0.99;                  // of a file's bytes
constexpr double nearly_every = 0.9;            // of the ranks
constexpr uint64_t least_file_bytes = 1 << 16;  // less is not reported
constexpr uint64_t small_file_bytes = 1 << 12;
constexpr uint64_t least_transfers = 100;
constexpr size_t most_names = 8;
constexpr uint64_t often = 20;  // that a process opens a file

// Functions that move data through a stream's buffer, whatever the size that the program asks for.
bool buffers(const std::string& function) {
  return function.starts_with('f') || function == "getline";  // fread, fprintf, ...
}

class FilePatterns {
 public:
  FilePatterns(const Profile& profile, const FileSites& sites, std::vector<Pattern>* found)
      : profile_(profile), sites_(sites), uses_(profile, sites), found_(found) {}

  void run() {
    for (const std::vector<FileUse>& kind : uses_.kinds(trace::moves::reads)) read_by_all(kind);
    for (const std::vector<FileUse>& kind : uses_.kinds(trace::moves::reads | trace::moves::writes)) small(kind);
    by_one(trace::moves::writes);
    by_one(trace::moves::reads);
    one_per_rank();
    reopened();
  }

 private:
  size_t ranks() const { return profile_.processes().size(); }
  bool nearly_all_ranks(size_t number) const {
    return number >= 2 && static_cast<double>(number) >= nearly_every * static_cast<double>(ranks());
  }

  Pattern pattern(const char* name, const std::vector<FileUse>& uses, uint8_t moved) const {
    Pattern p;
    p.name = name;
    std::set<uint32_t> processes;
    std::set<std::string> names;
    for (const FileUse& u : uses) {
      processes.insert(u.process);
      names.insert(u.file->name);
      p.bytes += static_cast<int64_t>(u.bytes());
      p.time_ns += u.time_ns();
    }
    p.ranks = static_cast<uint32_t>(processes.size());
    p.sites = call_sites(uses, moved);
    p.evidence = {{"files", static_cast<int64_t>(names.size())}};
    p.files.assign(names.begin(), std::next(names.begin(), static_cast<int64_t>(std::min(names.size(), most_names))));
    return p;
  }

  std::vector<uint32_t> call_sites(const std::vector<FileUse>& uses, uint8_t moved) const {
    std::set<uint32_t> found;
    for (const FileUse& u : uses) {
      const FileUseSites* known = sites_.find(u.process, u.number);
      if (!known) continue;
      for (const uint32_t s : known->transfers) {
        const trace::Function& f = profile_.functions()[profile_.sites()[s].function];
        if (trace::moves_of(f.cls, f.name) & moved) found.insert(s);
      }
    }
    return {found.begin(), found.end()};
  }

  // A rank that read all of the file itself. Where MPI_File_* did, what the library read counts, if that is known.
  bool reads_all(const FileUse& u) const {
    const bool by_library = !u.libc.bytes_read && u.mpi.bytes_read && uses_.beneath(u.file->name).bytes_read;
    const int64_t distinct = distinct_bytes(by_library ? u.file->beneath : u.file->reads);
    return u.file->size > 0 && static_cast<double>(distinct) >= whole * static_cast<double>(u.file->size);
  }

  // What remains if each file is read once: the longest reading, as the others may have been served from a cache.
  void read_by_all(const std::vector<FileUse>& kind) {
    std::map<std::string, std::vector<FileUse>> readers;
    for (const FileUse& u : kind) {
      if (reads_all(u)) readers[u.file->name].push_back(u);
    }
    std::vector<FileUse> all;
    int64_t size = 0;
    size_t fewest = ranks();
    uint64_t bytes = 0;
    double once_ns = 0;
    for (const auto& [name, uses] : readers) {
      if (!nearly_all_ranks(uses.size())) continue;
      fewest = std::min(fewest, uses.size());
      size += uses.front().file->size;
      double longest = 0;
      for (const FileUse& u : uses) {
        all.push_back(u);
        bytes += u.bytes_read();
        longest = std::max(longest, u.time_ns());
      }
      once_ns += longest;
    }
    if (all.empty() || bytes < least_file_bytes) return;
    Pattern p = pattern("read_all_by_all", all, trace::moves::reads);
    p.evidence.insert(
        p.evidence.end(),
        {{"file_bytes", size}, {"readers", static_cast<int64_t>(fewest)}, {"remaining_s", once_ns * 1e-9}});
    found_->push_back(std::move(p));
  }

  static uint64_t bytes_moved(const FileUse& u, uint8_t moved) {
    return moved == trace::moves::writes ? u.bytes_written() : u.bytes_read();
  }

  // One rank writes what all have, or reads for all.
  void by_one(uint8_t moved) {
    const bool writes = moved == trace::moves::writes;
    std::map<uint32_t, uint64_t> by_process;
    uint64_t all = 0;
    for (const FileUse& u : uses_.all()) {
      by_process[u.process] += bytes_moved(u, moved);
      all += bytes_moved(u, moved);
    }
    if (all < least_file_bytes || ranks() < 2) return;
    const auto most = std::max_element(by_process.begin(), by_process.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (static_cast<double>(most->second) < whole * static_cast<double>(all)) return;
    std::vector<FileUse> own;
    for (const FileUse& u : uses_.all()) {
      if (u.process == most->first && bytes_moved(u, moved)) own.push_back(u);
    }
    Pattern p = pattern(writes ? "write_by_one" : "read_by_one", own, moved);
    std::stable_sort(own.begin(), own.end(), [moved](const FileUse& a, const FileUse& b) {
      return bytes_moved(a, moved) > bytes_moved(b, moved);
    });
    for (size_t i = 0; i < p.files.size(); ++i) p.files[i] = own[i].file->name;  // the largest
    // What each rank would write, or read, takes its own time.
    const double remaining_ns = p.time_ns / static_cast<double>(ranks());
    p.evidence.insert(p.evidence.end(), {{writes ? "writer" : "reader", int64_t{most->first}},
                                         {writes ? "bytes_written" : "bytes_read", static_cast<int64_t>(most->second)},
                                         {"remaining_s", remaining_ns * 1e-9}});
    found_->push_back(std::move(p));
  }

  // The bytes have to be moved in any case; what one file would save is the opening of the others.
  void one_per_rank() {
    for (const auto& [family, uses] : uses_.families_of_one_rank()) {
      std::set<uint32_t> processes;
      for (const FileUse& u : uses) processes.insert(u.process);
      if (!nearly_all_ranks(processes.size())) continue;
      Pattern p = pattern("file_per_rank", uses, trace::moves::reads | trace::moves::writes);
      p.evidence.emplace_back("names", family);
      if (const std::optional<double> opening = opening_ns(uses)) {
        p.evidence.emplace_back("opening_s", *opening * 1e-9);
        p.evidence.emplace_back("remaining_s", std::max(p.time_ns - *opening, 0.0) * 1e-9);
      }
      found_->push_back(std::move(p));
    }
  }

  // Calls that open these files, at the mean time of those whose call site is known. Nothing if none is.
  std::optional<double> opening_ns(const std::vector<FileUse>& uses) const {
    double known_ns = 0;
    uint64_t known_opens = 0, opens = 0;
    for (const FileUse& u : uses) {
      opens += u.opens();
      const FileUseSites* known = sites_.find(u.process, u.number);
      if (!known) continue;
      for (const auto& [site, times] : known->opens) {
        for (const Cell& c : profile_.sites()[site].cells) {
          if (c.process != u.process || !c.counts.calls) continue;
          known_ns += c.counts.time_ns * static_cast<double>(times) / static_cast<double>(c.counts.calls);
          known_opens += times;
        }
      }
    }
    if (!known_opens) return std::nullopt;
    return known_ns * static_cast<double>(opens) / static_cast<double>(known_opens);
  }

  // Files that a process opens again and again, if not for small transfers: larger ones would need fewer openings, too.
  // What remains is one opening and closing for each. Calls at a place are taken to be equally long, whichever file
  // they are about.
  void reopened() {
    std::vector<FileUse> uses;
    std::map<uint32_t, uint64_t> opening;  // by call site: openings after the first
    std::set<uint32_t> closing;
    uint64_t opens = 0, more = 0;
    for (const FileUse& u : uses_.all()) {
      const FileUseSites* known = sites_.find(u.process, u.number);
      if (u.opens() < often || !known || known->opens.empty() || in_small_.count({u.process, u.number})) continue;
      uses.push_back(u);
      opens += u.opens();
      more += u.opens() - 1;
      for (const auto& [site, times] : known->opens) opening[site] += times;
      closing.insert(known->closes.begin(), known->closes.end());
    }
    if (uses.empty()) return;
    Pattern p = pattern("reopened_files", uses, 0);
    double all_ns = 0, once_ns = 0;
    const auto add = [&](uint32_t site, uint64_t of_these) {
      double ns = 0;
      uint64_t calls = 0;
      for (const Cell& c : profile_.sites()[site].cells) ns += c.counts.time_ns, calls += c.counts.calls;
      const double part = calls ? std::min(static_cast<double>(of_these) / static_cast<double>(calls), 1.0) : 0.0;
      all_ns += ns;
      once_ns += ns * (1 - part * static_cast<double>(more) / static_cast<double>(opens));
      p.sites.push_back(site);
    };
    for (const auto& [site, times] : opening) add(site, times);
    for (const uint32_t site : closing) add(site, opens);
    p.time_ns = all_ns;
    p.evidence.insert(p.evidence.end(), {{"opens", static_cast<int64_t>(opens)},
                                         {"opens_each", static_cast<double>(opens) / static_cast<double>(uses.size())},
                                         {"remaining_s", once_ns * 1e-9}});
    found_->push_back(std::move(p));
  }

  // Transfers of MPI_File_* that the library merges into larger ones are not small.
  FileUse::Amount small_part(const FileUse& u) const {
    FileUse::Amount part = u.libc;
    if (!uses_.beneath(u.file->name).larger_than(small_file_bytes)) part += u.mpi;
    return part;
  }

  void small(const std::vector<FileUse>& kind) {
    std::vector<FileUse> uses;
    FileUse::Amount moved;
    for (const FileUse& u : kind) {
      const FileUse::Amount part = small_part(u);
      if (!part.transfers() || part.bytes() / part.transfers() >= small_file_bytes || u.whole_at_once()) continue;
      uses.push_back(u);
      moved += part;
    }
    if (moved.transfers() < least_transfers || moved.bytes() < least_file_bytes) return;
    for (const FileUse& u : uses) in_small_.insert({u.process, u.number});
    Pattern p = pattern("small_io", uses, trace::moves::reads | trace::moves::writes);
    p.evidence.insert(p.evidence.end(),
                      {{"transfers", static_cast<int64_t>(moved.transfers())},
                       {"bytes_each", static_cast<double>(moved.bytes()) / static_cast<double>(moved.transfers())},
                       {"reads", static_cast<int64_t>(moved.reads)},
                       {"writes", static_cast<int64_t>(moved.writes)}});
    if (!p.sites.empty()) {
      const bool buffered = std::all_of(p.sites.begin(), p.sites.end(), [&](uint32_t s) {
        return buffers(profile_.functions()[profile_.sites()[s].function].name);
      });
      p.evidence.emplace_back("buffered", buffered);
    }
    if (const std::optional<double> remaining = uses_.time_of_large_ns(uses))
      p.evidence.emplace_back("remaining_s", std::min(*remaining, p.time_ns) * 1e-9);
    found_->push_back(std::move(p));
  }

  const Profile& profile_;
  const FileSites& sites_;
  FileUses uses_;
  std::vector<Pattern>* found_;
  std::set<std::pair<uint32_t, uint32_t>> in_small_;  // processes and files whose small transfers are a pattern
};

}  // namespace

void patterns_of_files(const Profile& profile, const FileSites& sites, std::vector<Pattern>* found) {
  FilePatterns(profile, sites, found).run();
}

}  // namespace leadline::analysis
