// The columns of the kinds of apps/v1.
#include <array>
#include <string>

#include "lab/apiserver/human_duration.h"
#include "lab/apiserver/selector_text.h"
#include "lab/apiserver/table_columns.h"

namespace elbowroom::lab {
namespace {

constexpr Column kName{.name = "Name", .description = "Name must be unique within a namespace."};
constexpr Column kAge{.name = "Age", .description = "When the server created this object."};
constexpr Column kContainers{
    .name = "Containers", .description = "Names of each container in the template.", .priority = 1};
constexpr Column kImages{.name = "Images",
                         .description = "Images referenced by each container in the template.",
                         .priority = 1};
constexpr Column kSelector{
    .name = "Selector", .description = "Label selector for pods.", .priority = 1};

constexpr Column count_column(std::string_view name, std::string_view description) {
  return {.name = name, .description = description, .type = "integer"};
}

std::string name_of(const Json& object) { return text_at(object, {"metadata", "name"}); }

std::string age_of(const Json& object, policy::Time now) {
  return human_age(text_at(object, {"metadata", "creationTimestamp"}), now);
}

std::int64_t number_at(const Json& object, Path path) {
  return integer_at(object, path).value_or(0);
}

std::string ready_of_desired(const Json& object) {
  return std::to_string(number_at(object, {"status", "readyReplicas"})) + "/" +
         std::to_string(number_at(object, {"spec", "replicas"}));
}

std::string of_containers(const Json& object, std::string_view field) {
  std::string all;
  for (const Json& each : list_at(object, {"spec", "template", "spec", "containers"})) {
    all += (all.empty() ? "" : ",") + text_at(each, {field});
  }
  return all;
}

std::string node_selector_text(const Json& object) {
  std::string all;
  for (const auto& [key, value] :
       map_at(object, {"spec", "template", "spec", "nodeSelector"}).items()) {
    if (!value.is_string()) continue;
    all += (all.empty() ? "" : ",") + key + "=" + value.get_ref<const std::string&>();
  }
  return all.empty() ? "<none>" : all;
}

}  // namespace

Columns deployment_columns() {
  static constexpr std::array kColumns{
      kName,
      Column{.name = "Ready", .description = "Number of the pod with ready state"},
      Column{.name = "Up-to-date", .description = "Number of pods that have the desired template."},
      Column{.name = "Available", .description = "Number of available pods."},
      kAge,
      kContainers,
      kImages,
      kSelector};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object),
                    ready_of_desired(object),
                    number_at(object, {"status", "updatedReplicas"}),
                    number_at(object, {"status", "availableReplicas"}),
                    age_of(object, now),
                    of_containers(object, "name"),
                    of_containers(object, "image"),
                    selector_text(object)};
          }};
}

Columns replica_set_columns() {
  static constexpr std::array kColumns{
      kName,
      count_column("Desired", "Replicas is the number of desired pods."),
      count_column("Current", "Replicas is the most recently observed number of pods."),
      count_column("Ready", "The number of pods with a Ready Condition."),
      kAge,
      kContainers,
      kImages,
      kSelector};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object),
                    number_at(object, {"spec", "replicas"}),
                    number_at(object, {"status", "replicas"}),
                    number_at(object, {"status", "readyReplicas"}),
                    age_of(object, now),
                    of_containers(object, "name"),
                    of_containers(object, "image"),
                    selector_text(object)};
          }};
}

Columns stateful_set_columns() {
  static constexpr std::array kColumns{
      kName, Column{.name = "Ready", .description = "Number of the pod with ready state"}, kAge,
      kContainers, kImages};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object), ready_of_desired(object), age_of(object, now),
                    of_containers(object, "name"), of_containers(object, "image")};
          }};
}

Columns daemon_set_columns() {
  static constexpr std::array kColumns{
      kName,
      count_column("Desired", "The total number of nodes that should be running the daemon pod."),
      count_column("Current", "The number of nodes that run a daemon pod and are supposed to."),
      count_column("Ready", "The number of nodes whose daemon pod is ready."),
      count_column("Up-to-date", "The number of nodes that run an updated daemon pod."),
      count_column("Available", "The number of nodes whose daemon pod is available."),
      Column{.name = "Node Selector", .description = "NodeSelector of the template."},
      kAge,
      kContainers,
      kImages,
      kSelector};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object),
                    number_at(object, {"status", "desiredNumberScheduled"}),
                    number_at(object, {"status", "currentNumberScheduled"}),
                    number_at(object, {"status", "numberReady"}),
                    number_at(object, {"status", "updatedNumberScheduled"}),
                    number_at(object, {"status", "numberAvailable"}),
                    node_selector_text(object),
                    age_of(object, now),
                    of_containers(object, "name"),
                    of_containers(object, "image"),
                    selector_text(object)};
          }};
}

}  // namespace elbowroom::lab
