#include "api/codec/decode_node.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>

#include "api/codec/avoid_entries.h"
#include "api/codec/cache_size.h"
#include "api/codec/decode_common.h"
#include "api/codec/decode_taint.h"
#include "api/codec/field.h"
#include "policy/model/condition.h"

namespace elbowroom::api {
namespace {

constexpr std::size_t kMaxOwners = 20;
constexpr std::size_t kMaxLabelNameBytes = 63;
constexpr std::size_t kBytesOfImageIndex = 32;  // for each image of a node, where pods are placed

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_label_name(std::string_view text) {
  const auto allowed = [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= kMaxLabelNameBytes && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && std::ranges::all_of(text, allowed);
}

bool is_dns_label(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, allowed);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Splits "a, b" into owners; empty ones are dropped.
std::vector<std::string> owners_in(std::string_view annotation) {
  std::vector<std::string> owners;
  while (!annotation.empty()) {
    const std::size_t comma = annotation.find(',');
    const std::string_view owner = trimmed(annotation.substr(0, comma));
    if (!owner.empty()) owners.emplace_back(owner);
    annotation.remove_prefix(comma == std::string_view::npos ? annotation.size() : comma + 1);
  }
  return owners;
}

// In the annotation, these are an attempt to switch something on or off.
bool is_truth_value(std::string_view owner) {
  constexpr std::array<std::string_view, 8> kValues = {"true", "false", "yes", "no",
                                                       "on",   "off",   "1",   "0"};
  return std::ranges::find(kValues, owner) != kValues.end();
}

void set_owners(std::vector<std::string> owners, const std::vector<std::string>& annotated,
                policy::Node& node) {
  std::ranges::copy(annotated, std::back_inserter(owners));
  std::ranges::sort(owners);
  const auto repeated = std::ranges::unique(owners);
  owners.erase(repeated.begin(), repeated.end());
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const bool names_nobody =
        is_truth_value(owners[i]) && std::ranges::find(annotated, owners[i]) != annotated.end();
    if (i >= kMaxOwners || names_nobody || !is_label_key(owners[i])) {
      node.malformed_owners.push_back(owners[i]);
    }
  }
  node.resize_preemption_owners = std::move(owners);
}

Result<void> decode_policy(const Field& spec, const Metadata& metadata, policy::Node& node) {
  ASSIGN_OR_RETURN(const Field policy, spec.get("podPreemptionPolicy"));
  ASSIGN_OR_RETURN(std::vector<std::string> owners, policy.texts("disableResizePreemption"));
  std::vector<std::string> annotated;
  if (const auto at = metadata.annotations.find(kDisableResizePreemption);
      at != metadata.annotations.end()) {
    annotated = owners_in(at->second);
  }
  set_owners(std::move(owners), annotated, node);
  const auto critical = metadata.annotations.find(kCriticalPreemption);
  node.critical_preemption_by_node =
      critical != metadata.annotations.end() && trimmed(critical->second) == "node";
  return {};
}

policy::NodeReady ready_of(const policy::Conditions& conditions) {
  const policy::Condition* ready = policy::find_condition(conditions, policy::kReady);
  if (ready == nullptr) return policy::NodeReady::Unstated;
  if (ready->status == "True") return policy::NodeReady::True;
  return ready->status == "False" ? policy::NodeReady::False : policy::NodeReady::Unknown;
}

Result<void> decode_allocatable(const Field& status, policy::Node& node) {
  ASSIGN_OR_RETURN(const Field allocatable, status.get("allocatable"));
  const std::string_view key = allocatable.present() ? "allocatable" : "capacity";
  ASSIGN_OR_RETURN(const auto amounts, status.resources(key));
  node.allocatable = amounts.value_or(policy::Resources{});
  ASSIGN_OR_RETURN(const Field listed, status.get(key));
  ASSIGN_OR_RETURN(const Field pods, listed.get("pods"));
  if (pods.present()) {
    ASSIGN_OR_RETURN(node.allowed_pods, pods.as_quantity("pods"));
  } else if (amounts) {
    // Every kubelet sets it. A file without it describes a node where the count does not matter.
    node.allowed_pods = policy::is_zero(*amounts) ? 0 : policy::kMaxAmount;
  }
  return {};
}

Result<std::vector<policy::NodeImage>> decode_node_images(const Field& status) {
  ASSIGN_OR_RETURN(const Field list, status.get("images"));
  ASSIGN_OR_RETURN(const std::size_t count, list.size());
  std::vector<policy::NodeImage> images;
  for (std::size_t i = 0; i < std::min(count, policy::kMostNodeImages); ++i) {
    const Field at = list.item(i);
    ASSIGN_OR_RETURN(const auto bytes, at.integer("sizeBytes", 0, policy::kMaxAmount));
    ASSIGN_OR_RETURN(const std::vector<std::string> names, at.texts("names"));
    for (std::size_t name = 0; name < std::min(names.size(), policy::kMostNamesOfImage); ++name) {
      images.push_back({.name = policy::image_name(names[name]), .bytes = bytes.value_or(0)});
    }
  }
  std::ranges::stable_sort(images, {}, &policy::NodeImage::name);
  const auto repeated = std::ranges::unique(images, {}, &policy::NodeImage::name);
  images.erase(repeated.begin(), repeated.end());
  images.shrink_to_fit();
  return images;
}

Result<policy::Node> decode(const Value& object) {
  const Field root(object);
  ASSIGN_OR_RETURN(Metadata metadata, decode_metadata(root));
  policy::Node node;
  ASSIGN_OR_RETURN(const Field spec, root.get("spec"));
  ASSIGN_OR_RETURN(node.unschedulable, spec.boolean("unschedulable"));
  ASSIGN_OR_RETURN(node.taints, decode_taints(spec));
  RETURN_IF_ERROR(decode_policy(spec, metadata, node));
  if (const auto avoid = metadata.annotations.find(kPreferAvoidPods);
      avoid != metadata.annotations.end()) {
    node.avoided_controllers = avoided_controllers(avoid->second);
  }
  ASSIGN_OR_RETURN(const Field status, root.get("status"));
  RETURN_IF_ERROR(decode_allocatable(status, node));
  ASSIGN_OR_RETURN(const policy::Conditions conditions,
                   decode_conditions(status, Conditioned::Node));
  node.ready = ready_of(conditions);
  // Images that cannot be understood cost the node a score, nothing else.
  node.images = decode_node_images(status).value_or(std::vector<policy::NodeImage>{});
  node.name = std::move(metadata.name);
  node.uid = std::move(metadata.uid);
  node.resource_version = std::move(metadata.resource_version);
  node.labels = std::move(metadata.labels);
  return node;
}

}  // namespace

bool is_dns_subdomain(std::string_view text) {
  if (text.size() > kMaxNameBytes) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_label_name(text);
  return is_dns_subdomain(text.substr(0, slash)) && is_label_name(text.substr(slash + 1));
}

std::size_t weight_of(const policy::Node& node) {
  std::size_t bytes = kBytesOfMapNode + sizeof node + 2 * cached_bytes(node.name) +
                      cached_bytes(node.uid) + cached_bytes(node.resource_version);
  for (const auto& [key, value] : node.labels) {
    bytes += kBytesOfMapNode + cached_bytes(key) + cached_bytes(value);
  }
  for (const auto& [key, amount] : node.allocatable.others) {
    bytes += kBytesOfMapNode + cached_bytes(key) + sizeof amount;
  }
  for (const policy::Taint& each : node.taints) {
    bytes += sizeof each + cached_bytes(each.key) + cached_bytes(each.value);
  }
  for (const auto* texts : {&node.resize_preemption_owners, &node.malformed_owners}) {
    for (const std::string& each : *texts) bytes += cached_bytes(each);
  }
  for (const policy::AvoidedController& each : node.avoided_controllers) {
    bytes += sizeof each - sizeof each.uid + cached_bytes(each.uid);
  }
  bytes += node.images.size() * (sizeof(policy::NodeImage) + kBytesOfImageIndex);
  return bytes;
}

Result<policy::Node> decode_node(const Value& object) {
  Result<policy::Node> node = decode(object);
  if (!node) return std::unexpected(node.error().with("node " + name_in_errors(object, false)));
  return node;
}

}  // namespace elbowroom::api
