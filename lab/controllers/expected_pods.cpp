#include "lab/controllers/expected_pods.h"

#include <algorithm>
#include <map>
#include <optional>

#include "lab/controllers/amount_of_replicas.h"
#include "lab/controllers/owned_objects.h"

namespace elbowroom::lab {
namespace {

// The object that a reference names, or nullptr.
const Json* find_owner(const World& world, const Json& owner, const std::string& ns) {
  const Kind* kind = find_kind_of(text_at(owner, {"apiVersion"}), text_at(owner, {"kind"}));
  if (kind == nullptr || kind->group != "apps" || kind->name == "DaemonSet") return nullptr;
  const Json* found = world.peek(*kind, ns, text_at(owner, {"name"}));
  const bool is_same =
      found != nullptr && text_at(*found, {"metadata", "uid"}) == text_at(owner, {"uid"});
  return is_same ? found : nullptr;
}

// What says how many pods there are: the pod's controller, or the Deployment above it.
const Json* find_scale(const World& world, const Json& owner, const std::string& ns) {
  const Json* found = find_owner(world, owner, ns);
  if (found == nullptr) return nullptr;
  const Json* above = controller_of(*found);
  return above == nullptr ? found : find_owner(world, *above, ns);
}

Result<std::int64_t> sum_of_scales(const World& world, const std::vector<Object>& pods) {
  std::map<std::string, std::int64_t> scales;  // by uid
  for (const Object& pod : pods) {
    const Json* owner = controller_of(pod);
    if (owner == nullptr) continue;  // unmanaged pods do not count
    const Json* scale = find_scale(world, *owner, text_at(pod, {"metadata", "namespace"}));
    if (scale == nullptr) {
      return failure(Code::NotFound,
                     "found no controllers for pod \"" + text_at(pod, {"metadata", "name"}) + "\"");
    }
    scales[text_at(*scale, {"metadata", "uid"})] = desired_replicas(*scale);
  }
  std::int64_t sum = 0;
  for (const auto& [uid, replicas] : scales) sum += replicas;
  return sum;
}

}  // namespace

Result<ExpectedPods> expected_pods(const World& world, const Json& budget,
                                   const std::vector<Object>& pods) {
  const bool has_most = present_at(budget, {"spec", "maxUnavailable"});
  const bool has_least = present_at(budget, {"spec", "minAvailable"});
  if (!has_most && !has_least) return ExpectedPods{};
  ExpectedPods expected{.count = std::ssize(pods)};
  if (has_most || is_percentage(budget, {"spec", "minAvailable"})) {
    ASSIGN_OR_RETURN(expected.count, sum_of_scales(world, pods));
  }
  const auto amount =
      has_most ? amount_of_replicas(budget, {"spec", "maxUnavailable"}, expected.count, Round::Up)
               : amount_of_replicas(budget, {"spec", "minAvailable"}, expected.count, Round::Up);
  if (!amount) return failure(Code::Invalid, "invalid value for IntOrString");
  expected.healthy = has_most ? std::max<std::int64_t>(expected.count - *amount, 0) : *amount;
  return expected;
}

}  // namespace elbowroom::lab
