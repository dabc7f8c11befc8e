#include "policy/model/removal_mark.h"

#include <charconv>

namespace elbowroom::policy {
namespace {

constexpr std::string_view kFor = "(for uid ";
constexpr std::string_view kGeneration = ", generation ";

std::optional<RemovalMark> parse(std::string_view message) {
  const std::size_t start = message.rfind(kFor);
  if (start == std::string_view::npos || !message.ends_with(")")) return std::nullopt;
  std::string_view rest = message.substr(start + kFor.size());
  rest.remove_suffix(1);
  const std::size_t comma = rest.find(kGeneration);
  if (comma == std::string_view::npos || comma == 0) return std::nullopt;

  RemovalMark mark{.uid = std::string(rest.substr(0, comma))};
  const std::string_view figure = rest.substr(comma + kGeneration.size());
  const char* end = figure.data() + figure.size();
  const auto [stop, error] = std::from_chars(figure.data(), end, mark.generation);
  if (error != std::errc{} || stop != end || mark.generation < 0) return std::nullopt;
  return mark;
}

}  // namespace

std::optional<RemovalMark> removal_mark(const Pod& pod) {
  const Condition* target = find_condition(pod.conditions, kDisruptionTarget);
  if (target == nullptr || target->status != "True") return std::nullopt;
  if (target->reason != kReasonPreemptionByScheduler &&
      target->reason != kReasonTerminationByKubelet) {
    return std::nullopt;
  }
  return parse(target->message);
}

bool is_marked_for(const Pod& victim, const Pod& preemptor) {
  return removal_mark(victim) == RemovalMark{preemptor.uid, preemptor.generation};
}

Condition marking_condition(const Pod& victim, std::string_view reason, std::string_view message,
                            const RemovalMark& mark, Time now) {
  return {.type = std::string(kDisruptionTarget),
          .status = "True",
          .reason = std::string(reason),
          .message = std::string(message) + " " + std::string(kFor) + mark.uid +
                     std::string(kGeneration) + std::to_string(mark.generation) + ")",
          .observed_generation = victim.generation,
          .last_transition = now};
}

}  // namespace elbowroom::policy
