// A whole cluster in one process: the world and its API server, and for each node a runtime with
// its cgroup tree, a pod runner and an agent. Its parts talk to each other over the same sockets as
// those of a real cluster, without shortcuts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/program/wiring.h"
#include "api/transport/access.h"
#include "base/disk.h"
#include "base/result.h"
#include "lab/apiserver/api_server.h"
#include "lab/node/cri_server.h"
#include "lab/node/fake_runtime.h"
#include "lab/node/kubelet.h"
#include "lab/scheduler_mode.h"
#include "lab/world/world.h"
#include "scheduler/wiring.h"

namespace elbowroom::lab {

struct ClusterOptions {
  std::size_t nodes = 1;  // node-1 ... node-N
  // More nodes, by name. Clients write their Node objects, so they may come later, or never.
  std::vector<std::string> named_nodes{};
  // The first objects, as World::load takes them. The containers of a Pod with a node run as its
  // status says from the start.
  std::vector<Json> objects{};
  policy::MilliCpu cpu{4000};
  policy::Bytes memory{std::int64_t{8} << 30};
  std::int64_t pods = 110;
  int port = 0;
  bool agents = true;        // an agent on every node
  bool companion = false;    // kubelets decide resizes, and the agents are their companions
  bool controllers = false;  // of Deployments, ReplicaSets, ... and PodDisruptionBudgets
  SchedulerMode scheduler = SchedulerMode::None;
  GroupVersions serves_groups = GroupVersions::All;
  bool validates_capacity = false;  // the API server refuses resizes above allocatable
  std::uint64_t seed = 1;           // for the objects' uids
  std::size_t history = 4096;       // changes that a watch can resume from
  // Holds NODE.sock, NODE.cgroup/, NODE.state/ and NODE.kubelet/; must exist.
  std::filesystem::path folder{};
  // A real runtime (cgroupfs driver) for node-1 instead of a fake runtime, unix:PATH; "" for none.
  std::string runtime_endpoint{};
  std::filesystem::path runtime_cgroup_root{"/sys/fs/cgroup"};  // for that runtime's pods
  std::function<void(const std::string&)> complain{};
};

class Cluster {
 public:
  // Starts everything; no node is registered yet. Unavailable: a port or socket cannot be opened.
  // Invalid, naming it: an object that cannot be loaded.
  [[nodiscard]] static Result<std::unique_ptr<Cluster>> start(ClusterOptions options);
  ~Cluster();  // stops everything
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] ApiServer& api() { return *api_; }
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  // Requires index < nodes() and a node with a fake runtime.
  [[nodiscard]] CriServer& runtime(std::size_t index) { return *nodes_[index]->cri; }
  [[nodiscard]] std::filesystem::path cgroup_root(std::size_t index) const;

  // True once every node is registered, except the named ones.
  [[nodiscard]] bool is_ready();

 private:
  struct Node {
    std::string name{};
    std::string endpoint{};
    std::filesystem::path cgroup_root{};
    std::unique_ptr<FakeCriRuntime> runtime{};  // none with a real runtime
    std::unique_ptr<CriServer> cri{};
    std::unique_ptr<Kubelet> kubelet{};
    std::unique_ptr<agent::Agent> agent{};
    std::jthread kubelet_thread{};  // declared last: the threads end before what they run
    std::jthread agent_thread{};
  };

  explicit Cluster(ClusterOptions options);
  [[nodiscard]] Result<void> load_objects();
  [[nodiscard]] Result<void> add_node(const std::string& name, const api::Access& access);
  [[nodiscard]] bool is_named(const std::string& node) const;
  [[nodiscard]] std::vector<Json> pods_on(const std::string& node);
  [[nodiscard]] Result<void> add_double(Node& node);
  [[nodiscard]] Result<void> add_agent(Node& node, const api::Access& access);
  void add_scheduler(const api::Access& access);

  ClusterOptions options_;
  World world_;
  RealDisk disk_;
  std::unique_ptr<ApiServer> api_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::jthread scheduler_thread_;
};

}  // namespace elbowroom::lab
