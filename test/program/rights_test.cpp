// The API rights of the programs: their own tables, the manifests, the requests that a server sees,
// and the page in docs/ agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "agent/worker/agent_rbac.h"
#include "api/transport/rbac_rule.h"
#include "base/document.h"
#include "cli/evict/evict_rbac.h"
#include "daemon/program/crash_record.h"
#include "lab/cluster.h"
#include "lab/daemon_process.h"
#include "rescheduler/rescheduler_rbac.h"
#include "scheduler/scheduler_rbac.h"
#include "test/checkout.h"
#include "test/temporary_folder.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

using lab::comes_true;
using lab::DaemonProcess;
using lab::Json;
using lab::list_at;
using lab::text_at;
using lab::World;
using lab::testing::pod_object;
using lab::testing::pod_target;

using Rights = std::set<std::string>;  // "patch pods/status", "update leases.group named x in ns"

constexpr std::chrono::milliseconds kPatience{30'000};
const std::filesystem::path kRoot = std::filesystem::path(test::kData).parent_path();

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string words(const api::RbacRule& right) {
  std::string text = std::string(right.verb) + " " + std::string(right.resource);
  if (!right.group.empty()) text += "." + std::string(right.group);
  if (!right.name.empty()) text += " named " + std::string(right.name);
  if (!right.ns.empty()) text += " in " + std::string(right.ns);
  return text;
}

Rights of_table(std::span<const api::RbacRule> table) {
  Rights all;
  for (const api::RbacRule& right : table) {
    EXPECT_TRUE(all.insert(words(right)).second) << words(right) << " is there twice";
  }
  return all;
}

// ---- manifests ----

std::string text_of(const Value& map, std::string_view key) {
  const Value* value = map.find(key);
  return value == nullptr ? "" : value->text;
}

std::vector<std::string> texts_of(const Value& map, std::string_view key) {
  std::vector<std::string> all;
  if (const Value* list = map.find(key); list != nullptr) {
    for (const Value& each : list->items) all.push_back(each.text);
  }
  return all;
}

void add_rule(const Value& rule, const std::string& ns, Rights& all) {
  std::vector<std::string> names = texts_of(rule, "resourceNames");
  if (names.empty()) names.emplace_back();
  for (const std::string& group : texts_of(rule, "apiGroups")) {
    for (const std::string& resource : texts_of(rule, "resources")) {
      for (const std::string& verb : texts_of(rule, "verbs")) {
        for (const std::string& name : names) {
          const api::RbacRule right{
              .verb = verb, .group = group, .resource = resource, .ns = ns, .name = name};
          EXPECT_TRUE(all.insert(words(right)).second) << words(right) << " is there twice";
        }
      }
    }
  }
}

// Of the Role and the ClusterRole of that name, and of the Role of its moves.
Rights of_manifests(const std::string& file, std::string_view role) {
  Rights all;
  const auto documents = parse_yaml(content(kRoot / "packaging/kustomize" / file));
  EXPECT_TRUE(documents) << documents.error().message;
  if (!documents) return all;
  for (const Value& document : *documents) {
    const std::string kind = text_of(document, "kind");
    if (kind != "Role" && kind != "ClusterRole") continue;
    const Value& metadata = *document.find("metadata");
    const std::string name = text_of(metadata, "name");
    if (name != role && name != std::string(role) + "-moves") continue;
    for (const Value& rule : document.find("rules")->items) {
      add_rule(rule, text_of(metadata, "namespace"), all);
    }
  }
  return all;
}

// ---- requests that a server sees ----

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t at = 1; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.emplace_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// "/apis/GROUP", "/apis/GROUP/VERSION".
bool is_discovery(std::string_view target) {
  return target.starts_with("/apis/") && parts_of(target).size() <= 3;
}

// The right for a request; it names an object only if a table may do so, too.
std::string asked_for(const lab::RequestRecord& record) {
  const std::size_t question = std::min(record.target.find('?'), record.target.size());
  const std::string query = record.target.substr(question);
  std::vector<std::string> parts = parts_of(std::string_view(record.target).substr(0, question));
  const auto drop = [&](std::size_t count) {
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count));
  };
  std::string group;
  if (parts.front() == "apis") group = parts.at(1);
  drop(group.empty() ? 2 : 3);
  std::string ns;
  if (parts.size() > 2 && parts.front() == "namespaces") {
    ns = parts.at(1);
    drop(2);
  }
  std::string resource = parts.front();
  std::string name = parts.size() > 1 ? parts.at(1) : "";
  if (parts.size() > 2) resource += "/" + parts.at(2);
  std::string verb;
  if (record.method == "GET") {
    verb = "list";
    if (!name.empty()) verb = "get";
    if (query.find("watch=") != std::string::npos) verb = "watch";
  } else {
    const std::map<std::string, std::string> verbs = {
        {"POST", "create"}, {"PUT", "update"}, {"PATCH", "patch"}, {"DELETE", "delete"}};
    verb = verbs.at(record.method);
  }
  if (resource == "leases" || resource == "configmaps") {
    const std::string mark = "fieldSelector=metadata.name%3D";
    if (const std::size_t at = query.find(mark); at != std::string::npos) {
      name = query.substr(at + mark.size());
      name = name.substr(0, name.find('&'));
    }
  } else {
    ns = name = "";
  }
  return words({.verb = verb, .group = group, .resource = resource, .ns = ns, .name = name});
}

// A cluster of one node of 4 cpus, and the requests in it.
class Seen : public ::testing::Test {
 protected:
  void start_cluster(bool companion) {
    auto cluster = lab::Cluster::start(
        {.agents = false, .companion = companion, .folder = folder_.path(), .complain = {}});
    ASSERT_TRUE(cluster) << cluster.error().message;
    cluster_ = *std::move(cluster);
    ASSERT_TRUE(comes_true([&] { return cluster_->is_ready(); }, kPatience));
    std::ofstream(path("kubeconfig")) << cluster_->api().kubeconfig();
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

  [[nodiscard]] DaemonProcess start(const char* program, std::vector<std::string> arguments) {
    arguments.push_back("--kubeconfig=" + path("kubeconfig"));
    arguments.emplace_back("--listen=127.0.0.1:0");
    const std::string log = std::filesystem::path(program).filename().string() + ".log";
    auto started = DaemonProcess::start(program, arguments, path(log));
    EXPECT_TRUE(started) << started.error().message;
    return *std::move(started);
  }
  [[nodiscard]] DaemonProcess start_agent(const std::string& mode) {
    return start(test::kAgent,
                 {"--mode=" + mode, "--kubelet-healthz=", "--node-name=node-1",
                  "--runtime-endpoint=" + cluster_->runtime(0).endpoint(),
                  "--cgroup-root=" + cluster_->cgroup_root(0).string(), "--cgroup-driver=cgroupfs",
                  "--critical-preemption=" + std::string(mode == "authority" ? "true" : "false"),
                  "--state-dir=" + path("state")});
  }

  // Over all pods, and not hard.
  void create_budget(const std::string& name = "db",
                     const Json& spec = {{"selector", Json::object()}, {"minAvailable", 1}}) {
    const Json budget = {{"apiVersion", "elbowroom.dev/v1alpha1"},
                         {"kind", "DisruptionBudget"},
                         {"metadata", {{"name", name}, {"namespace", "default"}}},
                         {"spec", spec}};
    const auto made = cluster_->api().with_world([&](World& world) { return world.load(budget); });
    ASSERT_EQ(lab::testing::message_of(made), "");
  }
  // What a schema lets pass.
  void create_odd_budget() {
    const Json expression = {{"key", "app"}, {"operator", "In"}};
    create_budget("odd", {{"selector", {{"matchExpressions", Json::array({expression})}}}});
  }
  [[nodiscard]] bool is_said_to_be_odd() {
    const Json budget = cluster_->api().with_world([](World& world) {
      const Json* found = world.peek(
          *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets"), "default", "odd");
      return found == nullptr ? Json() : *found;
    });
    const Json conditions = lab::list_at(budget, {"status", "conditions"});
    return std::ranges::any_of(conditions, [](const Json& each) {
      return text_at(each, {"type"}) == "Observed" && text_at(each, {"status"}) == "False" &&
             text_at(each, {"message"}).contains("spec.selector.matchExpressions[0].values");
    });
  }
  void create_group(const std::string& name, int priority, const Json& policy) {
    const Json group = {{"apiVersion", "scheduling.k8s.io/v1beta1"},
                        {"kind", "PodGroup"},
                        {"metadata", {{"name", name}, {"namespace", "default"}}},
                        {"spec",
                         {{"priority", priority},
                          {"schedulingPolicy", policy},
                          {"disruptionMode", {{"all", Json::object()}}}}}};
    const auto made = cluster_->api().with_world([&](World& world) { return world.load(group); });
    ASSERT_EQ(lab::testing::message_of(made), "");
  }
  // `group`: "" for none.
  void create(const std::string& name, const std::string& cpu, int priority,
              const std::string& group = "") {
    Json pod = pod_object(name, "node-1");
    if (!group.empty()) pod["spec"]["schedulingGroup"] = {{"podGroupName", group}};
    pod["metadata"]["namespace"] = "default";
    pod["spec"]["priority"] = priority;
    pod["spec"]["terminationGracePeriodSeconds"] = 1;
    pod["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", cpu}, {"memory", "64Mi"}};
    const auto made = cluster_->api().with_world([&](World& world) { return world.load(pod); });
    ASSERT_EQ(lab::testing::message_of(made), "");
    ASSERT_TRUE(comes_true([&] { return text_at(get(name), {"status", "phase"}) == "Running"; },
                           kPatience));
  }
  void change(const lab::Target& target, const Json& patch) {
    const auto changed = cluster_->api().with_world(
        [&](World& world) { return world.patch(target, lab::PatchType::StrategicMerge, patch); });
    ASSERT_EQ(lab::testing::outcome(changed), "ok");
  }
  void resize(const std::string& name, const std::string& cpu) {
    const Json app = {{"name", "app"}, {"resources", {{"requests", {{"cpu", cpu}}}}}};
    change(pod_target(name, lab::Subresource::Resize),
           {{"spec", {{"containers", Json::array({app})}}}});
  }
  void annotate_node(const std::string& key, const std::string& value) {
    change({.kind = lab::find_kind("", "v1", "nodes"), .name = "node-1"},
           {{"metadata", {{"annotations", {{key, value}}}}}});
  }
  Json get(const std::string& name) {
    const auto pod =
        cluster_->api().with_world([&](World& world) { return world.get(pod_target(name)); });
    return pod ? pod->json() : Json();
  }
  bool has(const std::string& name, const std::string& condition) {
    const Json pod = get(name);
    return std::ranges::any_of(list_at(pod, {"status", "conditions"}), [&](const Json& each) {
      return text_at(each, {"type"}) == condition && text_at(each, {"status"}) == "True";
    });
  }
  // Resized, shown, and nothing pending.
  bool gets(const std::string& name, const std::string& cpu) {
    return comes_true(
        [&] {
          const Json pod = get(name);
          const Json& all = list_at(pod, {"status", "containerStatuses"});
          return !all.empty() && text_at(all[0], {"resources", "requests", "cpu"}) == cpu &&
                 !has(name, "PodResizePending") && !has(name, "PodResizeInProgress");
        },
        kPatience);
  }

  // The rights that the program's requests needed.
  Rights seen(const std::string& program) {
    Rights all;
    for (const lab::RequestRecord& each : cluster_->api().requests()) {
      // Kubernetes lets every user read the version, and what is served.
      if (each.target == "/version" || is_discovery(each.target)) continue;
      if (each.user_agent.starts_with(program + "/")) all.insert(asked_for(each));
    }
    return all;
  }
  // Whether each of these rights was used.
  bool comes_to(const std::string& program, const Rights& wanted) {
    return comes_true([&] { return std::ranges::includes(seen(program), wanted); }, kPatience);
  }
  // Events on that pod by that program.
  bool is_told(const std::string& program, const std::string& pod, std::size_t writes) {
    return comes_true(
        [&] {
          std::size_t found = 0;
          for (const lab::RequestRecord& each : cluster_->api().requests()) {
            found += each.user_agent.starts_with(program + "/") &&
                     each.target.find("/events") != std::string::npos &&
                     each.body.find(pod) != std::string::npos;
          }
          return found >= writes;
        },
        kPatience);
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<lab::Cluster> cluster_;
};

TEST(Rights, TheManifestsAllowWhatTheTablesSay) {
  EXPECT_EQ(of_manifests("scheduler/rights.yaml", "elbowroom-scheduler"),
            of_table(scheduler::kRights));
  EXPECT_EQ(of_manifests("scheduler-full/rights.yaml", "elbowroom-scheduler-full"),
            of_table(scheduler::kFullRights));
  EXPECT_EQ(of_manifests("rescheduler/rights.yaml", "elbowroom-rescheduler"),
            of_table(rescheduler::kRights));
  EXPECT_EQ(of_manifests("agent/rights.yaml", "elbowroom-agent"),
            of_table(agent::kCompanionRights));
  EXPECT_EQ(of_manifests("agent/rights.yaml", "elbowroom-agent-authority"),
            of_table(agent::kAuthorityRights));
  EXPECT_EQ(of_manifests("evict/rights.yaml", "elbowroom-evict"), of_table(cli::kEvictRights));
  EXPECT_EQ(of_manifests("evict/rights.yaml", "elbowroom-avoid-node"),
            of_table(cli::kAvoidNodeRights));
}

TEST(Rights, ThePageSaysWhatTheTablesSay) {
  constexpr std::array<api::Role, 7> kRoles = {
      {{"elbowroom-agent", "elbowroomd in mode `companion`", agent::kCompanionRights},
       {"elbowroom-agent-authority", "elbowroomd in mode `authority`", agent::kAuthorityRights},
       {"elbowroom-scheduler", "elbowroom-scheduler", scheduler::kRights},
       {"elbowroom-scheduler-full", "elbowroom-scheduler in mode `full`, besides",
        scheduler::kFullRights},
       {"elbowroom-rescheduler", "elbowroom-rescheduler", rescheduler::kRights},
       {"elbowroom-evict", "people who use `elbowroom evict`", cli::kEvictRights},
       {"elbowroom-avoid-node", "people who use `elbowroom evict --avoid-node`, besides",
        cli::kAvoidNodeRights}}};
  EXPECT_EQ(content(kRoot / "docs/rbac.md"), api::rbac_page(kRoles))
      << "elbowroom reference rbac > docs/rbac.md puts it right";
}

TEST_F(Seen, ACompanionAsksForWhatItsTableSays) {
  start_cluster(true);
  annotate_node("elbowroom.dev/critical-preemption", "node");
  annotate_node("elbowroom.dev/disable-resize-preemption", "example.com/test");
  create("db", "3", 1000);
  create("web", "1", 100);
  DaemonProcess agent = start_agent("companion");
  resize("web", "2");
  EXPECT_TRUE(comes_true([&] { return has("web", "PodResizePreemptionDisabled"); }, kPatience));
  const Rights wanted = of_table(agent::kCompanionRights);
  EXPECT_EQ(agent.stop(kPatience).value_or(-1), 0);

  // In safe mode it has something to report.
  ::setenv("RUNTIME_DIRECTORY", folder_.path().c_str(), 1);
  for (int crash = 0; crash < 5; ++crash) {
    std::ofstream(path("crashes"), std::ios::app)
        << "crash " << daemon::since_boot().count() << "\n";
  }
  DaemonProcess observer = start_agent("companion");
  EXPECT_TRUE(comes_to("elbowroomd", wanted));
  EXPECT_EQ(observer.stop(kPatience).value_or(-1), 0);
  ::unsetenv("RUNTIME_DIRECTORY");
  EXPECT_EQ(seen("elbowroomd"), wanted);
}

// Deferred twice for the same reason (the second event is counted), then the scheduler makes room,
// with the pod's group, which goes whole; then the node.
TEST_F(Seen, AuthorityAndSchedulerAskForWhatTheirTablesSay) {
  start_cluster(false);
  DaemonProcess agent = start_agent("authority");
  DaemonProcess scheduler = start(test::kScheduler, {"--yield-to="});
  create_budget();
  create_group("site", 100, {{"basic", Json::object()}});
  create("db", "3", 1000);
  create("web", "1", 100, "site");
  EXPECT_TRUE(gets("db", "3"));
  EXPECT_TRUE(gets("web", "1"));
  resize("web", "2");
  EXPECT_TRUE(is_told("elbowroom-scheduler", "web", 1));
  EXPECT_TRUE(is_told("elbowroomd", "web", 1));
  resize("web", "1");
  EXPECT_TRUE(gets("web", "1"));
  resize("web", "2");
  EXPECT_TRUE(comes_to("elbowroom-scheduler", {"patch events.events.k8s.io"}));
  resize("db", "4");
  EXPECT_TRUE(comes_true([&] { return get("web").is_null(); }, kPatience));
  EXPECT_TRUE(gets("db", "4"));

  resize("db", "2");
  EXPECT_TRUE(gets("db", "2"));
  create("small", "1", 0);
  create("critical", "1", 2'000'000'000);
  EXPECT_TRUE(gets("critical", "1"));
  resize("critical", "2");
  EXPECT_TRUE(comes_true([&] { return get("small").is_null(); }, kPatience));
  EXPECT_TRUE(gets("critical", "2"));

  const Rights counts = {"patch events.events.k8s.io"};
  const auto is_counted = [&] { return std::ranges::includes(seen("elbowroomd"), counts); };
  for (int turn = 0; turn < 30 && !is_counted(); ++turn) {
    const std::string cpu = turn % 2 == 0 ? "1" : "2";
    resize("db", cpu);
    ASSERT_TRUE(gets("db", cpu));
  }

  const Rights of_agent = of_table(agent::kAuthorityRights);
  Rights of_scheduler = of_table(scheduler::kRights);
  of_scheduler.erase("get disruptionbudgets.elbowroom.dev");  // only where two write at once
  of_scheduler.erase("get nodes");  // only where a condition may have outlived the Node's policy
  EXPECT_TRUE(comes_to("elbowroomd", of_agent));
  EXPECT_EQ(scheduler.stop(kPatience).value_or(-1), 0);
  EXPECT_EQ(agent.stop(kPatience).value_or(-1), 0);
  EXPECT_EQ(seen("elbowroomd"), of_agent);
  EXPECT_EQ(seen("elbowroom-scheduler"), of_scheduler);
}

TEST_F(Seen, TheReschedulerAsksForWhatItsTableSays) {
  start_cluster(false);
  create_budget();
  create_odd_budget();
  annotate_node("scheduler.alpha.kubernetes.io/preferAvoidPods",
                R"json({"preferAvoidPods": [{"podSignature": {"podController": {
                  "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u",
                  "controller": true}}, "evictionTime": "2026-01-01T00:00:00Z",
                  "reason": "ElbowroomEviction",
                  "message": "elbowroom evicts pod p (until 2026-01-01T01:00:00Z)"}]})json");
  DaemonProcess rescheduler = start(test::kRescheduler, {});
  Rights wanted = of_table(rescheduler::kRights);
  // Only where pods are moved: the suite of the cluster shows that none of these is refused.
  for (const char* of_moves :
       {"create configmaps in kube-system",
        "update configmaps named elbowroom-rescheduler-rests in kube-system", "get pods",
        "create pods/eviction", "create events.events.k8s.io", "patch events.events.k8s.io"}) {
    EXPECT_EQ(wanted.erase(of_moves), 1U) << of_moves;
  }
  EXPECT_TRUE(comes_to("elbowroom-rescheduler", wanted));
  EXPECT_TRUE(comes_true([&] { return is_said_to_be_odd(); }, kPatience));
  EXPECT_EQ(rescheduler.stop(kPatience).value_or(-1), 0);
  EXPECT_EQ(seen("elbowroom-rescheduler"), wanted);
}

// One pod is placed at once; a gang of one needs a preemption.
TEST_F(Seen, InModeFullTheSchedulerAsksForWhatItsTablesSay) {
  start_cluster(false);
  DaemonProcess agent = start_agent("authority");
  DaemonProcess scheduler = start(test::kScheduler, {"--yield-to=", "--mode=full"});
  create("low", "3", 0);
  create_group("train", 100, {{"gang", {{"minCount", 1}}}});
  const auto place = [&](const std::string& name, const std::string& cpu,
                         const std::string& group) {
    Json pod = pod_object(name, "");
    if (!group.empty()) pod["spec"]["schedulingGroup"] = {{"podGroupName", group}};
    pod["metadata"]["namespace"] = "default";
    pod["spec"].erase("nodeName");
    pod["spec"]["schedulerName"] = "elbowroom";
    pod["spec"]["priority"] = 100;
    pod["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", cpu}, {"memory", "64Mi"}};
    const auto made = cluster_->api().with_world([&](World& world) { return world.load(pod); });
    ASSERT_EQ(lab::testing::message_of(made), "");
    EXPECT_TRUE(comes_true([&] { return text_at(get(name), {"spec", "nodeName"}) == "node-1"; },
                           kPatience));
  };
  place("web", "1", "");
  place("big", "3", "train");
  EXPECT_TRUE(comes_true([&] { return get("low").is_null(); }, kPatience));
  EXPECT_TRUE(is_told("elbowroom-scheduler", "big", 1));
  // A volume that is there is reserved, and a node is selected for one that is to be made.
  const auto load = [&](Json object) {
    const auto made = cluster_->api().with_world([&](World& world) { return world.load(object); });
    ASSERT_EQ(lab::testing::message_of(made), "");
  };
  for (const std::string provisioner : {"kubernetes.io/no-provisioner", "csi.example.com"}) {
    const std::string name = provisioner == "csi.example.com" ? "made" : "there";
    load({{"apiVersion", "storage.k8s.io/v1"},
          {"kind", "StorageClass"},
          {"metadata", {{"name", name}}},
          {"provisioner", provisioner},
          {"volumeBindingMode", "WaitForFirstConsumer"}});
    load({{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "claim-" + name}}},
          {"spec",
           {{"storageClassName", name},
            {"accessModes", {"ReadWriteOnce"}},
            {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
    Json pod = pod_object("stored-" + name, "");
    pod["metadata"]["namespace"] = "default";
    pod["spec"].erase("nodeName");
    pod["spec"]["schedulerName"] = "elbowroom";
    pod["spec"]["containers"][0]["resources"]["requests"] = {{"memory", "1Mi"}};  // no cpu is left
    pod["spec"]["volumes"] = {{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", name}}}}};
    if (name == "there") {
      load({{"apiVersion", "v1"},
            {"kind", "PersistentVolume"},
            {"metadata", {{"name", name}, {"uid", "volume-" + name}}},
            {"spec",
             {{"storageClassName", name},
              {"accessModes", {"ReadWriteOnce"}},
              {"capacity", {{"storage", "1Gi"}}}}},
            {"status", {{"phase", "Available"}}}});
    }
    load(std::move(pod));
  }
  const Rights bind = of_table(scheduler::kFullRights);
  EXPECT_TRUE(comes_to("elbowroom-scheduler", bind));
  EXPECT_EQ(scheduler.stop(kPatience).value_or(-1), 0);
  EXPECT_EQ(agent.stop(kPatience).value_or(-1), 0);
  Rights may = of_table(scheduler::kRights);
  may.insert(bind.begin(), bind.end());
  EXPECT_TRUE(std::ranges::includes(may, seen("elbowroom-scheduler")));
}

}  // namespace
}  // namespace elbowroom::test
