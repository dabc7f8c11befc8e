// An explanation as a document. Its `decision` is the ResizeDecision that simulate prints,
// unchanged; a daemon's answer is that document with the rest under `explanation`.
#pragma once

#include "base/document.h"
#include "policy/resize/explanation.h"

namespace elbowroom::api {

// Kind PodExplanation: decision, and all that encode_explanation_parts gives.
[[nodiscard]] Value encode_explanation(const policy::Explanation& about);

// The ResizeDecision document with a member `explanation`, for /explain.
[[nodiscard]] Value encode_decision_with_explanation(const policy::Explanation& about);

// A document of either kind as a PodExplanation. Invalid: it is neither.
[[nodiscard]] Result<Value> as_explanation(Value document);

}  // namespace elbowroom::api
