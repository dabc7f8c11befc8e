// Any bytes as YAML: no crash, bounded work, an error fit for a terminal, and what parses prints
// back to the same tree.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/document_text.h"
#include "base/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  const DocumentLimits limits{.bytes = 1 << 20, .depth = 32, .values = 100'000};
  const auto documents = parse_yaml({reinterpret_cast<const char*>(bytes), size}, limits);
  if (!documents) {
    const std::string& message = documents.error().message;
    if (message.empty() || message != sanitize_line(message)) std::abort();
    return 0;
  }
  for (const Value& each : *documents) {
    const auto again = parse_yaml(to_yaml(each));
    if (!again || again->size() != 1 || to_json(again->front()) != to_json(each)) std::abort();
  }
  return 0;
}
