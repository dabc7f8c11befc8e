// How pods are spread that ask for no spreading themselves: over nodes and zones, among the pods
// that the services of their namespace and their controller select. It is a preference: it scores
// nodes and refuses none. Source: kube-scheduler podtopologyspread, systemDefaultConstraints, and
// helper/spread.go, DefaultSelector (1.37).
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/model/placement.h"
#include "policy/model/pod.h"
#include "policy/model/selecting.h"
#include "policy/model/selector.h"

namespace elbowroom::policy {

// The objects that select pods. A question costs a look at the pod's labels, at the services that
// one of them may belong to, and at its controller.
class SelectingIndex {
 public:
  void put(const Selecting& object);
  void remove(SelectingKind kind, std::string_view ns, std::string_view name);
  // NAMESPACE/NAME, in order.
  [[nodiscard]] std::vector<std::string> keys_of(SelectingKind kind) const;

  // The labels of all services that select the pod, and what its controller selects; all must hold.
  // None: no object selects it.
  [[nodiscard]] std::optional<LabelSelector> selector_of(const Pod& pod) const;

 private:
  using Label = std::pair<std::string, std::string>;
  using Key = std::pair<std::string, std::string>;  // namespace and name
  static constexpr std::size_t kKinds = 4;

  [[nodiscard]] const std::map<Key, LabelSelector>& of(SelectingKind kind) const;
  [[nodiscard]] Labels of_services(const Pod& pod) const;

  std::array<std::map<Key, LabelSelector>, kKinds> objects_{};
  // The services of a namespace by the first label that they ask for.
  std::map<std::string, std::map<Label, std::set<std::string>>, std::less<>> services_{};
};

// Preferred constraints; none where the pod has constraints of its own, or nothing selects it. A
// node without the label of one of them is scored by the other.
[[nodiscard]] std::vector<SpreadConstraint> default_spread(const SelectingIndex& index,
                                                           const Pod& pod);

}  // namespace elbowroom::policy
