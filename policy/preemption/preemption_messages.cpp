#include "policy/preemption/preemption_messages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace elbowroom::policy {
namespace {

constexpr std::size_t kNamed = 5;

std::string cpu_in_words(std::int64_t millicores) {
  return millicores % 1000 == 0 ? std::to_string(millicores / 1000)
                                : std::to_string(millicores) + "m";
}

std::string amount_in_words(std::int64_t amount) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && amount % 1024 == 0 && amount != 0) {
    amount /= 1024;
    ++unit;
  }
  return std::to_string(amount) + std::string(kUnits[unit]);
}

// The part of the needs that the charge holds.
Resources helpful(const Resources& charge, const Resources& needs) {
  Resources part;
  for_each_amount(needs, [&](std::string_view name, std::int64_t) {
    set_amount(part, name, amount_of(charge, name));
  });
  return part;
}

bool helps(const Rated& one, const Resources& needs) {
  return !is_zero(helpful(one.charge, needs));
}

// In what respect the victim is less important than `spared`, which stays.
std::string less_than(const Unit<Pod>& of_victim, const Unit<Pod>& of_spared, RuleSet rules) {
  const std::string name = name_of(of_spared);
  const UnitRank victim = rank_of(of_victim);
  const UnitRank spared = rank_of(of_spared);
  if (victim.priority != spared.priority) {
    return "less important than " + name + " (priority " + std::to_string(spared.priority) + ")";
  }
  const auto counts_as_group = [rules](const UnitRank& unit) {
    return unit.is_group || (rules == RuleSet::Upstream && unit.is_grouped);
  };
  if (counts_as_group(victim) != counts_as_group(spared)) {
    return "equal to " + name +
           (spared.is_group ? " but not a pod group that is disrupted as a whole"
                            : " but of no pod group");
  }
  if (rules == RuleSet::Elbowroom && victim.qos != spared.qos) {
    return "equal to " + name + " but " + std::string(to_string(victim.qos)) + ", not " +
           std::string(to_string(spared.qos));
  }
  if (rules == RuleSet::Upstream && victim.members != spared.members) {
    return "equal to " + name + " but has fewer pods";
  }
  if (victim.started != spared.started) {
    return "equal to " + name + (victim.started ? " but started later" : " but has not started");
  }
  return "equal to " + name + " but for its uid, which is greater";
}

// `spared` is put back before `victim` because of a budget, whichever is more important.
bool is_kept_by_budget(const Rated& spared, const Rated& victim) {
  if ((spared.violating.firm > 0) != (victim.violating.firm > 0)) return spared.violating.firm > 0;
  return priority_of(spared.unit) == priority_of(victim.unit) && spared.violating.soft > 0 &&
         victim.violating.soft == 0;
}

std::string comparison(const std::vector<Rated>& rated, std::size_t at, const Resources& needs,
                       RuleSet rules) {
  for (std::size_t i = at; i-- > 0;) {
    if (rated[i].goes || !helps(rated[i], needs)) continue;
    if (is_kept_by_budget(rated[i], rated[at])) continue;
    return "; " + less_than(rated[at].unit, rated[i].unit, rules);
  }
  for (std::size_t i = 0; i < rated.size(); ++i) {
    if (i == at || rated[i].goes || !helps(rated[i], needs)) continue;
    const std::string name = name_of(rated[i].unit);
    if (is_kept_by_budget(rated[i], rated[at])) {
      return "; " + name + " stays because its removal would break a disruption budget";
    }
    if (i > at) return "; removing the less important " + name + " instead would not be enough";
  }
  return "";
}

template <class Text>
Text list_of(const std::vector<Text>& names, std::string_view joint) {
  const std::string last = " " + std::string(joint) + " ";
  Text words;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    if (i > 0) words += i + 1 == names.size() ? last : std::string(", ");
    words += names[i];
  }
  if (names.size() > kNamed) words += last + std::to_string(names.size() - kNamed) + " more";
  return words;
}

// Which pods a unit of several takes with it.
std::string removed_as_one(const Unit<Pod>& unit) {
  return members_of(unit) == 1 ? "" : "; removed as one: " + name_of(unit);
}

}  // namespace

std::string in_words(const Resources& of) {
  std::string words;
  for_each_amount(of, [&](std::string_view name, std::int64_t amount) {
    if (!words.empty()) words += " and ";
    words += name == kCpu ? cpu_in_words(amount) : amount_in_words(amount);
    words += " ";
    words += name;
  });
  return words.empty() ? "nothing" : words;
}

std::string victim_reason(const std::vector<Rated>& rated, std::size_t at, const Resources& needs,
                          RuleSet rules) {
  const Rated& victim = rated[at];
  const std::string priority = std::to_string(priority_of(victim.unit));
  const bool lowest = std::ranges::none_of(
      rated, [&](const Rated& each) { return priority_of(each.unit) < priority_of(victim.unit); });
  std::string why = lowest ? "lowest priority (" + priority + ")" : "priority " + priority;
  why += " whose " + in_words(helpful(victim.charge, needs)) + " is needed";
  why += broken_budget(victim.violating);
  // A less important pod may stay beside a victim that was chosen earlier.
  why += victim.is_marked ? "; was marked for this resize already"
                          : comparison(rated, at, needs, rules);
  return why + removed_as_one(victim.unit);
}

std::string broken_budget(const Violations& violating) {
  if (violating.firm > 0) return "; sparing its disruption budget would not be enough";
  if (violating.soft == 0) return "";
  return "; its disruption budget is not hard, and is spared only among pods of the same priority";
}

std::string node_victim_reason(const Rated& victim, const Resources& needs) {
  const UnitRank rank = rank_of(victim.unit);
  return std::string(to_string(rank.qos)) + " pod of priority " + std::to_string(rank.priority) +
         " whose " + in_words(helpful(victim.charge, needs)) +
         " comes nearest to what is lacking, " + in_words(needs) + removed_as_one(victim.unit);
}

std::string one_of_many(std::size_t units) {
  return "one of " + std::to_string(units) + " that have to go, each of which is needed";
}

std::string reprieve_reason(const Rated& spared, const Resources& needs) {
  if (!helps(spared, needs)) return "stays: it holds nothing of what is lacking";
  return "stays: the resize fits beside it";
}

std::string listed(const std::vector<std::string>& names, std::string_view joint) {
  return list_of(names, joint);
}

PodText listed_pods(const std::vector<PodText>& names, std::string_view joint) {
  return list_of(names, joint);
}

std::string owners_in_words(const Node& node) {
  std::vector<std::string> owners = node.resize_preemption_owners;
  for (std::string& each : owners) {
    const bool is_malformed =
        std::ranges::find(node.malformed_owners, each) != node.malformed_owners.end();
    if (is_malformed) each = "\"" + each + "\" (malformed)";
  }
  return listed(owners);
}

std::string name_of(const Unit<Pod>& unit) {
  std::vector<std::string> names;
  for_each_pod(unit, [&names](const Pod& pod) { names.push_back(key_of(pod)); });
  return listed(names);
}

}  // namespace elbowroom::policy
