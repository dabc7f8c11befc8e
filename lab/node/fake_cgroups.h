// A tree of files that looks like cgroup version 1, for a runtime that runs nothing. A kernel
// creates a group's files itself and refuses some values; here add() creates the files, and every
// written value is accepted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::lab {

class FakeCgroups {
 public:
  // Creates `root` with cpu/ and memory/ below it, as in /sys/fs/cgroup. Unavailable: it cannot be
  // created.
  [[nodiscard]] static Result<FakeCgroups> make(const std::filesystem::path& root);

  // Creates the group and its parents with the kernel's default values; existing groups are
  // unchanged. Invalid: a path with ".." in it.
  [[nodiscard]] Result<void> add(const std::string& group) const;
  // Removes the group and everything below it.
  void remove(const std::string& group) const;

  // The figure in a file of the group ("cpu.cfs_quota_us"); nothing if there is none.
  [[nodiscard]] std::optional<std::int64_t> read(const std::string& group,
                                                 std::string_view file) const;
  void write(const std::string& group, std::string_view file, std::int64_t figure) const;

  // Sets the memory in use, and the part of it that is reclaimable file cache.
  void set_memory_use(const std::string& group, std::int64_t bytes,
                      std::int64_t inactive_file = 0) const;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  explicit FakeCgroups(std::filesystem::path root) : root_(std::move(root)) {}
  [[nodiscard]] std::filesystem::path path_of(const std::string& group,
                                              std::string_view file) const;
  void make_files(const std::string& group) const;

  std::filesystem::path root_;
};

}  // namespace elbowroom::lab
