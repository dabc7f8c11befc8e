#include "lab/cluster.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "api/transport/kubeconfig.h"

namespace elbowroom::lab {
namespace {

// A connection that is kept holds its thread, and a client may keep 64: with fewer threads its last
// requests would wait until one of its own idle connections times out.
constexpr std::size_t kThreadsForPeople = 96;
constexpr std::size_t kThreadsForScheduler = 72;
constexpr std::size_t kThreadsPerNode = 12;  // watches and connections of a kubelet and an agent

}  // namespace

Cluster::Cluster(ClusterOptions options)
    : options_(std::move(options)),
      world_(WorldOptions{.history = options_.history,
                          .uid_seed = options_.seed,
                          .validates_capacity = options_.validates_capacity,
                          .validates_features = true,
                          .serves_groups = options_.serves_groups,
                          .tracks_fields = true,
                          .began = std::chrono::floor<std::chrono::microseconds>(
                              std::chrono::system_clock::now())}) {}

Result<std::unique_ptr<Cluster>> Cluster::start(ClusterOptions options) {
  std::unique_ptr<Cluster> cluster(new Cluster(std::move(options)));
  const ClusterOptions& asked = cluster->options_;
  cluster->api_ = std::make_unique<ApiServer>(
      cluster->world_,
      ApiServerOptions{.port = asked.port,
                       .threads = kThreadsForPeople + kThreadsForScheduler +
                                  kThreadsPerNode * (asked.nodes + asked.named_nodes.size()),
                       .controllers = asked.controllers});
  RETURN_IF_ERROR(cluster->api_->start());
  ASSIGN_OR_RETURN(const api::Access access,
                   api::access_from({{.path = "kubeconfig", .text = cluster->api_->kubeconfig()}}));
  RETURN_IF_ERROR(cluster->load_objects());
  for (std::size_t i = 1; i <= asked.nodes; ++i) {
    RETURN_IF_ERROR(cluster->add_node("node-" + std::to_string(i), access));
  }
  for (const std::string& name : asked.named_nodes) {
    RETURN_IF_ERROR(cluster->add_node(name, access));
  }
  if (asked.scheduler != SchedulerMode::None) cluster->add_scheduler(access);
  return cluster;
}

Cluster::~Cluster() {
  // Requests every stop before it waits for any.
  scheduler_thread_.request_stop();
  for (const auto& node : nodes_) {
    node->agent_thread.request_stop();
    node->kubelet_thread.request_stop();
  }
  if (scheduler_thread_.joinable()) scheduler_thread_.join();
  nodes_.clear();
}

bool Cluster::is_named(const std::string& node) const {
  return std::ranges::find(options_.named_nodes, node) != options_.named_nodes.end();
}

std::filesystem::path Cluster::cgroup_root(std::size_t index) const {
  return nodes_[index]->cgroup_root;
}

Result<void> Cluster::add_double(Node& node) {
  node.cgroup_root = options_.folder / (node.name + ".cgroup");
  ASSIGN_OR_RETURN(FakeCgroups tree, FakeCgroups::make(node.cgroup_root));
  node.runtime = std::make_unique<FakeCriRuntime>(std::move(tree));
  node.cri = std::make_unique<CriServer>(*node.runtime,
                                         (options_.folder / (node.name + ".sock")).string());
  RETURN_IF_ERROR(node.cri->start());
  node.endpoint = node.cri->endpoint();
  return {};
}

Result<void> Cluster::load_objects() {
  for (Json& object : options_.objects) {
    const std::string name =
        text_at(object, {"kind"}) + " " + text_at(object, {"metadata", "name"});
    const auto loaded =
        api_->with_world([&](World& world) { return world.load(std::move(object)); });
    if (!loaded) return failure(Code::Invalid, "load " + name + ": " + loaded.error().message);
  }
  options_.objects.clear();
  return {};
}

std::vector<Json> Cluster::pods_on(const std::string& node) {
  return api_->with_world([&](const World& world) {
    std::vector<Json> pods;
    for (const Json* pod : world.all_stored_objects(*find_kind("", "v1", "pods"))) {
      if (text_at(*pod, {"spec", "nodeName"}) == node) pods.push_back(*pod);
    }
    return pods;
  });
}

Result<void> Cluster::add_node(const std::string& name, const api::Access& access) {
  auto node = std::make_unique<Node>();
  node->name = name;
  if (nodes_.empty() && !options_.runtime_endpoint.empty()) {
    node->endpoint = options_.runtime_endpoint;
    node->cgroup_root = options_.runtime_cgroup_root;
  } else {
    RETURN_IF_ERROR(add_double(*node));
  }
  const auto complain = [say = options_.complain, name](const std::string& what) {
    if (say) say(name + ": " + what);
  };
  KubeletOptions kubelet{.runner = {.node_name = name,
                                    .cpu = options_.cpu,
                                    .memory = options_.memory,
                                    .pods = options_.pods,
                                    .cgroup_root = node->cgroup_root.string(),
                                    .writes_node = !is_named(name),
                                    .complain = complain},
                         .resize = options_.companion,
                         .state_dir = options_.folder / (name + ".kubelet")};
  if (node->cri) {
    kubelet.runner.exit_container = [cri = node->cri.get()](const std::string& id) {
      (void)cri->with_runtime(
          [&](FakeCriRuntime& runtime) { return runtime.exit_container(id, 0); });
    };
  }
  ASSIGN_OR_RETURN(node->kubelet, Kubelet::make(access, node->endpoint, kubelet, disk_));
  if (auto adopted = node->kubelet->adopt(pods_on(name)); !adopted) {
    return std::unexpected(adopted.error().with(name));
  }
  node->kubelet_thread =
      std::jthread([kubelet = node->kubelet.get(), complain](const std::stop_token& stop) noexcept {
        if (const auto done = kubelet->run(stop); !done) complain(done.error().message);
      });
  if (options_.agents) RETURN_IF_ERROR(add_agent(*node, access));
  nodes_.push_back(std::move(node));
  return {};
}

Result<void> Cluster::add_agent(Node& node, const api::Access& access) {
  const std::filesystem::path state = options_.folder / (node.name + ".state");
  const agent::AgentOptions options{.reactor = {.node_name = node.name,
                                                .authority = !options_.companion,
                                                .critical_preemption = !options_.companion},
                                    .runtime = {.endpoint = node.endpoint,
                                                .cgroup_root = node.cgroup_root.string(),
                                                .driver = cri::CgroupDriver::Cgroupfs,
                                                .poll_every = std::chrono::milliseconds(200)},
                                    .access = access,
                                    .state_dir = state.string()};
  const auto trouble = [say = options_.complain, name = node.name](const std::string& what) {
    if (say) say(name + ": agent: " + what);
  };
  ASSIGN_OR_RETURN(node.agent, agent::Agent::open(options,
                                                  {.changed = [](const agent::Snapshot&) {},
                                                   .performed = [](const agent::Effect&) {},
                                                   .trouble = trouble,
                                                   .alive = [](std::string_view) {}},
                                                  disk_));
  node.agent_thread = std::jthread(
      [agent = node.agent.get()](const std::stop_token& stop) noexcept { agent->run(stop); });
  return {};
}

// No agent or kubelet makes room for resizes here, so the scheduler yields to none.
void Cluster::add_scheduler(const api::Access& access) {
  constexpr const char* kIdentity = "lab";
  scheduler::SchedulerOptions options{.worker = {.identity = kIdentity, .seed = options_.seed},
                                      .access = access};
  options.reactor.elector.identity = kIdentity;
  options.reactor.yield_to.emplace();
  options.reactor.places_for = placed_in(options_.scheduler);
  options.worker.places = options_.scheduler == SchedulerMode::Full;
  scheduler::SchedulerReports reports;
  reports.trouble = [say = options_.complain](const std::string& what) {
    if (say) say("scheduler: " + what);
  };
  reports.unreadable = [say = options_.complain](const scheduler::Unreadable& odd) {
    if (say) say("scheduler: " + odd.kind + " " + odd.key + ": " + odd.why);
  };
  scheduler_ = std::make_unique<scheduler::Scheduler>(std::move(options), std::move(reports));
  scheduler_thread_ =
      std::jthread([scheduler = scheduler_.get()](const std::stop_token& stop) noexcept {
        scheduler->run(stop);
      });
}

bool Cluster::is_ready() {
  return api_->with_world([this](World& world) {
    const Kind& kind = *find_kind("", "v1", "nodes");
    return std::ranges::all_of(nodes_, [&](const auto& node) {
      return is_named(node->name) || world.find_stored_object(kind, "", node->name) != nullptr;
    });
  });
}

}  // namespace elbowroom::lab
