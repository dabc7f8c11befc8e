#include "daemon/log/journal_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/durable_file.h"

namespace elbowroom::daemon {
namespace {

std::optional<sockaddr_un> address_of(std::string_view path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return std::nullopt;
  std::ranges::copy(path, std::begin(address.sun_path));
  return address;
}

Fd new_socket() { return Fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

std::unexpected<Error> nobody(std::string_view path, int number) {
  return failure(Code::Unavailable, error_of_errno(number, "reach", path).message);
}

}  // namespace

Result<JournalSocket> JournalSocket::open(std::string_view path) {
  const auto address = address_of(path);
  if (!address) return nobody(path, ENAMETOOLONG);
  // The connection is only a test: a connected socket does not find a restarted journal.
  const Fd probe = new_socket();
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) != 0) {
    return nobody(path, errno);
  }
  Fd socket = new_socket();
  if (!socket.is_open()) return nobody(path, errno);
  return JournalSocket(std::move(socket), std::string(path));
}

bool JournalSocket::send(std::string_view entry) const {
  const auto address = address_of(path_);
  const auto sent = ::sendto(fd_.get(), entry.data(), entry.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                             reinterpret_cast<const sockaddr*>(&*address), sizeof(*address));
  return sent == static_cast<ssize_t>(entry.size());
}

}  // namespace elbowroom::daemon
