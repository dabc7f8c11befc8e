#include "cli/lab/drain_demo.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <utility>

#include "api/transport/kubeconfig.h"
#include "cli/evict/cluster_writer.h"
#include "cli/evict/eviction.h"
#include "cli/input/cluster_reader.h"
#include "lab/world/kind.h"

namespace elbowroom::cli {
namespace {

using lab::Json;
using namespace std::chrono_literals;

constexpr std::size_t kReplicas = 2;
constexpr auto kLongestWait = 180s;

Json deployment() {
  const Json container = {{"name", "app"},
                          {"image", "registry.example/app:1"},
                          {"resources", {{"requests", {{"cpu", "1"}, {"memory", "256Mi"}}}}}};
  const Json pod = {{"schedulerName", "elbowroom"},
                    {"terminationGracePeriodSeconds", 2},
                    {"containers", Json::array({container})}};
  const Json labels = {{"app", "web"}};
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata", {{"name", "web"}, {"namespace", "default"}}},
          {"spec",
           {{"replicas", kReplicas},
            {"selector", {{"matchLabels", labels}}},
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod}}}}}};
}

Json budget() {
  return {{"apiVersion", "elbowroom.dev/v1alpha1"},
          {"kind", "DisruptionBudget"},
          {"metadata", {{"name", "web"}, {"namespace", "default"}}},
          {"spec",
           {{"selector", {{"matchLabels", {{"app", "web"}}}}},
            {"maxUnavailable", 1},
            {"rate", {{"disruptions", 1}, {"per", "1m"}}}}}};
}

}  // namespace

bool DrainDemo::play() {
  return begin() && evicts_the_first() && is_told_when() && evicts_the_second() && end();
}

bool DrainDemo::begin() {
  title("12. Two other nodes, a Deployment of two pods, and a budget: one may go a minute");
  auto cluster = lab::Cluster::start(
      {.nodes = 2, .controllers = true, .folder = folder(), .complain = [](const std::string&) {}});
  if (!cluster) return fail(cluster.error().message);
  cluster_ = *std::move(cluster);
  if (!lab::comes_true([&] { return cluster_->is_ready(); }, kPatience)) {
    return fail("the nodes were not registered");
  }
  std::ofstream(folder() / "kubeconfig") << cluster_->api().kubeconfig();
  if (!start_daemons()) return false;
  cordon("node-2", true);
  create(budget());
  create(deployment());
  return runs(kReplicas, "node-1");
}

bool DrainDemo::evicts_the_first() {
  title("13. node-1 is cordoned, and its first pod is evicted");
  cordon("node-2", false);
  cordon("node-1", true);
  say("  cordoned node-1");
  const auto decision = evict(0s);
  return decision && holds("it was evicted", decision->result == EvictionResult::Evicted) &&
         runs(kReplicas - 1, "node-1") && runs(1, "node-2") &&
         waits("the evicted pod is gone", [&] { return pods().size() == kReplicas; });
}

bool DrainDemo::is_told_when() {
  title("14. The second one is evicted too early: the answer names the budget and the time");
  const auto decision = evict(0s);
  return decision &&
         holds("it was refused, and stays",
               decision->result == EvictionResult::Blocked && decision->next.has_value()) &&
         runs(kReplicas - 1, "node-1");
}

bool DrainDemo::evicts_the_second() {
  title("15. elbowroom evict --wait 3m goes on when the budget allows it, in a minute");
  const auto decision = evict(kLongestWait);
  return decision && holds("it was evicted", decision->result == EvictionResult::Evicted) &&
         runs(kReplicas, "node-2") && holds("node-1 is empty", running_on("node-1").empty());
}

bool DrainDemo::end() {
  title("Everything above was read from the API objects and from the runtimes' own figures.");
  const auto scheduler = scheduler_->stop(5000ms);
  const auto rescheduler = rescheduler_->stop(5000ms);
  return holds("elbowroom-scheduler ended cleanly", scheduler && *scheduler == 0) &&
         holds("elbowroom-rescheduler ended cleanly", rescheduler && *rescheduler == 0);
}

bool DrainDemo::start_daemons() {
  scheduler_ = started("scheduler", {"--mode=full"});
  rescheduler_ = started("rescheduler", {});
  return scheduler_ && rescheduler_;
}

std::optional<lab::DaemonProcess> DrainDemo::started(const std::string& program,
                                                     std::vector<std::string> arguments) {
  arguments.push_back("--kubeconfig=" + (folder() / "kubeconfig").string());
  arguments.emplace_back("--listen=127.0.0.1:0");
  auto process = lab::DaemonProcess::start((programs() / ("elbowroom-" + program)).string(),
                                           arguments, (folder() / (program + ".log")).string());
  if (process) return *std::move(process);
  (void)fail(process.error().message);
  return std::nullopt;
}

std::optional<EvictionDecision> DrainDemo::evict(std::chrono::seconds wait) {
  const auto pods = running_on("node-1");
  const auto access = api::user_access((folder() / "kubeconfig").string(), {}, "");
  if (pods.empty() || !access) {
    (void)fail(pods.empty() ? "no pod runs on node-1" : access.error().message);
    return std::nullopt;
  }
  ClusterReader reader(*access);
  ClusterWriter writer(*access);
  auto decision =
      cli::evict(reader, writer, {.pod = {"default", *pods.begin()}, .wait = wait},
                 {.now = [] { return std::chrono::steady_clock::now(); },
                  .pause = [&writer](std::chrono::milliseconds time) { writer.pause(time); },
                  .tell = [](const std::string& what) { say("  told    " + what); }});
  if (!decision) {
    (void)fail(decision.error().message);
    return std::nullopt;
  }
  std::cout << "\n" << eviction_text(*decision) << std::flush;
  return *std::move(decision);
}

bool DrainDemo::runs(std::size_t pods, const std::string& node) {
  return waits(std::to_string(pods) + (pods == 1 ? " pod runs on " : " pods run on ") + node,
               [&] { return running_on(node).size() == pods; });
}

Json DrainDemo::pods() {
  const auto list = cluster_->api().with_world([](lab::World& world) {
    return world.list({.kind = lab::find_kind("", "v1", "pods"), .ns = "default"});
  });
  return list ? lab::list_at(*list, {"items"}) : Json::array();
}

std::set<std::string> DrainDemo::running_on(const std::string& node) {
  std::set<std::string> names;
  for (const Json& pod : pods()) {
    const bool runs = lab::text_at(pod, {"spec", "nodeName"}) == node &&
                      lab::text_at(pod, {"status", "phase"}) == "Running" &&
                      lab::text_at(pod, {"metadata", "deletionTimestamp"}).empty();
    if (runs) names.insert(lab::text_at(pod, {"metadata", "name"}));
  }
  return names;
}

void DrainDemo::create(const Json& object) {
  const auto answer =
      cluster_->api().with_world([&](lab::World& world) { return world.load(object); });
  if (!answer) say("  refused: " + answer.error().message);
}

void DrainDemo::cordon(const std::string& node, bool cordoned) {
  const Json change = {{"spec", {{"unschedulable", cordoned ? Json(true) : Json(nullptr)}}}};
  const auto answer = cluster_->api().with_world([&](lab::World& world) {
    return world.patch({lab::find_kind("", "v1", "nodes"), "", node}, lab::PatchType::Merge,
                       change);
  });
  if (!answer) say("  refused: " + answer.error().message);
}

}  // namespace elbowroom::cli
