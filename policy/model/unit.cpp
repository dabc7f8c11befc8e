#include "policy/model/unit.h"

namespace elbowroom::policy {

UnitRank rank_of(const Pod& pod) {
  return {.priority = priority_of(pod),
          .is_grouped = is_grouped(pod),
          .qos = qos_of(pod),
          .started = pod.started,
          .uid = pod.uid};
}

}  // namespace elbowroom::policy
