// Any bytes as the annotation preferAvoidPods: what parses takes an entry of ours without losing
// one of others, prints in a form that parses to the same, and gives the entry up again.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "api/codec/avoid_entries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  if (api::avoided_controllers(text).size() > api::kMostAvoidEntries) std::abort();
  auto entries = api::AvoidEntries::parse(text);
  if (!entries) return 0;
  const policy::Time now{std::chrono::hours(500'000)};
  entries->drop_expired(now);
  const auto before = entries->text();
  const auto change = entries->put({.controller = {"apps/v1", "ReplicaSet", "web", "u-1"},
                                    .pod_uid = "p-1",
                                    .by = "elbowroom",
                                    .evicted = now,
                                    .until = now + std::chrono::hours(1)});
  if (!change) {
    if (entries->text() != before) std::abort();
    return 0;
  }
  const auto with_ours = entries->text();
  const auto again = api::AvoidEntries::parse(with_ours);
  if (!with_ours || with_ours->size() > api::kMostAnnotationBytes) std::abort();
  if (!again || again->text() != with_ours) std::abort();
  if (!entries->take_back(*change, now) || entries->take_back(*change, now)) std::abort();
  return 0;
}
