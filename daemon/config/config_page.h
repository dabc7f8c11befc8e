// The reference page of a daemon's configuration, in Markdown. The page is generated from the table
// that the parser uses; docs/configuration.md and the manual pages are made from it.
#pragma once

#include <string>
#include <string_view>

#include "daemon/config/config.h"

namespace elbowroom::daemon {

// Returns a row for each key: its values, its default, whether SIGHUP reloads it, and its help.
[[nodiscard]] std::string config_page(std::string_view program, const Schema& schema);

}  // namespace elbowroom::daemon
