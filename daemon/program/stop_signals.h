// The signals that end a daemon or reload its configuration, waited for in one place. main calls
// block_stop_signals() before it starts any thread, because threads inherit blocked signals.
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace elbowroom::daemon {

enum class StopSignal { None, Interrupt, Terminate, Reload };  // Reload does not end the daemon

// "", "SIGINT", "SIGTERM" or "SIGHUP".
[[nodiscard]] std::string_view to_string(StopSignal signal);

// Blocks SIGINT and SIGTERM for the calling thread and every thread that it starts afterwards;
// ignores SIGPIPE and SIGHUP. Internal: the kernel refuses.
[[nodiscard]] Result<void> block_stop_signals();

// From now on SIGHUP is waited for too, as Reload, in programs that can reload their configuration.
// Call it as early as block_stop_signals(), and after it.
[[nodiscard]] Result<void> take_reload_signals();

// Waits at most `bound` for one of the blocked signals and consumes it. None: the time is up.
// Requires block_stop_signals(); two threads never wait at once.
[[nodiscard]] StopSignal wait_for_stop_signal(std::chrono::milliseconds bound);

}  // namespace elbowroom::daemon
