// The signals that end a daemon or make it read its configuration again, waited for in one place.
// Block_stop_signals() comes first in main, before any thread, because threads inherit what is
// blocked.
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace elbowroom::daemon {

enum class StopSignal { None, Interrupt, Terminate, Reload };  // the last is no end

// "", "SIGINT", "SIGTERM" or "SIGHUP".
[[nodiscard]] std::string_view to_string(StopSignal signal);

// Blocks SIGINT and SIGTERM for the calling thread and every thread that it starts afterwards;
// SIGPIPE and SIGHUP are ignored. Internal where the kernel refuses.
[[nodiscard]] Result<void> block_stop_signals();

// From now on SIGHUP is waited for too, as Reload, for programs that can read their configuration
// again. As early as block_stop_signals(), and after it.
[[nodiscard]] Result<void> take_reload_signals();

// Waits at most `bound` for one of the blocked signals, and takes it. None: the time is up.
// Requires block_stop_signals(); two threads never wait at once.
[[nodiscard]] StopSignal wait_for_stop_signal(std::chrono::milliseconds bound);

}  // namespace elbowroom::daemon
