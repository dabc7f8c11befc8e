// The reference page of a daemon's configuration, in Markdown. It is printed from the table that
// the parser reads by; docs/configuration.md and the manual pages come from it.
#pragma once

#include <string>
#include <string_view>

#include "daemon/config/config.h"

namespace elbowroom::daemon {

// A row for each key: what it may hold, its default, whether SIGHUP reloads it, and what it says.
[[nodiscard]] std::string config_page(std::string_view program, const Schema& schema);

}  // namespace elbowroom::daemon
