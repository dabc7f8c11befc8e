#include "cli/lab/gang_demo.h"

#include <fstream>
#include <iostream>
#include <utility>

#include "api/codec/encode_group_explanation.h"
#include "cli/explain_group.h"
#include "cli/input/manifests.h"
#include "cli/output/group_explanation_text.h"
#include "lab/world/kind.h"

namespace elbowroom::cli {
namespace {

using lab::Json;
using namespace std::chrono_literals;

constexpr const char* kGroups = "scheduling.k8s.io";
constexpr const char* kGroupVersion = "v1beta1";

const lab::Kind* kind_of(const std::string& plural) {
  return plural == "podgroups" ? lab::find_kind(kGroups, kGroupVersion, plural)
                               : lab::find_kind("", "v1", plural);
}

Json group_object(const std::string& name, int priority) {
  return {{"apiVersion", std::string(kGroups) + "/" + kGroupVersion},
          {"kind", "PodGroup"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec",
           {{"priority", priority},
            {"disruptionMode", {{"all", Json::object()}}},
            {"schedulingPolicy", {{"gang", {{"minCount", 2}}}}}}}};
}

// A pod of 3 cpus, which leaves no room for another one on its node.
Json member_object(const std::string& name, const std::string& group, int priority) {
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata", {{"name", name}, {"namespace", "default"}}},
      {"spec",
       {{"schedulerName", "elbowroom"},
        {"priority", priority},
        {"schedulingGroup", {{"podGroupName", group}}},
        {"terminationGracePeriodSeconds", 2},
        {"containers",
         Json::array({{{"name", "app"},
                       {"image", "registry.example/app:1"},
                       {"resources", {{"requests", {{"cpu", "3"}, {"memory", "256Mi"}}}}}}})}}}};
}

}  // namespace

bool GangDemo::play() {
  const bool seen = begin() && explains_both() && preempts_whole();
  if (!seen) return false;
  say("");
  const auto scheduler = scheduler_->stop(5000ms);
  return holds("elbowroom-scheduler ended cleanly", scheduler && *scheduler == 0);
}

bool GangDemo::begin() {
  title("9. Two other nodes with 4 cpus, and a gang of two pods that are removed as one: batch");
  auto cluster =
      lab::Cluster::start({.nodes = 2, .folder = folder(), .complain = [](const std::string&) {}});
  if (!cluster) return fail(cluster.error().message);
  cluster_ = *std::move(cluster);
  if (!lab::comes_true([&] { return cluster_->is_ready(); }, kPatience)) {
    return fail("the nodes were not registered");
  }
  std::ofstream(folder() / "gang.kubeconfig") << cluster_->api().kubeconfig();
  create(group_object("batch", 0));
  for (const char* name : {"batch-1", "batch-2"}) {
    Json pod = member_object(name, "batch", 0);
    pod["spec"]["nodeName"] = std::string("node-") + name[6];
    create(pod);
    if (!waits(std::string("default/") + name + " runs on " + node_of(name),
               [&] { return lab::text_at(get("pods", name), {"status", "phase"}) == "Running"; })) {
      return false;
    }
  }
  return true;
}

bool GangDemo::explains_both() {
  title("10. Another gang comes, train, which is more important: both are explained");
  create(group_object("train", 1000));
  for (const char* name : {"train-1", "train-2"}) create(member_object(name, "train", 1000));
  return explain("default/batch") && explain("default/train");
}

bool GangDemo::preempts_whole() {
  title("11. elbowroom-scheduler removes batch whole, and places train together");
  auto started =
      lab::DaemonProcess::start((programs() / "elbowroom-scheduler").string(),
                                {"--kubeconfig=" + (folder() / "gang.kubeconfig").string(),
                                 "--mode=full", "--listen=127.0.0.1:0"},
                                (folder() / "scheduler.log").string());
  if (!started) return fail(started.error().message);
  scheduler_.emplace(*std::move(started));
  for (const char* name : {"batch-1", "batch-2"}) {
    if (!waits(std::string("default/") + name + " is gone",
               [&] { return get("pods", name).is_null(); })) {
      return false;
    }
  }
  return waits("the pods of train run on two nodes",
               [&] {
                 return !node_of("train-1").empty() && !node_of("train-2").empty() &&
                        node_of("train-1") != node_of("train-2");
               }) &&
         waits("the group batch has the condition DisruptionTarget",
               [&] {
                 return lab::text_at(condition_of("batch", "DisruptionTarget"), {"reason"}) ==
                        "PreemptionByScheduler";
               }) &&
         waits("the group train has the condition PodGroupInitiallyScheduled", [&] {
           return lab::text_at(condition_of("train", "PodGroupInitiallyScheduled"), {"status"}) ==
                  "True";
         });
}

// Prints what `elbowroom explain group` prints.
bool GangDemo::explain(const std::string& group) {
  std::string documents;
  for (const char* plural : {"nodes", "pods", "podgroups"}) {
    const lab::Kind* kind = kind_of(plural);
    const auto list =
        cluster_->api().with_world([&](lab::World& world) { return world.list({.kind = kind}); });
    if (!list) return fail(list.error().message);
    for (Json item : lab::list_at(*list, {"items"})) {
      item["apiVersion"] = lab::api_version_of(*kind);
      item["kind"] = kind->name;
      documents += "---\n" + lab::to_text(item) + "\n";
    }
  }
  auto manifests = read_manifests({{"the lab", documents}});
  if (!manifests) return fail(manifests.error().message);
  const DecodedObjects decoded{.manifests = *std::move(manifests)};
  const policy::PodGroup* found = find_group(decoded.manifests, group);
  if (found == nullptr) return fail("no group " + group);
  const policy::GroupExplanation about = explain_group_of(decoded, *found, {});
  std::cout << "\n" << group_explanation_text(api::encode_group_explanation(about)) << std::flush;
  return true;
}

void GangDemo::create(const Json& object) {
  const auto answer =
      cluster_->api().with_world([&](lab::World& world) { return world.load(object); });
  if (!answer) say("  refused: " + answer.error().message);
}

Json GangDemo::get(const std::string& plural, const std::string& name) {
  auto found = cluster_->api().with_world([&](lab::World& world) {
    return world.get({kind_of(plural), "default", name, lab::Subresource::None});
  });
  return found ? *std::move(found) : Json();
}

std::string GangDemo::node_of(const std::string& pod) {
  return lab::text_at(get("pods", pod), {"spec", "nodeName"});
}

Json GangDemo::condition_of(const std::string& group, const std::string& type) {
  const Json object = get("podgroups", group);
  for (const Json& condition : lab::list_at(object, {"status", "conditions"})) {
    if (lab::text_at(condition, {"type"}) == type) return condition;
  }
  return {};
}

}  // namespace elbowroom::cli
