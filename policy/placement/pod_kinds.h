// What pods have in common, as other pods see them: pods with the same namespace, labels, terms and
// host ports are of one kind. Kinds are found by what a selector requires, and terms by the labels
// of the pod that they are about, so that a look costs what it finds, however many kinds there are.
//
// Kinds and terms are identified by number. A number is used again once nothing holds it.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/placement.h"
#include "policy/model/pod.h"
#include "policy/model/selector.h"
#include "policy/placement/hashed_map.h"
#include "policy/placement/label_numbers.h"
#include "policy/placement/node_counts.h"

namespace elbowroom::policy {

struct PodKind {
  std::uint32_t ns = 0;     // number of the namespace's name
  std::uint32_t terms = 0;  // number of its terms; 0: it has none
  LabelPairs labels{};
  std::vector<HostPort> host_ports{};
  std::size_t pods = 0;    // of this kind
  NodeCounts on{};         // those that hold room
  bool is_unused = false;  // has had no pod, and is not forgotten yet
};

// The terms about other pods that pods of some kinds have.
struct PodTerms {
  std::vector<PodTerm> required_affinity{};
  std::vector<PodTerm> required_anti_affinity{};
  std::vector<PreferredPods> preferred_affinity{};
  std::vector<PreferredPods> preferred_anti_affinity{};
  std::size_t kinds = 0;  // that have them; 0: the number is unused
  NodeCounts on{};        // pods with these terms that hold room
};

class PodKinds {
 public:
  struct Held {
    std::uint32_t kind = 0;
    bool is_new = false;
  };
  // The kind of the pod, which counts one pod more.
  Held hold(const Pod& pod);
  void let_go(std::uint32_t kind);
  // A pod of the kind holds room on that node, or no more.
  void count(std::uint32_t kind, std::uint32_t node, bool is_terminating, bool comes);
  // The budgets that cover the kind's pods, by number, in the order of charging. Kinds that the
  // same budgets cover share one set of them, so what is read for every pod of a cluster is small.
  void set_budgets(std::uint32_t kind, const std::vector<std::uint32_t>& budgets);
  [[nodiscard]] std::uint32_t budget_set_of(std::uint32_t kind) const { return covered_by_[kind]; }
  [[nodiscard]] const std::vector<std::uint32_t>& budgets_in(std::uint32_t set) const {
    return budget_sets_[set];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& budgets_of(std::uint32_t kind) const {
    return budgets_in(budget_set_of(kind));
  }

  [[nodiscard]] const std::vector<PodKind>& all() const { return kinds_; }
  [[nodiscard]] const std::vector<PodTerms>& terms() const { return terms_; }
  [[nodiscard]] bool has_terms() const { return terms_.size() > free_terms_.size() + 1; }
  [[nodiscard]] const std::set<std::uint32_t>& with_host_ports() const { return with_ports_; }

  // The kinds of that namespace that the selector matches, by number.
  [[nodiscard]] std::vector<std::uint32_t> selected(std::string_view ns,
                                                    const LabelSelector& selector) const;
  [[nodiscard]] bool selects(const LabelSelector& selector, std::string_view ns,
                             std::uint32_t kind) const;
  // The names of the namespaces that have pods, by their numbers.
  [[nodiscard]] const std::map<std::uint32_t, std::string>& namespaces() const { return names_; }
  // The terms that may be about such a pod, by number: no others are.
  [[nodiscard]] std::vector<std::uint32_t> terms_about(std::string_view ns,
                                                       const Labels& labels) const;

 private:
  // Something in a namespace (0: in any) that has a label, or requires one; without a label: all.
  struct Place {
    std::uint32_t ns = 0;
    LabelPair label{};

    friend auto operator<=>(const Place&, const Place&) = default;
    [[nodiscard]] std::uint64_t mixed() const;
    friend std::uint64_t hash_of(const Place& place) { return place.mixed(); }
  };
  using Index = HashedMap<Place, std::vector<std::uint32_t>>;

  static void enter(Index& index, const Place& at, std::uint32_t number);
  static void leave(Index& index, const Place& at, std::uint32_t number);
  std::uint32_t hold_terms(const Placement& placement);
  void let_go_of_terms(std::uint32_t number);
  void enter_term(std::uint32_t number, const PodTerm& term);
  [[nodiscard]] std::string key_of_kind(const PodKind& kind) const;
  void forget(std::uint32_t number);
  void forget_unused();

  LabelNumbers texts_{};
  std::vector<PodKind> kinds_{};
  std::vector<std::uint32_t> covered_by_{};  // by kind: the number of a set of budgets; 0: none
  std::vector<std::vector<std::uint32_t>> budget_sets_{{}};
  std::vector<std::size_t> set_held_{0};  // by kinds
  std::map<std::vector<std::uint32_t>, std::uint32_t> set_numbers_{{{}, 0}};
  std::vector<std::uint32_t> free_sets_{};
  HashedMap<std::string, std::uint32_t> kind_numbers_{};
  std::vector<std::uint32_t> unused_{};  // kinds that may come back, as when their pod changes
  std::vector<std::uint32_t> free_kinds_{};
  std::set<std::uint32_t> with_ports_{};
  Index kinds_at_{};
  std::map<std::uint32_t, std::string> names_{};

  std::vector<PodTerms> terms_{{}};
  std::vector<std::string> term_texts_{""};          // by number
  std::vector<std::vector<Place>> term_places_{{}};  // by number
  HashedMap<std::string, std::uint32_t> term_numbers_{};
  std::vector<std::uint32_t> free_terms_{};
  Index terms_at_{};
};

}  // namespace elbowroom::policy
