// The connections of a TLS server, from the handshake over any number of requests. No call here
// blocks, every stage has a deadline, the work for one connection in one turn and the memory of all
// are bounded, whatever the clients do.
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
  // Why `body` is only the beginning of what the client announced; "": it is all of it.
  std::string cut{};
};

//   Handshake --> Idle --> Reading --> Asking --> Writing --> Idle ... or Draining --> closed
//
// Draining: further input is discarded. Closing at once would reset the connection and lose the
// response.
class TlsConnections {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    std::size_t connections = 1000;
    std::size_t body = std::size_t{4} << 20;    // bytes; of a larger one the beginning is handed on
    std::size_t small = std::size_t{64} << 10;  // of larger bodies one is read at a time
    std::size_t held = std::size_t{96} << 20;   // bytes of all connections, without that one
    std::chrono::milliseconds young{2000};   // so long a connection that has not asked yet is kept
    std::chrono::milliseconds kept{10'000};  // and so long one that was answered
    std::chrono::milliseconds handshake{5000};
    std::chrono::milliseconds request{3000};  // from its first byte to its last
    std::chrono::milliseconds answer{4500};   // then 503
    std::chrono::milliseconds response{5000};
    std::chrono::milliseconds drain{1000};
    std::chrono::milliseconds idle{120'000};  // clients keep connections for 90 s
  };
  struct Counts {
    std::uint64_t handshakes_failed = 0;
    std::uint64_t late = 0;        // requests that were not answered in time
    std::uint64_t unanswered = 0;  // closed here, with a request or a handshake begun
    std::uint64_t refused = 0;     // answered with 4xx
  };

  explicit TlsConnections(const Limits& limits) : limits_(limits) {}

  // False: `connections` are open, and each of them is about to be answered, young or kept. A new
  // one is better left in the listen backlog, where its client waits.
  [[nodiscard]] bool has_room(Clock::time_point now) const;
  // Takes over a non-blocking socket. At the limit another one is closed for it: one that is done,
  // or else that never asked, or else that was answered, the oldest first. Requires has_room().
  void add(Fd socket, SSL_CTX* context, Clock::time_point now);

  // As daemon/http/http_connections.h.
  void append_polls(std::vector<pollfd>& polls) const;
  [[nodiscard]] std::vector<HttpsRequest> turn(const pollfd* polled, Clock::time_point now);
  // Does nothing if the request is not waited for any more.
  void respond(std::uint64_t number, const Reply& reply, Clock::time_point now);
  // Of a stage, or when there may be room.
  [[nodiscard]] Clock::time_point next_deadline(Clock::time_point now) const;

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
    bool has_input = false;      // it was ready and has not had its turn
    std::string bytes{};         // read, and not handled
    HttpHead head{};             // of the request that is read or answered
    std::size_t head_bytes = 0;  // 0: not complete
    bool holds_turn = false;     // it is the one whose large body is read
    std::size_t records = 0;     // with bytes of this request
    int empty = 0;               // times that it was ready and brought no byte, in a row
    std::uint64_t number = 0;
    std::string response{};
    int status = 0;  // of the response
    std::size_t written = 0;
    bool was_answered = false;  // any of its requests
    bool was_served = false;    // any of them, with 200
    int drained = 0;            // blocks
  };
  using Asked = std::vector<HttpsRequest>;

  void enter(Connection& connection, Stage stage, Clock::time_point now);
  [[nodiscard]] std::chrono::milliseconds time_of(Stage stage) const;
  void go_on(Connection& connection, Clock::time_point now, Asked& asked);
  void shake(Connection& connection, Clock::time_point now, Asked& asked);
  void read(Connection& connection, Clock::time_point now, Asked& asked);
  // False: more of the request is awaited.
  bool take_request(Connection& connection, Clock::time_point now, Asked& asked);
  [[nodiscard]] static bool take_head(Connection& connection);
  void ask(Connection& connection, std::string cut, Clock::time_point now, Asked& asked);
  // Hands on what came of a request whose head is known; otherwise closes.
  void give_up(Connection& connection, const std::string& why, Clock::time_point now, Asked& asked);
  void close(Connection& connection);
  // A large body, of which enough is there until it has its turn.
  [[nodiscard]] bool needs_turn(const Connection& connection) const;
  [[nodiscard]] bool is_turn_taken() const;
  [[nodiscard]] bool takes_turn(Connection& connection);
  void start_writing(Connection& connection, const Reply& reply, Clock::time_point now);
  void write(Connection& connection, Clock::time_point now);
  void drain(Connection& connection);
  // False: the connection has ended.
  bool waits(Connection& connection, int result);
  void expire(Connection& connection, Clock::time_point now, Asked& asked);
  // When the connection may be closed for a new one; max(): not while it is in this stage.
  [[nodiscard]] Clock::time_point gives_way_at(const Connection& connection) const;
  [[nodiscard]] static int rank_to_give_way(const Connection& connection);
  void make_room(Clock::time_point now);
  void bound_what_is_held(Clock::time_point now, Asked& asked);

  const Limits limits_;
  std::vector<Connection> all_{};
  std::uint64_t last_number_ = 0;
  Counts counts_{};
  std::string last_failure_{};
};

}  // namespace elbowroom::daemon
