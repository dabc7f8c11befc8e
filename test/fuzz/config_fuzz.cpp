// Any text as a configuration file: an error of one line, or settings that are written and read
// back to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "daemon/config/config.h"

namespace {

using elbowroom::daemon::Key;
using elbowroom::daemon::Schema;
using elbowroom::daemon::Settings;

Schema schema() {
  Schema made{.kind = "AgentConfiguration", .keys = elbowroom::daemon::common_keys("127.0.0.1:1")};
  made.keys.push_back({.name = "nodeName", .kind = Key::Kind::Text});
  made.keys.push_back({.name = "mode",
                       .kind = Key::Kind::Choice,
                       .fallback = "companion",
                       .choices = {"companion", "authority"}});
  made.keys.push_back({.name = "dryRun", .kind = Key::Kind::Bool, .fallback = "false"});
  made.keys.push_back({.name = "stateDir", .kind = Key::Kind::Path, .fallback = "/var/lib/x"});
  return made;
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const Schema wanted = schema();
  const auto settings = elbowroom::daemon::settings_from(wanted, "config.yaml", text);
  if (!settings) {
    const std::string& message = settings.error().message;
    require(!message.empty() && message == elbowroom::sanitize_line(message));
    return 0;
  }
  const auto again =
      elbowroom::daemon::settings_from(wanted, "again.yaml", elbowroom::daemon::to_yaml(*settings));
  require(again.has_value());
  for (const auto& each : settings->all) require(again->at(each.key.name).value == each.value);
  return 0;
}
