#include "api/decode_namespace.h"

#include <utility>

#include "api/decode_common.h"
#include "api/field.h"

namespace elbowroom::api {

Result<policy::Namespace> decode_namespace(const Value& object) {
  auto metadata = decode_metadata(Field(object));
  if (!metadata) {
    return std::unexpected(metadata.error().with("namespace " + name_in_errors(object, false)));
  }
  return policy::Namespace{.name = std::move(metadata->name),
                           .labels = std::move(metadata->labels)};
}

}  // namespace elbowroom::api
