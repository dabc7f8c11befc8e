// Finds out whether the API server keeps Node.spec.podPreemptionPolicy, with a dry run that sets
// it. The answer is parsed, not searched as text: metadata.managedFields contains the field and its
// value even if the server has dropped both (seen with 1.37, the gate off).
#pragma once

#include <string_view>

#include "api/transport/transport.h"
#include "base/result.h"

namespace elbowroom::api {

// A merge patch of a Node; send it with dryRun=All.
inline constexpr std::string_view kPolicyProbe =
    R"({"spec":{"podPreemptionPolicy":{"disableResizePreemption":["elbowroom.dev/probe"]}}})";

// Whether the server keeps the field, from its answer. A refusal (422) means no. An error: the
// answer is inconclusive.
[[nodiscard]] Result<bool> keeps_policy_field(const Result<Response>& answer);

}  // namespace elbowroom::api
