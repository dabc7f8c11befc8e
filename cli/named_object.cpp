#include "cli/named_object.h"

#include <algorithm>
#include <array>
#include <utility>

namespace elbowroom::cli {
namespace {

constexpr std::array<std::string_view, 3> kPods = {"pod", "pods", "po"};
constexpr std::array<std::string_view, 2> kGroups = {"podgroup", "podgroups"};
// What people write before a slash, and may be the name of a namespace, too.
constexpr std::array<std::string_view, 18> kOtherKinds = {
    "deploy", "deployment",  "deployments",  "rs",   "replicaset", "replicasets",
    "sts",    "statefulset", "statefulsets", "ds",   "daemonset",  "daemonsets",
    "job",    "jobs",        "cronjob",      "node", "nodes",      "cronjobs"};

bool is_kind(std::string_view word, Named what) {
  return what == Named::Pod ? std::ranges::find(kPods, word) != kPods.end()
                            : std::ranges::find(kGroups, word) != kGroups.end();
}

std::string noun_of(Named what) { return what == Named::Pod ? "pod" : "pod group"; }

}  // namespace

std::string name_syntax(Named what) {
  const std::string_view kind = what == Named::Pod ? kPods.front() : kGroups.front();
  return std::string(kind) + "/NAME | NAME | NAMESPACE/NAME";
}

Result<ObjectName> object_named(std::string_view word, Named what, const std::string& ns,
                                const std::string& fallback) {
  const std::size_t slash = word.find('/');
  std::string_view before = slash == std::string_view::npos ? "" : word.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? word : word.substr(slash + 1);
  const bool is_whole = slash == std::string_view::npos || !before.empty();
  if (name.empty() || name.contains('/') || !is_whole) {
    return failure(Code::Invalid, "\"" + std::string(word) + "\" names no " + noun_of(what) +
                                      ": write " + name_syntax(what));
  }
  if (is_kind(before, what)) before = {};
  if (before.empty()) {
    return ObjectName{.ns = ns.empty() ? fallback : ns, .name = std::string(name)};
  }
  if (!ns.empty() && ns != before && std::ranges::find(kOtherKinds, before) != kOtherKinds.end()) {
    return failure(Code::Invalid, "\"" + std::string(word) + "\" names a " + std::string(before) +
                                      ", and this takes a " + noun_of(what) + ": write " +
                                      name_syntax(what));
  }
  if (!ns.empty() && ns != before) {
    return failure(Code::Invalid, "the " + noun_of(what) + " is in namespace " +
                                      std::string(before) + " and -n says " + ns +
                                      ": give one of them");
  }
  return ObjectName{.ns = std::string(before), .name = std::string(name)};
}

}  // namespace elbowroom::cli
