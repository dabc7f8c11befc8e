// Reads from a cluster the objects that a simulation or an explanation starts from. They equal the
// output of `kubectl get -o yaml`, so files and cluster give the same answers.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/transport/access.h"
#include "base/document.h"
#include "base/result.h"
#include "cli/input/cluster_reader.h"
#include "cli/input/manifests.h"

namespace elbowroom::cli {

// Adds --kubeconfig and --context.
void add_cluster_options(CLI::App& verb);

// The cluster that --kubeconfig and --context, else KUBECONFIG, else ~/.kube/config name. Errors
// have code Invalid or NotFound: the kubeconfig, or the context in it.
struct ClusterAccess {
  std::unique_ptr<ClusterReader> reader{};
  std::string ns{};      // the context's namespace
  api::Access access{};  // how it is reached
};
[[nodiscard]] Result<ClusterAccess> open_cluster(const CLI::App& verb);

// What we may not read.
struct DeniedRight {
  std::string resource{};  // "podgroups.scheduling.k8s.io"
  std::string right{};     // "list podgroups.scheduling.k8s.io in all namespaces"
};

struct ClusterObjects {
  std::vector<Value> objects{};  // with kind and apiVersion, each once
  std::vector<DeniedRight> denied{};
  std::vector<std::string> absent{};  // what objects refer to and the cluster does not serve
};

// All objects of the kinds that `simulate` understands (contract 3). Kinds that are not served are
// left out. Owners: Deployments and StatefulSets, too, by which the rescheduler tells who rolls
// out. An error: Nodes or Pods cannot be read, or the cluster does not answer.
enum class Owners : std::uint8_t { No, Yes };
[[nodiscard]] Result<ClusterObjects> read_cluster(ClusterReader& reader,
                                                  Owners owners = Owners::No);

// The same with owners, of a cluster that permits only a part: of Nodes and Pods one is enough.
[[nodiscard]] Result<ClusterObjects> read_what_is_permitted(ClusterReader& reader);

// What it means that the right to read nodes is missing: an error, or one of the denied rights.
enum class NodesRefused : std::uint8_t { Fails, IsNoted };

// Only what decisions about resizes need: nodes, pods, budgets, priority classes, and pod groups
// where pods name one. Errors as above.
[[nodiscard]] Result<ClusterObjects> read_for_resizes(ClusterReader& reader,
                                                      NodesRefused refused = NodesRefused::Fails);

// All pods. Errors as above.
[[nodiscard]] Listed read_pods(ClusterReader& reader);

// Only what the decision about that pod's resize needs: the pod, its node, the pods on that node
// and those nominated to it, the budgets of their namespaces with all pods that they count, the
// priority classes, and the groups that pods name with all their members. NotFound: no such pod,
// with the nearest names. Denied: the pod, the node or its pods may not be read; where that of the
// node or its pods is noted, the pod is read alone.
[[nodiscard]] Result<ClusterObjects> read_around_pod(ClusterReader& reader, const std::string& ns,
                                                     const std::string& name,
                                                     NodesRefused refused = NodesRefused::Fails);

// Whether the nodes that are asked for could be read.
[[nodiscard]] bool reads_nodes(const ClusterObjects& read);

// Everything, as read_cluster(), where there is a pod group of that name. NotFound: there is none,
// or no pod groups are served. Denied: pod groups, or nodes or pods, may not be read.
[[nodiscard]] Result<ClusterObjects> read_around_group(ClusterReader& reader, const std::string& ns,
                                                       const std::string& name);

// What the objects lack that decides which pods go, in words.
[[nodiscard]] std::vector<std::string> lacks_of(const ClusterObjects& read,
                                                const Manifests& manifests);

// The error in place of an answer that depends on them; `answer`: "which pods may move". Denied.
[[nodiscard]] std::unexpected<Error> depends_on(const std::string& answer,
                                                const std::vector<std::string>& lacks);

// Denied: pods would be removed, and what was not read may spare them.
[[nodiscard]] Result<void> check_victims_are_known(bool removes,
                                                   const std::vector<std::string>& lacks);

// The object's events about resizes and preemption, newest last, at most five, as {time, reason,
// message, count}.
[[nodiscard]] Result<std::vector<Value>> read_events(ClusterReader& reader, const std::string& ns,
                                                     const std::string& uid);

// The exit status for an error of a cluster: 69 unreachable, 77 not permitted, else 1.
[[nodiscard]] int exit_status_of(const Error& error);

}  // namespace elbowroom::cli
