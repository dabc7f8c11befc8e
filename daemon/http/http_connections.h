// The connections of a daemon's HTTP server, from the first byte of a request to the last byte of
// its response. No call here blocks, and the total memory of all connections is bounded, whatever
// the clients do.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"

namespace elbowroom::daemon {

//              whole head            answered           all sent
//     Reading ────────────► Asking ────────────► Writing ───────► Draining ──► closed
//        └── head too long ────────────────────────►┘
//
// Draining: further input is discarded. Closing at once would reset the connection and lose the
// response.
class HttpConnections {
 public:
  using Clock = std::chrono::steady_clock;

  // How long a connection may take for each of its stages.
  struct Limits {
    std::chrono::milliseconds request{5000};
    std::chrono::milliseconds response{10'000};
    std::chrono::milliseconds drain{1000};
  };

  // A request with a complete head; the connection awaits its response.
  struct Question {
    std::uint64_t connection = 0;
    std::string head{};
    bool over_loopback = false;
  };

  explicit HttpConnections(const Limits& limits) : limits_(limits) {}

  // Takes over a non-blocking socket. If there are too many connections, the one that has been idle
  // longest is closed.
  void add(Fd socket, Clock::time_point now);

  // Appends what poll must watch. turn() expects exactly these entries, in this order.
  void append_polls(std::vector<pollfd>& polls) const;

  // Reads, writes and closes connections that poll reported or whose deadline has passed. Returns
  // the new questions.
  [[nodiscard]] std::vector<Question> turn(const pollfd* polled, Clock::time_point now);

  // Sends the response to a question. Does nothing if the connection no longer exists.
  void respond(std::uint64_t connection, std::string response, Clock::time_point now);

  // Returns the next deadline; time_point::max() if there is none.
  [[nodiscard]] Clock::time_point next_deadline() const;

 private:
  enum class Stage { Reading, Asking, Writing, Draining, Closed };
  struct Connection {
    std::uint64_t number = 0;
    Fd socket{};
    Stage stage = Stage::Reading;
    Clock::time_point until{};  // of the stage; Asking has none
    std::string bytes{};        // read so far, or to be written
    std::size_t written = 0;
    int drained = 0;  // blocks
  };

  void go_on(Connection& connection, Clock::time_point now, std::vector<Question>& asked);
  void read(Connection& connection, Clock::time_point now, std::vector<Question>& asked);
  void write(Connection& connection, Clock::time_point now);
  void start_writing(Connection& connection, std::string response, Clock::time_point now);
  static void drain(Connection& connection);
  [[nodiscard]] bool close_oldest(Stage stage);
  void bound_what_is_held();
  void forget_closed();

  const Limits limits_;
  std::vector<Connection> all_{};  // oldest first
  std::uint64_t last_number_ = 0;
};

}  // namespace elbowroom::daemon
