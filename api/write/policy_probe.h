// How one finds out whether the API server keeps Node.spec.podPreemptionPolicy: a dry run that sets
// it. The answer is read, not searched, because metadata.managedFields names the field and its
// value also where the server has dropped both (seen with 1.37, the gate off).
#pragma once

#include <string_view>

#include "api/transport/transport.h"
#include "base/result.h"

namespace elbowroom::api {

// A merge patch of a Node, to be sent with dryRun=All.
inline constexpr std::string_view kPolicyProbe =
    R"({"spec":{"podPreemptionPolicy":{"disableResizePreemption":["elbowroom.dev/probe"]}}})";

// Whether the server keeps the field, by its answer. A refusal (422) is a no. An error: the answer
// was none, and tells nothing.
[[nodiscard]] Result<bool> keeps_policy_field(const Result<Response>& answer);

}  // namespace elbowroom::api
