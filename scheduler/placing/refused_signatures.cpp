#include "scheduler/placing/refused_signatures.h"

#include <utility>

namespace elbowroom::scheduler {

const policy::PodText* RefusedSignatures::find(const std::string& signature) const {
  const auto known = refused_.find(signature);
  if (known == refused_.end()) return nullptr;
  return known->second.relief == relief_ ? &known->second.message : nullptr;
}

void RefusedSignatures::add(const std::string& signature, policy::PodText message) {
  if (refused_.size() >= kMost) refused_.clear();
  refused_[signature] = {.relief = relief_, .message = std::move(message)};
}

}  // namespace elbowroom::scheduler
