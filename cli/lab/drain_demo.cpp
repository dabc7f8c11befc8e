#include "cli/lab/drain_demo.h"

#include <chrono>
#include <iostream>
#include <utility>

#include "api/transport/kubeconfig.h"
#include "cli/evict/cluster_writer.h"
#include "cli/evict/eviction.h"
#include "cli/input/cluster_reader.h"

namespace elbowroom::cli {
namespace {

using lab::Json;
using namespace std::chrono_literals;

constexpr std::size_t kReplicas = 2;
constexpr auto kLongestWait = 180s;

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
  if (!start_cluster() || !start_daemons()) return false;
  cordon("node-2", true);
  create(budget());
  create(deployment("web", kReplicas));
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

bool DrainDemo::end() { return stop_daemons(); }

std::optional<EvictionDecision> DrainDemo::evict(std::chrono::seconds wait) {
  const auto pods = running_on("node-1");
  const auto access = api::user_access(kubeconfig(), {}, "");
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

}  // namespace elbowroom::cli
