// The verbs of the command line, one file each. A verb runs in its subcommand's callback. To end
// with a non-zero exit status it throws CLI::RuntimeError(status), which main() turns into the exit
// status.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

namespace elbowroom::cli {

// Exit statuses of all programs.
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUnreachable = 69;
inline constexpr int kExitTemporary = 75;
inline constexpr int kExitNotPermitted = 77;
inline constexpr int kExitConfiguration = 78;

// Parses the command line, runs the verb, and returns the exit status.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

inline constexpr std::string_view kOutputIsFull = "cannot write to standard output";

// Prints "elbowroom: MESSAGE", sanitized, on standard error.
void complain(std::string_view message);

void add_doctor(CLI::App& app);
void add_dump(CLI::App& app);
void add_evict(CLI::App& app);
void add_explain(CLI::App& app);
void add_simulate(CLI::App& app);
void add_preview(CLI::App& app);
void add_status(CLI::App& app);
void add_reference(CLI::App& app);
void add_lab(CLI::App& app);
void add_replay(CLI::App& app);
void add_top(CLI::App& app);
void add_uninstall(CLI::App& app);
void add_version(CLI::App& app);
void add_help(CLI::App& app);

}  // namespace elbowroom::cli
