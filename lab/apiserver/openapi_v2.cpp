#include "lab/apiserver/openapi_v2.h"

#include <string>

#include "lab/schema/schema.h"
#include "lab/schema/wire_bytes.h"
#include "lab/world/kind.h"

namespace elbowroom::lab {
namespace {

// What a client finds a definition by: a NamedAny whose value is YAML.
std::string kind_extension(const Kind& kind) {
  std::string value;
  write_bytes(value, 2,
              "[{group: \"" + std::string(kind.group) + "\", version: " +
                  std::string(kind.version) + ", kind: " + std::string(kind.name) + "}]");
  std::string extension;
  write_bytes(extension, 1, "x-kubernetes-group-version-kind");
  write_bytes(extension, 2, value);
  return extension;
}

// A NamedSchema without a type: it takes any content.
std::string definition(const Kind& kind) {
  std::string schema;
  write_bytes(schema, 31, kind_extension(kind));
  std::string named;
  write_bytes(named, 1, "io.k8s.api." + std::string(schema_of(kind).name));
  write_bytes(named, 2, schema);
  return named;
}

std::string document() {
  std::string info;
  write_bytes(info, 1, "Kubernetes, as the lab has it");
  write_bytes(info, 2, "v1.37.0");
  std::string definitions;
  for (const Kind& kind : all_kinds()) write_bytes(definitions, 1, definition(kind));
  std::string all;
  write_bytes(all, 1, "2.0");
  write_bytes(all, 2, info);
  write_bytes(all, 9, definitions);
  return all;
}

}  // namespace

std::string_view openapi_v2_document() {
  static const std::string all = document();
  return all;
}

}  // namespace elbowroom::lab
