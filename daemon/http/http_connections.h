// The connections of a daemon's HTTP server, from the first byte of a request to the last of its
// response. No call here waits, and what all of them hold together is bounded, whatever the other
// sides do.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"

namespace elbowroom::daemon {

//            whole head            answered           all sent
//   Reading ────────────► Asking ────────────► Writing ───────► Draining ──► closed
//      └── head too long ────────────────────────►┘
//
// Draining: what the other side still says is dropped, for a close at once would reset the
// connection and with it the response.
class HttpConnections {
 public:
  using Clock = std::chrono::steady_clock;

  // A request whose head is there; the connection waits for its response.
  struct Question {
    std::uint64_t connection = 0;
    std::string head{};
  };

  // Takes over a socket that does not block. Where there are too many connections, the one that
  // has been idle for longest is closed for it. Read from it by and by.
  void add(Fd socket, Clock::time_point now);

  // Appends what poll is to wait for; turn() wants exactly these back, in their order.
  void append_polls(std::vector<pollfd>& polls) const;

  // Reads, writes and closes where poll saw something or a deadline has passed; what is asked.
  [[nodiscard]] std::vector<Question> turn(const pollfd* polled, Clock::time_point now);

  // A question's response; nothing happens where its connection is gone.
  void respond(std::uint64_t connection, std::string response, Clock::time_point now);

  // The next deadline; time_point::max() for none.
  [[nodiscard]] Clock::time_point next_deadline() const;

 private:
  enum class Stage { Reading, Asking, Writing, Draining, Closed };
  struct Connection {
    std::uint64_t number = 0;
    Fd socket{};
    Stage stage = Stage::Reading;
    Clock::time_point until{};  // of the stage; while Asking there is none
    std::string bytes{};        // read so far, or to be written
    std::size_t written = 0;
    int drained = 0;  // blocks
  };

  void go_on(Connection& connection, Clock::time_point now, std::vector<Question>& asked);
  static void read(Connection& connection, Clock::time_point now, std::vector<Question>& asked);
  static void write(Connection& connection, Clock::time_point now);
  static void start_writing(Connection& connection, std::string response, Clock::time_point now);
  static void drain(Connection& connection);
  [[nodiscard]] bool close_oldest(Stage stage);
  void bound_what_is_held();
  void forget_closed();

  std::vector<Connection> all_{};  // the oldest first
  std::uint64_t last_number_ = 0;
};

}  // namespace elbowroom::daemon
