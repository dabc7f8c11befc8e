// How much of a pod's images a node has already. A node with large images of the pod is preferred,
// and the more so the more nodes have them, so that one node does not draw all pods.
//
//   100 x (sum - 23 MiB) / (1000 MiB x images - 23 MiB), within 0 to 100, rounded down
//   sum     over the pod's images that the node has: bytes x nodes with it / all nodes
//   images  of all its containers and image volumes, each as often as it is named
//
// Source: kube-scheduler imagelocality (1.37). The bytes are those that the node itself reports;
// upstream takes for all nodes what the first one reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "policy/model/image.h"

namespace elbowroom::policy {

// Which nodes have which images. A node that comes with the same images costs nothing, and a
// question costs what it finds.
class ImageIndex {
 public:
  struct Copy {
    std::uint32_t node = 0;
    std::int64_t bytes = 0;
  };

  // `images`: sorted by name, each name once.
  void put(std::uint32_t node, const std::vector<NodeImage>& images);
  // The nodes that have it, by number; empty: none.
  [[nodiscard]] std::span<const Copy> copies_of(ImageName name) const;

 private:
  void add(std::uint32_t node, const NodeImage& image);
  void remove(std::uint32_t node, ImageName name);

  std::map<ImageName, std::vector<Copy>> copies_{};  // by node, never empty
  std::vector<std::vector<NodeImage>> images_of_{};  // by the node's number
};

// Adds the score to those of `nodes`. `known_nodes`: the nodes of the cluster.
void add_image_scores(const ImageIndex& index, std::size_t known_nodes,
                      const std::vector<ImageName>& wanted, std::span<const std::uint32_t> nodes,
                      std::vector<std::int64_t>& scores);

}  // namespace elbowroom::policy
