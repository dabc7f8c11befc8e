// Any bytes as JSON: no crash, bounded work, and what parses prints back to the same tree.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/document.h"
#include "base/document_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  const DocumentLimits limits{.bytes = 1 << 20, .depth = 32, .values = 100'000};
  const auto value = parse_json({reinterpret_cast<const char*>(bytes), size}, limits);
  if (!value) return 0;
  const auto again = parse_json(to_json(*value));
  if (!again || to_json_line(*again) != to_json_line(*value)) std::abort();
  const auto as_yaml = parse_yaml(to_yaml(*value));
  if (!as_yaml) std::abort();
  return 0;
}
