#include "cli/input/read_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/document.h"
#include "base/fd.h"

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

// The type of a file that has no end, or may never reach one.
std::string_view kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISDIR(mode)) return "a folder";
  return "a device";
}

std::unexpected<Error> no_file(const std::string& path, mode_t mode) {
  return failure(Code::Invalid, path + ": is " + std::string(kind_of(mode)) +
                                    ", no regular file: name a file, or give its text to "
                                    "standard input (-f -)");
}

Result<InputText> read_file(const std::string& path) {
  // Checked first: opening some devices has side effects.
  struct stat facts{};
  if (::stat(path.c_str(), &facts) < 0) return system_failure(path, errno);
  if (!S_ISREG(facts.st_mode)) return no_file(path, facts.st_mode);
  // The path may name another file by now, so the open must not block either.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open() || ::fstat(file.get(), &facts) < 0) return system_failure(path, errno);
  if (!S_ISREG(facts.st_mode)) return no_file(path, facts.st_mode);
  ASSIGN_OR_RETURN(std::string text, read_all(file.get(), path));
  return InputText{path, std::move(text)};
}

// The inherited descriptor of this process that a path names.
std::optional<int> descriptor_of(std::string_view path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size() && number >= 0) return number;
  }
  return std::nullopt;
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
  if (const auto descriptor = descriptor_of(path)) {
    ASSIGN_OR_RETURN(std::string text, read_all(*descriptor, path));
    texts.push_back({path, std::move(text)});
    return texts;
  }
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return read_folder(path);
  ASSIGN_OR_RETURN(InputText text, read_file(path));
  texts.push_back(std::move(text));
  return texts;
}

}  // namespace elbowroom::cli
