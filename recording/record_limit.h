// The setting recordLimit: how much a recording may hold. Whether it is FILE alone or FILE and
// those before it is the program's to say.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "daemon/config/config.h"

namespace elbowroom::recording {

// In bytes, at least recording::kLeastRecordLimit. Invalid: no quantity, or too little for a
// recording; names the key.
[[nodiscard]] Result<std::uint64_t> record_limit(const daemon::Settings& settings);

}  // namespace elbowroom::recording
