#include "cli/lab/temporary_directory.h"

#include <stdlib.h>

#include <string>
#include <system_error>
#include <utility>

namespace elbowroom::cli {

namespace fs = std::filesystem;

Result<std::unique_ptr<TemporaryDirectory>> TemporaryDirectory::make(std::string_view option) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "elbowroom-lab-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr) {
    return failure(Code::Unavailable,
                   "make a folder in " + name + ": give one by " + std::string(option));
  }
  return std::unique_ptr<TemporaryDirectory>(new TemporaryDirectory(name));
}

TemporaryDirectory::TemporaryDirectory(fs::path path) : path_(std::move(path)) {}

TemporaryDirectory::~TemporaryDirectory() { remove(); }

void TemporaryDirectory::remove() const {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace elbowroom::cli
