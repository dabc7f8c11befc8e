#include "cli/input/manifests.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_cluster_pod.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_move_owner.h"
#include "api/codec/decode_move_rules.h"
#include "api/codec/decode_namespace.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod.h"
#include "api/codec/decode_priority_class.h"
#include "api/codec/decode_selecting.h"
#include "api/codec/decode_volume.h"
#include "api/codec/field.h"
#include "api/codec/json.h"
#include "cli/input/completed_object.h"
#include "cli/input/newest_time.h"
#include "cli/input/pod_groups.h"
#include "cli/input/priority_classes.h"
#include "cli/input/read_input.h"
#include "cluster/snapshot.h"
#include "daemon/config/suggestion.h"

namespace elbowroom::cli {
namespace {

using policy::Pod;

// Kinds that only the controllers of a simulation read.
constexpr std::array<std::string_view, 2> kOfControllers = {"Deployment", "DaemonSet"};
// Kinds that only moves read.
constexpr std::array<std::string_view, 3> kOwners = {"Deployment", "ReplicaSet", "StatefulSet"};
// Kinds whose controllers make pods in a cluster; nothing makes them of what is read here.
constexpr std::array<std::string_view, 2> kMakers = {"Deployment", "StatefulSet"};
constexpr std::size_t kShownKindBytes = 100;

// Fields that a pod may leave to its priority class.
struct PodClass {
  std::string name{};
  bool says_preemption = false;
};

// Everything read so far, with the state needed until all input is read.
struct Reading {
  Manifests manifests{};
  std::map<std::string, PodClass> pod_classes{};  // by pod key
  PriorityClasses classes{};
  std::map<std::string, std::string> seen{};  // "pod default/web" -> text's name
  std::map<std::string, std::string> uids{};  // uid -> pod key
  bool keeps_objects = false;
  bool gives_uids = false;
  bool is_served = false;  // the present input is from a cluster
  bool is_dump = false;    // or a dump of one: it has the pods, too
  std::vector<Value> objects{};
};

Result<void> note_once(Reading& reading, const std::string& object, std::string_view source) {
  const auto [at, added] = reading.seen.emplace(object, source);
  if (added) return {};
  const std::string also =
      at->second == source ? std::string() : " (the first time in " + at->second + ")";
  return failure(Code::Invalid, object + " is given twice: remove one" + also);
}

Result<PodClass> class_of(const Value& object) {
  const api::Field root(object);
  PodClass from;
  ASSIGN_OR_RETURN(const api::Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(from.name, spec.text("priorityClassName"));
  ASSIGN_OR_RETURN(const std::string preemption, spec.text("preemptionPolicy"));
  from.says_preemption = !preemption.empty();
  return from;
}

Result<void> add_pod(Reading& reading, const Value& object, std::string_view source) {
  api::UnreadableTerms odd;
  ASSIGN_OR_RETURN(Pod pod, reading.is_served ? api::decode_cluster_pod(object, &odd)
                                              : api::decode_pod_as({.odd = &odd}, object));
  const std::string key = key_of(pod);
  const Value* os = api::value_at(object, {"spec", "os"});
  if (os != nullptr && api::text_at(*os, "name") == "windows") {
    reading.manifests.windows_pods.insert(key);
  }
  for (const api::UnreadableTerm& each : odd) {
    reading.manifests.odd_terms.insert("pod " + key + ": " + each.why);
  }
  RETURN_IF_ERROR(note_once(reading, "pod " + key, source));
  if (const auto [at, added] = reading.uids.emplace(pod.uid, key); !added) {
    return failure(Code::Invalid,
                   "metadata.uid: " + cluster::same_uid_message(at->second, key, pod.uid) +
                       ": who is meant cannot be told");
  }
  Result<PodClass> from = class_of(object);
  if (!from) return std::unexpected(from.error().with("pod " + key));
  reading.pod_classes.emplace(key, std::move(*from));
  reading.manifests.pods.push_back(std::move(pod));
  return {};
}

Result<void> add_node(Reading& reading, const Value& object, std::string_view source) {
  ASSIGN_OR_RETURN(policy::Node node, api::decode_node(object));
  RETURN_IF_ERROR(note_once(reading, "node " + node.name, source));
  reading.manifests.nodes.push_back(std::move(node));
  return {};
}

Result<void> add_pod_disruption_budget(Reading& reading, const Value& object,
                                       std::string_view source) {
  ASSIGN_OR_RETURN(auto budget, api::decode_pod_disruption_budget(object));
  RETURN_IF_ERROR(
      note_once(reading, "pod disruption budget " + budget.ns + "/" + budget.name, source));
  reading.manifests.pod_disruption_budgets.push_back(std::move(budget));
  return {};
}

Result<void> add_disruption_budget(Reading& reading, const Value& object, std::string_view source) {
  ASSIGN_OR_RETURN(auto budget, api::decode_disruption_budget(object));
  RETURN_IF_ERROR(note_once(reading, "disruption budget " + budget.ns + "/" + budget.name, source));
  reading.manifests.disruption_budgets.push_back(std::move(budget));
  return {};
}

Result<void> add_priority_class(Reading& reading, const Value& object, std::string_view source) {
  ASSIGN_OR_RETURN(auto decoded, api::decode_priority_class(object));
  RETURN_IF_ERROR(note_once(reading, "priority class " + decoded.name, source));
  reading.classes.add(std::move(decoded));
  return {};
}

Result<void> add_group(Reading& reading, const Value& object, std::string_view source) {
  ASSIGN_OR_RETURN(policy::PodGroup group, group_of(object));
  const std::string key = key_of(group);
  RETURN_IF_ERROR(note_once(reading, "pod group " + key, source));
  if (!group.trouble.empty()) {
    reading.manifests.odd_groups.insert("pod group " + key + ": " + group.trouble);
  }
  reading.manifests.groups.push_back(std::move(group));
  return {};
}

Result<void> add_workload(Reading& reading, const Value& object, std::string_view source) {
  const auto metadata = api::decode_metadata(api::Field(object));
  if (!metadata) {
    return std::unexpected(metadata.error().with("workload " + api::name_in_errors(object, true)));
  }
  std::string key = (metadata->ns.empty() ? "default" : metadata->ns) + "/" + metadata->name;
  RETURN_IF_ERROR(note_once(reading, "workload " + key, source));
  reading.manifests.workloads.insert(std::move(key));
  return {};
}

Result<void> add_namespace(Reading& reading, const Value& object, std::string_view source) {
  ASSIGN_OR_RETURN(policy::Namespace decoded, api::decode_namespace(object));
  RETURN_IF_ERROR(note_once(reading, "namespace " + decoded.name, source));
  reading.manifests.namespaces.emplace(std::move(decoded.name), std::move(decoded.labels));
  return {};
}

// Of all ConfigMaps the rescheduler's own.
Result<void> add_config_map(Reading& reading, const Value& object, std::string_view source) {
  const api::Field root(object);
  ASSIGN_OR_RETURN(const api::Field metadata, root.get("metadata"));
  ASSIGN_OR_RETURN(const std::string ns, metadata.text("namespace"));
  ASSIGN_OR_RETURN(const std::string name, metadata.text("name"));
  if (ns != api::kMoveRulesNamespace || name != api::kMoveRulesName) return {};
  const std::string key = "ConfigMap " + ns + "/" + name;
  RETURN_IF_ERROR(note_once(reading, key, source));
  ASSIGN_OR_RETURN(const api::Field data, root.get("data"));
  ASSIGN_OR_RETURN(const std::string text, data.text(api::kMoveRulesKey));
  if (text.empty()) return {};
  auto rules = api::decode_move_rules(text);
  if (!rules) {
    return std::unexpected(rules.error().with(key + ": " + std::string(api::kMoveRulesKey)));
  }
  reading.manifests.move_rules = *std::move(rules);
  return {};
}

// `decoded` goes into `into`.
template <class T>
Result<void> add_volume_object(Reading& reading, Result<T> decoded, std::vector<T>& into,
                               std::string name, std::string_view source) {
  if (!decoded) return std::unexpected(std::move(decoded).error());
  RETURN_IF_ERROR(note_once(reading, name, source));
  into.push_back(*std::move(decoded));
  return {};
}

// Claims, volumes, classes, and what drivers publish. False: the object is none of them.
Result<bool> add_of_volumes(Reading& reading, const Value& object, std::string_view kind,
                            std::string_view source) {
  policy::VolumeObjects& all = reading.manifests.volumes;
  const api::Source from = reading.is_served ? api::Source::Server : api::Source::File;
  const auto name = [&](bool namespaced) {
    return std::string(kind) + " " + api::name_in_errors(object, namespaced);
  };
  Result<void> added;
  if (kind == "PersistentVolumeClaim") {
    added = add_volume_object(reading, api::decode_volume_claim(object, from), all.claims,
                              name(true), source);
  } else if (kind == "PersistentVolume") {
    added = add_volume_object(reading, api::decode_volume(object, from), all.volumes, name(false),
                              source);
  } else if (kind == "StorageClass") {
    added = add_volume_object(reading, api::decode_storage_class(object, from), all.classes,
                              name(false), source);
  } else if (kind == "CSINode") {
    added = add_volume_object(reading, api::decode_csi_node(object, from), all.csi_nodes,
                              name(false), source);
  } else if (kind == "CSIDriver") {
    added = add_volume_object(reading, api::decode_csi_driver(object, from), all.drivers,
                              name(false), source);
  } else if (kind == "CSIStorageCapacity") {
    added = add_volume_object(reading, api::decode_storage_capacity(object, from), all.capacities,
                              name(true), source);
  } else {
    return false;
  }
  if (!added) return std::unexpected(std::move(added).error());
  return true;
}

Result<void> add_owner(Reading& reading, const Value& object, std::string_view kind) {
  const auto owner = api::decode_move_owner(object, kind, api::Source::File);
  if (!owner) {
    return std::unexpected(
        owner.error().with(std::string(kind) + " " + api::name_in_errors(object, true)));
  }
  if (!owner->uid.empty()) reading.manifests.owners.push_back(*owner);
  return {};
}

// One that a server has and that cannot be understood costs its pods a score, nothing else.
Result<void> add_selecting(Reading& reading, const Value& object, policy::SelectingKind kind) {
  auto made = api::decode_selecting(object, kind,
                                    reading.is_served ? api::Source::Server : api::Source::File);
  if (!made && !reading.is_served) return std::unexpected(std::move(made).error());
  if (made) reading.manifests.selecting.push_back(*std::move(made));
  return {};
}

Result<void> add_whole(Reading& reading, const Value& object, std::string_view kind,
                       std::string_view source) {
  if (std::ranges::find(kOwners, kind) != kOwners.end()) {
    RETURN_IF_ERROR(add_owner(reading, object, kind));
  }
  const bool has_pods_beside = reading.is_served || reading.is_dump;
  if (!has_pods_beside && std::ranges::find(kMakers, kind) != kMakers.end()) {
    reading.manifests.makers.emplace(kind);
  }
  ASSIGN_OR_RETURN(const bool is_of_volumes, add_of_volumes(reading, object, kind, source));
  Result<void> added;
  if (const auto selecting = api::selecting_kind_of(kind)) {
    added = add_selecting(reading, object, *selecting);
  } else if (is_of_volumes) {
    added = {};
  } else if (kind == "Pod") {
    added = add_pod(reading, object, source);
  } else if (kind == "Node") {
    added = add_node(reading, object, source);
  } else if (kind == "PodDisruptionBudget") {
    added = add_pod_disruption_budget(reading, object, source);
  } else if (kind == "DisruptionBudget") {
    added = add_disruption_budget(reading, object, source);
  } else if (kind == "PriorityClass") {
    added = add_priority_class(reading, object, source);
  } else if (kind == "Namespace") {
    added = add_namespace(reading, object, source);
  } else if (kind == "PodGroup") {
    added = add_group(reading, object, source);
  } else if (kind == "Workload") {
    added = add_workload(reading, object, source);
  } else if (kind == "ConfigMap") {
    added = add_config_map(reading, object, source);
  } else if (kind == "DaemonReport" || kind == "Recording") {
    return {};  // of a dump, for people
  } else {
    if (std::ranges::find(kOwners, kind) == kOwners.end()) {
      reading.manifests.unknown_kinds.emplace(kind.substr(0, kShownKindBytes));
    }
    const bool is_kept =
        reading.keeps_objects && std::ranges::find(kOfControllers, kind) != kOfControllers.end();
    if (is_kept) reading.objects.push_back(completed_object(object, kind));
    return {};
  }
  RETURN_IF_ERROR(std::move(added));
  const auto newest = newest_time(object);
  // A group that cannot be understood is named by now, and concerns only its own pods.
  if (!newest && kind != "PodGroup") {
    return std::unexpected(newest.error().with(std::string(kind)));
  }
  reading.manifests.newest = std::max(reading.manifests.newest, newest.value_or(std::nullopt));
  if (reading.keeps_objects) reading.objects.push_back(completed_object(object, kind));
  return {};
}

Result<void> add_object(Reading& reading, const Value& as_written, std::string_view kind,
                        std::string_view source) {
  if (!reading.gives_uids) return add_whole(reading, as_written, kind, source);
  return add_whole(reading, completed_object(as_written, kind), kind, source);
}

std::string place_of(const Value& object) {
  return "line " + std::to_string(object.at.line) + ", column " + std::to_string(object.at.column);
}

// `implied` is the kind of an item of a typed list, which may leave it out.
Result<std::string> kind_of(const Value& object, std::string_view implied) {
  if (object.kind != Value::Kind::Map) {
    return failure(Code::Invalid, place_of(object) +
                                      ": no Kubernetes object: expected a mapping "
                                      "with kind and metadata");
  }
  const Value* kind = object.find("kind");
  if (kind != nullptr && kind->kind == Value::Kind::String && !kind->text.empty()) {
    return kind->text;
  }
  if (kind == nullptr && !implied.empty()) return std::string(implied);
  return failure(Code::Invalid, place_of(object) + ": kind: must be a string such as Pod");
}

// A kind of a list: of objects that have names, only a list has none.
bool is_list(const Value& document, std::string_view kind) {
  if (!kind.ends_with("List")) return false;
  if (kind == "List" || document.find("items") != nullptr) return true;
  const Value* metadata = document.find("metadata");
  return metadata == nullptr || metadata->find("name") == nullptr;
}

// `elbowroom dump` says its version in the list's metadata. False: the list is no dump.
bool note_dump(Manifests& manifests, const Value& list) {
  const Value* metadata = list.find("metadata");
  const Value* version = metadata == nullptr ? nullptr : metadata->find("elbowroomVersion");
  if (version == nullptr || version->kind != Value::Kind::String) return false;
  if (version->text != ELBOWROOM_VERSION) {
    manifests.other_versions.emplace(version->text.substr(0, kShownKindBytes));
  }
  return true;
}

// One object, or the items of a list. A list without items is empty.
Result<void> add_document(Reading& reading, const Value& document, std::string_view implied,
                          std::string_view source) {
  ASSIGN_OR_RETURN(const std::string kind, kind_of(document, implied));
  if (!is_list(document, kind)) return add_object(reading, document, kind, source);
  const bool was_dump = reading.is_dump;
  reading.is_dump = note_dump(reading.manifests, document) || was_dump;
  const Value* items = document.find("items");
  if (items == nullptr || items->kind == Value::Kind::Null) return {};
  if (items->kind != Value::Kind::List) {
    return failure(Code::Invalid, place_of(*items) + ": items: expected a list");
  }
  const std::string item_kind = kind.substr(0, kind.size() - std::string_view("List").size());
  for (const Value& item : items->items) {
    RETURN_IF_ERROR(add_document(reading, item, item_kind, source));
  }
  reading.is_dump = was_dump;
  return {};
}

// Text that looks like JSON is parsed as JSON, for speed and for its limits; but a flow mapping is
// YAML too.
Result<std::vector<Value>> parse_text(const NamedText& input) {
  constexpr std::string_view kSkipped = " \t\r\n\xEF\xBB\xBF";
  const std::size_t first = input.text.find_first_not_of(kSkipped);
  const bool flow =
      first != std::string_view::npos && (input.text[first] == '{' || input.text[first] == '[');
  const bool json = input.name.ends_with(".json");
  if (!flow && !json) return parse_yaml(input.text);

  Result<std::vector<Value>> values = parse_json_documents(input.text);
  if (values) return values;
  Result<std::vector<Value>> yaml = parse_yaml(input.text);
  const bool told_by_yaml = input.name.ends_with(".yaml") || input.name.ends_with(".yml");
  if (yaml || told_by_yaml) return yaml;
  return values;
}

void resolve_priorities(Reading& reading) {
  for (Pod& pod : reading.manifests.pods) {
    const PodClass& wish = reading.pod_classes.at(key_of(pod));
    const api::PriorityClass* from = reading.classes.find(wish.name);
    if (from == nullptr || has_own_priority(pod)) continue;
    pod.priority = from->value;
    if (from->never_preempts && !wish.says_preemption) {
      pod.preemption_policy = policy::PreemptionPolicy::Never;
    }
  }
  for (policy::PodGroup& group : reading.manifests.groups) {
    resolve_priority(group, reading.classes);
  }
}

template <class T>
void sort_by_name(std::vector<T>& all) {
  std::ranges::sort(all, {}, [](const T& each) { return std::pair(each.ns, each.name); });
}

Manifests finished(Reading reading) {
  resolve_priorities(reading);
  Manifests& manifests = reading.manifests;
  std::ranges::sort(manifests.nodes, {}, &policy::Node::name);
  sort_by_name(manifests.pods);
  sort_by_name(manifests.pod_disruption_budgets);
  sort_by_name(manifests.disruption_budgets);
  sort_by_name(manifests.groups);
  stamp_groups(manifests.pods, manifests.groups);
  return std::move(manifests);
}

Result<void> add_texts(Reading& reading, const std::vector<NamedText>& texts) {
  for (const NamedText& input : texts) {
    const Result<std::vector<Value>> documents = parse_text(input);
    if (!documents) return std::unexpected(documents.error().with(input.name));
    for (const Value& document : *documents) {
      if (const auto added = add_document(reading, document, "", input.name); !added) {
        return std::unexpected(added.error().with(input.name));
      }
    }
  }
  return {};
}

Result<void> add_objects(Reading& reading, const std::vector<Value>& objects,
                         std::string_view source) {
  for (const Value& object : objects) {
    if (const auto added = add_document(reading, object, "", source); !added) {
      return std::unexpected(added.error().with(source));
    }
  }
  return {};
}

Result<void> add_files(Reading& reading, const std::vector<std::string>& paths) {
  std::vector<InputText> inputs;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(std::vector<InputText> more, read_input(path));
    std::ranges::move(more, std::back_inserter(inputs));
  }
  std::vector<NamedText> texts;
  for (const InputText& input : inputs) texts.push_back({input.name, input.text});
  return add_texts(reading, texts);
}

ObjectSet object_set(Reading reading) {
  ObjectSet set{.objects = std::move(reading.objects)};
  std::ranges::stable_sort(set.objects, {}, object_identity);
  set.manifests = finished(std::move(reading));
  return set;
}

}  // namespace

Result<Manifests> read_manifests(const std::vector<NamedText>& texts) {
  Reading reading;
  RETURN_IF_ERROR(add_texts(reading, texts));
  return finished(std::move(reading));
}

Result<Manifests> manifests_of(const std::vector<Value>& objects, std::string_view source) {
  Reading reading;
  RETURN_IF_ERROR(add_objects(reading, objects, source));
  return finished(std::move(reading));
}

Result<Manifests> served_manifests_of(const std::vector<Value>& objects, std::string_view source) {
  Reading reading{.is_served = true};
  RETURN_IF_ERROR(add_objects(reading, objects, source));
  return finished(std::move(reading));
}

Result<Manifests> load_manifests(const std::vector<std::string>& paths) {
  Reading reading;
  RETURN_IF_ERROR(add_files(reading, paths));
  return finished(std::move(reading));
}

Result<ObjectSet> load_objects(const std::vector<Value>& given, std::string_view source,
                               const std::vector<std::string>& paths) {
  Reading reading{.keeps_objects = true, .gives_uids = true};
  RETURN_IF_ERROR(add_objects(reading, given, source));
  reading.gives_uids = false;
  RETURN_IF_ERROR(add_files(reading, paths));
  return object_set(std::move(reading));
}

Result<ObjectSet> join_objects(const std::vector<Value>& given, std::string_view source,
                               const std::vector<Value>& read, std::string_view reader) {
  Reading reading{.keeps_objects = true, .is_served = true};
  RETURN_IF_ERROR(add_objects(reading, read, reader));
  reading.is_served = false;
  reading.gives_uids = true;
  RETURN_IF_ERROR(add_objects(reading, given, source));
  return object_set(std::move(reading));
}

const Pod* find_pod(const Manifests& manifests, std::string_view key) {
  const auto at =
      std::ranges::find_if(manifests.pods, [&](const Pod& pod) { return key_of(pod) == key; });
  return at == manifests.pods.end() ? nullptr : &*at;
}

std::string not_in_input(const Manifests& manifests, std::string_view key) {
  const std::string missing = "pod " + std::string(key) + " is not in the input";
  const std::string_view name = key.substr(key.find('/') + 1);
  std::vector<std::string> keys;
  for (const policy::Pod& each : manifests.pods) keys.push_back(key_of(each));
  std::ranges::sort(keys);
  const auto elsewhere = std::ranges::find_if(keys, [&](const std::string& each) {
    return std::string_view(each).substr(each.find('/') + 1) == name;
  });
  if (elsewhere != keys.end()) return missing + "; did you mean " + *elsewhere + "?";
  return missing + daemon::did_you_mean(key, keys);
}

std::string group_not_in_input(const Manifests& manifests, std::string_view key) {
  std::vector<std::string> keys;
  for (const policy::PodGroup& each : manifests.groups) keys.push_back(policy::key_of(each));
  std::ranges::sort(keys);
  return "pod group " + std::string(key) + " is not in the input" + daemon::did_you_mean(key, keys);
}

const policy::Node* find_node(const Manifests& manifests, std::string_view name) {
  const auto at = std::ranges::find(manifests.nodes, name, &policy::Node::name);
  return at == manifests.nodes.end() ? nullptr : &*at;
}

const policy::PodGroup* find_group(const Manifests& manifests, std::string_view key) {
  const auto at = std::ranges::find_if(
      manifests.groups, [&](const policy::PodGroup& each) { return policy::key_of(each) == key; });
  return at == manifests.groups.end() ? nullptr : &*at;
}

}  // namespace elbowroom::cli
