#include "cli/lab/lab_demo.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/manifests.h"
#include "cli/lab/demo_story.h"
#include "cli/lab/drain_demo.h"
#include "cli/lab/gang_demo.h"
#include "cli/lab/move_demo.h"
#include "cli/simulate_resize.h"
#include "cli/verbs.h"
#include "lab/cluster.h"
#include "lab/daemon_process.h"
#include "lab/world/json.h"
#include "lab/world/kind.h"

namespace elbowroom::cli {
namespace {

namespace fs = std::filesystem;
using lab::Json;
using namespace std::chrono_literals;

constexpr auto kLeaseExpiry = 40'000ms;  // 15 s, and as long again for a busy machine

// Millicores in the API's form.
std::string in_api(int cpu_m) {
  return cpu_m % 1000 == 0 ? std::to_string(cpu_m / 1000) : std::to_string(cpu_m) + "m";
}

// A pod as its manifest describes it; cpu in millicores.
Json pod_object(const std::string& ns, const std::string& name, int cpu, int priority) {
  const std::string request = in_api(cpu);
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"namespace", ns}}},
          {"spec",
           {{"nodeName", "node-1"},
            {"priority", priority},
            {"terminationGracePeriodSeconds", 2},
            {"containers", Json::array({{{"name", "app"},
                                         {"image", "registry.example/app:1"},
                                         {"resources",
                                          {{"requests", {{"cpu", request}, {"memory", "256Mi"}}},
                                           {"limits", {{"cpu", "4"}, {"memory", "1Gi"}}}}}}})}}}};
}

class Demo : private DemoStory {
 public:
  using DemoStory::DemoStory;

  // True when every step was observed.
  bool play() {
    return begin() && grows() && is_deferred() && critical_pod_gets_room() &&
           policy_forbids_and_allows() && killed_in_mid_actuation() && scheduler_makes_room() &&
           successor_finishes_the_set() && pending_pod_makes_room() && end();
  }

 private:
  // ---- the story ----

  bool begin() {
    title("A node with 4 cpus, four pods, and elbowroomd in mode authority");
    auto cluster = lab::Cluster::start(
        {.nodes = 1, .agents = false, .folder = folder(), .complain = [](const std::string&) {}});
    if (!cluster) return fail(cluster.error().message);
    cluster_ = *std::move(cluster);
    if (!lab::comes_true([&] { return cluster_->is_ready(); }, kPatience)) {
      return fail("node-1 was not registered");
    }
    std::ofstream(folder() / "kubeconfig") << cluster_->api().kubeconfig();
    if (!start_agent()) return false;
    create(pod_object("default", "web", 1000, 1000));
    create(pod_object("default", "batch-1", 900, 0));
    create(pod_object("default", "batch-2", 800, 0));
    create(pod_object("kube-system", "dns", 200, 2'000'000'000));
    for (const auto& [ns, name, cpu] : {std::tuple{"default", "web", 1000},
                                        {"default", "batch-1", 900},
                                        {"default", "batch-2", 800},
                                        {"kube-system", "dns", 200}}) {
      if (!becomes(ns, name, cpu)) return false;
    }
    return true;
  }

  bool grows() {
    title("1. The web pod grows from 1 to 2 cpus: the node has room");
    resize("default", "web", {{"cpu", "2"}});
    return becomes("default", "web", 2000) && no_condition_is_left("web");
  }

  bool is_deferred() {
    title("2. It grows to 3 cpus: too much for now, so it is Deferred, and told why");
    resize("default", "web", {{"cpu", "3"}});
    const std::string wanted =
        "Node didn't have enough resource: cpu, requested: 3000, used: 1900, capacity: 4000";
    const bool told = waits("the condition PodResizePending says Deferred", [&] {
      const Json condition = condition_of("web", "PodResizePending");
      return lab::text_at(condition, {"reason"}) == "Deferred" &&
             lab::text_at(condition, {"message"}) == wanted;
    });
    if (!told) return false;
    say("  says    " + wanted);
    if (!runtime_has("default", "web", 2000)) return false;
    return explain("default/web");
  }

  bool critical_pod_gets_room() {
    title("3. A critical pod grows from 200m to 900m: the node makes room for it");
    resize("kube-system", "dns", {{"cpu", "900m"}});
    if (!becomes("kube-system", "dns", 900)) return false;
    if (!waits("default/batch-2 is gone: the smallest pod that was enough",
               [&] { return get("default", "batch-2").is_null(); })) {
      return false;
    }
    return holds("default/batch-1 still runs: nothing more was taken",
                 !get("default", "batch-1").is_null() &&
                     lab::text_at(get("default", "batch-1"), {"metadata", "deletionTimestamp"})
                         .empty()) &&
           removals_are(1);
  }

  bool policy_forbids_and_allows() {
    title("4. The Node's policy forbids preemption for resizes, then allows it again");
    set_policy(Json::array({"example.com/operator"}));
    const bool set = waits("web has the condition PodResizePreemptionDisabled", [&] {
      return lab::text_at(condition_of("web", "PodResizePreemptionDisabled"), {"reason"}) ==
             "PreemptionDisabledByNodePolicy";
    });
    if (!set) return false;
    set_policy(nullptr);
    return waits("the condition is gone again",
                 [&] { return condition_of("web", "PodResizePreemptionDisabled").is_null(); });
  }

  bool killed_in_mid_actuation() {
    title("5. The agent is killed with -9 in the middle of a resize, and starts again");
    const std::size_t before = updates_of_web().size();
    runtime().with_runtime([](lab::FakeCriRuntime& runtime) {
      runtime.inject(
          {.kind = lab::FakeRuntimeFault::Kind::Hang, .method = "UpdateContainerResources"});
    });
    // Two resources: the runtime gets memory, then cpu. It hangs in the first of them.
    resize("default", "web", {{"cpu", "2100m"}}, {{"memory", "2Gi"}});
    const std::string checkpoint = (folder() / "state" / "allocations").string();
    if (!waits("the allocation is on disk, and the runtime's call hangs", [&] {
          std::ifstream file(checkpoint);
          const std::string text((std::istreambuf_iterator<char>(file)), {});
          return text.find("2147483648") != std::string::npos && updates_of_web().size() == before;
        })) {
      return false;
    }
    agent_->kill();
    say("  killed  elbowroomd, with SIGKILL");
    runtime().clear_faults();
    if (!start_agent() || !becomes("default", "web", 2100) || !no_condition_is_left("web")) {
      return false;
    }
    const std::vector<lab::RuntimeCall> after = updates_of_web();
    std::vector<cri::RuntimeResources> sizes;
    for (std::size_t i = before; i < after.size(); ++i) sizes.push_back(after[i].size);
    bool twice = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      twice = twice || std::count(sizes.begin(), sizes.end(), sizes[i]) != 1;
    }
    return holds("the runtime was told each step once (" + std::to_string(sizes.size()) + " calls)",
                 !sizes.empty() && !twice) &&
           removals_are(1);
  }

  bool scheduler_makes_room() {
    title(
        "6. elbowroom-scheduler makes room: the web pod is Deferred, and more important than "
        "batch-1");
    if (!start_scheduler() || !waits("it leads", [&] { return !lease_holder().empty(); })) {
      return false;
    }
    resize("default", "web", {{"cpu", "3"}});
    if (!is_marked_for_web("batch-1") || !becomes("default", "web", 3000)) return false;
    return waits("default/batch-1 is gone", [&] { return get("default", "batch-1").is_null(); }) &&
           waits("the web pod has an event Preempting that names it",
                 [&] { return was_reported("web", "Preempting", "default/batch-1"); }) &&
           waits("default/batch-1 has an event Preempted",
                 [&] { return was_reported("batch-1", "Preempted", "Preempted by pod"); }) &&
           no_condition_is_left("web") && removals_are(2);
  }

  // Its deletes are delayed, so that it crashes when all victims are marked and none is deleted.
  bool successor_finishes_the_set() {
    title("7. Two pods have to go, and the scheduler is killed between marking and deleting them");
    resize("default", "web", {{"cpu", "1500m"}});
    if (!becomes("default", "web", 1500)) return false;
    const std::vector<std::string> batch = {"batch-3", "batch-4", "batch-5"};
    for (const std::string& name : batch) create(pod_object("default", name, 500, 0));
    for (const std::string& name : batch) {
      if (!becomes("default", name, 500)) return false;
    }
    cluster_->api().inject({.kind = lab::Fault::Kind::Hang,
                            .method = "DELETE",
                            .path_contains = "/namespaces/default/pods/batch-",
                            .times = 100});
    resize("default", "web", {{"cpu", "2500m"}});
    std::vector<std::string> marked;
    const auto note_marked = [&] {
      marked.clear();
      for (const std::string& name : batch) {
        if (!preemptor_marked_on(name).empty()) marked.push_back(name);
      }
      return marked.size() == 2;
    };
    if (!waits("two of the three are marked, and none is asked to go", note_marked)) return false;
    scheduler_->kill();
    say("  killed  elbowroom-scheduler, with SIGKILL");
    cluster_->api().clear_faults();
    const std::string dead = lease_holder();
    if (!removals_are(2) || !start_scheduler()) return false;
    say("  marked  default/" + marked[0] + " and default/" + marked[1]);
    if (!waits(
            "another one leads, once the Lease of the first has run out",
            [&] { return !lease_holder().empty() && lease_holder() != dead; }, kLeaseExpiry)) {
      return false;
    }
    if (!becomes("default", "web", 2500)) return false;
    for (const std::string& name : batch) {
      const bool stays = std::ranges::find(marked, name) == marked.end();
      if (stays && !holds("default/" + name + " still runs, unmarked",
                          !get("default", name).is_null() && preemptor_marked_on(name).empty())) {
        return false;
      }
      if (!stays &&
          !waits("default/" + name + " is gone", [&] { return get("default", name).is_null(); })) {
        return false;
      }
    }
    return no_condition_is_left("web") && removals_are(4);
  }

  // The room of one pod is nominated to the pending pod; the Deferred resize must find its own.
  bool pending_pod_makes_room() {
    title("8. A pending pod and a Deferred resize make room side by side, each its own");
    const std::string left = get("default", "batch-3").is_null()
                                 ? get("default", "batch-4").is_null() ? "batch-5" : "batch-4"
                                 : "batch-3";
    resize("default", "web", {{"cpu", "1500m"}});
    if (!becomes("default", "web", 1500)) return false;
    create(pod_object("default", "batch-6", 1000, 0));
    if (!becomes("default", "batch-6", 1000)) return false;
    Json api = pod_object("default", "api", 1000, 2000);
    api["spec"].erase("nodeName");
    api["spec"]["schedulerName"] = "elbowroom";
    create(api);
    say("  wrote   pods/api, which names no node: 1 cpu, more important than web");
    resize("default", "web", {{"cpu", "2"}});
    if (!waits("default/api is nominated to node-1, or placed there",
               [&] {
                 const Json pod = get("default", "api");
                 return lab::text_at(pod, {"status", "nominatedNodeName"}) == "node-1" ||
                        lab::text_at(pod, {"spec", "nodeName"}) == "node-1";
               }) ||
        !becomes("default", "api", 1000) || !becomes("default", "web", 2000)) {
      return false;
    }
    for (const std::string& name : {std::string("batch-6"), left}) {
      if (!waits("default/" + name + " is gone", [&] { return get("default", name).is_null(); })) {
        return false;
      }
    }
    return waits("the pending pod has an event Scheduled",
                 [&] { return was_reported("api", "Scheduled", "default/api to node-1"); }) &&
           no_condition_is_left("web") && removals_are(6);
  }

  bool end() {
    say("");
    const auto scheduler = scheduler_->stop(5000ms);
    if (!holds("elbowroom-scheduler ended cleanly", scheduler && *scheduler == 0)) return false;
    if (!holds("and gave its Lease back", lease_holder().empty())) return false;
    const auto status = agent_->stop(5000ms);
    return holds("elbowroomd ended cleanly", status && *status == 0);
  }

  // ---- actions ----

  bool start_agent() {
    auto started = lab::DaemonProcess::start(
        (programs() / "elbowroomd").string(),
        {"--mode=authority", "--kubelet-healthz=", "--node-name=node-1",
         "--critical-preemption=true", "--kubeconfig=" + (folder() / "kubeconfig").string(),
         "--runtime-endpoint=" + runtime().endpoint(),
         "--cgroup-root=" + cluster_->cgroup_root(0).string(), "--cgroup-driver=cgroupfs",
         "--state-dir=" + state_dir(), "--listen=127.0.0.1:0"},
        (folder() / "agent.log").string());
    if (!started) return fail(started.error().message);
    agent_.emplace(*std::move(started));
    return true;
  }

  bool start_scheduler() {
    auto started = lab::DaemonProcess::start((programs() / "elbowroom-scheduler").string(),
                                             {"--kubeconfig=" + (folder() / "kubeconfig").string(),
                                              "--mode=full", "--yield-to=", "--listen=127.0.0.1:0"},
                                             (folder() / "scheduler.log").string());
    if (!started) return fail(started.error().message);
    scheduler_.emplace(*std::move(started));
    return true;
  }

  std::string state_dir() { return (folder() / "state").string(); }

  lab::CriServer& runtime() { return cluster_->runtime(0); }

  static lab::Target target(const std::string& ns, const std::string& name,
                            lab::Subresource subresource = lab::Subresource::None) {
    return {lab::find_kind("", "v1", "pods"), ns, name, subresource};
  }

  void create(const Json& object) {
    const auto answer =
        cluster_->api().with_world([&](lab::World& world) { return world.load(object); });
    if (!answer) say("  a pod was refused: " + answer.error().message);
  }

  Json get(const std::string& ns, const std::string& name) {
    auto found =
        cluster_->api().with_world([&](lab::World& world) { return world.get(target(ns, name)); });
    return found ? *std::move(found) : Json();
  }

  void resize(const std::string& ns, const std::string& name, const Json& requests,
              const Json& limits = Json::object()) {
    Json resources = {{"requests", requests}};
    if (!limits.empty()) resources["limits"] = limits;
    const Json patch = {
        {"spec",
         {{"containers", Json::array({{{"name", "app"}, {"resources", std::move(resources)}}})}}}};
    const auto answer = cluster_->api().with_world([&](lab::World& world) {
      return world.patch(target(ns, name, lab::Subresource::Resize), lab::PatchType::StrategicMerge,
                         patch);
    });
    say("  wrote   pods/" + name + "/resize " + lab::to_text(requests) +
        (answer ? "" : ": refused: " + answer.error().message));
  }

  void set_policy(const Json& owners) {
    const Json patch = {{"spec", {{"podPreemptionPolicy", nullptr}}}};
    const Json with = {{"spec", {{"podPreemptionPolicy", {{"disableResizePreemption", owners}}}}}};
    (void)cluster_->api().with_world([&](lab::World& world) {
      return world.patch({lab::find_kind("", "v1", "nodes"), "", "node-1"}, lab::PatchType::Merge,
                         owners.is_null() ? patch : with);
    });
    say("  wrote   nodes/node-1 spec.podPreemptionPolicy.disableResizePreemption " +
        (owners.is_null() ? std::string("[]") : lab::to_text(owners)));
  }

  // ---- observations ----

  Json condition_of(const std::string& name, const std::string& type) {
    const Json pod = get("default", name);
    for (const Json& condition : lab::list_at(pod, {"status", "conditions"})) {
      if (lab::text_at(condition, {"type"}) == type) return condition;
    }
    return {};
  }

  // The preemptor that the pod is marked for, from its condition; "" for none.
  std::string preemptor_marked_on(const std::string& name) {
    const Json condition = condition_of(name, "DisruptionTarget");
    return lab::text_at(condition, {"reason"}) == "PreemptionByScheduler"
               ? lab::text_at(condition, {"message"})
               : "";
  }

  bool is_marked_for_web(const std::string& name) {
    const std::string uid = lab::text_at(get("default", "web"), {"metadata", "uid"});
    return waits("default/" + name + " is marked for the web pod's resize", [&] {
      return preemptor_marked_on(name).find("(for uid " + uid + ", generation ") !=
             std::string::npos;
    });
  }

  std::string lease_holder() {
    const auto lease = cluster_->api().with_world([](lab::World& world) {
      return world.get({lab::find_kind("coordination.k8s.io", "v1", "leases"), "kube-system",
                        "elbowroom-scheduler"});
    });
    return lease ? lab::text_at(*lease, {"spec", "holderIdentity"}) : "";
  }

  bool was_reported(const std::string& name, const std::string& reason, const std::string& words) {
    const auto events = cluster_->api().with_world([](lab::World& world) {
      return world.list({.kind = lab::find_kind("events.k8s.io", "v1", "events")});
    });
    if (!events) return false;
    return std::ranges::any_of(lab::list_at(*events, {"items"}), [&](const Json& event) {
      return lab::text_at(event, {"regarding", "name"}) == name &&
             lab::text_at(event, {"reason"}) == reason &&
             lab::text_at(event, {"note"}).find(words) != std::string::npos;
    });
  }

  // The API shows that size as allocated and actual, and the runtime has it.
  bool becomes(const std::string& ns, const std::string& name, int cpu_m) {
    const std::string wanted = in_api(cpu_m);
    return waits(ns + "/" + name + " is allocated and has " + wanted + " cpu",
                 [&] {
                   const Json pod = get(ns, name);
                   const Json& statuses = lab::list_at(pod, {"status", "containerStatuses"});
                   if (statuses.empty()) return false;
                   return lab::text_at(statuses[0], {"allocatedResources", "cpu"}) == wanted &&
                          lab::text_at(statuses[0], {"resources", "requests", "cpu"}) == wanted;
                 }) &&
           runtime_has(ns, name, cpu_m);
  }

  bool runtime_has(const std::string& ns, const std::string& name, int cpu_m) {
    const std::int64_t shares = std::int64_t{cpu_m} * 1024 / 1000;
    const auto seen = [&] {
      return runtime().with_runtime([&](lab::FakeCriRuntime& runtime) {
        const lab::FakeContainer* container = runtime.find(ns + "/" + name, "app");
        return container == nullptr
                   ? std::optional<std::int64_t>()
                   : runtime.cgroups().read(runtime.cgroup_of(*container), "cpu.shares");
      });
    };
    return waits("the container's cgroup has cpu.shares " + std::to_string(shares),
                 [&] { return seen() == shares; });
  }

  bool no_condition_is_left(const std::string& name) {
    return waits("no resize condition is left", [&] {
      return condition_of(name, "PodResizePending").is_null() &&
             condition_of(name, "PodResizeInProgress").is_null();
    });
  }

  bool removals_are(std::size_t wanted) {
    const auto requests = cluster_->api().requests();
    std::size_t deletes = 0;
    for (const lab::RequestRecord& each : requests) {
      // The pod runner's own delete, which finishes a deletion, has no grace period.
      const bool asks = each.method == "DELETE" && each.code == 200 &&
                        each.body.find("\"gracePeriodSeconds\":0") == std::string::npos;
      if (asks && each.body.find("dryRun") == std::string::npos) ++deletes;
    }
    return holds("pods that were asked to go so far: " + std::to_string(deletes),
                 deletes == wanted);
  }

  std::vector<lab::RuntimeCall> updates_of_web() {
    return runtime().with_runtime([](lab::FakeCriRuntime& runtime) {
      std::vector<lab::RuntimeCall> updates;
      for (const lab::RuntimeCall& call : runtime.calls()) {
        const bool ours = call.method == "UpdateContainerResources" && call.outcome.empty() &&
                          call.name.starts_with("default/web");
        if (ours) updates.push_back(call);
      }
      return updates;
    });
  }

  // Prints the table that `elbowroom simulate resize` prints for such objects.
  bool explain(const std::string& pod) {
    std::string documents;
    for (const char* plural : {"nodes", "pods"}) {
      const auto list = cluster_->api().with_world([&](lab::World& world) {
        return world.list({.kind = lab::find_kind("", "v1", plural)});
      });
      if (!list) return fail(list.error().message);
      for (Json item : lab::list_at(*list, {"items"})) {
        item["apiVersion"] = "v1";
        item["kind"] = std::string(plural) == "nodes" ? "Node" : "Pod";
        documents += "---\n" + lab::to_text(item) + "\n";
      }
    }
    const auto manifests = read_manifests({{"the lab", documents}});
    if (!manifests) return fail(manifests.error().message);
    const auto report = answer(*manifests, {.pod = pod});
    if (!report) return fail(report.error().message);
    std::cout << "\n" << printed(*report, OutputFormat::Table) << std::flush;
    return true;
  }

  std::unique_ptr<lab::Cluster> cluster_;
  // declared last: they end before the cluster they talk to
  std::optional<lab::DaemonProcess> agent_;
  std::optional<lab::DaemonProcess> scheduler_;
};

// The daemons are in this program's folder.
fs::path own_programs() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

void run_demo() {
  std::error_code error;
  std::string folder = (fs::temp_directory_path(error) / "elbowroom-demo-XXXXXX").string();
  if (error || mkdtemp(folder.data()) == nullptr) {
    complain("make a folder for the demo in " + folder + ": set TMPDIR to a folder you may write");
    throw CLI::RuntimeError(kExitFailure);
  }
  const auto begun = std::chrono::steady_clock::now();
  const fs::path programs = own_programs();
  const fs::path gangs = fs::path(folder) / "gangs";
  const fs::path drain = fs::path(folder) / "drain";
  fs::create_directory(gangs, error);
  fs::create_directory(drain, error);
  const fs::path moves = fs::path(folder) / "moves";
  fs::create_directory(moves, error);
  const bool seen = Demo(folder, programs).play() && GangDemo(gangs, programs).play() &&
                    DrainDemo(drain, programs).play() && MoveDemo(moves, programs).play();
  const auto took = std::chrono::steady_clock::now() - begun;
  fs::remove_all(folder, error);
  if (!seen) throw CLI::RuntimeError(kExitFailure);
  std::cout
      << "\nEverything above was read from the API objects and from the runtimes' own figures.\n"
      << "The demo took " << took / 1ms << " ms.\n";
}

}  // namespace

void add_lab_demo(CLI::App& lab) {
  CLI::App* demo = lab.add_subcommand(
      "demo", "a pod grows, waits, is helped and survives a kill -9; each step is checked");
  demo->callback(run_demo);
}

}  // namespace elbowroom::cli
