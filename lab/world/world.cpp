#include "lab/world/world.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "api/codec/timestamp.h"
#include "lab/world/object_form.h"

namespace elbowroom::lab {
namespace {

constexpr std::array kFirstNamespaces{"default", "kube-node-lease", "kube-public", "kube-system"};

struct BuiltInClass {
  std::string_view name;
  std::int32_t value;
};
constexpr std::array kBuiltInClasses{BuiltInClass{"system-cluster-critical", 2'000'000'000},
                                     BuiltInClass{"system-node-critical", 2'000'001'000}};

std::string key_of(std::string_view ns, std::string_view name) {
  return std::string(ns) + "/" + std::string(name);
}

std::optional<std::uint64_t> parse_version(std::string_view text) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return version;
}

}  // namespace

World::World(WorldOptions options) : options_(options), now_(options.began) {
  const Kind& namespaces = *find_kind("", "v1", "namespaces");
  const Kind& classes = *find_kind("scheduling.k8s.io", "v1", "priorityclasses");
  for (const char* name : kFirstNamespaces) {
    (void)create(namespaces, "", {{"metadata", {{"name", name}}}});
  }
  for (const BuiltInClass& built_in : kBuiltInClasses) {
    (void)create(classes, "", {{"metadata", {{"name", built_in.name}}}, {"value", built_in.value}});
  }
}

const Object* World::find(const Kind& kind, std::string_view ns, std::string_view name) const {
  const auto store = objects_.find(kind.plural);
  if (store == objects_.end()) return nullptr;
  const auto it = store->second.find(key_of(ns, name));
  return it == store->second.end() ? nullptr : &it->second;
}

Answer<Object> World::get(const Target& target) const {
  const Object* object = find(*target.kind, target.ns, target.name);
  if (object == nullptr) return std::unexpected(not_found(*target.kind, target.name));
  return shown(*target.kind, *object);
}

std::uint64_t World::last_change(const Kind& kind) const {
  const auto changed = last_change_.find(kind.plural);
  return changed == last_change_.end() ? 0 : changed->second;
}

Answer<Json> World::list(const ListQuery& query) const {
  const std::uint64_t last_change = this->last_change(*query.kind);
  std::uint64_t version = version_;
  std::string begin;

  if (!query.continue_token.empty()) {
    const std::size_t dot = query.continue_token.find('.');
    const auto listed = parse_version(query.continue_token.substr(0, dot));
    if (!listed || dot == std::string::npos) {
      return std::unexpected(bad_request("continue key is not valid"));
    }
    // All pages of one list are of one version; older versions are not kept here.
    if (last_change > *listed) return std::unexpected(expired(*listed, last_change));
    version = *listed;
    begin = query.continue_token.substr(dot + 1);
  } else if (!query.resource_version.empty() && query.resource_version != "0") {
    const auto asked = parse_version(query.resource_version);
    if (!asked) return std::unexpected(bad_request("Invalid value: resourceVersion"));
    if (*asked > version_) return std::unexpected(too_large_version(*asked, version_));
    if (query.exact && last_change > *asked) {
      return std::unexpected(expired(*asked, last_change));
    }
  }

  Json items = Json::array();
  std::string next;
  if (const auto store = objects_.find(query.kind->plural); store != objects_.end()) {
    for (auto it = store->second.upper_bound(begin); it != store->second.end(); ++it) {
      const Object& object = it->second;
      if (!query.ns.empty() && text_at(object, {"metadata", "namespace"}) != query.ns) continue;
      if (!selects(query.selector, *query.kind, object)) continue;
      if (query.limit > 0 && items.size() == query.limit) {
        next = std::to_string(version) + "." + begin;
        break;
      }
      begin = it->first;
      items.push_back(shown(*query.kind, object));
    }
  }
  Json metadata = {{"resourceVersion", std::to_string(version)}};
  if (!next.empty()) metadata["continue"] = next;
  return Json{{"kind", std::string(query.kind->name) + "List"},
              {"apiVersion", api_version_of(*query.kind)},
              {"metadata", std::move(metadata)},
              {"items", std::move(items)}};
}

Answer<std::vector<WatchEvent>> World::changes_after(const WatchQuery& query, std::uint64_t version,
                                                     std::size_t most) const {
  if (version < forgotten_) return std::unexpected(expired(version, forgotten_ + 1));
  if (version > version_) return std::unexpected(too_large_version(version, version_));
  std::vector<WatchEvent> events;
  auto it = std::ranges::upper_bound(history_, version, {}, &Change::version);
  for (; it != history_.end() && events.size() < most; ++it) {
    if (it->kind->plural != query.kind->plural) continue;
    if (!query.ns.empty() && it->ns != query.ns) continue;
    const bool was = it->before && selects(query.selector, *query.kind, *it->before);
    const bool is = !it->is_gone && selects(query.selector, *query.kind, it->after);
    if (!was && !is) continue;
    events.push_back({.type = !was ? "ADDED" : (is ? "MODIFIED" : "DELETED"),
                      .object = shown(*query.kind, it->after),
                      .version = it->version});
  }
  return events;
}

std::vector<const Json*> World::all_stored_objects(const Kind& kind) const {
  std::vector<const Json*> all;
  const auto store = objects_.find(kind.plural);
  if (store == objects_.end()) return all;
  for (const auto& [key, object] : store->second) all.push_back(&object.json());
  return all;
}

std::optional<std::vector<ChangedObject>> World::changed_after(const Kind& kind,
                                                               std::uint64_t version) const {
  if (version < forgotten_) return std::nullopt;
  std::vector<ChangedObject> changed;
  auto it = std::ranges::upper_bound(history_, version, {}, &Change::version);
  for (; it != history_.end(); ++it) {
    if (it->kind->plural == kind.plural) changed.push_back({it->ns, it->name, it->version});
  }
  return changed;
}

void World::forget_history() {
  history_.clear();
  forgotten_ = version_;
}

std::optional<PriorityOf> World::priority_of_class(std::string_view name) const {
  const auto store = objects_.find("priorityclasses");
  if (store == objects_.end()) return std::nullopt;
  const auto value_of = [](const Json& found) {
    const std::string policy = text_at(found, {"preemptionPolicy"});
    return PriorityOf{.value = static_cast<std::int32_t>(std::clamp<std::int64_t>(
                          integer_at(found, {"value"}).value_or(0), INT32_MIN, INT32_MAX)),
                      .class_name = text_at(found, {"metadata", "name"}),
                      .preemption_policy = policy.empty() ? "PreemptLowerPriority" : policy};
  };
  if (!name.empty()) {
    const auto it = store->second.find(key_of("", name));
    if (it == store->second.end()) return std::nullopt;
    return value_of(it->second);
  }
  std::optional<PriorityOf> least;  // of several default classes the lowest counts, as in upstream
  for (const auto& [key, found] : store->second) {
    if (!truth_at(found, {"globalDefault"})) continue;
    if (const PriorityOf value = value_of(found); !least || value.value < least->value) {
      least = value;
    }
  }
  return least;
}

std::string World::next_uid() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto hex = [&](std::uint64_t number, std::size_t width) {
    std::string text(width, '0');
    for (std::size_t i = width; i-- > 0; number >>= 4U) text[i] = kDigits[number & 15U];
    return text;
  };
  const std::uint64_t seed = options_.uid_seed;
  return hex(seed >> 16U, 8) + "-" + hex(seed, 4) + "-4000-8000-" + hex(++uids_, 12);
}

void World::stamp(const Kind& kind, const std::string& ns, Json& object) {
  Json& metadata = object["metadata"];
  if (kind.namespaced) metadata["namespace"] = ns;
  metadata["uid"] = next_uid();
  metadata["creationTimestamp"] =
      api::format_timestamp(std::chrono::floor<std::chrono::seconds>(now_));
  metadata.erase("deletionTimestamp");
  metadata.erase("deletionGracePeriodSeconds");
  metadata.erase("generation");
  if (kind.counts_generation) metadata["generation"] = 1;
}

void World::remember(Change change) {
  last_change_[std::string(change.kind->plural)] = change.version;
  history_.push_back(std::move(change));
  while (history_.size() > options_.history) {
    forgotten_ = history_.front().version;
    history_.pop_front();
  }
}

Answer<Object> World::commit(const Kind& kind, std::optional<Object> before, Json after) {
  after["metadata"]["resourceVersion"] = std::to_string(version_ + 1);
  ASSIGN_OR_RETURN(const Object stored, Object::stored(kind, std::move(after)));
  ++version_;
  const std::string ns = text_at(stored, {"metadata", "namespace"});
  const std::string name = text_at(stored, {"metadata", "name"});
  remember({.version = version_,
            .kind = &kind,
            .ns = ns,
            .name = name,
            .before = std::move(before),
            .after = stored});
  objects_of(kind).insert_or_assign(key_of(ns, name), stored);
  return stored;
}

Object World::drop(const Kind& kind, const Object& stored, Json last) {
  ++version_;
  last["metadata"]["resourceVersion"] = std::to_string(version_);
  Object gone(std::move(last));
  const std::string ns = text_at(gone, {"metadata", "namespace"});
  const std::string name = text_at(gone, {"metadata", "name"});
  remember({.version = version_,
            .kind = &kind,
            .ns = ns,
            .name = name,
            .before = stored,
            .after = gone,
            .is_gone = true});
  objects_of(kind).erase(key_of(ns, name));
  return gone;
}

}  // namespace elbowroom::lab
