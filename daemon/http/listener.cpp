#include "daemon/http/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace elbowroom::daemon {
namespace {

constexpr int kBacklog = 1024;  // a full backlog makes a client wait for a second

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

std::unexpected<Error> failed(int number, const Address& address) {
  const std::string what = "listen on " + to_string(address) + ": ";
  switch (number) {
    case EADDRINUSE:
      return failure(Code::Unavailable,
                     what + "the address is in use: stop who uses it, or choose another --listen");
    case EACCES:
    case EPERM:
      return failure(Code::Denied, what + "not permitted: choose a port above 1023");
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
      return failure(Code::Invalid,
                     what + "this host has no such address: choose another --listen");
    default:
      return failure(Code::Unavailable, what + std::generic_category().message(number));
  }
}

// Sets errno on failure.
Fd listening(const addrinfo& candidate) {
  Fd socket(::socket(candidate.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const bool listens = socket.is_open() &&
                       ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
                       ::bind(socket.get(), candidate.ai_addr, candidate.ai_addrlen) == 0 &&
                       ::listen(socket.get(), kBacklog) == 0;
  if (listens) return socket;
  const int number = errno;
  socket = Fd();
  errno = number;
  return {};
}

Listener listener_of(Fd socket, const std::string& host) {
  Listener made{std::move(socket), {host, 0}, false};
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  if (::getsockname(made.socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) return made;
  if (own.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(own);
    made.address.port = ntohs(ipv4.sin_port);
    made.is_loopback = ntohl(ipv4.sin_addr.s_addr) >> 24U == IN_LOOPBACKNET;
  } else {
    const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(own);
    made.address.port = ntohs(ipv6.sin6_port);
    made.is_loopback = IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr);
  }
  return made;
}

}  // namespace

Result<Listener> listen_on(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int error = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
      error != 0) {
    return failure(Code::Invalid, "listen on " + to_string(address) + ": " + ::gai_strerror(error) +
                                      ": choose another --listen");
  }
  const AddressList list(found, &::freeaddrinfo);
  int number = EADDRNOTAVAIL;
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    Fd socket = listening(*each);
    if (socket.is_open()) return listener_of(std::move(socket), address.host);
    number = errno;
  }
  return failed(number, address);
}

}  // namespace elbowroom::daemon
