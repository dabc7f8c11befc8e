// Any text as a state file: an error, or a checkpoint that is written and read back to the same.
// The text is also tried after a valid first line, because the checksum would otherwise reject all
// of it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "agent/checkpoint/checkpoint.h"
#include "base/checksum.h"

namespace {

void try_one(std::string_view text) {
  const auto checkpoint = elbowroom::agent::decode_checkpoint(text);
  if (!checkpoint) {
    if (checkpoint.error().message.empty()) std::abort();
    return;
  }
  const auto again = elbowroom::agent::decode_checkpoint(elbowroom::agent::encode(*checkpoint));
  if (!again || *again != *checkpoint) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  try_one(text);
  char sum[9];
  std::snprintf(sum, sizeof sum, "%08x", elbowroom::crc32c(text));
  try_one("elbowroom-allocations v1 crc32c=" + std::string(sum) + " bytes=" + std::to_string(size) +
          "\n" + std::string(text));
  return 0;
}
