// Explains a pod where what it depends on may not be read: its size, and what its conditions say.
// Nothing is decided.
#pragma once

#include "base/document.h"
#include "policy/model/pod.h"
#include "policy/model/time.h"

namespace elbowroom::cli {

// Kind PodExplanation, without a decision and without events.
[[nodiscard]] Value explain_alone(const policy::Pod& pod, policy::Time now);

}  // namespace elbowroom::cli
