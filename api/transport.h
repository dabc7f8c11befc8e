// Requests to one API server, all on one thread, by libcurl's multi interface. The one thing to
// know: everything but post() belongs to the thread that calls run(), and every callback comes from
// run(), never from inside the call that asked for it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "api/access.h"
#include "api/credentials.h"
#include "api/http.h"
#include "api/ticket.h"
#include "api/token_bucket.h"
#include "base/result.h"

namespace elbowroom::api {

class Exchange;

struct TransportOptions {
  // "elbowroomd/0.1.0 (linux/amd64)"; must not begin with curl, Wget or Mozilla.
  std::string user_agent = "elbowroom/" ELBOWROOM_VERSION;
  Rate calls{std::chrono::milliseconds(200), 10};
  Rate events{std::chrono::milliseconds(1000), 10};
  std::chrono::milliseconds connect_timeout{10'000};
  std::size_t max_waiting = 4096;  // requests that wait for their lane; more are Exhausted at once
};

// A response that is read as it comes. Only the body of a success is streamed; any other body is
// part of the Response that `done` gets.
struct StreamCallbacks {
  std::move_only_function<void(const Response& head)> opened{};  // a success; before any chunk
  std::move_only_function<void(std::string_view chunk)> chunk{};
  std::move_only_function<void(Result<Response>)> done{};  // last
};

class Transport {
 public:
  using Done = std::move_only_function<void(Result<Response>)>;

  // Ignores SIGPIPE for the process: a peer that hangs up must not end it.
  Transport(Access access, TransportOptions options);
  // No callback comes any more. Tickets must be gone before.
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // The answer, whatever its status is, or why there was none: Unavailable (unreachable, broken,
  // late), Denied (credentials, TLS), Exhausted (larger than max_body; too many waiting). Not sent
  // again, but once after a 401 when a token file holds another token by then.
  void send(Request request, Done done);

  // The same, with the body of a success as it comes. Deadline: of the whole stream.
  [[nodiscard]] Ticket stream(Request request, StreamCallbacks callbacks);

  // Runs f after that time, once.
  [[nodiscard]] Ticket after(Clock::duration delay, std::move_only_function<void()> f);

  // Runs f on the run() thread, soon. May be called by any thread. Callers bound what they have
  // under way: more than 65,536 waiting is a defect.
  void post(std::move_only_function<void()> f);

  // Until stop is requested. What is under way then stays so until the destructor.
  void run(const std::stop_token& stop);

  // One round: what was posted, timers that are due, sockets that are ready or become so within
  // max_wait.
  void run_once(Clock::duration max_wait);

  // Why credentials could not be read lately; nullopt when all is well.
  [[nodiscard]] std::optional<Error> credential_problem() const { return credentials_.problem(); }

 private:
  struct Timer {
    std::uint64_t id = 0;
    std::move_only_function<void()> f{};
  };
  struct Queue {
    TokenBucket bucket;
    std::deque<std::uint64_t> waiting{};
  };

  std::uint64_t enqueue(std::unique_ptr<Exchange> exchange);
  void cancel(std::uint64_t id);
  void run_posted();
  void fire_timers();
  void start_waiting(Queue& queue);
  void start(Exchange& exchange);
  [[nodiscard]] Result<void> put_on_wire(Exchange& exchange);
  void deliver_chunks();
  void deliver(std::uint64_t id);
  void end_idle();
  void finish_completed();
  void finish(std::uint64_t id, int curl_code);
  void take_off_wire(Exchange& exchange);
  [[nodiscard]] bool is_worth_another_try(const Exchange& exchange);
  void end(std::uint64_t id, Result<Response> outcome);
  void fail_doomed();
  [[nodiscard]] Queue& queue_of(Lane lane);
  [[nodiscard]] Clock::duration time_to_next(Clock::duration at_most) const;

  Credentials credentials_;
  Access access_;
  TransportOptions options_;
  void* multi_;
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, std::unique_ptr<Exchange>> exchanges_;
  std::vector<std::unique_ptr<Exchange>> graveyard_;  // cancelled; one of their callbacks may run
  std::vector<std::uint64_t> touched_;                // have a chunk to deliver
  std::vector<std::pair<std::uint64_t, Error>> doomed_;  // failed before they reached the wire
  std::multimap<Clock::time_point, Timer> timers_;
  Queue calls_;
  Queue events_;
  Queue unlimited_;

  std::mutex posted_mutex_;
  std::vector<std::move_only_function<void()>> posted_;
};

}  // namespace elbowroom::api
