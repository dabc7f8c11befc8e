#include "daemon/http/http_connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "daemon/http/http_protocol.h"

namespace elbowroom::daemon {
namespace {

constexpr std::size_t kMaxConnections = 64;
constexpr std::size_t kMaxHeadBytes = std::size_t{4} << 10;
constexpr std::size_t kMaxHeldBytes = std::size_t{4} << 20;  // of unread responses
constexpr int kMaxDrainedBlocks = 64;

// True if the other end has an address that only this machine has. An IPv4 address that an IPv6
// socket shows counts as itself.
bool is_over_loopback(const Fd& socket) {
  constexpr std::uint32_t kLoopbackNet = 127;
  const auto is_loopback = [](std::uint32_t address) {
    return ntohl(address) >> 24U == kLoopbackNet;
  };
  sockaddr_storage other{};
  socklen_t size = sizeof(other);
  if (::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&other), &size) != 0) return false;
  if (other.ss_family == AF_INET) {
    return is_loopback(reinterpret_cast<const sockaddr_in*>(&other)->sin_addr.s_addr);
  }
  if (other.ss_family != AF_INET6) return false;
  const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(&other)->sin6_addr;
  if (IN6_IS_ADDR_LOOPBACK(&address)) return true;
  return IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == kLoopbackNet;
}

bool is_worth_another_try() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

void HttpConnections::add(Fd socket, Clock::time_point now) {
  if (all_.size() >= kMaxConnections && !close_oldest(Stage::Reading) &&
      !close_oldest(Stage::Draining) && !close_oldest(Stage::Writing)) {
    return;  // each already has a question in progress, which ends soon; the socket closes
  }
  all_.push_back(
      {.number = ++last_number_, .socket = std::move(socket), .until = now + limits_.request});
}

bool HttpConnections::close_oldest(Stage stage) {
  const auto oldest = std::ranges::find(all_, stage, &Connection::stage);
  if (oldest == all_.end()) return false;
  all_.erase(oldest);
  return true;
}

void HttpConnections::append_polls(std::vector<pollfd>& polls) const {
  for (const Connection& each : all_) {
    // poll ignores negative descriptors: a connection that awaits its response sends nothing.
    const int fd = each.stage == Stage::Asking ? -1 : each.socket.get();
    polls.push_back({fd, static_cast<short>(each.stage == Stage::Writing ? POLLOUT : POLLIN), 0});
  }
}

std::vector<HttpConnections::Question> HttpConnections::turn(const pollfd* polled,
                                                             Clock::time_point now) {
  std::vector<Question> asked;
  for (Connection& each : all_) {
    if (polled++->revents != 0) go_on(each, now, asked);
    if (each.stage != Stage::Asking && each.until <= now) each.stage = Stage::Closed;
  }
  forget_closed();
  return asked;
}

void HttpConnections::go_on(Connection& connection, Clock::time_point now,
                            std::vector<Question>& asked) {
  switch (connection.stage) {
    case Stage::Reading:
      return read(connection, now, asked);
    case Stage::Writing:
      return write(connection, now);
    case Stage::Draining:
      return drain(connection);
    case Stage::Asking:
    case Stage::Closed:
      return;
  }
}

void HttpConnections::read(Connection& connection, Clock::time_point now,
                           std::vector<Question>& asked) {
  std::array<char, kMaxHeadBytes> block{};
  const std::size_t before = connection.bytes.size();
  const ssize_t got = ::recv(connection.socket.get(), block.data(), kMaxHeadBytes - before, 0);
  if (got < 0 && is_worth_another_try()) return;
  if (got <= 0) {
    connection.stage = Stage::Closed;
    return;
  }
  connection.bytes.append(block.data(), static_cast<std::size_t>(got));
  const std::size_t end = head_end(connection.bytes, before);
  if (end != std::string::npos) {
    connection.stage = Stage::Asking;
    asked.push_back({.connection = connection.number,
                     .head = std::exchange(connection.bytes, {}).substr(0, end),
                     .over_loopback = is_over_loopback(connection.socket)});
  } else if (connection.bytes.size() == kMaxHeadBytes) {
    start_writing(connection, HttpProtocol::too_long(connection.bytes), now);
  }
}

void HttpConnections::respond(std::uint64_t connection, std::string response,
                              Clock::time_point now) {
  const auto found = std::ranges::find(all_, connection, &Connection::number);
  if (found == all_.end()) return;
  start_writing(*found, std::move(response), now);
  forget_closed();
  bound_what_is_held();
}

void HttpConnections::start_writing(Connection& connection, std::string response,
                                    Clock::time_point now) {
  connection.stage = Stage::Writing;
  connection.until = now + limits_.response;
  connection.bytes = std::move(response);
  write(connection, now);
}

void HttpConnections::write(Connection& connection, Clock::time_point now) {
  while (connection.written < connection.bytes.size()) {
    const ssize_t sent =
        ::send(connection.socket.get(), connection.bytes.data() + connection.written,
               connection.bytes.size() - connection.written, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0 && errno != EINTR) {
      connection.stage = Stage::Closed;
      return;
    }
    if (sent > 0) connection.written += static_cast<std::size_t>(sent);
  }
  ::shutdown(connection.socket.get(), SHUT_WR);
  connection.bytes = {};
  connection.stage = Stage::Draining;
  connection.until = now + limits_.drain;
}

void HttpConnections::drain(Connection& connection) {
  std::array<char, 4096> dropped{};
  const ssize_t got = ::recv(connection.socket.get(), dropped.data(), dropped.size(), 0);
  if (got < 0 && is_worth_another_try()) return;
  if (got <= 0 || ++connection.drained == kMaxDrainedBlocks) connection.stage = Stage::Closed;
}

// A single response may exceed the bound.
void HttpConnections::bound_what_is_held() {
  const auto held = [this] {
    std::size_t bytes = 0;
    for (const Connection& each : all_) bytes += each.bytes.size();
    return bytes;
  };
  while (held() > kMaxHeldBytes &&
         std::ranges::count(all_, Stage::Writing, &Connection::stage) > 1) {
    static_cast<void>(close_oldest(Stage::Writing));
  }
}

void HttpConnections::forget_closed() {
  std::erase_if(all_, [](const Connection& each) { return each.stage == Stage::Closed; });
}

HttpConnections::Clock::time_point HttpConnections::next_deadline() const {
  auto next = Clock::time_point::max();
  for (const Connection& each : all_) {
    if (each.stage != Stage::Asking) next = std::min(next, each.until);
  }
  return next;
}

}  // namespace elbowroom::daemon
