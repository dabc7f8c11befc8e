#include "policy/placement/pod_kinds.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "policy/placement/exact_text.h"

namespace elbowroom::policy {
namespace {

constexpr std::size_t kKeptUnusedKinds = 64;

bool has_terms(const Placement& placement) {
  return !placement.required_affinity.empty() || !placement.required_anti_affinity.empty() ||
         !placement.preferred_affinity.empty() || !placement.preferred_anti_affinity.empty();
}

std::string text_of_terms(const Placement& placement) {
  ExactText made;
  made.add(placement.required_affinity);
  made.add(placement.required_anti_affinity);
  made.add(placement.preferred_affinity);
  made.add(placement.preferred_anti_affinity);
  return std::move(made.text);
}

// What everything has that the selector matches, the first of it; nothing: there is no such label.
std::optional<std::pair<std::string_view, std::string_view>> first_required(
    const LabelSelector& selector) {
  if (!selector.match_labels.empty()) {
    const auto& [key, value] = *selector.match_labels.begin();
    return std::pair<std::string_view, std::string_view>(key, value);
  }
  for (const LabelExpression& each : selector.expressions) {
    if (each.op != LabelOperator::In || each.values.size() != 1) continue;
    return std::pair<std::string_view, std::string_view>(each.key, each.values.front());
  }
  return std::nullopt;
}

}  // namespace

// Neighbours do not share a bucket.
std::uint64_t PodKinds::Place::mixed() const {
  std::uint64_t hash = ns;
  for (const std::uint32_t each : {label.key, label.value}) {
    hash = (hash ^ each) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  }
  return hash;
}

void PodKinds::enter(Index& index, const Place& at, std::uint32_t number) {
  std::vector<std::uint32_t>& there = index[at];
  const auto behind = std::ranges::lower_bound(there, number);
  if (behind == there.end() || *behind != number) there.insert(behind, number);
}

void PodKinds::leave(Index& index, const Place& at, std::uint32_t number) {
  std::vector<std::uint32_t>* there = index.find(at);
  if (there == nullptr) return;
  const auto found = std::ranges::lower_bound(*there, number);
  if (found != there->end() && *found == number) there->erase(found);
  if (there->empty()) index.erase(at);
}

// ---- kinds ----

std::string PodKinds::key_of_kind(const PodKind& kind) const {
  std::string key;
  const auto add = [&key](std::uint32_t number) {
    for (int byte = 0; byte < 4; ++byte) {
      key.push_back(static_cast<char>(number & 0xffU));
      number >>= 8U;
    }
  };
  key.reserve(12 + 8 * kind.labels.size());
  add(kind.ns);
  add(kind.terms);
  add(static_cast<std::uint32_t>(kind.labels.size()));
  for (const LabelPair& each : kind.labels) add(each.key), add(each.value);
  for (const HostPort& each : kind.host_ports) {
    add(static_cast<std::uint32_t>(each.port));
    add(static_cast<std::uint32_t>(std::to_underlying(each.protocol)));
    add(static_cast<std::uint32_t>(each.ip.size()));
    key += each.ip;
  }
  return key;
}

PodKinds::Held PodKinds::hold(const Pod& pod) {
  PodKind made{.ns = texts_.hold(pod.ns),
               .terms = hold_terms(pod.placement),
               .labels = texts_.hold(pod.labels),
               .host_ports = pod.placement.host_ports,
               .pods = 1};
  std::string key = key_of_kind(made);
  if (const std::uint32_t* known = kind_numbers_.find(key); known != nullptr) {
    texts_.let_go(made.ns);
    texts_.let_go(made.labels);
    let_go_of_terms(made.terms);
    ++kinds_[*known].pods;
    return {*known, false};
  }
  auto number = static_cast<std::uint32_t>(kinds_.size());
  if (free_kinds_.empty()) {
    kinds_.emplace_back();
    covered_by_.push_back(0);
  } else {
    number = free_kinds_.back();
    free_kinds_.pop_back();
  }
  enter(kinds_at_, {.ns = made.ns}, number);
  for (const LabelPair& each : made.labels) enter(kinds_at_, {made.ns, each}, number);
  names_.try_emplace(made.ns, pod.ns);
  if (!made.host_ports.empty()) with_ports_.insert(number);
  kinds_[number] = std::move(made);
  kind_numbers_[std::move(key)] = number;
  return {number, true};
}

void PodKinds::let_go(std::uint32_t kind) {
  PodKind& of = kinds_[kind];
  if (--of.pods > 0 || of.is_unused) return;
  of.is_unused = true;
  unused_.push_back(kind);
  if (unused_.size() > kKeptUnusedKinds) forget_unused();
}

// A pod that changes leaves its kind and comes back to it: so kinds are forgotten some later.
void PodKinds::forget_unused() {
  for (const std::uint32_t number : unused_) {
    kinds_[number].is_unused = false;
    if (kinds_[number].pods == 0) forget(number);
  }
  unused_.clear();
}

void PodKinds::forget(std::uint32_t number) {
  PodKind& kind = kinds_[number];
  kind_numbers_.erase(key_of_kind(kind));
  leave(kinds_at_, {.ns = kind.ns}, number);
  for (const LabelPair& each : kind.labels) leave(kinds_at_, {kind.ns, each}, number);
  if (kinds_at_.find(Place{.ns = kind.ns}) == nullptr) names_.erase(kind.ns);
  with_ports_.erase(number);
  texts_.let_go(kind.ns);
  texts_.let_go(kind.labels);
  let_go_of_terms(kind.terms);
  set_budgets(number, {});
  kind = {};
  free_kinds_.push_back(number);
}

void PodKinds::set_budgets(std::uint32_t kind, const std::vector<std::uint32_t>& budgets) {
  const std::uint32_t before = covered_by_[kind];
  if (const auto known = set_numbers_.find(budgets); known != set_numbers_.end()) {
    covered_by_[kind] = known->second;
  } else {
    auto number = static_cast<std::uint32_t>(budget_sets_.size());
    if (free_sets_.empty()) {
      budget_sets_.emplace_back();
      set_held_.push_back(0);
    } else {
      number = free_sets_.back();
      free_sets_.pop_back();
    }
    budget_sets_[number] = budgets;
    set_numbers_.emplace(budgets, number);
    covered_by_[kind] = number;
  }
  ++set_held_[covered_by_[kind]];
  if (before == 0 || --set_held_[before] > 0) return;
  set_numbers_.erase(budget_sets_[before]);
  budget_sets_[before].clear();
  free_sets_.push_back(before);
}

void PodKinds::count(std::uint32_t kind, std::uint32_t node, bool is_terminating, bool comes) {
  PodKind& of = kinds_[kind];
  of.on.count(node, is_terminating, comes);
  if (of.terms != 0) terms_[of.terms].on.count(node, is_terminating, comes);
}

std::vector<std::uint32_t> PodKinds::selected(std::string_view ns,
                                              const LabelSelector& selector) const {
  const std::uint32_t in = texts_.find(ns);
  const NumberedSelector numbered(texts_, selector);
  if (in == 0 || numbered.matches_nothing()) return {};
  // The fewest that have one of the labels that it requires.
  const auto* fewest = kinds_at_.find(Place{.ns = in});
  if (fewest == nullptr) return {};
  for (const LabelPair& each : numbered.required()) {
    const auto* there = kinds_at_.find(Place{in, each});
    if (there == nullptr) return {};
    if (there->size() < fewest->size()) fewest = there;
  }
  std::vector<std::uint32_t> found;
  std::ranges::copy_if(*fewest, std::back_inserter(found),
                       [&](std::uint32_t kind) { return numbered.matches(kinds_[kind].labels); });
  return found;
}

bool PodKinds::selects(const LabelSelector& selector, std::string_view ns,
                       std::uint32_t kind) const {
  return kinds_[kind].ns == texts_.find(ns) &&
         NumberedSelector(texts_, selector).matches(kinds_[kind].labels);
}

// ---- terms ----

std::uint32_t PodKinds::hold_terms(const Placement& placement) {
  if (!policy::has_terms(placement)) return 0;
  std::string text = text_of_terms(placement);
  if (const std::uint32_t* known = term_numbers_.find(text); known != nullptr) {
    ++terms_[*known].kinds;
    return *known;
  }
  auto number = static_cast<std::uint32_t>(terms_.size());
  if (free_terms_.empty()) {
    terms_.emplace_back();
    term_texts_.emplace_back();
    term_places_.emplace_back();
  } else {
    number = free_terms_.back();
    free_terms_.pop_back();
  }
  PodTerms& made = terms_[number];
  made = {.required_affinity = placement.required_affinity,
          .required_anti_affinity = placement.required_anti_affinity,
          .preferred_affinity = placement.preferred_affinity,
          .preferred_anti_affinity = placement.preferred_anti_affinity,
          .kinds = 1};
  for (const PodTerm& each : made.required_affinity) enter_term(number, each);
  for (const PodTerm& each : made.required_anti_affinity) enter_term(number, each);
  for (const PreferredPods& each : made.preferred_affinity) enter_term(number, each.term);
  for (const PreferredPods& each : made.preferred_anti_affinity) enter_term(number, each.term);
  term_texts_[number] = text;
  term_numbers_[std::move(text)] = number;
  return number;
}

void PodKinds::enter_term(std::uint32_t number, const PodTerm& term) {
  if (!term.selector) return;
  const auto required = first_required(*term.selector);
  const auto enter_in = [&](std::uint32_t ns) {
    Place place{.ns = ns};
    if (required) place.label = {texts_.hold(required->first), texts_.hold(required->second)};
    enter(terms_at_, place, number);
    term_places_[number].push_back(place);
  };
  if (term.namespace_selector) return enter_in(0);
  for (const std::string& each : term.namespaces) enter_in(texts_.hold(each));
}

void PodKinds::let_go_of_terms(std::uint32_t number) {
  if (number == 0 || --terms_[number].kinds > 0) return;
  for (const Place& place : term_places_[number]) {
    leave(terms_at_, place, number);
    for (const std::uint32_t text : {place.ns, place.label.key, place.label.value}) {
      if (text != 0) texts_.let_go(text);
    }
  }
  term_numbers_.erase(term_texts_[number]);
  term_places_[number].clear();
  term_texts_[number].clear();
  terms_[number] = {};
  free_terms_.push_back(number);
}

std::vector<std::uint32_t> PodKinds::terms_about(std::string_view ns, const Labels& labels) const {
  std::vector<std::uint32_t> found;
  if (!has_terms()) return found;
  const auto look = [&](const Place& at) {
    const std::vector<std::uint32_t>* there = terms_at_.find(at);
    if (there != nullptr) found.insert(found.end(), there->begin(), there->end());
  };
  const std::uint32_t in = texts_.find(ns);
  look({});
  if (in != 0) look({.ns = in});
  for (const auto& [key, value] : labels) {
    const LabelPair label{texts_.find(key), texts_.find(value)};
    if (label.key == 0 || label.value == 0) continue;
    look({.label = label});
    if (in != 0) look({in, label});
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace elbowroom::policy
