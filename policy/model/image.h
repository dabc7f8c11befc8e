// The images of a node, and those that a pod wants. Names are kept as fingerprints of 63 bits: a
// node may report hundreds of long names, and decisions ask only whether two are equal. Two names
// with one fingerprint would cost a node a wrong score, nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace elbowroom::policy {

using ImageName = std::int64_t;  // at least 0

struct NodeImage {
  ImageName name = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const NodeImage&, const NodeImage&) = default;
};

// What a kubelet reports at most, by default; it reports the largest ones first. Source: kubelet
// nodestatus/setters.go, nodeStatusMaxImages and MaxNamesPerImageInNodeStatus.
inline constexpr std::size_t kMostNodeImages = 50;
inline constexpr std::size_t kMostNamesOfImage = 5;

// The name as a node reports it.
[[nodiscard]] ImageName image_name(std::string_view name);

// The name in a pod's spec: without a tag it means `:latest`. Source: kube-scheduler imagelocality,
// normalizedImageName.
[[nodiscard]] ImageName wanted_image(std::string_view name);

}  // namespace elbowroom::policy
