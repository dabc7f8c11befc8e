// Measures one elbowroom-scheduler from outside in a cluster of 5,000 nodes and 50,000 pods, and
// prints JSON lines for test/bench/run: the time from its start until it has listed, decoded and
// indexed all objects, and its peak memory; the peak also for one that places pods (--mode full).
// The API server is a fake that has the pages ready, in protobuf, so almost none of the measured
// cost is the server's. Then the same with 10,000 DisruptionBudgets, 1,000 of them in one
// namespace: what they add to the scheduler, and what elbowroom-rescheduler costs while nothing
// changes, with both policies of moves. Last the world `mixed` (worlds.h), in mode full: 5,000
// nodes with 50,000 pods, and 15,000 with 150,000.
#include <httplib.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lab/daemon_process.h"
#include "lab/schema/protobuf_list.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"
#include "test/bench/figure.h"
#include "test/bench/large_cluster.h"
#include "test/bench/process.h"
#include "test/bench/worlds.h"

namespace {

namespace fs = std::filesystem;
using namespace elbowroom;
using namespace std::chrono_literals;
using bench::give_up;
using bench::report;
using lab::Json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kPage = 500;
constexpr std::size_t kBudgets = 200;
constexpr std::size_t kNamespaces = 20;
constexpr const char* kTime = "2026-07-24T10:00:00Z";

Json metadata_of(const std::string& name, const std::string& uid) {
  const Json fields = {{"f:metadata", {{"f:labels", {{".", Json::object()}, {"f:app", "{}"}}}}},
                       {"f:spec", {{"f:containers", {{"k:{\"name\":\"app\"}", Json::object()}}}}}};
  return {{"name", name},
          {"uid", uid},
          {"resourceVersion", "123456789"},
          {"generation", 1},
          {"creationTimestamp", kTime},
          {"managedFields", Json::array({{{"manager", "kube-controller-manager"},
                                          {"operation", "Update"},
                                          {"apiVersion", "v1"},
                                          {"time", kTime},
                                          {"fieldsType", "FieldsV1"},
                                          {"fieldsV1", fields}}})}};
}

Json container_json(const policy::Container& of) {
  const bool is_app = of.name == "app";
  Json env = Json::array();
  for (int i = 0; i < 12; ++i) {
    env.push_back({{"name", "SETTING_NUMBER_" + std::to_string(i)},
                   {"value", "https://service-" + std::to_string(i) + ".shop.svc:8443/v1"}});
  }
  Json requests = {{"cpu", is_app ? "1400m" : "100m"}, {"memory", "256Mi"}};
  for (const auto& [name, amount] : of.desired.requests.others) {
    requests[name] = std::to_string(amount);
  }
  const Json probe = {{"initialDelaySeconds", 5},
                      {"periodSeconds", 10},
                      {"tcpSocket", {{"port", 8080}, {"host", ""}}}};
  return {{"name", of.name},
          {"image", "registry.example/shop/" + of.name + ":v1.24.3"},
          {"args", {"--listen=:8080", "--log-format=json", "--shutdown-delay=15s"}},
          {"ports", Json::array({{{"containerPort", 8080}, {"protocol", "TCP"}}})},
          {"env", env},
          {"readinessProbe", probe},
          {"livenessProbe", probe},
          {"volumeMounts",
           Json::array({{{"name", "api-access"},
                         {"readOnly", true},
                         {"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"}}})},
          {"resources", {{"requests", requests}, {"limits", {{"memory", "512Mi"}}}}},
          {"imagePullPolicy", "IfNotPresent"},
          {"terminationMessagePath", "/dev/termination-log"},
          {"terminationMessagePolicy", "File"}};
}

Json status_json(const policy::Container& of) {
  const Json sizes = {{"cpu", of.name == "app" ? "1400m" : "100m"}, {"memory", "256Mi"}};
  return {{"name", of.name},
          {"state", {{"running", {{"startedAt", kTime}}}}},
          {"ready", true},
          {"started", true},
          {"restartCount", 0},
          {"image", "registry.example/shop/" + of.name + ":v1.24.3"},
          {"imageID", "registry.example/shop/" + of.name + "@sha256:" + std::string(64, 'a')},
          {"containerID", "containerd://" + std::string(64, 'b')},
          {"allocatedResources", sizes},
          {"resources", {{"requests", sizes}, {"limits", {{"memory", "512Mi"}}}}}};
}

Json selector_json(const policy::LabelSelector& selector) {
  return {{"matchLabels", selector.match_labels}};
}

// As far as worlds use it.
void add_placement(Json& spec, const policy::Placement& placement) {
  for (const policy::Toleration& each : placement.tolerations) {
    spec["tolerations"].push_back({{"key", each.key}, {"operator", "Exists"}});
  }
  for (const policy::SpreadConstraint& each : placement.spread) {
    spec["topologySpreadConstraints"].push_back(
        {{"maxSkew", each.max_skew},
         {"topologyKey", each.topology_key},
         {"whenUnsatisfiable", each.required ? "DoNotSchedule" : "ScheduleAnyway"},
         {"labelSelector", selector_json(*each.selector)}});
  }
  for (const policy::PodTerm& each : placement.required_anti_affinity) {
    spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].push_back(
        {{"labelSelector", selector_json(*each.selector)}, {"topologyKey", each.topology_key}});
  }
}

// A realistic size: between three and four thousand bytes.
Json json_of(const policy::Pod& pod) {
  Json metadata = metadata_of(pod.name, pod.uid);
  metadata["namespace"] = pod.ns;
  metadata["labels"] = pod.labels;
  metadata["ownerReferences"] = Json::array({{{"apiVersion", "apps/v1"},
                                              {"kind", pod.controller->kind},
                                              {"name", pod.controller->name},
                                              {"uid", pod.controller->uid},
                                              {"controller", true},
                                              {"blockOwnerDeletion", true}}});
  Json containers = Json::array();
  Json statuses = Json::array();
  for (const policy::Container& each : pod.containers) {
    containers.push_back(container_json(each));
    statuses.push_back(status_json(each));
  }
  Json conditions = Json::array();
  for (const policy::Condition& each : pod.conditions) {
    conditions.push_back({{"type", each.type},
                          {"status", each.status},
                          {"lastTransitionTime", kTime},
                          {"observedGeneration", 1}});
  }
  if (pod.deletion) {
    metadata["deletionTimestamp"] = kTime;
    metadata["deletionGracePeriodSeconds"] = 30;
  }
  Json made = {{"metadata", metadata},
               {"spec",
                {{"nodeName", pod.node},
                 {"priority", *pod.priority},
                 {"schedulerName", pod.scheduler_name},
                 {"serviceAccountName", "default"},
                 {"restartPolicy", "Always"},
                 {"dnsPolicy", "ClusterFirst"},
                 {"terminationGracePeriodSeconds", 30},
                 {"tolerations", Json::array({{{"key", "node.kubernetes.io/not-ready"},
                                               {"operator", "Exists"},
                                               {"effect", "NoExecute"},
                                               {"tolerationSeconds", 300}}})},
                 {"containers", containers}}},
               {"status",
                {{"phase", "Running"},
                 {"qosClass", "Burstable"},
                 {"hostIP", "10.1.2.3"},
                 {"podIP", "10.4.5.6"},
                 {"startTime", kTime},
                 {"conditions", conditions},
                 {"containerStatuses", statuses}}}};
  add_placement(made["spec"], pod.placement);
  return made;
}

Json json_of(const policy::Node& node) {
  Json metadata = metadata_of(node.name, node.uid);
  metadata["labels"] = node.labels;
  Json images = Json::array();
  for (int i = 0; i < 30; ++i) {
    images.push_back(
        {{"names",
          {"registry.example/image-" + std::to_string(i) + "@sha256:" + std::string(64, 'c')}},
         {"sizeBytes", 123'456'789}});
  }
  Json amounts = {
      {"cpu", "16"}, {"memory", "64Gi"}, {"pods", "110"}, {"ephemeral-storage", "100Gi"}};
  for (const auto& [name, amount] : node.allocatable.others) amounts[name] = std::to_string(amount);
  Json spec = {{"podCIDR", "10.0.0.0/24"}, {"providerID", "example://" + node.name}};
  for (const policy::Taint& each : node.taints) {
    spec["taints"].push_back({{"key", each.key}, {"value", each.value}, {"effect", "NoSchedule"}});
  }
  return {{"metadata", metadata},
          {"spec", spec},
          {"status",
           {{"allocatable", amounts},
            {"capacity", amounts},
            {"images", images},
            {"conditions", Json::array({{{"type", "Ready"},
                                         {"status", "True"},
                                         {"lastHeartbeatTime", kTime},
                                         {"lastTransitionTime", kTime},
                                         {"reason", "KubeletReady"},
                                         {"message", "kubelet is posting ready status"}}})}}}};
}

Json budget_json(std::size_t number) {
  Json metadata = metadata_of("web-" + std::to_string(number), "u-" + std::to_string(number));
  metadata["namespace"] = "team-" + std::to_string(number % 20);
  return {{"metadata", metadata},
          {"spec",
           {{"minAvailable", "80%"},
            {"selector", {{"matchLabels", {{"app", "web-" + std::to_string(number)}}}}}}},
          {"status", {{"disruptionsAllowed", 1}, {"currentHealthy", 10}, {"desiredHealthy", 9}}}};
}

Json json_of(const policy::PodDisruptionBudget& budget) {
  Json metadata = metadata_of(budget.name, budget.uid);
  metadata["namespace"] = budget.ns;
  return {{"metadata", metadata},
          {"spec", {{"minAvailable", "80%"}, {"selector", selector_json(*budget.selector)}}},
          {"status",
           {{"disruptionsAllowed", budget.disruptions_allowed},
            {"currentHealthy", 10},
            {"desiredHealthy", 9}}}};
}

constexpr std::size_t kOwnBudgets = 10'000;

// The first thousand are of one namespace.
std::string own_budgets_text() {
  Json list = {{"metadata", {{"resourceVersion", "1000000"}}}, {"items", Json::array()}};
  for (std::size_t i = 0; i < kOwnBudgets; ++i) {
    Json metadata = metadata_of("rate-" + std::to_string(i), "d-" + std::to_string(i));
    metadata["namespace"] = "team-" + std::to_string(i < 1'000 ? 1 : i % 20);
    list["items"].push_back(
        {{"metadata", metadata},
         {"spec",
          {{"maxUnavailable", "20%"},
           {"rate", {{"disruptions", 5}, {"per", "1h"}}},
           {"hard", i % 2 == 0},
           {"selector", {{"matchLabels", {{"app", "web-" + std::to_string(i)}}}}}}},
         {"status",
          {{"disruptionsAllowed", 1},
           {"recentDisruptions", Json::array({{{"pod", "web-7d9c5b6f4d-1-1"},
                                               {"uid", "u-" + std::to_string(i)},
                                               {"time", kTime},
                                               {"by", "elbowroom-scheduler"}}})}}}});
  }
  return lab::to_text(list);
}

std::string namespaces_text(std::size_t count) {
  Json list = {{"metadata", {{"resourceVersion", "1000000"}}}, {"items", Json::array()}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "team-" + std::to_string(i);
    list["items"].push_back({{"metadata", metadata_of(name, "u-" + name)}});
  }
  return lab::to_text(list);
}

using Pages = std::vector<std::string>;

template <class Make>
Pages pages_of(const lab::Kind& kind, std::size_t count, Make object) {
  Pages pages;
  for (std::size_t at = 0; at < count; at += kPage) {
    const bool is_last = at + kPage >= count;
    Json list = {{"metadata", {{"resourceVersion", "1000000"}}}, {"items", Json::array()}};
    if (!is_last) list["metadata"]["continue"] = std::to_string(pages.size() + 1);
    for (std::size_t i = at; i < std::min(at + kPage, count); ++i) {
      list["items"].push_back(object(i));
    }
    auto page = lab::protobuf_list(kind, list);
    if (!page) give_up("a list of " + std::string(kind.plural) + " has no protobuf");
    pages.push_back(*std::move(page));
  }
  return pages;
}

class Server {
 public:
  explicit Server(bool has_own_budgets) {
    serve("/api/v1/nodes", pages_of(*lab::find_kind("", "v1", "nodes"), bench::kNodes,
                                    [](std::size_t i) { return json_of(bench::node_of(i)); }));
    serve("/api/v1/pods", pages_of(*lab::find_kind("", "v1", "pods"),
                                   bench::kNodes * bench::kPodsPerNode, [](std::size_t i) {
                                     return json_of(bench::pod_of(i / bench::kPodsPerNode,
                                                                  i % bench::kPodsPerNode));
                                   }));
    serve("/apis/policy/v1/poddisruptionbudgets",
          pages_of(*lab::find_kind("policy", "v1", "poddisruptionbudgets"), kBudgets, budget_json));
    begin(has_own_budgets, kNamespaces);
  }

  // The world with so many nodes.
  Server(const bench::World& world, std::size_t nodes) {
    serve("/api/v1/nodes", pages_of(*lab::find_kind("", "v1", "nodes"), nodes, [&](std::size_t i) {
            return json_of(bench::node_in(world, i, false));
          }));
    std::vector<std::pair<std::size_t, std::size_t>> pods;  // the node, and the number there
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t i = 0; i < bench::pods_on(world, node); ++i) pods.emplace_back(node, i);
    }
    pods_ = pods.size();
    serve("/api/v1/pods",
          pages_of(*lab::find_kind("", "v1", "pods"), pods.size(), [&](std::size_t i) {
            return json_of(bench::pod_in(world, pods[i].first, pods[i].second));
          }));
    const auto budgets = bench::budgets_in(world);
    serve("/apis/policy/v1/poddisruptionbudgets",
          pages_of(*lab::find_kind("policy", "v1", "poddisruptionbudgets"), budgets.size(),
                   [&](std::size_t i) { return json_of(budgets[i]); }));
    begin(false, bench::kTeams);
  }

  ~Server() {
    over_ = true;
    over_.notify_all();
    http_.stop();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] std::string kubeconfig() const {
    return "apiVersion: v1\nkind: Config\nclusters:\n- name: a\n  cluster:\n    server: "
           "http://127.0.0.1:" +
           std::to_string(port_) +
           "\nusers:\n- name: a\n  user: {}\ncontexts:\n- name: a\n  context:\n    cluster: a\n"
           "    user: a\ncurrent-context: a\n";
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t pods() const { return pods_; }

 private:
  void begin(bool has_own_budgets, std::size_t namespaces) {
    if (has_own_budgets) {
      http_.Get("/apis/elbowroom.dev/v1alpha1/disruptionbudgets",
                [this, text = own_budgets_text()](const httplib::Request& request,
                                                  httplib::Response& response) {
                  if (request.has_param("watch")) return say_nothing(response);
                  response.set_content(text, "application/json");
                });
    }
    http_.Get("/api/v1/namespaces",
              [this, text = namespaces_text(namespaces)](const httplib::Request& request,
                                                         httplib::Response& response) {
                if (request.has_param("watch")) return say_nothing(response);
                response.set_content(text, "application/json");
              });
    for (const char* path :
         {"/apis/apps/v1/deployments", "/apis/apps/v1/replicasets", "/apis/apps/v1/statefulsets",
          "/api/v1/services", "/api/v1/replicationcontrollers",
          "/apis/scheduling.k8s.io/v1/priorityclasses",
          "/api/v1/namespaces/kube-system/configmaps"}) {
      http_.Get(path, [this](const httplib::Request& request, httplib::Response& response) {
        if (request.has_param("watch")) return say_nothing(response);
        response.set_content(R"({"metadata":{"resourceVersion":"1000000"},"items":[]})",
                             "application/json");
      });
    }
    http_.Patch("/api/v1/nodes/.*", [](const httplib::Request&, httplib::Response& response) {
      response.status = 422;  // this server keeps no podPreemptionPolicy
    });
    // A watch takes a thread of the server for as long as it lasts.
    http_.new_task_queue = [] { return new httplib::ThreadPool(32); };
    http_.set_tcp_nodelay(true);
    http_.set_keep_alive_max_count(1'000'000);
    port_ = http_.bind_to_any_port("127.0.0.1");
    thread_ = std::jthread([this] { http_.listen_after_bind(); });
    while (!http_.is_running()) std::this_thread::yield();
  }

  void serve(const std::string& path, Pages pages) {
    for (const std::string& page : pages) bytes_ += page.size();
    http_.Get(path, [this, pages = std::move(pages)](const httplib::Request& request,
                                                     httplib::Response& response) {
      if (request.has_param("watch")) return say_nothing(response);
      const std::string token = request.get_param_value("continue");
      const std::size_t page = token.empty() ? 0 : std::stoul(token);
      response.set_content(pages.at(page), "application/vnd.kubernetes.protobuf");
    });
  }
  void say_nothing(httplib::Response& response) {
    response.set_chunked_content_provider("application/json",
                                          [this](std::size_t, httplib::DataSink& sink) {
                                            over_.wait(false);
                                            sink.done();
                                            return true;
                                          });
  }

  httplib::Server http_;
  std::atomic<bool> over_ = false;
  std::size_t bytes_ = 0;
  std::size_t pods_ = 0;  // of a world
  int port_ = 0;
  std::jthread thread_;
};

// A daemon that has read all that the server of the kubeconfig in that folder has.
struct Ready {
  lab::DaemonProcess daemon;
  double took = 0;  // milliseconds
};
Ready start(const fs::path& program, const fs::path& folder, const std::string& option) {
  const int port = bench::free_port();
  const auto begun = Clock::now();
  auto daemon = lab::DaemonProcess::start(
      program.string(),
      {"--kubeconfig=" + (folder / "kubeconfig").string(), "--leader-elect=false", option,
       "--listen=127.0.0.1:" + std::to_string(port)},
      (folder / (program.filename().string() + ".log")).string());
  if (!daemon) give_up(daemon.error().message);
  if (!lab::comes_true([&] { return bench::is_ready(port); }, 120s)) give_up("never ready");
  return {*std::move(daemon), bench::milliseconds(Clock::now() - begun)};
}

const std::string kSize = std::to_string(bench::kNodes * bench::kPodsPerNode);

void measure(const fs::path& program, const Server& server, const fs::path& folder) {
  const Ready scheduler = start(program, folder, "--mode=resize");
  const pid_t pid = scheduler.daemon.pid();
  report("scheduler/first_list/" + kSize, scheduler.took / 1000, "s");
  report("scheduler/first_list_cpu/" + kSize, bench::cpu_seconds(pid), "s");
  report("scheduler/peak_memory/" + kSize, bench::mebibytes(pid, "VmHWM"), "MiB");
  report("scheduler/memory/" + kSize, bench::mebibytes(pid, "VmRSS"), "MiB");
  report("scheduler/list_size/" + kSize, static_cast<double>(server.bytes()) / (1 << 20), "MiB");
}

// Peak memory of a scheduler in mode full, in MiB.
double peak_in_full(const fs::path& program, const fs::path& folder) {
  return bench::mebibytes(start(program, folder, "--mode=full").daemon.pid(), "VmHWM");
}

void pass(std::chrono::seconds time) {
  (void)lab::comes_true([] { return false; }, time);
}

// The rescheduler counts and looks for moves, and writes nothing.
void measure_rescheduler(const fs::path& program, const fs::path& folder) {
  const fs::path config = folder / "moves.yaml";
  std::ofstream(config) << "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n"
                           "dryRun: true\ninterval: 10s\npolicies:\n"
                           "  underutilizedNode: {enabled: true}\n"
                           "  affinityPreference: {enabled: true}\n";
  const Ready rescheduler = start(program, folder, "--config=" + config.string());
  const pid_t pid = rescheduler.daemon.pid();
  constexpr auto kIdle = 20s;
  pass(5s);  // what the lists have brought is worked off
  const double before = bench::cpu_seconds(pid);
  pass(kIdle);
  const double used = bench::cpu_seconds(pid) - before;
  report("rescheduler/cpu/idle", 100 * used / std::chrono::duration<double>(kIdle).count(),
         "% of a core");
  report("rescheduler/rss_anon/" + kSize, bench::mebibytes(pid, "RssAnon"), "MiB");
  report("rescheduler/peak_memory/" + kSize, bench::mebibytes(pid, "VmHWM"), "MiB");
}

void measure_world(const fs::path& program, const fs::path& folder, std::size_t nodes) {
  const Server server(bench::kWorlds.back(), nodes);
  std::ofstream(folder / "kubeconfig") << server.kubeconfig();
  const Ready scheduler = start(program, folder, "--mode=full");
  const pid_t pid = scheduler.daemon.pid();
  const std::string name = "/mixed/" + std::to_string(nodes);
  report("scheduler/first_list" + name, scheduler.took / 1000, "s");
  report("scheduler/first_list_cpu" + name, bench::cpu_seconds(pid), "s");
  report("scheduler/peak_memory_full" + name, bench::mebibytes(pid, "VmHWM"), "MiB");
  report("scheduler/pods" + name, static_cast<double>(server.pods()), "pods");
}

void measure_all(const fs::path& scheduler, const fs::path& folder) {
  double without = 0;
  {
    const Server server(false);
    std::ofstream(folder / "kubeconfig") << server.kubeconfig();
    measure(scheduler, server, folder);
    without = peak_in_full(scheduler, folder);
    report("scheduler/peak_memory_full/" + kSize, without, "MiB");
  }
  const Server server(true);
  std::ofstream(folder / "kubeconfig") << server.kubeconfig();
  report("scheduler/memory_of_budgets/10000", peak_in_full(scheduler, folder) - without, "MiB");
  measure_rescheduler(scheduler.parent_path() / "elbowroom-rescheduler", folder);
  for (const std::size_t nodes : {std::size_t{5'000}, std::size_t{15'000}})
    measure_world(scheduler, folder, nodes);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): an exception here is a defect, and shall leave a core
int main(int argc, char** argv) {
  if (argc != 2) give_up("usage: scheduler_driver ELBOWROOM_SCHEDULER");
  std::string name = (fs::temp_directory_path() / "elbowroom-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) give_up("no folder could be made for temporary files");
  measure_all(argv[1], name);
  std::error_code ignored;
  fs::remove_all(name, ignored);
}
