#include "test/simulation/moves/move_facts.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "api/codec/timestamp.h"
#include "test/simulation/moves/move_objects.h"

namespace elbowroom::test {
namespace {

using lab::Json;

std::int64_t number_in(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }

std::int64_t millicores(const std::string& text) {
  return text.ends_with('m') ? number_in(text) : 1000 * number_in(text);
}

std::int64_t mebibytes(const std::string& text) {
  if (text.ends_with("Mi")) return number_in(text);
  return text.ends_with("Gi") ? 1024 * number_in(text) : number_in(text) >> 20U;
}

Amounts amounts_in(const Json& map) {
  return {.cpu = millicores(lab::text_at(map, {"cpu"})),
          .memory = mebibytes(lab::text_at(map, {"memory"}))};
}

bool has_condition(const Json& object, std::string_view type) {
  return std::ranges::any_of(lab::list_at(object, {"status", "conditions"}), [&](const Json& each) {
    return each.value("type", "") == type && each.value("status", "") == "True";
  });
}

const Json& preferences_of(const Json& pod) {
  return lab::list_at(
      pod, {"spec", "affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"});
}

bool meets(const Json& term, const Json& node) {
  const Json& labels = lab::map_at(node, {"metadata", "labels"});
  return std::ranges::all_of(
      lab::list_at(term, {"preference", "matchExpressions"}), [&](const Json& each) {
        const auto label = labels.find(each.value("key", ""));
        return label != labels.end() &&
               std::ranges::find(each.at("values"), *label) != each.at("values").end();
      });
}

bool is_tolerated(const Json& taint, const Json& pod) {
  return std::ranges::any_of(lab::list_at(pod, {"spec", "tolerations"}), [&](const Json& each) {
    return each.value("key", "") == taint.value("key", "");
  });
}

// Of the larger share: what is used, and of how much.
struct Share {
  std::int64_t used = 0;
  std::int64_t of = 1;
};
Share larger(const Filled& node) {
  const Share cpu{node.used.cpu, std::max<std::int64_t>(node.of.cpu, 1)};
  const Share memory{node.used.memory, std::max<std::int64_t>(node.of.memory, 1)};
  return cpu.used * memory.of < memory.used * cpu.of ? memory : cpu;
}

}  // namespace

std::string uid_of(const Json& object) { return lab::text_at(object, {"metadata", "uid"}); }
std::string name_of(const Json& object) { return lab::text_at(object, {"metadata", "name"}); }
std::string node_of(const Json& pod) { return lab::text_at(pod, {"spec", "nodeName"}); }

bool is_leaving(const Json& object) { return object.at("metadata").contains("deletionTimestamp"); }

bool has_ended(const Json& pod) {
  const std::string phase = lab::text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool is_ready(const Json& object) { return has_condition(object, "Ready"); }

bool takes_pods(const Json& node) {
  return is_ready(node) && !lab::truth_at(node, {"spec", "unschedulable"});
}

SeenController controller_of(const Json& object) {
  for (const Json& each : lab::list_at(object, {"metadata", "ownerReferences"})) {
    if (!each.value("controller", false)) continue;
    return {.kind = each.value("kind", ""),
            .name = each.value("name", ""),
            .uid = each.value("uid", "")};
  }
  return {};
}

std::string resting_owner_of(const lab::World& world, const Json& pod) {
  const SeenController own = controller_of(pod);
  if (own.kind != "ReplicaSet") return own.uid;
  const Json* set = world.peek(workload_kind("ReplicaSet"), "default", own.name);
  const SeenController top = set == nullptr ? SeenController{} : controller_of(*set);
  return top.uid.empty() ? own.uid : top.uid;
}

std::string why_it_stays(const Json& pod, bool protects_local) {
  const SeenController controller = controller_of(pod);
  if (controller.uid.empty()) return "has no controller";
  if (controller.kind == "DaemonSet") return "is of a DaemonSet";
  const Json& annotations = lab::map_at(pod, {"metadata", "annotations"});
  if (annotations.value("elbowroom.dev/move", "") == "never") return "is never to be moved";
  if (lab::find_at(pod, {"spec", "schedulingGroup"}) != nullptr) return "is of a group";
  if (lab::integer_at(pod, {"spec", "priority"}).value_or(0) >= 2'000'000'000) return "is critical";
  const bool is_local = !lab::list_at(pod, {"spec", "volumes"}).empty();
  if (protects_local && is_local) return "has its data on the node";
  if (lab::text_at(pod, {"status", "phase"}) != "Running") return "does not run";
  return "";
}

Amounts requests_of(const Json& pod) {
  Amounts all;
  for (const Json& each : lab::list_at(pod, {"spec", "containers"})) {
    const Amounts of = amounts_in(lab::map_at(each, {"resources", "requests"}));
    all.cpu += of.cpu;
    all.memory += of.memory;
  }
  return all;
}

bool Filled::is_above(std::int64_t percent) const {
  return used.cpu * 100 > of.cpu * percent || used.memory * 100 > of.memory * percent;
}

std::int64_t Filled::percent_more_than(const Filled& other) const {
  const Share mine = larger(*this);
  const Share theirs = larger(other);
  const std::int64_t over = 100 * (mine.used * theirs.of - theirs.used * mine.of);
  const std::int64_t under = mine.of * theirs.of;
  return over / under - (over % under < 0 ? 1 : 0);
}

Filled filled(const lab::World& world, const std::string& node) {
  Filled made;
  if (const Json* object = world.peek(node_kind(), "", node)) {
    made.of = amounts_in(lab::map_at(*object, {"status", "allocatable"}));
  }
  for (const Json* each : world.all_stored_objects(pod_kind())) {
    if (node_of(*each) != node || has_ended(*each)) continue;
    const Amounts asks = requests_of(*each);
    made.used.cpu += asks.cpu;
    made.used.memory += asks.memory;
    ++made.pods;
  }
  return made;
}

bool has_place_for(const lab::World& world, const Json& node, const Json& pod) {
  if (!takes_pods(node)) return false;
  const Json& labels = lab::map_at(node, {"metadata", "labels"});
  for (const auto& [key, value] : lab::map_at(pod, {"spec", "nodeSelector"}).items()) {
    if (!labels.contains(key) || labels.at(key) != value) return false;
  }
  const bool is_tainted =
      std::ranges::any_of(lab::list_at(node, {"spec", "taints"}),
                          [&](const Json& each) { return !is_tolerated(each, pod); });
  if (is_tainted) return false;
  const Filled now = filled(world, name_of(node));
  const Amounts asks = requests_of(pod);
  return now.used.cpu + asks.cpu <= now.of.cpu && now.used.memory + asks.memory <= now.of.memory;
}

std::int64_t all_weights(const Json& pod) {
  std::int64_t all = 0;
  for (const Json& each : preferences_of(pod)) all += each.value("weight", 0);
  return all;
}

std::int64_t met_weights(const Json& pod, const Json& node) {
  std::int64_t met = 0;
  for (const Json& each : preferences_of(pod))
    met += meets(each, node) ? each.value("weight", 0) : 0;
  return met;
}

bool selects(const Json& budget, const Json& pod) {
  const Json& labels = lab::map_at(pod, {"metadata", "labels"});
  const Json& wanted = lab::map_at(budget, {"spec", "selector", "matchLabels"});
  return std::ranges::all_of(wanted.items(), [&](const auto& each) {
    return labels.contains(each.key()) && labels.at(each.key()) == each.value();
  });
}

bool has_entry(const Json& budget, const std::string& uid) {
  return std::ranges::any_of(lab::list_at(budget, {"status", "recentDisruptions"}),
                             [&](const Json& each) { return each.value("uid", "") == uid; });
}

std::int64_t seconds_at(const Json& object, lab::Path path) {
  const auto time = api::parse_timestamp(lab::text_at(object, path));
  if (!time) return 0;
  return std::chrono::floor<std::chrono::seconds>(time->time_since_epoch()).count();
}

std::int64_t whole_seconds(const std::string& text) { return number_in(text); }

}  // namespace elbowroom::test
