#include "scheduler/waiting/waiting_pod.h"

#include "policy/model/charge.h"

namespace elbowroom::scheduler {

bool waits_for_room(const policy::Pod& pod) {
  return !pod.node.empty() && policy::is_deferred(pod) && !policy::is_terminating(pod) &&
         !policy::is_finished(pod);
}

bool waits_for_node(const policy::Pod& pod) {
  return pod.node.empty() && !policy::is_terminating(pod) && !policy::is_finished(pod);
}

bool waits_with_its_gang(const policy::Pod& pod) {
  return pod.group && pod.group->is_gang() && pod.group->obstacle == policy::GroupObstacle::None;
}

}  // namespace elbowroom::scheduler
