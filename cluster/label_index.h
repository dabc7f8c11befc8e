// Which nodes hold pods of a namespace, by the labels of those pods. Pods with the same labels
// share one entry, so a budget is compared once with each set of labels, however many pods and
// nodes there are.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policy/model/selector.h"

namespace elbowroom::cluster {

class LabelIndex {
 public:
  using Use = std::function<void(const std::string& node)>;

  // Adds a pod with these labels (in PackedPod's format) on that node. remove() requires that it
  // was added.
  void add(std::string_view ns, std::string_view labels, const std::string& node);
  void remove(std::string_view ns, std::string_view labels, const std::string& node);

  // Sorted by name, each once.
  [[nodiscard]] std::vector<std::string> nodes_of(std::string_view ns) const;
  // How many different sets of labels the pods of the namespace have.
  [[nodiscard]] std::size_t sets(std::string_view ns) const;
  // The nodes that hold pods covered by the selector of a budget; no selector covers no pod. In no
  // order. A node occurs more than once where pods with different labels are covered there.
  void each_covered(std::string_view ns, const std::optional<policy::LabelSelector>& selector,
                    const Use& use) const;

 private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Pods = std::map<std::string, std::size_t, std::less<>>;  // by node
  // By packed labels, which are read again for each selector: read, they take four times the room.
  using Sets = std::unordered_map<std::string, Pods, TextHash, std::equal_to<>>;

  std::map<std::string, Sets, std::less<>> by_namespace_{};
};

}  // namespace elbowroom::cluster
