// A transport whose server is a world in this process: every request is answered in the next round,
// at the same moment of virtual time. For a program that waits for each answer. It has no watches.
#pragma once

#include <deque>
#include <utility>

#include "api/transport/transport.h"
#include "lab/apiserver/api_service.h"
#include "lab/virtual/virtual_clock.h"

namespace elbowroom::lab {

class InstantTransport : public api::Transport {
 public:
  // Both must outlive it.
  InstantTransport(ApiService& service, const VirtualClock& clock)
      : service_(service), clock_(clock) {}

  void send(api::Request request, Done done) override;
  // A watch ends at once: Invalid. Any other request is answered whole.
  [[nodiscard]] api::Ticket stream(api::Request request, api::StreamCallbacks callbacks) override;
  // In the next round: no time passes.
  [[nodiscard]] api::Ticket after(api::Clock::duration delay,
                                  std::move_only_function<void()> f) override;
  void post(std::move_only_function<void()> f) override;
  void run_once(api::Clock::duration max_wait) override;
  [[nodiscard]] api::Clock::time_point now() const override { return clock_.now; }
  [[nodiscard]] policy::Time wall() const override { return clock_.wall; }

 private:
  ApiService& service_;
  const VirtualClock& clock_;
  std::deque<std::move_only_function<void()>> posted_{};
};

}  // namespace elbowroom::lab
