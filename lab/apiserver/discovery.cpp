#include "lab/apiserver/discovery.h"

#include <map>
#include <set>
#include <string>

#include "lab/world/kind.h"

namespace elbowroom::lab {
namespace {

Json resource(const Kind& kind, const std::string& name, Json verbs) {
  Json entry = {{"name", name},
                {"singularName", ""},
                {"namespaced", kind.namespaced},
                {"kind", kind.name},
                {"verbs", std::move(verbs)}};
  return entry;
}

Json resources_of(std::string_view group, std::string_view version) {
  const Json all_verbs = {"create", "delete", "get", "list", "patch", "update", "watch"};
  const Json part_verbs = {"get", "patch", "update"};
  Json resources = Json::array();
  std::string group_version;
  for (const Kind& kind : all_kinds()) {
    if (kind.group != group || kind.version != version) continue;
    group_version = api_version_of(kind);
    const std::string plural(kind.plural);
    Json entry = resource(kind, plural, all_verbs);
    entry["singularName"] = kind.plural.substr(0, kind.plural.size() - 1);
    if (kind.name == "PriorityClass") entry["singularName"] = "priorityclass";
    if (!kind.short_name.empty()) entry["shortNames"] = Json::array({kind.short_name});
    if (kind.name == "Pod" || kind.name == "Service") entry["categories"] = Json::array({"all"});
    resources.push_back(std::move(entry));
    if (kind.has_status) resources.push_back(resource(kind, plural + "/status", part_verbs));
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

Json group_entry(const std::string& group) {
  Json versions = Json::array();
  std::set<std::string> seen;
  for (const Kind& kind : all_kinds()) {
    if (kind.group != group || !seen.insert(std::string(kind.version)).second) continue;
    versions.push_back({{"groupVersion", api_version_of(kind)}, {"version", kind.version}});
  }
  const Json preferred = versions.front();
  return {{"name", group}, {"versions", std::move(versions)}, {"preferredVersion", preferred}};
}

Json groups() {
  Json list = Json::array();
  std::set<std::string> seen{""};
  for (const Kind& kind : all_kinds()) {
    if (seen.insert(std::string(kind.group)).second) {
      list.push_back(group_entry(std::string(kind.group)));
    }
  }
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}};
}

Json version_document() {
  return {{"major", "1"},    {"minor", "37"},      {"gitVersion", "v1.37.0-elbowroom-lab"},
          {"gitCommit", ""}, {"gitTreeState", ""}, {"buildDate", "1970-01-01T00:00:00Z"},
          {"goVersion", ""}, {"compiler", ""},     {"platform", "linux/amd64"}};
}

// All documents, by path.
std::map<std::string, Json, std::less<>> documents() {
  std::map<std::string, Json, std::less<>> all;
  all["/version"] = version_document();
  all["/api"] = {{"kind", "APIVersions"},
                 {"versions", Json::array({"v1"})},
                 {"serverAddressByClientCIDRs", Json::array()}};
  all["/apis"] = groups();
  for (const Kind& kind : all_kinds()) {
    if (kind.group.empty()) {
      all["/api/v1"] = resources_of("", "v1");
      continue;
    }
    const std::string path = "/apis/" + std::string(kind.group);
    all[path] = group_entry(std::string(kind.group));
    all[path]["kind"] = "APIGroup";
    all[path]["apiVersion"] = "v1";
    all[path + "/" + std::string(kind.version)] = resources_of(kind.group, kind.version);
  }
  return all;
}

}  // namespace

std::optional<Json> discovery(std::string_view path) {
  static const auto table = documents();
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto it = table.find(path);
  if (it == table.end()) return std::nullopt;
  return it->second;
}

}  // namespace elbowroom::lab
