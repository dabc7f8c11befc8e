#include "cli/read_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/document.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMaxBytes = DocumentLimits{}.bytes;

std::unexpected<Error> system_failure(const std::string& name, int number) {
  const Code code = number == ENOENT                      ? Code::NotFound
                    : number == EACCES || number == EPERM ? Code::Denied
                                                          : Code::Invalid;
  return failure(code, name + ": " + std::generic_category().message(number));
}

Result<std::string> read_all(int fd, const std::string& name) {
  std::string text;
  std::array<char, 64 * 1024> block{};
  for (;;) {
    const ssize_t got = ::read(fd, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure(name, errno);
    if (got == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxBytes) {
      return failure(Code::Invalid,
                     name + ": more than " + std::to_string(kMaxBytes) + " bytes: split it");
    }
  }
}

Result<InputText> read_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_failure(path, errno);
  Result<std::string> text = read_all(fd, path);
  ::close(fd);
  if (!text) return std::unexpected(std::move(text).error());
  return InputText{path, std::move(*text)};
}

bool is_manifest(const std::filesystem::path& path) {
  const auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Result<std::vector<InputText>> read_folder(const std::string& path) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    if (is_manifest(entry->path()) && !entry->is_directory(unknown)) {
      names.push_back(entry->path().string());
    }
  }
  if (error) return system_failure(path, error.value());
  if (names.empty()) {
    return failure(Code::Invalid, path + ": a folder without *.yaml, *.yml or *.json files");
  }
  std::ranges::sort(names);
  std::vector<InputText> texts;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(InputText text, read_file(name));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

Result<std::vector<InputText>> read_input(const std::string& path) {
  std::vector<InputText> texts;
  if (path == "-") {
    const std::string name = "standard input";
    ASSIGN_OR_RETURN(std::string text, read_all(STDIN_FILENO, name));
    texts.push_back({name, std::move(text)});
    return texts;
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return read_folder(path);
  ASSIGN_OR_RETURN(InputText text, read_file(path));
  texts.push_back(std::move(text));
  return texts;
}

}  // namespace elbowroom::cli
