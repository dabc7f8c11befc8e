// A round of the transport ends as soon as it has delivered something: a caller that runs rounds
// until its answer arrives never waits for a time limit instead.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "api/transport/curl_transport.h"
#include "base/fd.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;

// Longer than a test may take: a round that waits for its limit is seen.
constexpr Clock::duration kLimit = 20s;

// Answers every request on its one connection as soon as the last byte of its head has arrived.
class PromptServer {
 public:
  PromptServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), any, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener_.get(), any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  // Ends the wait for a connection; the previous connection has ended with its transport.
  ~PromptServer() { ::shutdown(listener_.get(), SHUT_RDWR); }
  PromptServer(const PromptServer&) = delete;
  PromptServer& operator=(const PromptServer&) = delete;

  [[nodiscard]] Access access() const {
    Access access;
    access.server = {"http", "127.0.0.1", port_, ""};
    return access;
  }

 private:
  void serve() {
    const Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client.is_open()) return;
    const int at_once = 1;
    ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    std::string head;
    std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = ::recv(client.get(), bytes.data(), bytes.size(), 0)) > 0;) {
      head.append(bytes.data(), static_cast<std::size_t>(got));
      if (!head.ends_with("\r\n\r\n")) continue;
      head.clear();
      ::send(client.get(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
    }
  }

  Fd listener_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

// Turns the transport until `done`; how long its longest round took.
Clock::duration longest_round(Transport& transport, const std::function<bool()>& done) {
  Clock::duration longest{};
  while (!done()) {
    const auto begin = Clock::now();
    transport.run_once(kLimit);
    longest = std::max(longest, Clock::now() - begin);
  }
  return longest;
}

TransportOptions without_limits() {
  TransportOptions options;
  options.calls = {1ms, 1'000'000};
  return options;
}

// How long so many calls took, and the longest round of them.
struct Timed {
  Clock::duration all{};
  Clock::duration longest{};
};
Timed timed_calls(Transport& transport, int calls) {
  Timed timed;
  const auto begin = Clock::now();
  for (int call = 0; call < calls; ++call) {
    std::optional<Result<Response>> outcome;
    transport.send({.path = "/x"}, [&](Result<Response> came) { outcome = std::move(came); });
    timed.longest =
        std::max(timed.longest, longest_round(transport, [&] { return outcome.has_value(); }));
    EXPECT_TRUE(*outcome) << outcome->error().message;
  }
  timed.all = Clock::now() - begin;
  return timed;
}

TEST(PromptRounds, AThousandCallsOneAfterTheOtherWaitForNothing) {
  const PromptServer server;
  CurlTransport transport(server.access(), without_limits());
  const Timed timed = timed_calls(transport, 1000);
  EXPECT_LT(timed.longest, kLimit / 2);
  EXPECT_LT(timed.all, 30s) << "a call that waits does so for 40 ms: a delayed acknowledgement";
}

TEST(PromptRounds, ARequestThatCannotBeSentIsToldAtOnce) {
  Access access;
  access.server = {"https", "127.0.0.1", 1, ""};
  access.token_file = "/nowhere/token";
  CurlTransport transport(access, {});
  bool is_told = false;
  transport.send({.path = "/x"}, [&](const Result<Response>& came) { is_told = !came; });
  EXPECT_LT(longest_round(transport, [&] { return is_told; }), 10s);
}

TEST(PromptRounds, ARequestThatMayNotWaitIsToldAtOnce) {
  Access access;
  access.server = {"http", "127.0.0.1", 1, ""};
  TransportOptions options;
  options.max_waiting = 0;
  CurlTransport transport(access, options);
  bool is_told = false;
  transport.send({.path = "/x"}, [&](const Result<Response>& came) { is_told = !came; });
  EXPECT_LT(longest_round(transport, [&] { return is_told; }), 10s);
}

TEST(PromptRounds, ATimerThatIsDueEndsItsRound) {
  CurlTransport transport({}, {});
  bool is_told = false;
  const Ticket ticket = transport.after(0s, [&] { is_told = true; });
  EXPECT_LT(longest_round(transport, [&] { return is_told; }), 10s);
}

TEST(PromptRounds, WhatWasPostedEndsItsRound) {
  CurlTransport transport({}, {});
  transport.run_once(0s);
  bool is_told = false;
  transport.post([&] { is_told = true; });
  transport.post([&] { transport.post([] {}); });
  EXPECT_LT(longest_round(transport, [&] { return is_told; }), 10s);
}

TEST(PromptRounds, ARoundWithNothingToTellWaits) {
  CurlTransport transport({}, {});
  const auto begin = Clock::now();
  transport.run_once(30ms);
  EXPECT_GE(Clock::now() - begin, 30ms);
}

}  // namespace
}  // namespace elbowroom::api
