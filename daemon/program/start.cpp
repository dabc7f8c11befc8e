#include "daemon/program/start.h"

#include <malloc.h>

#include <iostream>
#include <utility>

#include "base/text.h"
#include "daemon/program/stop_signals.h"

namespace elbowroom::daemon {

int complain(std::string_view program, int status, std::string_view message) {
  std::cerr << program << ": " << sanitize(message) << "\n";
  return status;
}

std::expected<Start, int> start(int argc, char** argv, const ProgramName& program,
                                Schema (*schema_of)()) {
  const auto refused = [&](int status, const Error& error) {
    return std::unexpected(complain(program.name, status, error.message));
  };
  // First, so that a signal during the start waits until the program can react to it.
  for (const auto take : {block_stop_signals, take_reload_signals}) {
    if (const auto taken = take(); !taken) return refused(kFailure, taken.error());
  }
  // An arena for each thread costs megabytes, and the threads rarely allocate at the same time.
  mallopt(M_ARENA_MAX, 2);
  const Schema schema = schema_of();
  Start made;
  if (const auto status =
          parse_command_line(argc, argv, program.name, program.about, schema, made.line)) {
    return std::unexpected(*status);
  }
  bool is_usage = false;
  auto settings = settings_of(schema, made.line, is_usage);
  if (!settings) return refused(is_usage ? kUsage : kBadConfiguration, settings.error());
  made.settings = *std::move(settings);
  return made;
}

}  // namespace elbowroom::daemon
