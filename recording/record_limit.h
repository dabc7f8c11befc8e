// The settings record and recordLimit: where a recording goes, and how much it may hold. Whether
// the limit is of FILE alone or of FILE and those before it is the program's to say.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "daemon/config/config.h"

namespace elbowroom::recording {

// In bytes, at least recording::kLeastRecordLimit. Invalid: no quantity, or too little for a
// recording; names the key.
[[nodiscard]] Result<std::uint64_t> record_limit(const daemon::Settings& settings);

// Whether a recording may begin at `path`, where "" is none. Invalid: names the key. A recording
// that cannot begin is a mistake in the configuration; one that fails later only stops.
[[nodiscard]] Result<void> check_record(const std::string& path);

}  // namespace elbowroom::recording
