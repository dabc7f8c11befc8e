#include "test/simulation/request_invariants.h"

#include <algorithm>
#include <string_view>

#include "base/document.h"
#include "test/simulation/cluster_history.h"

namespace elbowroom::test {
namespace {

using policy::Pod;

constexpr std::string_view kPods = "/api/v1/namespaces/default/pods/";
constexpr std::string_view kGroups = "/apis/scheduling.k8s.io/";
constexpr std::string_view kBudgets = "/apis/elbowroom.dev/v1alpha1/namespaces/default/";
constexpr std::string_view kBinding = "/binding";
constexpr std::string_view kVolumes = "/api/v1/persistentvolumes/";
constexpr std::string_view kClaims = "/api/v1/namespaces/default/persistentvolumeclaims/";
constexpr std::string_view kEvents = "/apis/events.k8s.io/v1/";

bool is_dry_run(const api::Request& request) {
  return std::ranges::any_of(request.query, [](const auto& each) {
    return each.first == "dryRun" && each.second == "All";
  });
}

// What a scheduler writes besides pods.
bool is_known(const api::Request& request) {
  return request.path.starts_with(kEvents) ||
         request.path.starts_with("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases") ||
         (request.path.starts_with("/api/v1/nodes/") && is_dry_run(request));
}

std::string name_in_path(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_marked(const lab::Json& pod) {
  if (pod.at("metadata").contains("deletionTimestamp")) return true;
  if (!pod.contains("status") || !pod.at("status").contains("conditions")) return false;
  return std::ranges::any_of(pod.at("status").at("conditions"), [](const lab::Json& each) {
    return each.value("type", "") == policy::kDisruptionTarget &&
           each.value("reason", "") == policy::kReasonPreemptionByScheduler;
  });
}

}  // namespace

void RequestInvariants::check(const std::string& name, const SchedulerMirror& mirror,
                              const api::Request& request) {
  if (request.method == api::Method::Get) return;
  const std::string what =
      name + " sends " + std::string(api::to_string(request.method)) + " " + request.path;
  if (request.path.starts_with(kGroups)) {
    if (!request.path.ends_with("/status")) broken_(what + ", and only its status is ours");
    return check_holder(name, what);
  }
  if (request.path.starts_with(kBudgets)) {
    if (!request.path.ends_with("/status")) broken_(what + ", and only its status is ours");
    return check_holder(name, what);
  }
  if (request.path.starts_with(kVolumes) || request.path.starts_with(kClaims)) {
    if (request.method != api::Method::Patch) broken_(what);
    check_volume(what, lab::Json::parse(request.body, nullptr, false));
    return check_holder(name, what);
  }
  if (!request.path.starts_with(kPods)) {
    if (!is_known(request)) broken_(what + ", which it has no business with");
    return;  // events too: they change no pod (docs/decisions/0033)
  }
  check_holder(name, what);
  const lab::Json body = lab::Json::parse(request.body, nullptr, false);
  const std::string path = request.path.substr(kPods.size());
  if (request.method == api::Method::Patch && path.ends_with("/status")) {
    check_status(mirror, what, body);
  } else if (request.method == api::Method::Delete) {
    check_delete(mirror, what, path, body);
  } else if (request.method == api::Method::Post && path.ends_with(kBinding)) {
    check_binding(what, path.substr(0, path.size() - kBinding.size()), body);
  } else {
    broken_(what);
  }
}

// Two schedulers never write under the Lease at one time.
void RequestInvariants::check_holder(const std::string& name, const std::string& what) {
  const lab::VirtualScheduler* writer = simulation_.scheduler(name);
  const lab::Json* lease = simulation_.world().peek(
      *lab::find_kind("coordination.k8s.io", "v1", "leases"), "kube-system", "elbowroom-scheduler");
  const std::string holder =
      lease == nullptr ? "" : lab::text_at(*lease, {"spec", "holderIdentity"});
  if (writer != nullptr && holder != writer->identity()) {
    broken_(what + " while " + (holder.empty() ? "nobody" : holder) + " holds the Lease");
  }
}

// Of a pod's status a scheduler writes only the mark; of a pod that it places, why it is not placed
// and the node that it is nominated to.
void RequestInvariants::check_status(const SchedulerMirror& mirror, const std::string& what,
                                     const lab::Json& body) {
  const Pod* pod = mirror.find(lab::text_at(body, {"metadata", "uid"}));
  // The pod may be bound, finished (then nothing else is known of it) or gone by now: a decision is
  // checked when it is made.
  const bool is_placed =
      pod == nullptr || policy::is_finished(*pod) || pod->scheduler_name == kPlaced;
  for (const auto& [key, value] : body["status"].items()) {
    const bool is_own =
        key == "conditions" && std::ranges::all_of(value, [&](const lab::Json& each) {
          const std::string type = each.value("type", "");
          return type == policy::kDisruptionTarget || (is_placed && type == "PodScheduled");
        });
    const bool is_nomination = key == "nominatedNodeName" && is_placed;
    if (!is_own && !is_nomination) broken_(what + " with " + body.dump());
  }
}

// Only the object that was chosen, as it was, is reserved; and of a claim only its node is chosen.
void RequestInvariants::check_volume(const std::string& what, const lab::Json& body) {
  for (const char* precondition : {"uid", "resourceVersion"}) {
    if (lab::text_at(body, {"metadata", precondition}).empty()) {
      broken_(what + " without a " + precondition);
    }
  }
  const lab::Json spec = lab::map_at(body, {"spec"});
  if (spec.empty()) return;
  const std::string claim = lab::text_at(spec, {"claimRef", "uid"});
  if (spec.size() > 1 || claim.empty()) return broken_(what + " with " + body.dump());
  const lab::Json* volume = simulation_.world().peek(*lab::find_kind("", "v1", "persistentvolumes"),
                                                     "", name_in_path(what));
  if (volume == nullptr) return;
  const bool is_as_it_was = lab::text_at(*volume, {"metadata", "resourceVersion"}) ==
                            lab::text_at(body, {"metadata", "resourceVersion"});
  const std::string of = lab::text_at(*volume, {"spec", "claimRef", "uid"});
  if (is_as_it_was && !of.empty() && of != claim) broken_(what + ", which is another claim's");
}

// The node was checked when the binding was decided; gates are never added to a pod.
void RequestInvariants::check_binding(const std::string& what, const std::string& pod_name,
                                      const lab::Json& body) {
  const std::string uid = lab::text_at(body, {"metadata", "uid"});
  if (uid.empty()) return broken_(what + " without a uid");
  const lab::Json* pod =
      simulation_.world().peek(*lab::find_kind("", "v1", "pods"), "default", pod_name);
  if (pod == nullptr || lab::text_at(*pod, {"metadata", "uid"}) != uid) return;
  if (lab::text_at(*pod, {"spec", "schedulerName"}) != kPlaced) broken_(what + " of another's pod");
  const lab::Json& spec = pod->at("spec");
  if (spec.contains("schedulingGates") && !spec.at("schedulingGates").empty()) {
    broken_(what + " of a pod with scheduling gates");
  }
}

void RequestInvariants::check_delete(const SchedulerMirror& mirror, const std::string& what,
                                     const std::string& pod_name, const lab::Json& body) {
  const std::string uid = lab::text_at(body, {"preconditions", "uid"});
  if (uid.empty()) return broken_(what + " without a uid");
  if (body.contains("gracePeriodSeconds")) broken_(what + " with a grace period of its own");
  if (body.contains("dryRun")) return;
  const lab::Json* pod =
      simulation_.world().peek(*lab::find_kind("", "v1", "pods"), "default", pod_name);
  if (pod == nullptr || lab::text_at(*pod, {"metadata", "uid"}) != uid) return;
  // Another writer may have removed the mark since; not everything can be prevented.
  if (!is_marked(*pod) && !mirror.marked.contains(uid)) broken_(what + " without a mark");
}

}  // namespace elbowroom::test
