// The settings record and recordLimit: the path of a recording, and its maximum size. The program
// decides whether the limit applies to FILE alone or includes its predecessors.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "daemon/config/config.h"

namespace elbowroom::recording {

// Returns bytes, at least recording::kLeastRecordLimit. Invalid: not a quantity, or too little for
// a recording; the error names the key.
[[nodiscard]] Result<std::uint64_t> record_limit(const daemon::Settings& settings);

// Checks that a recording can begin at `path`; "" is none. Invalid: the error names the key. A
// recording that cannot begin is a configuration error; one that fails later only stops.
[[nodiscard]] Result<void> check_record(const std::string& path);

}  // namespace elbowroom::recording
