// Values as a text, to look them up by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/placement.h"
#include "policy/model/selector.h"

namespace elbowroom::policy {

// A text that is equal only for equal values: each part is prefixed with its length.
class ExactText {
 public:
  std::string text{};

  void add(std::string_view part) {
    add_number(static_cast<std::int64_t>(part.size()));
    text += part;
  }
  void add_number(std::int64_t number) {
    text += std::to_string(number);
    text += ':';
  }
  template <class Choice>
  void add_choice(Choice choice) {
    add_number(std::to_underlying(choice));
  }
  template <class List>
  void add_size(const List& of) {
    add_number(static_cast<std::int64_t>(of.size()));
  }
  void add(const Labels& labels) {
    add_size(labels);
    for (const auto& [key, value] : labels) add(key), add(value);
  }
  void add(const std::vector<std::string>& texts) {
    add_size(texts);
    for (const std::string& each : texts) add(each);
  }
  void add(const std::optional<LabelSelector>& selector) {
    add_number(selector ? 1 : 0);
    if (!selector) return;
    add(selector->match_labels);
    add_size(selector->expressions);
    for (const LabelExpression& each : selector->expressions) {
      add(each.key);
      add_choice(each.op);
      add(each.values);
    }
  }
  void add(const PodTerm& term) {
    add(term.selector);
    add(term.namespaces);
    add(term.namespace_selector);
    add(term.topology_key);
  }
  void add(const std::vector<PodTerm>& terms) {
    add_size(terms);
    for (const PodTerm& each : terms) add(each);
  }
  void add(const std::vector<PreferredPods>& terms) {
    add_size(terms);
    for (const PreferredPods& each : terms) {
      add_number(each.weight);
      add(each.term);
    }
  }
};

}  // namespace elbowroom::policy
