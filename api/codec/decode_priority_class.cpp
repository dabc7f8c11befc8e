#include "api/codec/decode_priority_class.h"

#include <limits>

#include "api/codec/decode_common.h"
#include "api/codec/field.h"

namespace elbowroom::api {
namespace {

Result<PriorityClass> decode(const Value& object) {
  const Field root(object);
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  PriorityClass decoded{.name = std::move(metadata.name)};
  using Int32 = std::numeric_limits<std::int32_t>;
  ASSIGN_OR_RETURN(const auto value, root.integer("value", Int32::min(), Int32::max()));
  if (!value) return root.refuse("value", "must be given");
  decoded.value = static_cast<std::int32_t>(*value);
  ASSIGN_OR_RETURN(decoded.global_default, root.boolean("globalDefault"));
  ASSIGN_OR_RETURN(const std::string preemption, root.text("preemptionPolicy"));
  if (!preemption.empty() && preemption != "Never" && preemption != "PreemptLowerPriority") {
    return root.refuse("preemptionPolicy", "must be PreemptLowerPriority or Never");
  }
  decoded.never_preempts = preemption == "Never";
  return decoded;
}

}  // namespace

Result<PriorityClass> decode_priority_class(const Value& object) {
  auto decoded = decode(object);
  if (!decoded) {
    return std::unexpected(decoded.error().with("priority class " + name_in_errors(object, false)));
  }
  return decoded;
}

}  // namespace elbowroom::api
