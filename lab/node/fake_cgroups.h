// A tree of files that looks like cgroup version 1, for a runtime that runs nothing. A kernel makes
// a group's files by itself and refuses some values; here the files are made by add(), and whoever
// writes them is believed.
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
  // `root` is made; below it are cpu/ and memory/, as in /sys/fs/cgroup. Unavailable: it cannot be.
  [[nodiscard]] static Result<FakeCgroups> make(const std::filesystem::path& root);

  // Makes the group and those above it, with the kernel's default values; what exists stays as it
  // is. Invalid: a path with ".." in it.
  [[nodiscard]] Result<void> add(const std::string& group) const;
  // Takes the group and all below it away.
  void remove(const std::string& group) const;

  // The figure in a file of the group ("cpu.cfs_quota_us"); nothing where there is none.
  [[nodiscard]] std::optional<std::int64_t> read(const std::string& group,
                                                 std::string_view file) const;
  void write(const std::string& group, std::string_view file, std::int64_t figure) const;

  // What is used, and what of it is file cache that can be dropped.
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
