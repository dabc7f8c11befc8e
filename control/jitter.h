// A little more than a wait, so that many that failed together do not come back together. It is no
// chance: the same pod and attempt wait equally long on every machine.
#pragma once

#include <chrono>
#include <string_view>

namespace elbowroom::control {

// In [wait, 1.25 wait].
[[nodiscard]] std::chrono::milliseconds with_jitter(std::chrono::milliseconds wait,
                                                    std::string_view uid, unsigned attempt);

}  // namespace elbowroom::control
