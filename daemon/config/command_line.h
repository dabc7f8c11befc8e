// The command line of a daemon: every key of its configuration as a flag, and the four flags that
// all daemons share. Values of flags and of file keys pass the same checks, so both report the same
// errors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "daemon/config/config.h"

namespace elbowroom::daemon {

struct CommandLine {
  std::string config_file{};  // "": none
  bool check_config = false;
  bool selftest = false;                       // the verb: try the sandbox and exit
  std::string output{"table"};                 // of the verb: table or json
  std::map<std::string, std::string> flags{};  // without dashes
};

// Fills the command line. Returns an exit status if the program must exit at once (--help,
// --version, an error), after printing the reason.
[[nodiscard]] std::optional<int> parse_command_line(int argc, char** argv, std::string_view program,
                                                    std::string_view about, const Schema& schema,
                                                    CommandLine& line);

// Writes to standard output. Returns false if the write fails, for example on a full disk.
[[nodiscard]] bool print(std::string_view text);

// Combines file and flags into settings of the schema. Fails with Invalid and others, as in
// daemon/config/config.h. `is_usage` is set if the flags are at fault: a program then exits 2, not
// 78.
[[nodiscard]] Result<Settings> settings_of(const Schema& schema, const CommandLine& line,
                                           bool& is_usage);

}  // namespace elbowroom::daemon
