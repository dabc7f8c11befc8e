#include "api/decode_cluster_pod.h"

#include <limits>
#include <string>

#include "api/decode_pod.h"
#include "api/quantity.h"

namespace elbowroom::api {
namespace {

Value* member_of(Value& map, std::string_view key, Value::Kind kind) {
  if (map.kind != Value::Kind::Map) return nullptr;
  for (Member& each : map.members) {
    if (each.key == key) return each.value.kind == kind ? &each.value : nullptr;
  }
  return nullptr;
}

bool is_too_large(std::string_view resource, const Value& amount) {
  if (amount.kind != Value::Kind::String && amount.kind != Value::Kind::Number) return false;
  const auto parsed = parse_quantity(amount.text, unit_of(resource));
  return !parsed && parsed.error().code == Code::Exhausted;
}

std::string largest_of(std::string_view resource) {
  return std::to_string(std::numeric_limits<std::int64_t>::max()) +
         (unit_of(resource) == Unit::Milli ? "m" : "");
}

class LargestLimits {
 public:
  explicit LargestLimits(const Value& object) : object_(object) {}

  std::optional<Value> taken() {
    for (const char* half : {"spec", "status"}) {
      Value* of = member_of(object_, half, Value::Kind::Map);
      if (of == nullptr) continue;
      take(*of, false);
      for (const char* list :
           {"containers", "initContainers", "containerStatuses", "initContainerStatuses"}) {
        Value* items = member_of(*of, list, Value::Kind::List);
        if (items == nullptr) continue;
        for (Value& each : items->items) take(each, std::string_view(half) == "spec");
      }
    }
    return changed_ ? std::optional(std::move(object_)) : std::nullopt;
  }

 private:
  // `fills`: a request that is left out is the limit.
  void take(Value& holder, bool fills) {
    Value* resources = member_of(holder, "resources", Value::Kind::Map);
    Value* limits =
        resources == nullptr ? nullptr : member_of(*resources, "limits", Value::Kind::Map);
    if (limits == nullptr) return;
    const Value* requests = resources->find("requests");
    for (Member& limit : limits->members) {
      const bool is_asked_for = requests != nullptr && requests->find(limit.key) != nullptr;
      if ((fills && !is_asked_for) || !is_too_large(limit.key, limit.value)) continue;
      limit.value.kind = Value::Kind::String;
      limit.value.text = largest_of(limit.key);
      changed_ = true;
    }
  }

  Value object_;
  bool changed_ = false;
};

}  // namespace

std::optional<Value> with_largest_limits(const Value& object) {
  return LargestLimits(object).taken();
}

Result<policy::Pod> decode_cluster_pod(const Value& object) {
  return decode_cluster_pod_in_parts(object, nullptr);
}

Result<policy::Pod> decode_cluster_pod_in_parts(const Value& object, const ContainerParts* parts) {
  Result<policy::Pod> pod = decode_pod_in_parts(object, parts);
  if (pod) return pod;  // as nearly always
  const std::optional<Value> bounded = with_largest_limits(object);
  return bounded ? decode_pod_in_parts(*bounded, parts) : pod;
}

}  // namespace elbowroom::api
