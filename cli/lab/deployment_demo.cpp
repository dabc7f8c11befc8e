#include "cli/lab/deployment_demo.h"

#include <chrono>
#include <fstream>
#include <utility>

#include "lab/world/kind.h"

namespace elbowroom::cli {

using lab::Json;
using namespace std::chrono_literals;

Json deployment(const std::string& name, std::size_t replicas) {
  const Json container = {{"name", "app"},
                          {"image", "registry.example/app:1"},
                          {"resources", {{"requests", {{"cpu", "1"}, {"memory", "256Mi"}}}}}};
  const Json pod = {{"schedulerName", "elbowroom"},
                    {"terminationGracePeriodSeconds", 2},
                    {"containers", Json::array({container})}};
  const Json labels = {{"app", name}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", name}, {"namespace", "default"}}},
          {"spec",
           {{"replicas", replicas},
            {"selector", {{"matchLabels", labels}}},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod}}}}}};
}

bool DeploymentDemo::start_cluster() {
  auto cluster = lab::Cluster::start(
      {.nodes = 2, .controllers = true, .folder = folder(), .complain = [](const std::string&) {}});
  if (!cluster) return fail(cluster.error().message);
  cluster_ = *std::move(cluster);
  if (!lab::comes_true([&] { return cluster_->is_ready(); }, kPatience)) {
    return fail("the nodes were not registered");
  }
  std::ofstream(kubeconfig()) << cluster_->api().kubeconfig();
  return true;
}

bool DeploymentDemo::start_daemons() {
  scheduler_ = started("scheduler", {"--mode=full"});
  rescheduler_ = started("rescheduler", {});
  return scheduler_ && rescheduler_;
}

bool DeploymentDemo::stop_daemons() {
  const auto scheduler = scheduler_->stop(5000ms);
  const auto rescheduler = rescheduler_->stop(5000ms);
  return holds("elbowroom-scheduler ended cleanly", scheduler && *scheduler == 0) &&
         holds("elbowroom-rescheduler ended cleanly", rescheduler && *rescheduler == 0);
}

std::optional<lab::DaemonProcess> DeploymentDemo::started(const std::string& program,
                                                          std::vector<std::string> arguments) {
  arguments.push_back("--kubeconfig=" + kubeconfig());
  arguments.emplace_back("--listen=127.0.0.1:0");
  auto process = lab::DaemonProcess::start((programs() / ("elbowroom-" + program)).string(),
                                           arguments, (folder() / (program + ".log")).string());
  if (process) return *std::move(process);
  (void)fail(process.error().message);
  return std::nullopt;
}

bool DeploymentDemo::runs(std::size_t pods, const std::string& node) {
  return waits(std::to_string(pods) + (pods == 1 ? " pod runs on " : " pods run on ") + node,
               [&] { return running_on(node).size() == pods; });
}

Json DeploymentDemo::list(const std::string& group, const std::string& version,
                          const std::string& plural, const std::string& ns) {
  const auto list = cluster_->api().with_world([&](lab::World& world) {
    return world.list({.kind = lab::find_kind(group, version, plural), .ns = ns});
  });
  return list ? lab::list_at(*list, {"items"}) : Json::array();
}

Json DeploymentDemo::pods() { return list("", "v1", "pods", "default"); }

std::set<std::string> DeploymentDemo::running_on(const std::string& node) {
  std::set<std::string> names;
  for (const Json& pod : pods()) {
    const bool runs = lab::text_at(pod, {"spec", "nodeName"}) == node &&
                      lab::text_at(pod, {"status", "phase"}) == "Running" &&
                      lab::text_at(pod, {"metadata", "deletionTimestamp"}).empty();
    if (runs) names.insert(lab::text_at(pod, {"metadata", "name"}));
  }
  return names;
}

void DeploymentDemo::create(const Json& object) {
  const auto answer =
      cluster_->api().with_world([&](lab::World& world) { return world.load(object); });
  if (!answer) say("  refused: " + answer.error().message);
}

void DeploymentDemo::cordon(const std::string& node, bool cordoned) {
  const Json change = {{"spec", {{"unschedulable", cordoned ? Json(true) : Json(nullptr)}}}};
  const auto answer = cluster_->api().with_world([&](lab::World& world) {
    return world.patch({lab::find_kind("", "v1", "nodes"), "", node}, lab::PatchType::Merge,
                       change);
  });
  if (!answer) say("  refused: " + answer.error().message);
}

}  // namespace elbowroom::cli
