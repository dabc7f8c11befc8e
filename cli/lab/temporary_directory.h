// A temporary folder for files without a configured place. Its owner's destruction removes it with
// everything in it.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace elbowroom::cli {

class TemporaryDirectory {
 public:
  // Unavailable, naming the option that avoids it.
  [[nodiscard]] static Result<std::unique_ptr<TemporaryDirectory>> make(std::string_view option);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Removes it at once, for a process that ends at once. Any thread may call it.
  void remove() const;

 private:
  explicit TemporaryDirectory(std::filesystem::path path);
  std::filesystem::path path_;
};

}  // namespace elbowroom::cli
