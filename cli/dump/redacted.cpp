#include "cli/dump/redacted.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace elbowroom::cli {
namespace {

// Maps whose keys are a user's own words.
constexpr std::array<std::string_view, 8> kOfUsers = {"labels",   "matchLabels", "nodeSelector",
                                                      "selector", "requests",    "limits",
                                                      "capacity", "allocatable"};

constexpr std::array<std::string_view, 4> kEnvironment = {"env", "envFrom", "command", "args"};
constexpr std::array<std::string_view, 3> kImages = {"image", "imageID", "images"};

constexpr std::array<std::string_view, 21> kLeftOut = {
    "managedFields", "lifecycle",        "livenessProbe",        "readinessProbe",
    "startupProbe",  "imagePullSecrets", "hostAliases",          "secret",
    "configMap",     "projected",        "downwardAPI",          "hostPath",
    "volumeMounts",  "volumeAttributes", "parameters",           "securityContext",
    "dnsConfig",     "secretRef",        "nodePublishSecretRef", "nodeStageSecretRef",
    "mountOptions"};

// Those that a decision reads.
constexpr std::array<std::string_view, 5> kAnnotations = {
    "elbowroom.dev/", "kubernetes.io/config.", "pv.kubernetes.io/", "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/"};
constexpr std::string_view kAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

bool is_among(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_read(std::string_view annotation) {
  return annotation == kAvoidPods || std::ranges::any_of(kAnnotations, [&](std::string_view each) {
           return annotation.starts_with(each);
         });
}

bool is_left_out(std::string_view key, std::string_view above, const Shown& shown) {
  if (above == "annotations") return !shown.annotations && !is_read(key);
  if (is_among(kEnvironment, key)) return !shown.environment;
  if (is_among(kImages, key)) return !shown.images;
  // A program may say anything when it ends.
  if (key == "message") return above == "terminated" || above == "waiting";
  return is_among(kLeftOut, key);
}

// `above`: the key of the value itself.
void redact(Value& value, std::string_view above, const Shown& shown) {
  if (is_among(kOfUsers, above)) return;
  std::erase_if(value.members,
                [&](const Member& each) { return is_left_out(each.key, above, shown); });
  if (above == "annotations") return;
  for (Member& each : value.members) redact(each.value, each.key, shown);
  for (Value& each : value.items) redact(each, above, shown);
}

}  // namespace

Value redacted(Value object, const Shown& shown) {
  redact(object, "", shown);
  return object;
}

}  // namespace elbowroom::cli
