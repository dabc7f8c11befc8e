// Sends requests to one API server over sockets, with libcurl's multi interface; single requests,
// where that is asked for, over a connection of our own once libcurl has reached the server. The
// rules of transport.h for threads and callbacks apply to the thread that calls run() or
// run_once().
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "api/transport/access.h"
#include "api/transport/credentials.h"
#include "api/transport/easy_handles.h"
#include "api/transport/http2_connection.h"
#include "api/transport/secrets_in_use.h"
#include "api/transport/transport.h"
#include "base/result.h"

namespace elbowroom::api {

class CurlRequest;
class SocketSet;

class CurlTransport final : public Transport {
 public:
  // Ignores SIGPIPE for the process: a peer that closes a connection must not end it.
  CurlTransport(Access access, TransportOptions options);
  ~CurlTransport() override;

  void send(Request request, Done done) override;
  [[nodiscard]] Ticket stream(Request request, StreamCallbacks callbacks) override;
  [[nodiscard]] Ticket after(Clock::duration delay, std::move_only_function<void()> f) override;
  void post(std::move_only_function<void()> f) override;
  // Does not wait after a callback ran. So a caller that loops until its answer arrives continues
  // at once, even if a request is answered in the round that sends it.
  void run_once(Clock::duration max_wait) override;
  [[nodiscard]] Clock::time_point now() const override { return Clock::now(); }
  [[nodiscard]] policy::Time wall() const override;

  // Runs until stop is requested. Requests in flight then stay so until the destructor.
  void run(const std::stop_token& stop);

  // Sets how to reach and authenticate to the server from now on. Requests in flight continue
  // unchanged. Call it on the transport's thread; other threads use post().
  void use(const Access& access);

  // The number of requests at the server, without watches and requests that have been there for a
  // second.
  [[nodiscard]] std::size_t busy() const { return recently_sent_.size(); }

  // What is wrong with the credentials in use, including an expired client certificate; nullopt if
  // nothing is.
  [[nodiscard]] std::optional<Error> credential_problem() const;

  // When the client certificate that was shown last expires; nullopt if none was.
  [[nodiscard]] std::optional<policy::Time> certificate_expires() const { return expires_; }

 private:
  struct Timer {
    std::uint64_t id = 0;
    std::move_only_function<void()> f{};
  };
  struct Queue {
    TokenBucket bucket;
    std::deque<std::uint64_t> waiting{};
    Clock::time_point not_before{};  // what waits for the rate is sent together then
  };

  std::uint64_t enqueue(std::unique_ptr<CurlRequest> exchange);
  void cancel(std::uint64_t id);
  void gather();
  [[nodiscard]] bool has_backlog() const;
  void run_posted();
  void fire_timers();
  void start_waiting();
  void start_waiting(Queue& queue);
  void exclude_slow_requests(Clock::time_point now);
  [[nodiscard]] bool has_place(const CurlRequest& exchange) const;
  void start(CurlRequest& exchange);
  [[nodiscard]] Result<void> put_on_wire(CurlRequest& exchange);
  // ---- the connection of our own ----
  [[nodiscard]] bool goes_direct(const CurlRequest& exchange) const;
  void open_direct(const CurlRequest& exchange);
  void put_direct(CurlRequest& exchange);
  void flush_direct();
  void act_direct();
  void finish_direct(const Http2Connection::Finished& finished);
  void drop_direct();
  void end_late();
  void deliver_chunks();
  void deliver(std::uint64_t id);
  static void deliver_rest(CurlRequest& exchange);
  void end_idle();
  void finish_completed();
  void finish(std::uint64_t id, int curl_code);
  [[nodiscard]] Result<Response> outcome_of(CurlRequest& exchange, int curl_code) const;
  void take_off_wire(CurlRequest& exchange);
  [[nodiscard]] bool is_worth_another_try(const CurlRequest& exchange);
  void end(std::uint64_t id, Result<Response> outcome);
  void report_failed_before_send();
  [[nodiscard]] Queue& queue_of(Lane lane);
  [[nodiscard]] Clock::duration time_to_next(Clock::duration at_most) const;

  Credentials credentials_;
  bool may_start_ = true;  // no credential program is running
  Access access_;
  TransportOptions options_;
  TlsIdentity identity_{};                 // the last one used
  std::optional<policy::Time> expires_{};  // of its certificate
  std::uint64_t way_ = 1;                  // changes with everything that a handle is set up for
  void* multi_;
  std::unique_ptr<SocketSet> sockets_;
  EasyHandles handles_{};
  SecretsInUse secrets_{};
  Clock::time_point gathered_{};  // time of the last gather()
  bool ran_callback_ = false;     // a callback ran in this round, which then does not wait
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, std::unique_ptr<CurlRequest>> exchanges_;
  std::vector<std::unique_ptr<CurlRequest>>
      cancelled_requests_;            // cancelled; one of its callbacks may be running
  std::set<std::uint64_t> may_idle_;  // on the wire, with an idle limit
  std::set<std::pair<Clock::time_point, std::uint64_t>>
      recently_sent_;                   // by the time they were sent
  std::vector<std::uint64_t> touched_;  // have a chunk to deliver
  std::vector<std::pair<std::uint64_t, Error>>
      failed_before_send_;  // failed before they reached the wire
  std::multimap<Clock::time_point, Timer> timers_;
  Queue calls_;
  Queue events_;
  Queue unlimited_;

  std::unique_ptr<Http2Connection> direct_{};
  std::uint64_t direct_way_ = 0;   // the way that it was opened for
  Clock::time_point direct_at_{};  // it is not opened earlier than that
  Clock::time_point direct_by_{};  // it is given up if it is not open by then
  // By its numbers. None of another connection is under way: the old one ends first.
  std::map<Http2Connection::Number, std::uint64_t> direct_ids_{};

  std::mutex posted_mutex_;
  std::vector<std::move_only_function<void()>> posted_;
};

}  // namespace elbowroom::api
