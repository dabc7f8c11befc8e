#include "lab/schema/protobuf_body.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/base64.h"
#include "api/codec/timestamp.h"

namespace elbowroom::lab {
namespace {

enum class Wire { Text, Integer, Bool, Time, IntOrText, Texts, TextMap, BytesMap, One, Many };

// Source: the generated.proto files of k8s.io/api and k8s.io/apimachinery, 1.37.
struct WireField {
  std::string_view message;
  std::uint64_t number;
  std::string_view name;
  Wire wire;
  std::string_view type{};  // for One and Many
};

constexpr std::array kFields{
    WireField{"ObjectMeta", 1, "name", Wire::Text},
    WireField{"ObjectMeta", 2, "generateName", Wire::Text},
    WireField{"ObjectMeta", 3, "namespace", Wire::Text},
    WireField{"ObjectMeta", 5, "uid", Wire::Text},
    WireField{"ObjectMeta", 6, "resourceVersion", Wire::Text},
    WireField{"ObjectMeta", 11, "labels", Wire::TextMap},
    WireField{"ObjectMeta", 12, "annotations", Wire::TextMap},
    WireField{"ObjectMeta", 13, "ownerReferences", Wire::Many, "OwnerReference"},
    WireField{"ObjectMeta", 14, "finalizers", Wire::Texts},
    WireField{"OwnerReference", 1, "kind", Wire::Text},
    WireField{"OwnerReference", 3, "name", Wire::Text},
    WireField{"OwnerReference", 4, "uid", Wire::Text},
    WireField{"OwnerReference", 5, "apiVersion", Wire::Text},
    WireField{"OwnerReference", 6, "controller", Wire::Bool},
    WireField{"OwnerReference", 7, "blockOwnerDeletion", Wire::Bool},
    WireField{"DeleteOptions", 1, "gracePeriodSeconds", Wire::Integer},
    WireField{"DeleteOptions", 2, "preconditions", Wire::One, "Preconditions"},
    WireField{"DeleteOptions", 3, "orphanDependents", Wire::Bool},
    WireField{"DeleteOptions", 4, "propagationPolicy", Wire::Text},
    WireField{"DeleteOptions", 5, "dryRun", Wire::Texts},
    WireField{"Preconditions", 1, "uid", Wire::Text},
    WireField{"Preconditions", 2, "resourceVersion", Wire::Text},
    WireField{"LabelSelector", 1, "matchLabels", Wire::TextMap},
    WireField{"LabelSelector", 2, "matchExpressions", Wire::Many, "LabelSelectorRequirement"},
    WireField{"LabelSelectorRequirement", 1, "key", Wire::Text},
    WireField{"LabelSelectorRequirement", 2, "operator", Wire::Text},
    WireField{"LabelSelectorRequirement", 3, "values", Wire::Texts},
    WireField{"ConfigMap", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"ConfigMap", 2, "data", Wire::TextMap},
    WireField{"ConfigMap", 3, "binaryData", Wire::BytesMap},
    WireField{"ConfigMap", 4, "immutable", Wire::Bool},
    WireField{"Namespace", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"PriorityClass", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"PriorityClass", 2, "value", Wire::Integer},
    WireField{"PriorityClass", 3, "globalDefault", Wire::Bool},
    WireField{"PriorityClass", 4, "description", Wire::Text},
    WireField{"PriorityClass", 5, "preemptionPolicy", Wire::Text},
    WireField{"PodGroup", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"PodGroup", 2, "spec", Wire::One, "PodGroupSpec"},
    WireField{"PodGroupSpec", 1, "parentCompositePodGroupName", Wire::Text},
    WireField{"PodGroupSpec", 2, "workloadRef", Wire::One, "WorkloadReference"},
    WireField{"PodGroupSpec", 3, "schedulingPolicy", Wire::One, "PodGroupSchedulingPolicy"},
    WireField{"PodGroupSpec", 4, "schedulingConstraints", Wire::One,
              "PodGroupSchedulingConstraints"},
    WireField{"PodGroupSpec", 5, "resourceClaims", Wire::Many, "PodGroupResourceClaim"},
    WireField{"PodGroupSpec", 6, "disruptionMode", Wire::One, "DisruptionMode"},
    WireField{"PodGroupSpec", 7, "priorityClassName", Wire::Text},
    WireField{"PodGroupSpec", 8, "priority", Wire::Integer},
    WireField{"PodGroupSpec", 9, "preemptionPolicy", Wire::Text},
    WireField{"WorkloadReference", 1, "workloadName", Wire::Text},
    WireField{"WorkloadReference", 2, "templateName", Wire::Text},
    WireField{"PodGroupSchedulingPolicy", 1, "basic", Wire::One, "BasicSchedulingPolicy"},
    WireField{"PodGroupSchedulingPolicy", 2, "gang", Wire::One, "GangSchedulingPolicy"},
    WireField{"GangSchedulingPolicy", 1, "minCount", Wire::Integer},
    WireField{"PodGroupSchedulingConstraints", 1, "topology", Wire::Many, "TopologyConstraint"},
    WireField{"TopologyConstraint", 1, "key", Wire::Text},
    WireField{"PodGroupResourceClaim", 1, "name", Wire::Text},
    WireField{"PodGroupResourceClaim", 2, "resourceClaimName", Wire::Text},
    WireField{"PodGroupResourceClaim", 3, "resourceClaimTemplateName", Wire::Text},
    WireField{"DisruptionMode", 1, "single", Wire::One, "SingleDisruptionMode"},
    WireField{"DisruptionMode", 2, "all", Wire::One, "AllDisruptionMode"},
    WireField{"Workload", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"Workload", 2, "spec", Wire::One, "WorkloadSpec"},
    WireField{"WorkloadSpec", 1, "controllerRef", Wire::One, "TypedLocalObjectReference"},
    WireField{"WorkloadSpec", 2, "podGroupTemplates", Wire::Many, "PodGroupTemplate"},
    WireField{"TypedLocalObjectReference", 1, "apiGroup", Wire::Text},
    WireField{"TypedLocalObjectReference", 2, "kind", Wire::Text},
    WireField{"TypedLocalObjectReference", 3, "name", Wire::Text},
    WireField{"PodGroupTemplate", 1, "name", Wire::Text},
    WireField{"PodGroupTemplate", 2, "schedulingPolicy", Wire::One, "PodGroupSchedulingPolicy"},
    WireField{"PodGroupTemplate", 4, "resourceClaims", Wire::Many, "PodGroupResourceClaim"},
    WireField{"PodGroupTemplate", 5, "disruptionMode", Wire::One, "DisruptionMode"},
    WireField{"PodGroupTemplate", 6, "priorityClassName", Wire::Text},
    WireField{"PodGroupTemplate", 7, "priority", Wire::Integer},
    WireField{"PodGroupTemplate", 8, "preemptionPolicy", Wire::Text},
    WireField{"PodDisruptionBudget", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"PodDisruptionBudget", 2, "spec", Wire::One, "PodDisruptionBudgetSpec"},
    WireField{"PodDisruptionBudgetSpec", 1, "minAvailable", Wire::IntOrText},
    WireField{"PodDisruptionBudgetSpec", 2, "selector", Wire::One, "LabelSelector"},
    WireField{"PodDisruptionBudgetSpec", 3, "maxUnavailable", Wire::IntOrText},
    WireField{"PodDisruptionBudgetSpec", 4, "unhealthyPodEvictionPolicy", Wire::Text},
    WireField{"Eviction", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"Eviction", 2, "deleteOptions", Wire::One, "DeleteOptions"},
    WireField{"SelfSubjectAccessReview", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"SelfSubjectAccessReview", 2, "spec", Wire::One, "SelfSubjectAccessReviewSpec"},
    WireField{"SelfSubjectAccessReviewSpec", 1, "resourceAttributes", Wire::One,
              "ResourceAttributes"},
    WireField{"ResourceAttributes", 1, "namespace", Wire::Text},
    WireField{"ResourceAttributes", 2, "verb", Wire::Text},
    WireField{"ResourceAttributes", 3, "group", Wire::Text},
    WireField{"ResourceAttributes", 5, "resource", Wire::Text},
    WireField{"ResourceAttributes", 6, "subresource", Wire::Text},
    WireField{"ResourceAttributes", 7, "name", Wire::Text},
    WireField{"SelfSubjectRulesReview", 2, "spec", Wire::One, "SelfSubjectRulesReviewSpec"},
    WireField{"SelfSubjectRulesReviewSpec", 1, "namespace", Wire::Text},
    WireField{"SelfSubjectReview", 1, "metadata", Wire::One, "ObjectMeta"},
    WireField{"Unknown", 1, "typeMeta", Wire::One, "TypeMeta"},
    WireField{"Unknown", 2, "raw", Wire::Text},
    WireField{"TypeMeta", 1, "apiVersion", Wire::Text},
    WireField{"TypeMeta", 2, "kind", Wire::Text},
    WireField{"IntOrString", 1, "type", Wire::Integer},
    WireField{"IntOrString", 2, "intVal", Wire::Integer},
    WireField{"IntOrString", 3, "strVal", Wire::Text},
    WireField{"Time", 1, "seconds", Wire::Integer},
    WireField{"Entry", 1, "key", Wire::Text},
    WireField{"Entry", 2, "value", Wire::Text}};

const WireField* field_of(std::string_view message, std::uint64_t number) {
  for (const WireField& field : kFields) {
    if (field.message == message && field.number == number) return &field;
  }
  return nullptr;
}

bool knows(std::string_view message) {
  for (const WireField& field : kFields) {
    if (field.message == message) return true;
  }
  return false;
}

// One field as encoded: a number, or a run of bytes.
struct Raw {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes{};
};

std::optional<std::uint64_t> take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (text.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80U) return value;
  }
  return std::nullopt;
}

std::optional<Raw> take_field(std::string_view& text) {
  const auto tag = take_varint(text);
  if (!tag) return std::nullopt;
  Raw raw{.number = *tag >> 3U};
  const std::uint64_t wire = *tag & 7U;
  if (wire == 0) {
    const auto value = take_varint(text);
    if (!value) return std::nullopt;
    raw.value = *value;
    return raw;
  }
  std::uint64_t size = wire == 1 ? 8 : 4;
  if (wire == 2) {
    const auto length = take_varint(text);
    if (!length) return std::nullopt;
    size = *length;
  } else if (wire != 1 && wire != 5) {
    return std::nullopt;
  }
  if (size > text.size()) return std::nullopt;
  raw.bytes = text.substr(0, size);
  text.remove_prefix(size);
  return raw;
}

// The messages refer to each other without a cycle, so this ends.
std::optional<Json> message_of(std::string_view name, std::string_view text);

// The value of a field that is text or a number in protobuf; nullopt where its bytes are broken.
std::optional<Json> int_or_text_of(std::string_view text) {
  const auto value = message_of("IntOrString", text);
  if (!value) return std::nullopt;
  const bool is_text = integer_at(*value, {"type"}).value_or(0) == 1;
  return is_text ? Json(text_at(*value, {"strVal"}))
                 : Json(integer_at(*value, {"intVal"}).value_or(0));
}

bool put_time(std::string_view text, Json& object, const std::string& name) {
  const auto value = message_of("Time", text);
  if (!value) return false;
  const std::int64_t seconds = integer_at(*value, {"seconds"}).value_or(0);
  constexpr std::int64_t kLatest = 253'402'300'799;  // the year 9999
  if (seconds < 0 || seconds > kLatest) return false;
  if (seconds != 0) {
    object[name] = api::format_timestamp(policy::Time(std::chrono::seconds(seconds)));
  }
  return true;
}

// Puts one field into the object; false where its bytes are broken.
bool put(const WireField& field, const Raw& raw, Json& object) {
  const std::string name(field.name);
  switch (field.wire) {
    case Wire::Text:
      if (!raw.bytes.empty()) object[name] = raw.bytes;  // Go writes empty values, too
      return true;
    case Wire::Integer:
      object[name] = static_cast<std::int64_t>(raw.value);
      return true;
    case Wire::Bool:
      object[name] = raw.value != 0;
      return true;
    case Wire::Texts:
      object[name].push_back(raw.bytes);
      return true;
    case Wire::TextMap:
    case Wire::BytesMap: {
      const auto entry = message_of("Entry", raw.bytes);
      if (!entry) return false;
      const std::string value = text_at(*entry, {"value"});
      object[name][text_at(*entry, {"key"})] =
          field.wire == Wire::BytesMap ? api::encode_base64(value) : value;
      return true;
    }
    case Wire::IntOrText: {
      auto value = int_or_text_of(raw.bytes);
      if (!value) return false;
      object[name] = *std::move(value);
      return true;
    }
    case Wire::Time:
      return put_time(raw.bytes, object, name);
    case Wire::One:
    case Wire::Many: {
      auto value = message_of(field.type, raw.bytes);
      if (!value) return false;
      if (field.wire == Wire::Many)
        object[name].push_back(*std::move(value));
      else
        object[name] = *std::move(value);
      return true;
    }
  }
  return false;
}

std::optional<Json> message_of(std::string_view name, std::string_view text) {
  Json object = Json::object();
  while (!text.empty()) {
    const auto raw = take_field(text);
    if (!raw) return std::nullopt;
    const WireField* field = field_of(name, raw->number);
    if (field != nullptr && !put(*field, *raw, object)) return std::nullopt;
  }
  return object;
}

}  // namespace

Result<Json> decode_protobuf(std::string_view body) {
  using namespace std::string_view_literals;
  constexpr std::string_view kMagic = "k8s\0"sv;
  if (body.size() > kMaxJsonBytes) return failure(Code::Invalid, "the body is larger than 3 MiB");
  if (!body.starts_with(kMagic)) {
    return failure(Code::Invalid, "the body does not begin as Kubernetes' protobuf does");
  }
  const auto envelope = message_of("Unknown", body.substr(kMagic.size()));
  if (!envelope) return failure(Code::Invalid, "the envelope of the protobuf body is broken");
  const std::string kind = text_at(*envelope, {"typeMeta", "kind"});
  if (!knows(kind)) {
    return failure(Code::Invalid, "the lab reads no " + kind + " in protobuf: send JSON");
  }
  auto object = message_of(kind, text_at(*envelope, {"raw"}));
  if (!object) return failure(Code::Invalid, "the protobuf of the " + kind + " is broken");
  (*object)["kind"] = kind;
  (*object)["apiVersion"] = text_at(*envelope, {"typeMeta", "apiVersion"});
  // Text that JSON could not carry is refused here, too.
  if (!Json::accept(to_text(*object))) return failure(Code::Invalid, "the body is not UTF-8");
  return *std::move(object);
}

}  // namespace elbowroom::lab
