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

}  // namespace elbowroom::scheduler
