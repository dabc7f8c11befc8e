// Any bytes as manifests: objects, lists and selectors decode or are refused, and every resulting
// pod can be decided and printed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/document.h"
#include "cli/input/manifests.h"
#include "cli/simulate_resize.h"
#include "policy/model/selector.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  if (size > 65536) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto manifests = cli::read_manifests({{"fuzz.yaml", text}});
  if (!manifests) {
    if (manifests.error().message.empty()) std::abort();
    return 0;
  }
  for (const policy::Pod& pod : manifests->pods) {
    for (const auto& budget : manifests->pod_disruption_budgets) {
      if (budget.selector) (void)policy::matches(*budget.selector, pod.labels);
    }
    const auto report = cli::answer(*manifests, {.pod = key_of(pod)});
    if (!report) continue;
    const std::string json = cli::printed(*report, cli::OutputFormat::Json);
    if (!parse_json(json)) std::abort();
    for (const char c : json + cli::printed(*report, cli::OutputFormat::Table)) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') std::abort();
    }
  }
  return 0;
}
