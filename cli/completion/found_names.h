// Names of a cluster's objects and of a kubeconfig's contexts, for completion: bounded, and none
// where anything is wrong.
#pragma once

#include <chrono>

#include "cli/completion/offer.h"

namespace elbowroom::cli {

inline constexpr std::size_t kMostNames = 1000;

// Pods and pod groups as they are typed: NAME, pod/NAME, or NAMESPACE/NAME. At most kMostNames, and
// only names that Kubernetes allows. One request with that deadline.
[[nodiscard]] Names found_names(const Question& question, std::chrono::milliseconds deadline);

}  // namespace elbowroom::cli
