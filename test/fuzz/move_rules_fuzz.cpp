// Any text as the configuration of moves: an error of one line, or rules within their bounds.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/decode_move_rules.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_percent(std::int64_t number) { return number >= 0 && number <= 100; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace elbowroom;
  using namespace std::chrono_literals;
  const auto rules =
      api::decode_move_rules(std::string_view(reinterpret_cast<const char*>(bytes), size));
  if (!rules) {
    require(!rules.error().message.empty());
    require(rules.error().message.find('\n') == std::string::npos);
    return 0;
  }
  const policy::UnderutilizedNode& load = rules->policies.underutilized_node;
  require(is_percent(load.threshold) && is_percent(load.target) && load.threshold <= load.target);
  require(load.min_gain >= 1 && is_percent(load.min_gain) && load.max_moves >= 0);
  const policy::AffinityPreference& affinity = rules->policies.affinity_preference;
  require(affinity.min_gain >= 1 && is_percent(affinity.min_gain));
  require(rules->interval >= 10s && rules->interval <= 24h);
  require(rules->cool_down >= 1min && rules->cool_down <= 24h);
  require(rules->avoid_for >= 1min && rules->budget_reserve >= 0);
  require(rules->max_moves_per_hour >= 0 && rules->max_moves_per_node_per_hour >= 0);
  return 0;
}
