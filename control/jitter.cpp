#include "control/jitter.h"

#include <cstdint>
#include <string>

namespace elbowroom::control {
namespace {

// FNV-1a, and its bits mixed once more: uids differ in their last digits.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211U;
  }
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 33U);
}

}  // namespace

std::chrono::milliseconds with_jitter(std::chrono::milliseconds wait, std::string_view uid,
                                      unsigned attempt) {
  const auto span = static_cast<std::uint64_t>(wait.count()) / 4 + 1;
  const std::uint64_t more = hash_of(std::string(uid) + "/" + std::to_string(attempt)) % span;
  return wait + std::chrono::milliseconds(more);
}

}  // namespace elbowroom::control
