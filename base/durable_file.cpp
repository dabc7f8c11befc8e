#include "base/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace elbowroom {
namespace {

constexpr int kKeptAside = 5;

// An open file of that disk, closed by the destructor.
class OpenFile {
 public:
  OpenFile(const Disk& disk, int fd) : disk_(disk), fd_(fd) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) disk_.close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  const Disk& disk_;
  const int fd_;
};

std::string temporary_of(const std::string& path) { return path + ".tmp"; }

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The system's error text, in lower case like all our messages.
std::string words_of(int number) {
  std::string words = std::generic_category().message(number);
  if (words.size() > 1 && words[0] >= 'A' && words[0] <= 'Z' && words[1] >= 'a') {
    words[0] = static_cast<char>(words[0] - 'A' + 'a');
  }
  return words;
}

struct RequeueHints {
  Code code = Code::Internal;
  std::string_view remedy{};
};

RequeueHints requeue_hints_for(int number) {
  switch (number) {
    case ENOSPC:
      return {Code::Unavailable, "free some space on its file system"};
    case EDQUOT:
      return {Code::Unavailable, "raise the quota, or free some space"};
    case EROFS:
      return {Code::Unavailable, "mount its file system writable"};
    case EIO:
      return {Code::Unavailable, "check the disk and the kernel log"};
    case EACCES:
    case EPERM:
      return {Code::Denied, "give this user access to it"};
    case ENOENT:
      return {Code::NotFound, "create it, or name another path"};
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
      return {Code::Invalid, "name another path"};
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return {Code::Unavailable, "raise the limits of this service"};
    default:
      return {Code::Unavailable, "check its file system"};
  }
}

std::unexpected<Error> failed(std::string_view what, std::string_view path) {
  return std::unexpected(error_of_errno(errno, what, path));
}

// Returns false and sets errno on failure.
bool write_all(const Disk& disk, int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = disk.write(fd, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = EIO;  // not documented to happen, but it must not loop forever
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Creates the temporary file and syncs it to the disk. A failed fsync is not repeated: the kernel
// may have dropped the pages and would report success. The next replace creates a new file.
Result<void> write_durably(const Disk& disk, const std::string& path, std::string_view bytes) {
  // Left by a crash, or planted as a link for us to follow.
  if (disk.unlink(path) < 0 && errno != ENOENT) return failed("remove", path);
  const OpenFile file(disk,
                      disk.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return failed("create", path);
  if (!write_all(disk, file.get(), bytes)) return failed("write", path);
  if (disk.fsync(file.get()) < 0) return failed("sync", path);
  return {};
}

Result<void> sync_folder(const Disk& disk, const std::string& folder) {
  const OpenFile opened(disk, disk.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (!opened.is_open()) return failed("open folder", folder);
  if (disk.fsync(opened.get()) < 0) return failed("sync folder", folder);
  return {};
}

bool has_no_links(int number) {
  return number == EPERM || number == EOPNOTSUPP || number == ENOSYS || number == EMLINK;
}

Result<void> keep_previous(const Disk& disk, const std::string& path) {
  const std::string previous = previous_of(path);
  if (disk.unlink(previous) < 0 && errno != ENOENT) return failed("remove", previous);
  if (disk.link(path, previous) == 0 || errno == ENOENT) return {};
  if (!has_no_links(errno)) return failed("keep the previous", path);
  if (disk.rename(path, previous) < 0 && errno != ENOENT) return failed("keep the previous", path);
  return {};
}

}  // namespace

std::string previous_of(const std::string& path) { return path + ".prev"; }

Error error_of_errno(int number, std::string_view what, std::string_view path) {
  const RequeueHints requeue_hint = requeue_hints_for(number);
  std::string message = std::string(what) + " " + std::string(path) + ": " + words_of(number);
  return {requeue_hint.code, message + ": " + std::string(requeue_hint.remedy), {}};
}

Result<std::string> read_file(const std::string& path, std::size_t most, const Disk& disk) {
  const OpenFile file(disk, disk.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0));
  if (!file.is_open()) return failed("read", path);
  struct stat facts{};
  if (disk.fstat(file.get(), facts) < 0) return failed("read", path);
  if (!S_ISREG(facts.st_mode)) {
    return failure(Code::Invalid, "read " + path + ": no regular file: name another path");
  }
  // Reading one byte more than allowed detects a file that is too large, even if it grows
  // meanwhile.
  std::string bytes;
  const auto size = static_cast<std::size_t>(facts.st_size);
  bytes.resize(size < most ? size + 1 : most + 1);
  std::size_t used = 0;
  while (used <= most) {
    if (used == bytes.size()) bytes.resize(used * 2 < most ? used * 2 : most + 1);
    const ssize_t got = disk.read(file.get(), std::span(bytes).subspan(used));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  if (used > most) {
    return failure(Code::Exhausted, "read " + path + ": more than " + std::to_string(most) +
                                        " bytes: is it the right file?");
  }
  bytes.resize(used);
  return bytes;
}

Result<void> replace_file(const std::string& path, std::string_view bytes, const Disk& disk) {
  const std::string temporary = temporary_of(path);
  const auto swapped = [&]() -> Result<void> {
    RETURN_IF_ERROR(write_durably(disk, temporary, bytes));
    RETURN_IF_ERROR(keep_previous(disk, path));
    if (disk.rename(temporary, path) < 0) return failed("replace", path);
    return {};
  }();
  if (!swapped) {
    // Frees the space. If this fails too, the next replace does it.
    [[maybe_unused]] const int ignored = disk.unlink(temporary);
    return swapped;
  }
  return sync_folder(disk, folder_of(path));
}

Result<std::string> move_aside(const std::string& path, const Disk& disk) {
  int number = 1;
  struct stat facts{};
  while (number < kKeptAside && disk.lstat(path + ".bad-" + std::to_string(number), facts) == 0) {
    ++number;
  }
  std::string aside = path + ".bad-" + std::to_string(number);
  if (disk.rename(path, aside) < 0) return failed("move aside", path);
  RETURN_IF_ERROR(sync_folder(disk, folder_of(path)));
  return aside;
}

}  // namespace elbowroom
