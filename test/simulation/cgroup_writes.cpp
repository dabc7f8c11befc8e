#include "test/simulation/cgroup_writes.h"

#include <cstdint>

namespace elbowroom::test {
namespace {

using cri::RuntimeResources;

std::string name_of(const lab::CgroupWrite& write) {
  return write.pod->view.name + (write.container.empty() ? "" : "/" + write.container);
}

// In millicores; 0: no limit.
std::int64_t cpu_limit_of(const RuntimeResources& size) {
  if (size.cpu_quota_us <= 0 || size.cpu_period_us <= 0) return 0;
  return size.cpu_quota_us * 1000 / size.cpu_period_us;
}

// No limit of its own is bounded by the limit around it.
bool exceeds(std::int64_t inner, std::int64_t outer) {
  return inner > 0 && outer > 0 && inner > outer;
}

std::string wrong_between(const RuntimeResources& container, const RuntimeResources& pod) {
  if (exceeds(container.memory_limit_bytes, pod.memory_limit_bytes)) {
    return "memory " + std::to_string(container.memory_limit_bytes) + " of " +
           std::to_string(pod.memory_limit_bytes);
  }
  if (exceeds(cpu_limit_of(container), cpu_limit_of(pod))) {
    return "cpu " + std::to_string(cpu_limit_of(container)) + " of " +
           std::to_string(cpu_limit_of(pod));
  }
  return "";
}

// True where the agent has seen the container run. Its pod's runner may have started it since.
bool is_seen(const lab::CgroupWrite& write, const cri::RuntimeContainer& child) {
  const auto& ids = write.step->container_ids;
  const auto at = ids.find(child.name);
  return at != ids.end() && at->second == child.id;
}

// A container that exceeded its pod before is not this write's fault, unless it is written itself.
std::string wrong_with_child(const lab::CgroupWrite& write, const cri::RuntimeContainer& child) {
  const bool is_it = write.container == child.name;
  const bool runs =
      child.state == cri::ContainerState::Running && child.resources && is_seen(write, child);
  if (!runs || !write.pod->group || (!is_it && !write.container.empty())) return "";
  const RuntimeResources& own = *child.resources;
  const RuntimeResources& pod = *write.pod->group;
  const std::string now = wrong_between(own, pod);
  if (now.empty()) return "";
  const std::string before =
      is_it ? wrong_between(write.before, pod) : wrong_between(own, write.before);
  return now == before ? "" : now;
}

}  // namespace

std::string wrong_with(const lab::CgroupWrite& write) {
  const std::int64_t limit = write.asked.memory_limit_bytes;
  if (limit > 0 && limit < write.memory_use) {
    return "writes a memory limit below what is in use: " + name_of(write) + " (" +
           std::to_string(limit) + " of " + std::to_string(write.memory_use) + ")";
  }
  for (const auto& [name, child] : write.pod->view.containers) {
    const std::string wrong = wrong_with_child(write, child);
    if (!wrong.empty()) {
      return "lets a container exceed its pod: " + write.pod->view.name + "/" + name + " (" +
             wrong + ")";
    }
  }
  return "";
}

}  // namespace elbowroom::test
