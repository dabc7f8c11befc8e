#include "test/simulation/moves/move_objects.h"

#include <chrono>

#include "lab/virtual/pod_writes.h"
#include "lab/world/pod_rules.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using Trait = MoveHistoryStep::Trait;

bool has(const MoveHistoryStep& step, Trait trait) { return (step.d & trait) != 0; }

Json amounts(std::int64_t cpu, std::int64_t memory) {
  return {{"cpu", std::to_string(cpu) + "m"}, {"memory", std::to_string(memory) + "Mi"}};
}

Json preferred_zone(const char* zone, int weight) {
  return {
      {"weight", weight},
      {"preference",
       {{"matchExpressions",
         Json::array({{{"key", "zone"}, {"operator", "In"}, {"values", Json::array({zone})}}})}}}};
}

Json labels_of(const MoveHistoryStep& step) {
  Json labels = {{"app", step.name}};
  if (has(step, Trait::Tiered)) labels["tier"] = "y";
  return labels;
}

Json annotations_of(const MoveHistoryStep& step) {
  Json all = {{"lab.elbowroom.dev/terminates-after", has(step, Trait::Slow) ? "30s" : "2s"}};
  if (has(step, Trait::Never)) all["elbowroom.dev/move"] = "never";
  return all;
}

Json spec_of(const MoveHistoryStep& step) {
  Json spec = {
      {"schedulerName", has(step, Trait::Foreign) ? kForeignScheduler : kOurScheduler},
      {"terminationGracePeriodSeconds", 40},
      {"containers", Json::array({{{"name", "app"},
                                   {"image", "pause"},
                                   {"resources", {{"requests", amounts(step.b, step.c)}}}}})}};
  if (has(step, Trait::Important)) spec["priority"] = 100;
  if (has(step, Trait::Critical)) spec["priority"] = 2'000'000'000;
  if (has(step, Trait::Pinned)) spec["nodeSelector"] = {{"zone", "a"}};
  if (has(step, Trait::Grouped)) spec["schedulingGroup"] = {{"podGroupName", step.name}};
  if (has(step, Trait::Local)) {
    spec["volumes"] = Json::array({{{"name", "scratch"}, {"emptyDir", Json::object()}}});
  }
  if (has(step, Trait::Tolerates)) {
    spec["tolerations"] = Json::array({{{"key", "dedicated"}, {"operator", "Exists"}}});
  }
  if (has(step, Trait::Prefers)) {
    spec["affinity"] = {{"nodeAffinity",
                         {{"preferredDuringSchedulingIgnoredDuringExecution",
                           Json::array({preferred_zone("c", 60), preferred_zone("b", 20)})}}}};
  }
  return spec;
}

Json selector_of(const std::string& app) {
  if (app == "tier") return {{"matchLabels", {{"tier", "y"}}}};
  return {{"matchLabels", {{"app", app}}}};
}

}  // namespace

const lab::Kind& pod_kind() { return lab::pods_kind(); }
const lab::Kind& node_kind() { return lab::nodes_kind(); }
const lab::Kind& config_kind() { return *lab::find_kind("", "v1", "configmaps"); }
const lab::Kind& own_budget_kind() {
  return *lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets");
}
const lab::Kind& workload_kind(const std::string& kind) {
  if (kind == "StatefulSet") return *lab::find_kind("apps", "v1", "statefulsets");
  if (kind == "DaemonSet") return *lab::find_kind("apps", "v1", "daemonsets");
  if (kind == "ReplicaSet") return *lab::find_kind("apps", "v1", "replicasets");
  return *lab::find_kind("apps", "v1", "deployments");
}

Json ready_condition(bool is) {
  return Json::array({{{"type", "Ready"}, {"status", is ? "True" : "False"}}});
}

Json moved_node_object(const MoveHistoryStep& step) {
  Json amount = amounts(step.a, step.b);
  amount["pods"] = "60";
  Json node = {{"apiVersion", "v1"},
               {"kind", "Node"},
               {"metadata",
                {{"name", step.name},
                 {"labels", {{"kubernetes.io/hostname", step.name}, {"zone", step.text}}}}},
               {"spec", Json::object()},
               {"status",
                {{"capacity", amount},
                 {"allocatable", amount},
                 {"conditions", ready_condition(step.c != 3)}}}};
  if (step.c == 1) {
    node["spec"]["taints"] =
        Json::array({{{"key", "dedicated"}, {"value", "batch"}, {"effect", "NoSchedule"}}});
  }
  if (step.c == 2) node["spec"]["unschedulable"] = true;
  return node;
}

Json workload_object(const MoveHistoryStep& step) {
  Json object = {
      {"apiVersion", "apps/v1"},
      {"kind", step.text},
      {"metadata", {{"name", step.name}, {"namespace", "default"}}},
      {"spec",
       {{"selector", {{"matchLabels", {{"app", step.name}}}}},
        {"template",
         {{"metadata", {{"labels", labels_of(step)}, {"annotations", annotations_of(step)}}},
          {"spec", spec_of(step)}}}}}};
  if (step.text != "DaemonSet") object["spec"]["replicas"] = step.a;
  if (step.text == "StatefulSet") object["spec"]["serviceName"] = step.name;
  return object;
}

Json bare_pod_object(const MoveHistoryStep& step) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", step.name},
            {"namespace", "default"},
            {"labels", labels_of(step)},
            {"annotations", annotations_of(step)}}},
          {"spec", spec_of(step)}};
}

Json pod_budget_object(const MoveHistoryStep& step) {
  return {{"apiVersion", "policy/v1"},
          {"kind", "PodDisruptionBudget"},
          {"metadata", {{"name", step.name}, {"namespace", "default"}}},
          {"spec", {{"minAvailable", step.a}, {"selector", selector_of(step.text)}}}};
}

Json disruption_budget_object(const MoveHistoryStep& step) {
  Json spec = {
      {"hard", step.c == 1}, {"minAvailable", step.a}, {"selector", selector_of(step.text)}};
  if (step.b > 0) {
    const auto per = std::chrono::floor<std::chrono::seconds>(step.down).count();
    spec["rate"] = {{"disruptions", step.b}, {"per", std::to_string(per) + "s"}};
  }
  return {{"apiVersion", "elbowroom.dev/v1alpha1"},
          {"kind", "DisruptionBudget"},
          {"metadata", {{"name", step.name}, {"namespace", "default"}}},
          {"spec", std::move(spec)}};
}

Json config_map(const std::string& name, const std::string& key, const std::string& text) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", name}, {"namespace", "kube-system"}}},
          {"data", {{key, text}}}};
}

}  // namespace elbowroom::test
