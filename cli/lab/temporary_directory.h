// A temporary folder for what nobody named a place for. It is taken away, with all that is in it,
// when its owner goes.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace elbowroom::cli {

class TemporaryDirectory {
 public:
  // Unavailable, naming the option that would do without it.
  [[nodiscard]] static Result<std::unique_ptr<TemporaryDirectory>> make(std::string_view option);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Takes it away at once, for a process that ends at once. May be called by any thread.
  void remove() const;

 private:
  explicit TemporaryDirectory(std::filesystem::path path);
  std::filesystem::path path_;
};

}  // namespace elbowroom::cli
