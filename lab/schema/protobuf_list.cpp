#include "lab/schema/protobuf_list.h"

#include <algorithm>
#include <string_view>

#include "lab/schema/protobuf_body.h"
#include "lab/schema/protobuf_object.h"
#include "lab/schema/wire_bytes.h"

namespace elbowroom::lab {
namespace {

// The clause without its parameters and spaces.
std::string_view media_of(std::string_view clause) {
  clause = clause.substr(0, clause.find(';'));
  while (clause.starts_with(' ')) clause.remove_prefix(1);
  while (clause.ends_with(' ')) clause.remove_suffix(1);
  return clause;
}

}  // namespace

bool wants_protobuf(const ApiRequest& request) {
  const std::string accept = header(request, "accept");
  std::string_view rest = accept;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view clause = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::string_view media = media_of(clause);
    if (media == kProtobuf && clause.find("as=") == std::string_view::npos) return true;
    if (media == "application/json" || media == "*/*" || media == "application/*") return false;
  }
  return false;
}

std::optional<std::string> protobuf_list(const Kind& kind, const Json& list) {
  std::string metadata;
  write_bytes(metadata, 1, "");
  write_bytes(metadata, 2, text_at(list, {"metadata", "resourceVersion"}));
  write_bytes(metadata, 3, text_at(list, {"metadata", "continue"}));
  if (const auto left = integer_at(list, {"metadata", "remainingItemCount"})) {
    write_number(metadata, 4, *left);
  }
  std::string raw;
  write_bytes(raw, 1, metadata);
  for (const Json& object : list_at(list, {"items"})) {
    const auto item = protobuf_item(kind, object);
    if (!item) return std::nullopt;
    write_bytes(raw, 2, *item);
  }
  return protobuf_envelope(api_version_of(kind), std::string(kind.name) + "List", raw);
}

}  // namespace elbowroom::lab
