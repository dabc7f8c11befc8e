// The loop of a thread that drives a transport.
#pragma once

#include <functional>
#include <stop_token>

#include "api/transport/transport.h"
#include "api/write/event_recorder.h"

namespace elbowroom::control {

// Until stop is requested, and until the events that wait then are written (EventRecorder::finish).
// `alive` is called at least every second.
void run_transport(api::Transport& transport, api::EventRecorder& events,
                   const std::stop_token& stop, const std::function<void()>& alive);

}  // namespace elbowroom::control
