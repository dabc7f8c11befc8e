// The verbs of the command line, one file each. A verb runs in its subcommand's callback and leaves
// with another exit status than 0 by throwing CLI::RuntimeError(status), which main() turns into
// the exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

namespace elbowroom::cli {

// Exit statuses of every program.
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitUnreachable = 69;
inline constexpr int kExitNotPermitted = 77;
inline constexpr int kExitConfiguration = 78;

// The whole command line: parses it, runs the verb, answers with the exit status.
[[nodiscard]] int run_command_line(int argc, const char* const* argv);

// Prints "elbowroom: MESSAGE" on standard error, made fit for a terminal.
void complain(std::string_view message);

void add_doctor(CLI::App& app);
void add_explain(CLI::App& app);
void add_simulate(CLI::App& app);
void add_reference(CLI::App& app);
void add_lab(CLI::App& app);
void add_replay(CLI::App& app);

}  // namespace elbowroom::cli
