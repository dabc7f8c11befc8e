#include "policy/placement/image_score.h"

#include <algorithm>
#include <limits>

#include "policy/model/resources.h"

namespace elbowroom::policy {
namespace {

constexpr std::int64_t kBestImageScore = 100;
constexpr std::int64_t kImageMiB = std::int64_t{1} << 20;
constexpr std::int64_t kLeastImageBytes = 23 * kImageMiB;
constexpr std::int64_t kMostImageBytes = 1000 * kImageMiB;

// bytes x nodes / all, without overflow: what is beyond the bound is more than any score counts.
std::int64_t spread_bytes(std::int64_t bytes, std::int64_t nodes, std::int64_t all) {
  const std::int64_t bounded = std::min(bytes, std::numeric_limits<std::int64_t>::max() / nodes);
  return bounded * nodes / all;
}

std::int64_t image_score_of(std::int64_t sum, std::int64_t images) {
  const std::int64_t most = kMostImageBytes * images;
  return kBestImageScore * (std::clamp(sum, kLeastImageBytes, most) - kLeastImageBytes) /
         (most - kLeastImageBytes);
}

}  // namespace

void ImageIndex::add(std::uint32_t node, const NodeImage& image) {
  std::vector<Copy>& copies = copies_[image.name];
  const auto at = std::ranges::lower_bound(copies, node, {}, &Copy::node);
  if (at != copies.end() && at->node == node) {
    at->bytes = image.bytes;
  } else {
    copies.insert(at, {.node = node, .bytes = image.bytes});
  }
}

void ImageIndex::remove(std::uint32_t node, ImageName name) {
  const auto known = copies_.find(name);
  if (known == copies_.end()) return;
  std::vector<Copy>& copies = known->second;
  const auto at = std::ranges::lower_bound(copies, node, {}, &Copy::node);
  if (at != copies.end() && at->node == node) copies.erase(at);
  if (copies.empty()) copies_.erase(known);
}

void ImageIndex::put(std::uint32_t node, const std::vector<NodeImage>& images) {
  if (images_of_.size() <= node) {
    if (images.empty()) return;
    images_of_.resize(node + std::size_t{1});
  }
  std::vector<NodeImage>& known = images_of_[node];
  if (known == images) return;
  auto had = known.begin();
  for (const NodeImage& each : images) {
    for (; had != known.end() && had->name < each.name; ++had) remove(node, had->name);
    if (had != known.end() && had->name == each.name && had++->bytes == each.bytes) continue;
    add(node, each);
  }
  for (; had != known.end(); ++had) remove(node, had->name);
  known = std::vector<NodeImage>(images);
}

std::span<const ImageIndex::Copy> ImageIndex::copies_of(ImageName name) const {
  const auto known = copies_.find(name);
  if (known == copies_.end()) return {};
  return known->second;
}

void add_image_scores(const ImageIndex& index, std::size_t known_nodes,
                      const std::vector<ImageName>& wanted, std::span<const std::uint32_t> nodes,
                      std::vector<std::int64_t>& scores) {
  std::vector<std::int64_t> sums;  // by the node's number
  for (const ImageName name : wanted) {
    const std::span<const ImageIndex::Copy> copies = index.copies_of(name);
    if (copies.empty()) continue;
    if (sums.size() <= copies.back().node) sums.resize(copies.back().node + std::size_t{1}, 0);
    // Most nodes report the same size.
    std::int64_t bytes = -1;
    std::int64_t spread = 0;
    for (const ImageIndex::Copy& each : copies) {
      if (each.bytes != bytes) {
        bytes = each.bytes;
        spread = spread_bytes(bytes, static_cast<std::int64_t>(copies.size()),
                              static_cast<std::int64_t>(known_nodes));
      }
      sums[each.node] = saturating_add(sums[each.node], spread);
    }
  }
  if (sums.empty()) return;
  const auto images = static_cast<std::int64_t>(wanted.size());
  std::int64_t sum = 0;
  std::int64_t score = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int64_t here = nodes[i] < sums.size() ? sums[nodes[i]] : 0;
    if (here != sum) {
      sum = here;
      score = image_score_of(sum, images);
    }
    scores[i] += score;
  }
}

}  // namespace elbowroom::policy
