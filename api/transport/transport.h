// How requests reach one API server. All members but post() belong to one thread. Every callback
// runs in run_once(), never inside the call that requested it. CurlTransport is the real
// implementation; the lab's VirtualTransport answers in virtual time. So code that uses a Transport
// takes the time only from it.
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
  std::size_t max_waiting = 4096;  // waiting for their lane; more fail at once (Exhausted)
  // Whether single requests may go over a connection of our own (docs/decisions/0048): one more at
  // the server, for a client that sends thousands.
  bool direct = false;
  // For metrics, on the transport's thread: every request that ended, and the duration of each
  // round without its wait.
  std::function<void(const RequestOutcome&)> called{};
  std::function<void(Clock::duration)> worked{};
  // Called on the transport's thread before each wait, to hand on what was collected in the round.
  std::function<void()> waits{};
};

// A response that is read in chunks. Only the body of a success is streamed; any other body is part
// of the Response that `done` gets.
struct StreamCallbacks {
  std::move_only_function<void(const Response& head)> opened{};  // a success; before any chunk
  std::move_only_function<void(std::string_view chunk)> chunk{};
  // For a watch whose server is in this process: an event as a value, instead of its encoded bytes.
  // Its object contains the fields that our decoders read.
  std::move_only_function<void(std::string_view type, const Value& object)> event{};
  std::move_only_function<void(Result<Response>)> done{};  // last
};

class Transport {
 public:
  using Done = std::move_only_function<void(Result<Response>)>;

  Transport() = default;
  // No callback runs any more. Destroy all tickets before.
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // Returns the response, whatever its status, or why there is none: Unavailable (unreachable,
  // broken, late), Denied (credentials, TLS), Exhausted (larger than max_body; too many waiting).
  // Not retried, except once after a 401 if a token file then has another token.
  virtual void send(Request request, Done done) = 0;

  // The same, with the body of a success in chunks. The deadline is that of the whole stream.
  [[nodiscard]] virtual Ticket stream(Request request, StreamCallbacks callbacks) = 0;

  // Runs f once, after the delay.
  [[nodiscard]] virtual Ticket after(Clock::duration delay, std::move_only_function<void()> f) = 0;

  // Runs f on the transport's thread, soon. Thread-safe. Callers bound their pending calls: more
  // than 65,536 are a defect.
  virtual void post(std::move_only_function<void()> f) = 0;

  // One round: posted functions, due timers, and what has arrived or arrives within max_wait.
  virtual void run_once(Clock::duration max_wait) = 0;

  // The clock for deadlines, waits and rates; monotonic.
  [[nodiscard]] virtual Clock::time_point now() const = 0;

  // Wall time, for display only.
  [[nodiscard]] virtual policy::Time wall() const = 0;
};

}  // namespace elbowroom::api
