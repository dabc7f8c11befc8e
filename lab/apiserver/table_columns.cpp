// The columns of the kinds that have few.
#include "lab/apiserver/table_columns.h"

#include <array>
#include <string>

#include "lab/apiserver/human_duration.h"

namespace elbowroom::lab {
namespace {

constexpr Column kName{.name = "Name", .description = "Name must be unique within a namespace."};
constexpr Column kAge{.name = "Age", .description = "When the server created this object."};
constexpr Column kMinAvailable{.name = "Min Available",
                               .description = "The minimum number of pods that must be available."};
constexpr Column kMaxUnavailable{
    .name = "Max Unavailable",
    .description = "The maximum number of pods that may be unavailable."};

std::string name_of(const Json& object) { return text_at(object, {"metadata", "name"}); }

std::string age_of(const Json& object, policy::Time now) {
  return human_age(text_at(object, {"metadata", "creationTimestamp"}), now);
}

// A number or a percentage.
std::string amount_at(const Json& object, Path path, std::string_view otherwise) {
  if (const auto number = integer_at(object, path)) return std::to_string(*number);
  const std::string text = text_at(object, path);
  return text.empty() ? std::string(otherwise) : text;
}

Columns plain_columns() {
  static constexpr std::array kColumns{kName, kAge};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object), age_of(object, now)};
          }};
}

}  // namespace

Columns namespace_columns() {
  static constexpr std::array kColumns{
      kName, Column{.name = "Status", .description = "The status of the namespace"}, kAge};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object), text_at(object, {"status", "phase"}), age_of(object, now)};
          }};
}

Columns config_map_columns() {
  static constexpr std::array kColumns{
      kName, Column{.name = "Data", .description = "How many entries there are."}, kAge};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object),
                    map_at(object, {"data"}).size() + map_at(object, {"binaryData"}).size(),
                    age_of(object, now)};
          }};
}

Columns lease_columns() {
  static constexpr std::array kColumns{
      kName, Column{.name = "Holder", .description = "The holder of the lease."}, kAge};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object), text_at(object, {"spec", "holderIdentity"}),
                    age_of(object, now)};
          }};
}

Columns budget_columns() {
  static constexpr std::array kColumns{
      kName, kMinAvailable, kMaxUnavailable,
      Column{.name = "Allowed Disruptions",
             .description = "Calculated number of pods that may be disrupted at this time.",
             .type = "integer"},
      kAge};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object), amount_at(object, {"spec", "minAvailable"}, "N/A"),
                    amount_at(object, {"spec", "maxUnavailable"}, "N/A"),
                    integer_at(object, {"status", "disruptionsAllowed"}).value_or(0),
                    age_of(object, now)};
          }};
}

Columns priority_class_columns() {
  static constexpr std::array kColumns{
      kName, Column{.name = "Value", .description = "The priority's integer.", .type = "integer"},
      Column{.name = "Global-Default",
             .description = "Whether pods without a class have this one.",
             .type = "boolean"},
      kAge,
      Column{.name = "PreemptionPolicy",
             .description = "Whether pods of this class may preempt others.",
             .priority = 1}};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            return {name_of(object), integer_at(object, {"value"}).value_or(0),
                    truth_at(object, {"globalDefault"}), age_of(object, now),
                    text_at(object, {"preemptionPolicy"})};
          }};
}

Columns pod_group_columns() {
  static constexpr std::array kColumns{
      kName, Column{.name = "Policy", .description = "Gang or Basic."},
      Column{.name = "Workload", .description = "Name of the referenced Workload object"},
      Column{.name = "Status", .description = "Status of the PodGroup"}, kAge};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            const bool gang = find_at(object, {"spec", "schedulingPolicy", "gang"}) != nullptr;
            std::string status = "Pending";
            for (const Json& condition : list_at(object, {"status", "conditions"})) {
              const std::string type = text_at(condition, {"type"});
              if (type == "PodGroupInitiallyScheduled") {
                status = text_at(condition, {"status"}) == "True" ? "Scheduled" : "Unschedulable";
              }
              if (type == "DisruptionTarget") {
                status = text_at(condition, {"reason"});
                break;
              }
            }
            const std::string workload = text_at(object, {"spec", "workloadRef", "workloadName"});
            return {name_of(object), gang ? "Gang" : "Basic",
                    workload.empty() ? "<none>" : workload, status, age_of(object, now)};
          }};
}

Columns disruption_budget_columns() {
  static constexpr std::array kColumns{
      kName,
      kMinAvailable,
      kMaxUnavailable,
      Column{.name = "Rate", .description = "At most so many disruptions in that time."},
      Column{.name = "Hard",
             .description = "Whether preemption may never break it.",
             .type = "boolean"},
      Column{.name = "Healthy", .description = "Covered pods that are healthy.", .type = "integer"},
      Column{.name = "Allowed", .description = "So many may go now.", .type = "integer"},
      Column{.name = "Next", .description = "When the rate allows the next one."},
      kAge};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            const std::string most = amount_at(object, {"spec", "rate", "disruptions"}, "");
            return {name_of(object),
                    amount_at(object, {"spec", "minAvailable"}, "N/A"),
                    amount_at(object, {"spec", "maxUnavailable"}, "N/A"),
                    most.empty() ? "N/A" : most + "/" + text_at(object, {"spec", "rate", "per"}),
                    truth_at(object, {"spec", "hard"}),
                    amount_at(object, {"status", "currentHealthy"}, ""),
                    amount_at(object, {"status", "disruptionsAllowed"}, ""),
                    text_at(object, {"status", "nextAllowedTime"}),
                    age_of(object, now)};
          }};
}

Columns service_columns() {
  static constexpr std::array kColumns{
      kName,
      Column{.name = "Type", .description = "How the service is exposed."},
      Column{.name = "Cluster-IP", .description = "Its address within the cluster."},
      Column{.name = "External-IP", .description = "Its addresses for others."},
      Column{.name = "Port(s)", .description = "The ports that it exposes."},
      kAge,
      Column{.name = "Selector", .description = "Labels of its pods.", .priority = 1}};
  return {.columns = kColumns, .cells = [](const Json& object, policy::Time now) -> Json {
            const std::string address = text_at(object, {"spec", "clusterIP"});
            std::string ports;
            for (const Json& port : list_at(object, {"spec", "ports"})) {
              const std::string protocol = text_at(port, {"protocol"});
              ports += (ports.empty() ? "" : ",") + amount_at(port, {"port"}, "0") + "/" +
                       (protocol.empty() ? "TCP" : protocol);
            }
            std::string selector;
            for (const auto& [key, value] : map_at(object, {"spec", "selector"}).items()) {
              selector += (selector.empty() ? "" : ",") + key + "=" +
                          (value.is_string() ? value.get<std::string>() : "");
            }
            const std::string type = text_at(object, {"spec", "type"});
            return {name_of(object),
                    type.empty() ? "ClusterIP" : type,
                    address.empty() ? "<none>" : address,
                    "<none>",
                    ports.empty() ? "<none>" : ports,
                    age_of(object, now),
                    selector.empty() ? "<none>" : selector};
          }};
}

Columns columns_of(const Kind& kind) {
  if (kind.name == "Pod") return pod_columns();
  if (kind.name == "Node") return node_columns();
  if (kind.name == "Event") return event_columns();
  if (kind.name == "Namespace") return namespace_columns();
  if (kind.name == "ConfigMap") return config_map_columns();
  if (kind.name == "Service") return service_columns();
  if (kind.name == "Lease") return lease_columns();
  if (kind.name == "PodDisruptionBudget") return budget_columns();
  if (kind.name == "PriorityClass") return priority_class_columns();
  if (kind.name == "PodGroup") return pod_group_columns();
  if (kind.name == "Deployment") return deployment_columns();
  if (kind.name == "ReplicaSet") return replica_set_columns();
  if (kind.name == "StatefulSet") return stateful_set_columns();
  if (kind.name == "DaemonSet") return daemon_set_columns();
  if (kind.name == "DisruptionBudget") return disruption_budget_columns();
  return plain_columns();
}

}  // namespace elbowroom::lab
