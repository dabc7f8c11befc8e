// The start of a daemon: signals, command line and configuration, before any thread. A program that
// must not run has printed the reason by then, and exits with the status that is returned here.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "daemon/config/command_line.h"
#include "daemon/config/config.h"

namespace elbowroom::daemon {

// Exit statuses. A service manager restarts after kTryAgain, but not after kBadConfiguration.
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;
inline constexpr int kTryAgain = 75;
inline constexpr int kBadConfiguration = 78;

struct ProgramName {
  std::string_view name{};
  std::string_view about{};  // a phrase for --help
};

// The input of a daemon's start.
struct Start {
  CommandLine line{};
  Settings settings{};
};

// Blocks the signals that end a daemon, creates the schema, and reads the command line and the file
// that it names. The error is an exit status.
[[nodiscard]] std::expected<Start, int> start(int argc, char** argv, const ProgramName& program,
                                              Schema (*schema)());

// Writes the message to standard error, and returns the exit status.
int complain(std::string_view program, int status, std::string_view message);

}  // namespace elbowroom::daemon
