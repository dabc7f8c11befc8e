// How requests reach one API server. Everything but post() belongs to one thread, and every
// callback comes from run_once(), never from inside the call that asked for it. CurlTransport is
// the real one; the lab's VirtualTransport answers in virtual time, so whatever is built on a
// Transport takes the time from it and from nowhere else.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "api/transport/http.h"
#include "api/transport/request_outcome.h"
#include "api/transport/ticket.h"
#include "api/transport/token_bucket.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::api {

struct TransportOptions {
  // "elbowroomd/0.1.0 (linux/amd64)"; must not begin with curl, Wget or Mozilla.
  std::string user_agent = "elbowroom/" ELBOWROOM_VERSION;
  Rate calls{std::chrono::milliseconds(200), 10};
  Rate events{std::chrono::milliseconds(1000), 10};
  std::chrono::milliseconds connect_timeout{10'000};
  std::size_t max_waiting = 4096;  // requests that wait for their lane; more are Exhausted at once
  // For metrics, on the transport's thread: every request that ended, and how long each round
  // worked, its wait left out.
  std::function<void(const RequestOutcome&)> called{};
  std::function<void(Clock::duration)> worked{};
  // On the transport's thread, each time before it waits: whoever collects what he was told in a
  // round hands it on.
  std::function<void()> waits{};
};

// A response that is read as it comes. Only the body of a success is streamed; any other body is
// part of the Response that `done` gets.
struct StreamCallbacks {
  std::move_only_function<void(const Response& head)> opened{};  // a success; before any chunk
  std::move_only_function<void(std::string_view chunk)> chunk{};
  // Of a watch, and only where its server is in this process: an event that nobody has to spell
  // and to read again, in the place of its bytes. Its object holds what our decoders read.
  std::move_only_function<void(std::string_view type, const Value& object)> event{};
  std::move_only_function<void(Result<Response>)> done{};  // last
};

class Transport {
 public:
  using Done = std::move_only_function<void(Result<Response>)>;

  Transport() = default;
  // No callback comes any more. Tickets must be gone before.
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // The answer, whatever its status is, or why there was none: Unavailable (unreachable, broken,
  // late), Denied (credentials, TLS), Exhausted (larger than max_body; too many waiting). Not sent
  // again, but once after a 401 when a token file holds another token by then.
  virtual void send(Request request, Done done) = 0;

  // The same, with the body of a success as it comes. Deadline: of the whole stream.
  [[nodiscard]] virtual Ticket stream(Request request, StreamCallbacks callbacks) = 0;

  // Runs f after that time, once.
  [[nodiscard]] virtual Ticket after(Clock::duration delay, std::move_only_function<void()> f) = 0;

  // Runs f on the transport's thread, soon. May be called by any thread. Callers bound what they
  // have under way: more than 65,536 waiting is a defect.
  virtual void post(std::move_only_function<void()> f) = 0;

  // One round: what was posted, timers that are due, what came or comes within max_wait.
  virtual void run_once(Clock::duration max_wait) = 0;

  // The time that deadlines, waits and rates go by; never goes back.
  [[nodiscard]] virtual Clock::time_point now() const = 0;

  // The time of day, for display only.
  [[nodiscard]] virtual policy::Time wall() const = 0;
};

}  // namespace elbowroom::api
