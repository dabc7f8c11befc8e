#include "api/codec/decode_namespace.h"

#include <utility>

#include "api/codec/cache_size.h"
#include "api/codec/decode_common.h"
#include "api/codec/field.h"

namespace elbowroom::api {

Result<policy::Namespace> decode_namespace(const Value& object) {
  auto metadata = decode_metadata(Field(object));
  if (!metadata) {
    return std::unexpected(metadata.error().with("namespace " + name_in_errors(object, false)));
  }
  return policy::Namespace{.name = std::move(metadata->name),
                           .labels = std::move(metadata->labels)};
}

std::size_t weight_of(const policy::Namespace& seen) {
  std::size_t bytes = kBytesOfMapNode + sizeof seen + 2 * cached_bytes(seen.name);
  for (const auto& [key, value] : seen.labels) {
    bytes += kBytesOfMapNode + cached_bytes(key) + cached_bytes(value);
  }
  return bytes;
}

}  // namespace elbowroom::api
