// A temporary folder for what nobody named a place for. The one thing to know: it is taken away,
// with all that is in it, when its owner goes.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace elbowroom::cli {

class OwnFolder {
 public:
  // Unavailable, naming the option that would do without it.
  [[nodiscard]] static Result<std::unique_ptr<OwnFolder>> make(std::string_view option);
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Takes it away at once, for a process that ends at once. May be called by any thread.
  void remove() const;

 private:
  explicit OwnFolder(std::filesystem::path path);
  std::filesystem::path path_;
};

}  // namespace elbowroom::cli
