#include "control/transport_loop.h"

#include <chrono>

namespace elbowroom::control {

void run_transport(api::Transport& transport, api::EventRecorder& events,
                   const std::stop_token& stop, const std::function<void()>& alive) {
  constexpr std::chrono::milliseconds kRound{1000};
  const std::stop_callback wake(stop, [&transport] { transport.post([] {}); });
  while (!stop.stop_requested()) {
    alive();
    transport.run_once(kRound);
  }
  events.finish(alive);
}

}  // namespace elbowroom::control
