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
std::string less_than(const Pod& victim, const Pod& spared, RuleSet rules) {
  const std::string name = key_of(spared);
  if (priority_of(victim) != priority_of(spared)) {
    return "less important than " + name + " (priority " + std::to_string(priority_of(spared)) +
           ")";
  }
  if (rules == RuleSet::Elbowroom && qos_of(victim) != qos_of(spared)) {
    return "equal to " + name + " but " + std::string(to_string(qos_of(victim))) + ", not " +
           std::string(to_string(qos_of(spared)));
  }
  if (victim.started != spared.started) {
    return "equal to " + name + (victim.started ? " but started later" : " but has not started");
  }
  return "equal to " + name + " but for its uid, which is greater";
}

std::string comparison(const std::vector<Rated>& rated, std::size_t at, const Resources& needs,
                       RuleSet rules) {
  for (std::size_t i = at; i-- > 0;) {
    if (rated[i].goes || !helps(rated[i], needs)) continue;
    if (rated[i].breaks_budget && !rated[at].breaks_budget) continue;
    return "; " + less_than(*rated[at].pod, *rated[i].pod, rules);
  }
  for (std::size_t i = 0; i < rated.size(); ++i) {
    if (i == at || rated[i].goes || !helps(rated[i], needs)) continue;
    const std::string name = key_of(*rated[i].pod);
    if (rated[i].breaks_budget && !rated[at].breaks_budget) {
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

std::string why_it_goes(const std::vector<Rated>& rated, std::size_t at, const Resources& needs,
                        RuleSet rules) {
  const Rated& victim = rated[at];
  const std::string priority = std::to_string(priority_of(*victim.pod));
  const bool lowest = std::ranges::none_of(
      rated, [&](const Rated& each) { return priority_of(*each.pod) < priority_of(*victim.pod); });
  std::string why = lowest ? "lowest priority (" + priority + ")" : "priority " + priority;
  why += " whose " + in_words(helpful(victim.charge, needs)) + " is needed";
  if (victim.breaks_budget) why += "; sparing its disruption budget would not be enough";
  // A less important pod may stay beside a victim that was chosen earlier.
  if (victim.is_marked) return why + "; was marked for this resize already";
  return why + comparison(rated, at, needs, rules);
}

std::string why_the_node_takes(const Rated& victim, const Resources& needs) {
  return std::string(to_string(qos_of(*victim.pod))) + " pod of priority " +
         std::to_string(priority_of(*victim.pod)) + " whose " +
         in_words(helpful(victim.charge, needs)) + " comes nearest to what is lacking, " +
         in_words(needs);
}

std::string why_it_stays(const Rated& spared, const Resources& needs) {
  if (!helps(spared, needs)) return "stays: it holds nothing of what is lacking";
  return "stays: the resize fits beside it";
}

std::string listed(const std::vector<std::string>& names, std::string_view joint) {
  return list_of(names, joint);
}

Words listed_pods(const std::vector<Words>& names, std::string_view joint) {
  return list_of(names, joint);
}

}  // namespace elbowroom::policy
