// A transport whose requests end by a given time. The one thing to know: the time is set before
// each call that writes, so nothing written under a lease outlives it, however long the request had
// to wait for its lane.
#pragma once

#include <utility>

#include "api/transport.h"

namespace elbowroom::api {

class FencedTransport final : public Transport {
 public:
  // The inner one must outlive it.
  explicit FencedTransport(Transport& inner) : inner_(inner) {}

  // Of every request sent from now on.
  void end_by(Clock::time_point fence) { fence_ = fence; }

  void send(Request request, Done done) override {
    request.not_after = fence_;
    inner_.send(std::move(request), std::move(done));
  }
  [[nodiscard]] Ticket stream(Request request, StreamCallbacks callbacks) override {
    request.not_after = fence_;
    return inner_.stream(std::move(request), std::move(callbacks));
  }
  [[nodiscard]] Ticket after(Clock::duration delay, std::move_only_function<void()> f) override {
    return inner_.after(delay, std::move(f));
  }
  void post(std::move_only_function<void()> f) override { inner_.post(std::move(f)); }
  void run_once(Clock::duration max_wait) override { inner_.run_once(max_wait); }
  [[nodiscard]] Clock::time_point now() const override { return inner_.now(); }
  [[nodiscard]] policy::Time wall() const override { return inner_.wall(); }

 private:
  Transport& inner_;
  Clock::time_point fence_{};
};

}  // namespace elbowroom::api
