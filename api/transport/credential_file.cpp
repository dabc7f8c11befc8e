#include "api/transport/credential_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/durable_file.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

std::unexpected<Error> denied(const std::string& path, int number) {
  Error error = error_of_errno(number, "read", path);
  error.code = number == ENOENT ? Code::NotFound : Code::Denied;
  return std::unexpected(std::move(error));
}

Result<std::string> read_all(int fd, const std::string& path) {
  std::string text;
  std::array<char, 16'384> piece{};
  while (true) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return denied(path, errno);
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxBytes)
      return failure(Code::Denied, path + ": more than 1 MiB: name another file");
  }
}

}  // namespace

Result<std::string> read_credential(const std::string& path) {
  // Non-blocking: a pipe in the file's place would block forever.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return denied(path, errno);
  struct stat about{};
  Result<std::string> text =
      ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode)
          ? read_all(fd, path)
          : failure(Code::Denied, path + ": no regular file: name another one");
  ::close(fd);
  return text;
}

}  // namespace elbowroom::api
