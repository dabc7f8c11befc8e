// Observations as lines of a recording, for the daemons that keep a snapshot: a long list of pods
// comes in parts, a line each, before its own line.
//
//   {"seen":{"part":[{...},{...}]}}
//   {"seen":{"at":{...},"what":{"podsListed":{"pods":[{...}]}}}}
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "cluster/packed_pod.h"
#include "cluster/recording_fields.h"
#include "control/listed.h"
#include "recording/seen_line.h"

namespace elbowroom::cluster {

// Of one line: a pod with many containers and labels takes some ten KB.
inline constexpr std::size_t kPodsOfALine = 500;
// Of one list, in all its parts.
inline constexpr std::size_t kMostRecordedPods = 1'000'000;

// What was seen: its parts, if it has any, and the line that ends it.
template <class Observation>
[[nodiscard]] std::vector<std::string> seen_lines(const Observation& seen) {
  using PodsListed = control::Listed<PackedPod>;
  const auto* list = std::get_if<PodsListed>(&seen.what);
  if (list == nullptr || list->objects.size() <= kPodsOfALine) return {recording::seen_line(seen)};
  std::vector<std::string> lines;
  std::span<const PackedPod> left(list->objects);
  while (left.size() > kPodsOfALine) {
    const std::vector<PackedPod> part(left.begin(), left.begin() + kPodsOfALine);
    lines.push_back(R"({"seen":{"part":)" + recording::to_text(part) + "}}");
    left = left.subspan(kPodsOfALine);
  }
  lines.push_back(recording::seen_line(Observation{
      .at = seen.at,
      .what = PodsListed{.objects = {left.begin(), left.end()}, .unreadable = list->unreadable}}));
  return lines;
}

// Puts together what seen_lines() took apart, from the beginning of a recording on.
template <class Observation>
class SeenReader {
 public:
  // `seen` is what stands behind "seen". nullopt: a part.
  [[nodiscard]] Result<std::optional<Observation>> read(const Value& seen) {
    if (const Value* part = seen.find("part")) {
      ASSIGN_OR_RETURN(auto pods, recording::from_value<std::vector<PackedPod>>(*part));
      if (parts_.size() + pods.size() > kMostRecordedPods) {
        return failure(Code::Invalid, "a list of more than 1000000 pods");
      }
      for (PackedPod& each : pods) parts_.push_back(std::move(each));
      return std::optional<Observation>();
    }
    ASSIGN_OR_RETURN(Observation made, recording::seen_from<Observation>(seen));
    auto* list = std::get_if<control::Listed<PackedPod>>(&made.what);
    if (list != nullptr && !parts_.empty()) {
      for (PackedPod& each : list->objects) parts_.push_back(std::move(each));
      list->objects = std::exchange(parts_, {});
    } else if (!parts_.empty()) {
      return failure(Code::Invalid, "parts of a list of pods, and no list after them");
    }
    return std::optional(std::move(made));
  }

 private:
  std::vector<PackedPod> parts_{};
};

}  // namespace elbowroom::cluster
