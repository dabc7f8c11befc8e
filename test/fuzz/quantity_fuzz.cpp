// Any bytes as a quantity: what parses prints in a form that parses to the same amount.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom::api;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const std::string_view resource : {"cpu", "memory", "example.com/gpu"}) {
    const auto amount = parse_quantity(text, unit_of(resource));
    if (!amount) continue;
    const auto again = parse_quantity(format_quantity(resource, *amount), unit_of(resource));
    if (*amount < 0 || !again || *again != *amount) std::abort();
  }
  return 0;
}
