// Decodes the pods that a watcher reads, whatever their size. Of a pod with very many containers no
// tree is ever made, only totals come of them (policy/model/capped_pod.h); and a pod that has
// finished is reduced to who and where it was, whatever else is in it.
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

// Above what an API server takes, whatever it is configured to.
inline constexpr std::size_t kMostContainersRead = 50'000;

// The bytes that a pod takes, about.
[[nodiscard]] std::size_t weight_of(const policy::Pod& pod);

class PodReader final : public ListOverflow {
 public:
  explicit PodReader(Terms terms = Terms::Read) : terms_(terms) {}

  void begins() override;
  void take(std::string_view list, const Value& item) override;
  void left_out(std::string_view list) override;
  [[nodiscard]] std::size_t& placement_left() override { return placement_left_; }

  // The pod whose tree this is, with what was taken since it began. Invalid: as decode_pod().
  [[nodiscard]] Result<policy::Pod> decode(const Value& object);

  // The pod in a few KiB, where very many large ones are kept: containers by their totals, the
  // first of its labels and amounts, no terms of placement.
  [[nodiscard]] policy::Pod made_small(policy::Pod pod);
  // Without its terms of placement, which are too much: it is placed nowhere.
  [[nodiscard]] policy::Pod placed_nowhere(policy::Pod pod);

  // How many pods were read of which not everything counts one by one, and words about them: each
  // pod once, some at a time.
  [[nodiscard]] std::uint64_t reduced() const { return reduced_; }
  [[nodiscard]] std::vector<std::string> take_news();

 private:
  void tell(const policy::Pod& pod, const std::string& what);

  Terms terms_;
  ContainerParts parts_{};
  std::set<std::string, std::less<>> shortened_{};  // lists of the object at hand
  std::size_t placement_left_ = kMostPlacementValues;
  std::uint64_t reduced_ = 0;
  std::set<std::string, std::less<>> told_{};  // uids
  std::vector<std::string> news_{};
};

}  // namespace elbowroom::api
