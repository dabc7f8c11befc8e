#include "lab/apiserver/discovery.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/apiserver/scale.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {
namespace {

using Kinds = std::vector<const Kind*>;

Kinds kinds_served(GroupVersions groups) {
  Kinds kinds;
  for (const Kind& kind : all_kinds()) {
    if (is_served(kind, groups)) kinds.push_back(&kind);
  }
  return kinds;
}

Json resource(const Kind& kind, const std::string& name, Json verbs) {
  Json entry = {{"name", name},
                {"singularName", ""},
                {"namespaced", kind.namespaced},
                {"kind", kind.name},
                {"verbs", std::move(verbs)}};
  return entry;
}

Json resources_of(const Kinds& kinds, std::string_view group, std::string_view version) {
  const Json all_verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
  const Json part_verbs = {"get", "patch", "update"};
  Json resources = Json::array();
  std::string group_version;
  for (const Kind* each : kinds) {
    const Kind& kind = *each;
    if (kind.group != group || kind.version != version) continue;
    group_version = api_version_of(kind);
    const std::string plural(kind.plural);
    Json entry = resource(kind, plural, all_verbs);
    entry["singularName"] = kind.plural.substr(0, kind.plural.size() - 1);
    if (kind.name == "PriorityClass") entry["singularName"] = "priorityclass";
    if (!kind.short_name.empty()) entry["shortNames"] = Json::array({kind.short_name});
    if (kind.name == "Pod" || kind.name == "Service" || kind.group == "apps")
      entry["categories"] = Json::array({"all"});
    resources.push_back(std::move(entry));
    if (kind.has_status) resources.push_back(resource(kind, plural + "/status", part_verbs));
    if (has_scale(kind)) {
      Json scale = resource(kind, plural + "/scale", part_verbs);
      scale["group"] = "autoscaling";
      scale["version"] = "v1";
      scale["kind"] = "Scale";
      resources.push_back(std::move(scale));
    }
    if (kind.name != "Pod") continue;
    resources.push_back(resource(kind, "pods/resize", part_verbs));
    Json binding = resource(kind, "pods/binding", {"create"});
    binding["kind"] = "Binding";
    resources.push_back(std::move(binding));
    Json eviction = resource(kind, "pods/eviction", {"create"});
    eviction["group"] = "policy";
    eviction["version"] = "v1";
    eviction["kind"] = "Eviction";
    resources.push_back(std::move(eviction));
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", group_version},
          {"resources", std::move(resources)}};
}

Json group_entry(const Kinds& kinds, const std::string& group) {
  Json versions = Json::array();
  std::set<std::string> seen;
  for (const Kind* kind : kinds) {
    if (kind->group != group || !seen.insert(std::string(kind->version)).second) continue;
    versions.push_back({{"groupVersion", api_version_of(*kind)}, {"version", kind->version}});
  }
  const Json preferred = versions.front();
  return {{"name", group}, {"versions", std::move(versions)}, {"preferredVersion", preferred}};
}

Json groups_of(const Kinds& kinds) {
  Json list = Json::array();
  std::set<std::string> seen{""};
  for (const Kind* kind : kinds) {
    if (seen.insert(std::string(kind->group)).second) {
      list.push_back(group_entry(kinds, std::string(kind->group)));
    }
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}};
}

Json version_document() {
  return {{"major", "1"},    {"minor", "37"},      {"gitVersion", "v1.37.0-elbowroom-lab"},
          {"gitCommit", ""}, {"gitTreeState", ""}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", ""},     {"platform", "linux/amd64"}};
}

using Documents = std::map<std::string, Json, std::less<>>;

// All documents, by path.
Documents documents(GroupVersions groups) {
  const Kinds kinds = kinds_served(groups);
  Documents all;
  all["/version"] = version_document();
  all["/api"] = {{"kind", "APIVersions"},
                 {"versions", Json::array({"v1"})},
                 {"serverAddressByClientCIDRs", Json::array()}};
  all["/apis"] = groups_of(kinds);
  for (const Kind* kind : kinds) {
    if (kind->group.empty()) {
      all["/api/v1"] = resources_of(kinds, "", "v1");
      continue;
    }
    const std::string path = "/apis/" + std::string(kind->group);
    all[path] = group_entry(kinds, std::string(kind->group));
    all[path]["kind"] = "APIGroup";
    all[path]["apiVersion"] = "v1";
    all[path + "/" + std::string(kind->version)] = resources_of(kinds, kind->group, kind->version);
  }
  return all;
}

}  // namespace

std::optional<Json> discovery(std::string_view path, GroupVersions groups) {
  static const std::array tables{documents(GroupVersions::All), documents(GroupVersions::Alpha),
                                 documents(GroupVersions::None)};
  const Documents& table = tables[static_cast<std::size_t>(groups)];
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto it = table.find(path);
  if (it == table.end()) return std::nullopt;
  return it->second;
}

}  // namespace elbowroom::lab
