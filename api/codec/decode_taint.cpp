#include "api/codec/decode_taint.h"

#include <cstddef>
#include <string>
#include <utility>

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxTaints = 1'000;

}  // namespace

Result<policy::TaintEffect> decode_taint_effect(const Field& at) {
  ASSIGN_OR_RETURN(const std::string effect, at.text("effect"));
  if (effect == "NoSchedule") return policy::TaintEffect::NoSchedule;
  if (effect == "PreferNoSchedule") return policy::TaintEffect::PreferNoSchedule;
  if (effect == "NoExecute") return policy::TaintEffect::NoExecute;
  return at.refuse("effect", "must be NoSchedule, PreferNoSchedule or NoExecute");
}

Result<std::vector<policy::Taint>> decode_taints(const Field& spec) {
  ASSIGN_OR_RETURN(const Field list, spec.get("taints"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  if (count > kMaxTaints) return spec.refuse("taints", "must have at most 1000 entries");
  std::vector<policy::Taint> taints;
  for (std::size_t i = 0; i < count; ++i) {
    const Field at = list.item(i);
    policy::Taint taint;
    ASSIGN_OR_RETURN(taint.key, at.text("key"));
    if (taint.key.empty()) return at.refuse("key", "must not be empty");
    ASSIGN_OR_RETURN(taint.value, at.text("value"));
    ASSIGN_OR_RETURN(taint.effect, decode_taint_effect(at));
    taints.push_back(std::move(taint));
  }
  return taints;
}

}  // namespace elbowroom::api
