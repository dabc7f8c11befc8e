// Whether a pod, or a pod group, preempts others.
#pragma once

namespace elbowroom::policy {

enum class PreemptionPolicy { PreemptLowerPriority, Never };

}  // namespace elbowroom::policy
