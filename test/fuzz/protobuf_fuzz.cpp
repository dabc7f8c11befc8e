// Lists and objects in protobuf, as an API server may send them. Properties: no crash, bounded
// work; the items do not depend on how a list is split; and what is read prints as JSON that is
// read back to the same tree.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/codec/decode_budget.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod.h"
#include "api/codec/decode_pod_group.h"
#include "api/codec/json.h"
#include "api/codec/protobuf_object.h"
#include "api/watch/protobuf_list.h"
#include "base/document.h"

namespace {

using namespace elbowroom;

void check(bool holds) {
  if (!holds) std::abort();
}

std::string items_of(std::string_view bytes, std::size_t piece) {
  api::ProtobufList list("Pod", {.item_bytes = 256, .head_bytes = 256, .bytes = 1 << 20});
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto fed = list.feed(bytes.substr(at, piece), [&](std::string_view item) {
      out += std::string(item) + "\n";
      return true;
    });
    if (!fed) return out + "!";
  }
  const auto head = list.head();
  return out + (head ? api::to_json(*head) : "!");
}

// The same tree gives the same value, or no value.
template <class Decode>
void decode_twice(const Value& one, const Value& other, Decode decode) {
  const auto value = decode(one);
  const auto again = decode(other);
  check(value.has_value() == again.has_value());
  check(!value || *value == *again);
}

void decode_all(std::string_view message) {
  for (const std::string_view kind : {"Pod", "Node", "PodDisruptionBudget"}) {
    const auto value = api::protobuf_message(kind, message);
    if (!value) continue;
    const std::string json = api::to_json(*value);
    const auto again = parse_json(json);
    check(again && api::to_json(*again) == json);
    if (kind == "Pod") decode_twice(*value, *again, api::decode_pod);
    if (kind == "Node") decode_twice(*value, *again, api::decode_node);
    if (kind == "PodDisruptionBudget") {
      decode_twice(*value, *again, api::decode_pod_disruption_budget);
    }
  }
  for (const std::string_view version : {"v1beta1", "v1alpha2"}) {
    const auto value = api::protobuf_message("PodGroup", message, {.version = version});
    if (!value) continue;
    const auto again = parse_json(api::to_json(*value));
    check(again.has_value());
    decode_twice(*value, *again, api::decode_pod_group);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(bytes), size);
  const std::string whole = items_of(body, size == 0 ? 1 : size);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    check(items_of(body, piece) == whole);
  }
  decode_all(body);
  (void)api::protobuf_object(body);
  return 0;
}
