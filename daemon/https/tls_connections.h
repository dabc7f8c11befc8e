// The connections of a TLS server, from the handshake over any number of requests. No call here
// blocks, every stage has a deadline, and the total memory of all connections is bounded, whatever
// the clients do.
#pragma once

#include <openssl/ssl.h>
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "daemon/http/http_message.h"

namespace elbowroom::daemon {

struct HttpsRequest {
  std::uint64_t number = 0;  // of the request
  std::string method{};
  std::string path{};
  std::string body{};
};

//   Handshake --> Idle --> Reading --> Asking --> Writing --> Idle ... or Draining --> closed
//
// Draining: further input is discarded. Closing at once would reset the connection and lose the
// response.
class TlsConnections {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::size_t connections = 64;
    std::size_t body = std::size_t{4} << 20;
    std::size_t held = std::size_t{16} << 20;  // bytes of all connections
    std::chrono::milliseconds handshake{5000};
    std::chrono::milliseconds request{5000};  // from its first byte to its last
    std::chrono::milliseconds answer{4500};   // then 503
    std::chrono::milliseconds response{5000};
    std::chrono::milliseconds drain{1000};
    std::chrono::milliseconds idle{120'000};  // clients keep connections for 90 s
  };
  struct Counts {
    std::uint64_t handshakes_failed = 0;
    std::uint64_t late = 0;  // requests that were not answered in time
  };

  explicit TlsConnections(const Limits& limits) : limits_(limits) {}

  // Takes over a non-blocking socket. If there are too many, the one that has been in its stage
  // longest is closed; idle ones first, those that await an answer never.
  void add(Fd socket, SSL_CTX* context, Clock::time_point now);

  // As daemon/http/http_connections.h.
  void append_polls(std::vector<pollfd>& polls) const;
  [[nodiscard]] std::vector<HttpsRequest> turn(const pollfd* polled, Clock::time_point now);
  // Does nothing if the request is not waited for any more.
  void respond(std::uint64_t number, const Reply& reply, Clock::time_point now);
  [[nodiscard]] Clock::time_point next_deadline() const;

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  // Why the last handshake failed; "": none did.
  [[nodiscard]] const std::string& last_failure() const { return last_failure_; }

 private:
  enum class Stage : std::uint8_t { Handshake, Idle, Reading, Asking, Writing, Draining, Closed };
  struct FreeSsl {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  struct Connection {
    Fd socket{};  // before what uses it
    std::unique_ptr<SSL, FreeSsl> ssl{};
    Stage stage = Stage::Handshake;
    Clock::time_point since{};
    Clock::time_point until{};
    bool wants_write = false;    // of TLS: what poll must wait for
    std::string bytes{};         // read, and not handled
    HttpHead head{};             // of the request that is read or answered
    std::size_t head_bytes = 0;  // 0: not complete
    std::uint64_t number = 0;
    std::string response{};
    std::size_t written = 0;
    int drained = 0;  // blocks
  };
  using Asked = std::vector<HttpsRequest>;

  void enter(Connection& connection, Stage stage, Clock::time_point now);
  [[nodiscard]] std::chrono::milliseconds time_of(Stage stage) const;
  void go_on(Connection& connection, Clock::time_point now, Asked& asked);
  void shake(Connection& connection, Clock::time_point now, Asked& asked);
  void read(Connection& connection, Clock::time_point now, Asked& asked);
  // True: a whole request is there, or what is there is refused.
  bool take_request(Connection& connection, Clock::time_point now, Asked& asked);
  void ask(Connection& connection, Clock::time_point now, Asked& asked);
  void start_writing(Connection& connection, const Reply& reply, Clock::time_point now);
  void write(Connection& connection, Clock::time_point now);
  void drain(Connection& connection);
  // False: the connection has ended.
  bool waits(Connection& connection, int result);
  void expire(Connection& connection, Clock::time_point now);
  [[nodiscard]] bool close_oldest(Stage stage, const Connection* except);
  void bound_what_is_held(const Connection& latest);

  const Limits limits_;
  std::vector<Connection> all_{};
  std::uint64_t last_number_ = 0;
  Counts counts_{};
  std::string last_failure_{};
};

}  // namespace elbowroom::daemon
