// A proxy on loopback for one test, HTTP CONNECT or SOCKS5: it records the requested addresses and
// forwards bytes. It serves one connection at a time, in order of arrival.
#pragma once

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/fd.h"

namespace elbowroom::api {

class Tunnel {
 public:
  enum class Kind { Connect, Refusing, Socks };

  // All connections lead to `port` on loopback, whatever was requested.
  Tunnel(Kind kind, std::uint16_t port) : kind_(kind), target_(port) {
    sockaddr_in own = loopback(0);
    ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own);
    ::listen(listener_.get(), 8);
    socklen_t size = sizeof own;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&own), &size);
    port_ = ntohs(own.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Tunnel() {
    ::eventfd_write(wake_.get(), 1);
    thread_.join();
  }
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  // The head of each CONNECT, or "HOST:PORT" of each SOCKS request.
  [[nodiscard]] std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  // False when the connection must end.
  [[nodiscard]] bool ready(int fd) const {
    std::array<pollfd, 2> polled = {{{wake_.get(), POLLIN, 0}, {fd, POLLIN, 0}}};
    return ::poll(polled.data(), polled.size(), -1) > 0 && polled[0].revents == 0;
  }

  [[nodiscard]] std::string take(int fd, std::size_t size) const {
    std::string text;
    char byte = 0;
    while (text.size() < size && ready(fd) && ::recv(fd, &byte, 1, 0) == 1) text += byte;
    return text;
  }

  [[nodiscard]] std::string greet_http(int fd) const {
    std::string head;
    for (std::string byte; !head.ends_with("\r\n\r\n") && !(byte = take(fd, 1)).empty();) {
      head += byte;
    }
    const std::string reply = kind_ == Kind::Connect
                                  ? "HTTP/1.1 200 Connection established\r\n\r\n"
                                  : "HTTP/1.1 407 Proxy Authentication Required\r\n"
                                    "Content-Length: 0\r\n\r\n";
    ::send(fd, reply.data(), reply.size(), MSG_NOSIGNAL);
    return head;
  }

  // Source: RFC 1928, only names (address type 3) are understood.
  [[nodiscard]] std::string greet_socks(int fd) const {
    const std::string methods = take(fd, 2);
    if (methods.size() < 2) return {};
    (void)take(fd, static_cast<unsigned char>(methods[1]));
    ::send(fd, "\x05\x00", 2, MSG_NOSIGNAL);
    const std::string head = take(fd, 5);
    if (head.size() < 5 || head[3] != 3) return "not a name";
    const std::string host = take(fd, static_cast<unsigned char>(head[4]));
    const std::string port = take(fd, 2);
    ::send(fd, "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10, MSG_NOSIGNAL);
    return host + ":" +
           std::to_string(static_cast<unsigned char>(port[0]) * 256 +
                          static_cast<unsigned char>(port[1]));
  }

  void run() {
    while (ready(listener_.get())) {
      const Fd client(::accept(listener_.get(), nullptr, nullptr));
      const std::string what =
          kind_ == Kind::Socks ? greet_socks(client.get()) : greet_http(client.get());
      {
        const std::lock_guard lock(mutex_);
        asked_.push_back(what);
      }
      if (kind_ == Kind::Refusing) continue;
      const Fd server(::socket(AF_INET, SOCK_STREAM, 0));
      const sockaddr_in to = loopback(target_);
      if (::connect(server.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) {
        pass(client.get(), server.get());
      }
    }
  }

  void pass(int one, int other) const {
    std::array<char, 65536> bytes{};
    for (;;) {
      std::array<pollfd, 3> polled = {
          {{wake_.get(), POLLIN, 0}, {one, POLLIN, 0}, {other, POLLIN, 0}}};
      if (::poll(polled.data(), polled.size(), -1) < 0 || polled[0].revents != 0) return;
      for (const auto& [from, to, ready] :
           {std::tuple(one, other, polled[1].revents), std::tuple(other, one, polled[2].revents)}) {
        if (ready == 0) continue;
        const ssize_t got = ::recv(from, bytes.data(), bytes.size(), 0);
        if (got <= 0) return;
        ::send(to, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
      }
    }
  }

  Kind kind_;
  std::uint16_t target_;
  std::uint16_t port_ = 0;
  Fd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  Fd wake_{::eventfd(0, EFD_CLOEXEC)};
  std::mutex mutex_;
  std::vector<std::string> asked_{};
  std::thread thread_;
};

}  // namespace elbowroom::api
