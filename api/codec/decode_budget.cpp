#include "api/codec/decode_budget.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "api/codec/cache_size.h"
#include "api/codec/decode_common.h"
#include "api/codec/field.h"
#include "api/codec/ledger_entries.h"

namespace elbowroom::api {
namespace {

using Int32 = std::numeric_limits<std::int32_t>;

constexpr std::int64_t kMaxSeconds = std::int64_t{10} * 366 * 86400;

std::optional<std::int64_t> seconds_in(char unit) {
  switch (unit) {
    case 'h':
      return 3600;
    case 'm':
      return 60;
    case 's':
      return 1;
    default:
      return std::nullopt;
  }
}

// What the CRD allows for a rate (packaging/kustomize/crd/disruptionbudget.yaml).
constexpr std::int64_t kMostDisruptions = 1'000;
constexpr std::chrono::hours kLongestPer{720};
constexpr std::size_t kLongestDuration = 32;  // as text

// "25%" as 25.
std::optional<std::int64_t> percentage(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || value > 100 || text.size() > (value == 100 ? 3U : 2U)) return std::nullopt;
  return value;
}

Result<std::optional<policy::IntOrPercent>> decode_int_or_percent(const Field& spec,
                                                                  std::string_view key) {
  ASSIGN_OR_RETURN(const Field at, spec.get(key));
  if (!at.present()) return std::nullopt;
  if (at.value().kind == Value::Kind::String) {
    const auto percent = percentage(at.value().text);
    if (!percent) return at.refuse("must be a count, or a percentage such as 25%");
    return policy::IntOrPercent{*percent, true};
  }
  ASSIGN_OR_RETURN(const std::int64_t count, at.as_integer(0, Int32::max()));
  return policy::IntOrPercent{count, false};
}

Result<void> decode_rate(const Field& spec, policy::DisruptionBudget& budget) {
  ASSIGN_OR_RETURN(const Field rate, spec.get("rate"));
  if (!rate.present()) return {};
  ASSIGN_OR_RETURN(budget.rate_disruptions, rate.integer("disruptions", 0, kMostDisruptions));
  if (!budget.rate_disruptions) return rate.refuse("disruptions", "must be given");
  ASSIGN_OR_RETURN(const std::string per, rate.text("per"));
  if (per.size() > kLongestDuration) return rate.refuse("per", "must be a duration such as 1h30m");
  const Result<std::chrono::seconds> duration = parse_duration(per);
  if (!duration) return rate.refuse("per", duration.error().message);
  if (*duration > kLongestPer) return rate.refuse("per", "must be at most 720h");
  budget.rate_per = *duration;
  return {};
}

// None: a policy that this program does not know. Absent is the default of policy/v1.
Result<std::optional<policy::UnhealthyPodEviction>> decode_unhealthy(const Field& spec) {
  using policy::UnhealthyPodEviction;
  ASSIGN_OR_RETURN(const std::string text, spec.text("unhealthyPodEvictionPolicy"));
  if (text.empty() || text == "IfHealthyBudget") return UnhealthyPodEviction::IfHealthyBudget;
  if (text == "AlwaysAllow") return UnhealthyPodEviction::AlwaysAllow;
  return std::nullopt;
}

Result<policy::BudgetStatus> decode_status(const Field& at) {
  policy::BudgetStatus status;
  const auto count = [&](std::string_view key) { return at.integer(key, 0, Int32::max()); };
  ASSIGN_OR_RETURN(const auto expected, count("expectedPods"));
  ASSIGN_OR_RETURN(const auto healthy, count("currentHealthy"));
  ASSIGN_OR_RETURN(const auto desired, count("desiredHealthy"));
  ASSIGN_OR_RETURN(const auto allowed, count("disruptionsAllowed"));
  ASSIGN_OR_RETURN(const auto generation,
                   at.integer("observedGeneration", 0, std::numeric_limits<std::int64_t>::max()));
  ASSIGN_OR_RETURN(status.next_allowed_time, at.time("nextAllowedTime"));
  ASSIGN_OR_RETURN(status.observed_time, at.time("observedTime"));
  ASSIGN_OR_RETURN(status.conditions, decode_conditions(at, Conditioned::Group));
  status.expected_pods = expected.value_or(0);
  status.current_healthy = healthy.value_or(0);
  status.desired_healthy = desired.value_or(0);
  status.disruptions_allowed = allowed.value_or(0);
  status.observed_generation = generation.value_or(0);
  return status;
}

// How much of the bounds above, and of memory, a selector uses.
struct Extent {
  std::size_t texts = 0;
  std::size_t bytes = 0;
  std::size_t kept = 0;
};

Extent extent_of(const policy::LabelSelector& selector) {
  Extent extent;
  const auto add = [&](std::string_view text) {
    ++extent.texts;
    extent.bytes += text.size();
    extent.kept += cached_bytes(text);
  };
  for (const auto& [key, value] : selector.match_labels) {
    add(key);
    extent.bytes += value.size();
    extent.kept += kBytesOfMapNode + cached_bytes(value);
  }
  for (const policy::LabelExpression& each : selector.expressions) {
    add(each.key);
    extent.kept += sizeof each - sizeof each.key;
    for (const std::string& value : each.values) add(value);
  }
  return extent;
}

Result<std::optional<policy::LabelSelector>> decode_bounded_selector(const Field& spec) {
  ASSIGN_OR_RETURN(auto selector, decode_selector(spec, "selector"));
  if (!selector) return selector;
  const Extent extent = extent_of(*selector);
  if (extent.texts <= kMaxSelectorTexts && extent.bytes <= kMaxSelectorBytes) return selector;
  auto refused = spec.refuse("selector", "has more than " + std::to_string(kMaxSelectorTexts) +
                                             " labels, expressions and values, or more than " +
                                             std::to_string(kMaxSelectorBytes) +
                                             " bytes of them: split the budget");
  refused.error().code = Code::Exhausted;
  return refused;
}

Result<policy::DisruptionBudget> decode_ours(const Value& object) {
  const Field root(object);
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::DisruptionBudget budget;
  budget.ns = metadata.ns.empty() ? "default" : std::move(metadata.ns);
  budget.name = std::move(metadata.name);
  budget.uid = std::move(metadata.uid);
  budget.version = std::move(metadata.resource_version);
  budget.generation = metadata.generation;
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(budget.selector, decode_bounded_selector(spec));
  ASSIGN_OR_RETURN(budget.min_available, decode_int_or_percent(spec, "minAvailable"));
  ASSIGN_OR_RETURN(budget.max_unavailable, decode_int_or_percent(spec, "maxUnavailable"));
  if (budget.min_available && budget.max_unavailable) {
    return spec.refuse("maxUnavailable", "must not stand beside minAvailable: keep one");
  }
  ASSIGN_OR_RETURN(budget.hard, spec.boolean("hard"));
  RETURN_IF_ERROR(decode_rate(spec, budget));
  ASSIGN_OR_RETURN(const auto unhealthy, decode_unhealthy(spec));
  if (!unhealthy) {
    return spec.refuse("unhealthyPodEvictionPolicy", "must be IfHealthyBudget or AlwaysAllow");
  }
  budget.unhealthy = *unhealthy;
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  ASSIGN_OR_RETURN(budget.recent, decode_ledger(object));
  ASSIGN_OR_RETURN(budget.status, decode_status(status));
  return budget;
}

Result<policy::PodDisruptionBudget> decode_upstream(const Value& object) {
  const Field root(object);
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::PodDisruptionBudget budget;
  budget.ns = metadata.ns.empty() ? "default" : std::move(metadata.ns);
  budget.name = std::move(metadata.name);
  budget.uid = std::move(metadata.uid);
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(budget.selector, decode_bounded_selector(spec));
  ASSIGN_OR_RETURN(const auto unhealthy, decode_unhealthy(spec));
  budget.unhealthy = unhealthy.value_or(policy::UnhealthyPodEviction::Unknown);
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  ASSIGN_OR_RETURN(const auto allowed,
                   status.integer("disruptionsAllowed", Int32::min(), Int32::max()));
  budget.disruptions_allowed = std::max<std::int64_t>(allowed.value_or(0), 0);
  ASSIGN_OR_RETURN(const auto healthy,
                   status.integer("currentHealthy", Int32::min(), Int32::max()));
  ASSIGN_OR_RETURN(const auto desired,
                   status.integer("desiredHealthy", Int32::min(), Int32::max()));
  budget.current_healthy = healthy.value_or(0);
  budget.desired_healthy = desired.value_or(0);
  ASSIGN_OR_RETURN(const auto disrupted, status.labels("disruptedPods"));
  for (const auto& [pod, time] : disrupted) budget.disrupted_pods.insert(pod);
  return budget;
}

}  // namespace

std::size_t weight_of(const policy::PodDisruptionBudget& budget) {
  std::size_t bytes = kBytesOfMapNode + sizeof budget + cached_bytes(budget.ns) +
                      2 * cached_bytes(budget.name) + cached_bytes(budget.uid);
  if (budget.selector) bytes += extent_of(*budget.selector).kept;
  for (const std::string& each : budget.disrupted_pods)
    bytes += kBytesOfMapNode + cached_bytes(each);
  return bytes;
}

std::size_t weight_of(const policy::DisruptionBudget& budget) {
  std::size_t bytes = kBytesOfMapNode + sizeof budget + cached_bytes(budget.ns) +
                      2 * cached_bytes(budget.name) + cached_bytes(budget.uid);
  if (budget.selector) bytes += extent_of(*budget.selector).kept;
  for (const policy::LedgerEntry& each : budget.recent) {
    bytes += sizeof each + each.pod.size() + each.uid.size() + each.by.size();
  }
  return bytes;
}

Result<std::chrono::seconds> parse_duration(std::string_view text) {
  std::int64_t total = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::uint32_t count = 0;  // a sign is none of its digits
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    if (error != std::errc() || count > kMaxSeconds) break;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const auto unit = rest.empty() ? std::nullopt : seconds_in(rest[0]);
    if (!unit) break;
    total += count * *unit;
    rest.remove_prefix(1);
    if (total > kMaxSeconds) break;
    if (rest.empty() && total > 0) return std::chrono::seconds(total);
  }
  return failure(Code::Invalid, "\"" + std::string(text.substr(0, 40)) +
                                    "\" is no duration of a second to ten years: write one such "
                                    "as 1h30m or 45s");
}

Result<policy::PodDisruptionBudget> decode_pod_disruption_budget(const Value& object) {
  auto budget = decode_upstream(object);
  if (!budget) {
    return std::unexpected(
        budget.error().with("pod disruption budget " + name_in_errors(object, true)));
  }
  return budget;
}

Result<policy::DisruptionBudget> decode_disruption_budget(const Value& object) {
  auto budget = decode_ours(object);
  if (!budget) {
    return std::unexpected(
        budget.error().with("disruption budget " + name_in_errors(object, true)));
  }
  return budget;
}

}  // namespace elbowroom::api
