// Decodes the pods of a watcher, whatever their size. A pod with very many containers never becomes
// a tree: only their totals are kept (policy/model/capped_pod.h). A pod that has finished is
// reduced to identity and node, whatever else it contains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/container_fields.h"
#include "api/codec/decode_pod.h"
#include "api/codec/list_overflow.h"
#include "api/codec/wire_tables.h"
#include "base/document.h"
#include "base/result.h"
#include "policy/model/pod.h"

namespace elbowroom::api {

// More than any API server accepts, in any configuration.
inline constexpr std::size_t kMostContainersRead = 50'000;

// Approximate size in bytes.
[[nodiscard]] std::size_t weight_of(const policy::Pod& pod);

class PodReader final : public ListOverflow {
 public:
  explicit PodReader(Terms terms = Terms::Read) : terms_(terms) {}

  void begins() override;
  void take(std::string_view list, const Value& item) override;
  void left_out(std::string_view list) override;
  [[nodiscard]] std::size_t& placement_left() override { return placement_left_; }

  // Decodes the pod with this tree, and what was taken since begins(). Invalid: as decode_pod().
  [[nodiscard]] Result<policy::Pod> decode(const Value& object);

  // Reduces the pod to a few KiB, when very many large pods are kept: containers by their totals,
  // the first of its labels and amounts, no placement terms.
  [[nodiscard]] policy::Pod made_small(policy::Pod pod);
  // Removes its placement terms, which exceed the limit, so that the pod is placed nowhere.
  [[nodiscard]] policy::Pod placed_nowhere(policy::Pod pod);

  // How many pods were read of which not every part counts one by one, and messages about them: one
  // per pod, a few at a time.
  [[nodiscard]] std::uint64_t reduced() const { return reduced_; }
  [[nodiscard]] std::vector<std::string> take_news();

 private:
  void tell(const policy::Pod& pod, const std::string& what);

  Terms terms_;
  ContainerParts parts_{};
  std::set<std::string, std::less<>> shortened_{};  // lists of the current object
  std::size_t placement_left_ = kMostPlacementValues;
  std::uint64_t reduced_ = 0;
  std::set<std::string, std::less<>> told_{};  // uids
  std::vector<std::string> news_{};
};

}  // namespace elbowroom::api
