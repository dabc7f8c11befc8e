// Encodes an explanation as a document. Its `decision` is the ResizeDecision that simulate prints,
// unchanged. A daemon's answer is that document with the rest under `explanation`.
#pragma once

#include "base/document.h"
#include "policy/resize/explanation.h"

namespace elbowroom::api {

// Kind PodExplanation: the decision, and all parts of the explanation.
[[nodiscard]] Value encode_explanation(const policy::Explanation& about);

// The ResizeDecision document with a member `explanation`, for /explain.
[[nodiscard]] Value encode_decision_with_explanation(const policy::Explanation& about);

// The member `group` of a PodExplanation.
[[nodiscard]] Value encode_membership(const policy::GroupMembership& about);

// Converts a document of either kind to a PodExplanation. Invalid: it is neither.
[[nodiscard]] Result<Value> as_explanation(Value document);

}  // namespace elbowroom::api
