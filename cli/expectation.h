// Whether an expectation of a scenario holds. The one thing to know: it holds when everything it
// names does, and what it says of a pod that is not there does not.
#pragma once

#include <optional>
#include <string>

#include "cli/scenario.h"
#include "policy/pod.h"

namespace elbowroom::cli {

// Why it does not hold; nothing: it does. `pod` is nullptr where there is none.
[[nodiscard]] std::optional<std::string> disappointment(const Expectation& expectation,
                                                        const policy::Pod* pod);

}  // namespace elbowroom::cli
