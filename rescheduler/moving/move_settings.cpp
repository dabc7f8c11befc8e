#include "rescheduler/moving/move_settings.h"

#include <utility>

#include "api/codec/decode_move_rules.h"

namespace elbowroom::rescheduler {

std::string MoveSettings::take(const std::optional<ConfigText>& map) {
  if (own_) return "";
  uid_ = map ? map->uid : "";
  const std::string key(api::kMoveRulesKey);
  if (!map || !map->data.contains(key)) {
    trouble_.clear();
    if (std::exchange(rules_, {}) != policy::MoveRules{}) ++version_;
    return "";
  }
  auto rules = api::decode_move_rules(map->data.at(key));
  if (!rules) {
    std::string why = std::string(api::kMoveRulesKey) + ": " + rules.error().message;
    if (why == trouble_) return "";
    ++refused_;
    trouble_ = std::move(why);
    return trouble_;
  }
  trouble_.clear();
  if (*rules != rules_) ++version_;
  rules_ = *std::move(rules);
  return "";
}

}  // namespace elbowroom::rescheduler
