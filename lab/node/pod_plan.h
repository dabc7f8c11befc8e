// Computes the node's next steps for one pod: start it, restart its containers, end it, remove it.
// It is pure, looks only at the present state, and remembers nothing, so a runner that crashed
// continues where it was.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cri/runtime_view.h"
#include "cri/types.h"
#include "lab/world/object.h"
#include "policy/model/node.h"
#include "policy/model/pod.h"
#include "policy/model/rejected_pods.h"
#include "policy/model/time.h"
#include "policy/resize/actuate.h"

namespace elbowroom::lab {

// A pod of this node as the API has it, with its decoded value.
struct NodePod {
  Object object{Json()};
  policy::Pod value{};
};

// What a node does with a pod of which nothing has started here.
enum class Admission { Start, Wait, Reject };
struct Admitted {
  Admission verdict = Admission::Start;
  policy::Rejection rejection{};
};

// A pod that fits beside all that `others` have asked for starts. Of any other the program that
// allocates decides: it acknowledges the pod by status.startTime, or rejects it, maybe after making
// room. Where it says nothing for `waited`, the pod is admitted by what the others hold, as soon as
// the pods that terminate have left. `others`: the pods of the node that have begun here, or await
// admission and come before.
[[nodiscard]] Admitted admit(const policy::Node& node, const policy::Pod& pod,
                             const std::vector<const policy::Pod*>& others,
                             std::chrono::milliseconds waited, policy::Time now);
inline constexpr std::chrono::seconds kAdmissionPatience{5};

// The status of a pod that its node rejects.
[[nodiscard]] Json rejected_status(const NodePod& pod, const policy::Rejection& rejection);

// The steps. Steps that are returned together are independent of each other.
struct RunSandbox {
  std::uint32_t attempt = 0;

  friend bool operator==(const RunSandbox&, const RunSandbox&) = default;
};
struct StartContainer {
  std::string name{};
  std::uint32_t attempt = 0;
  std::string replaces{};             // id of the ended container to take away first; "" for none
  std::uint32_t resize_restarts = 0;  // how many of the attempts before it ended for a resize

  friend bool operator==(const StartContainer&, const StartContainer&) = default;
};
struct StopContainers {
  std::vector<std::string> ids{};
  std::int64_t grace_seconds = 30;

  friend bool operator==(const StopContainers&, const StopContainers&) = default;
};
struct RemoveSandbox {
  std::string id{};

  friend bool operator==(const RemoveSandbox&, const RemoveSandbox&) = default;
};
struct DeleteObject {  // from the API: nothing of the pod is left here
  friend bool operator==(const DeleteObject&, const DeleteObject&) = default;
};
using PodStep =
    std::variant<RunSandbox, StartContainer, StopContainers, RemoveSandbox, DeleteObject>;

// What happened to a pod here that neither its object nor the runtime shows.
struct PodOrders {
  // All its containers ended for good: the end is reported before anything else happens.
  bool has_exited = false;
  // Ended containers by id: whether they ended for a resize. Judged once, at the first sight of the
  // end, so that a later allocation does not end a back-off pause.
  std::map<std::string, bool, std::less<>> ends{};
};

// Judges the ends that `orders` does not know, and forgets the containers that the runtime no
// longer has. A container ended for a resize if it was created with another size than the pod's
// status has for it now, of a resource whose resizePolicy is RestartContainer: the agent stops such
// a container after the status shows the new size. So `pod` must have been read after the container
// ended.
void judge_ends(const NodePod& pod, const cri::RuntimePod* runtime, PodOrders& orders);

// True if an end of that container could be for a resize: then the pod is read before it is judged.
[[nodiscard]] bool may_restart_for_resize(const policy::Container& container);

// The steps for a pod of which the runtime holds `runtime` (nullptr: nothing), at `now_ns` since
// the epoch. A container that ended for a resize is restarted at once. Any other is restarted
// according to restartPolicy: at once the first time, then after 10 s, 20 s, ... 300 s; the first
// time again after one that ran for 10 minutes. Source: kubelet kuberuntime_manager.go, defaults of
// its backoff.
[[nodiscard]] std::vector<PodStep> next_steps(const NodePod& pod, const cri::RuntimePod* runtime,
                                              std::int64_t now_ns, const PodOrders& orders = {});

// When next_steps() will next restart an ended container, after `now_ns`; nothing if no container
// waits.
[[nodiscard]] std::optional<std::int64_t> next_start(const NodePod& pod,
                                                     const cri::RuntimePod& runtime,
                                                     std::int64_t now_ns, const PodOrders& orders);

// The steps for a pod that another client removed from the API.
[[nodiscard]] std::vector<PodStep> steps_without_object(const cri::RuntimePod& runtime);

// The size a container of the pod starts with: requests from status.allocatedResources, limits from
// status.resources, else the spec's. Empty maps are not shown, so where the status has any of them,
// a missing one is nothing.
[[nodiscard]] policy::Requirements starting_size(const policy::Pod& pod,
                                                 const policy::Container& container);

// The initial bounds of the pod's own cgroup.
[[nodiscard]] policy::PodBounds starting_bounds(const policy::Pod& pod);

// The specs of a sandbox and of a container, as the runtime requires them.
[[nodiscard]] cri::SandboxSpec sandbox_spec(const NodePod& pod, std::uint32_t attempt,
                                            std::string cgroup_parent);
[[nodiscard]] std::optional<cri::ContainerSpec> container_spec(const NodePod& pod,
                                                               const StartContainer& start);

// The annotation of a pod whose containers end with exit code 0, by themselves and for good:
// "true". A node with a fake runtime obeys it.
inline constexpr std::string_view kHasExited = "lab.elbowroom.dev/has-exited";
[[nodiscard]] bool has_exited(const Json& pod);

// The pod with restartPolicy Never, for the report of one that has ended for good.
[[nodiscard]] NodePod never_restarted(const NodePod& pod);

// True when the ended container will be restarted at some time.
[[nodiscard]] bool comes_back(const NodePod& pod, const policy::Container& container,
                              const cri::RuntimeContainer& ended, const PodOrders& orders);
// The same for any that ends like this, and not for a resize.
[[nodiscard]] bool restarts(const Json& pod, const policy::Container& container,
                            std::int32_t exit_code);

}  // namespace elbowroom::lab
