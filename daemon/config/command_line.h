// The command line of a daemon: every key of its configuration as a flag, and the four flags that
// all daemons have. What a flag may hold is checked with the file's keys, so both say the same.
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
  bool selftest = false;                       // the verb: try the sandbox, and end
  std::string output{"table"};                 // of the verb: table or json
  std::map<std::string, std::string> flags{};  // without dashes
};

// Fills the command line; an exit status where the program is to end at once (--help, --version, a
// mistake), which was told then.
[[nodiscard]] std::optional<int> parse_command_line(int argc, char** argv, std::string_view program,
                                                    std::string_view about, const Schema& schema,
                                                    CommandLine& line);

// Writes to standard output; false where it takes no more, as when a disk is full.
[[nodiscard]] bool print(std::string_view text);

// What file and flags make of the schema. Invalid and others as daemon/config/config.h; `is_usage`
// is set where the flags are at fault, so that a program exits 2, not 78.
[[nodiscard]] Result<Settings> settings_of(const Schema& schema, const CommandLine& line,
                                           bool& is_usage);

}  // namespace elbowroom::daemon
