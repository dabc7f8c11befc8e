// A transport whose requests end by a given time, or when they are given up. Set the time before
// each call that writes. Then no write under a lease outlives the lease, however long the request
// waited for its lane.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/transport/transport.h"

namespace elbowroom::api {

class FencedTransport final : public Transport {
 public:
  // `inner` must outlive this object. `lane`: of all requests; none: each says itself.
  explicit FencedTransport(Transport& inner, std::optional<Lane> lane = {})
      : inner_(inner), lane_(lane) {}

  // Applies to every request sent from now on. What is sent from within an answer ends as the
  // request that was answered: it is the next step of the same write.
  void end_by(Clock::time_point fence) { fence_ = fence; }

  // Ends all requests without a response. Those that wait for their lane are never sent. Those on
  // the wire are cut off, with unknown outcome. Each soon ends with Unavailable.
  void give_up() {
    for (auto& [id, sent] : std::exchange(sent_, {})) {
      sent.ticket.cancel();
      inner_.post([done = std::move(sent.done)]() mutable {
        done(std::unexpected(Error{
            Code::Unavailable, "given up before it was answered: it may be done or not", {}}));
      });
    }
  }

  void send(Request request, Done done) override {
    request = fenced(std::move(request));
    const std::uint64_t id = ++last_;
    const std::size_t most = request.max_body;
    Sent& sent = sent_[id];
    sent.done = std::move(done);
    sent.fence = fence_;
    StreamCallbacks callbacks;
    callbacks.chunk = [this, id, most](std::string_view chunk) {
      const auto at = sent_.find(id);
      if (at == sent_.end()) return;
      std::string& body = at->second.body;
      at->second.too_long = at->second.too_long || body.size() + chunk.size() > most;
      if (!at->second.too_long) body.append(chunk);
    };
    callbacks.done = [this, id](Result<Response> outcome) { finish(id, std::move(outcome)); };
    sent.ticket = inner_.stream(std::move(request), std::move(callbacks));
  }
  [[nodiscard]] Ticket stream(Request request, StreamCallbacks callbacks) override {
    return inner_.stream(fenced(std::move(request)), std::move(callbacks));
  }
  [[nodiscard]] Ticket after(Clock::duration delay, std::move_only_function<void()> f) override {
    return inner_.after(delay, std::move(f));
  }
  void post(std::move_only_function<void()> f) override { inner_.post(std::move(f)); }
  void run_once(Clock::duration max_wait) override { inner_.run_once(max_wait); }
  [[nodiscard]] Clock::time_point now() const override { return inner_.now(); }
  [[nodiscard]] policy::Time wall() const override { return inner_.wall(); }

 private:
  // Only a stream can be cut off, so every request is sent as one.
  struct Sent {
    Done done{};
    Clock::time_point fence{};
    std::string body{};
    bool too_long = false;
    Ticket ticket{};
  };

  [[nodiscard]] Request fenced(Request request) const {
    request.not_after = fence_;
    if (lane_) request.lane = *lane_;
    return request;
  }

  void finish(std::uint64_t id, Result<Response> outcome) {
    auto node = sent_.extract(id);
    if (node.empty()) return;
    Sent& sent = node.mapped();
    if (outcome && sent.too_long) {
      outcome = std::unexpected(Error{Code::Exhausted, "the answer is too long", {}});
    } else if (outcome && !sent.body.empty()) {
      outcome->body = std::move(sent.body);
    }
    const Clock::time_point last = std::exchange(fence_, sent.fence);
    sent.done(std::move(outcome));
    fence_ = last;
  }

  Transport& inner_;
  const std::optional<Lane> lane_;
  Clock::time_point fence_{};
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Sent> sent_{};
};

}  // namespace elbowroom::api
