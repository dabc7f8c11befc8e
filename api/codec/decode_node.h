// A Node of the API as the value for decisions. Everything that disables preemption for resizes on
// it, field and annotation, becomes one list of owners.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/node.h"

namespace elbowroom::api {

inline constexpr std::string_view kDisableResizePreemption =
    "elbowroom.dev/disable-resize-preemption";
inline constexpr std::string_view kCriticalPreemption = "elbowroom.dev/critical-preemption";

// Invalid: no metadata.name, wrong types, amounts. A node without status.allocatable uses its
// capacity. Owners that are not label keys, truth values in the annotation ("true"), and those
// above 20, count and are listed as malformed. Of its images only those count that a kubelet
// reports by default (policy/model/image.h).
[[nodiscard]] Result<policy::Node> decode_node(const Value& object);

// Approximate size in bytes.
[[nodiscard]] std::size_t weight_of(const policy::Node& node);

// A label key: an optional DNS prefix and '/', then 1..63 of letters, digits, '-', '_', '.',
// beginning and ending with a letter or digit. Source: apimachinery validation.IsQualifiedName.
[[nodiscard]] bool is_label_key(std::string_view text);

// The syntax of a Node's name: 1..253 of lower case letters, digits, '-' and '.'. Source:
// apimachinery validation.IsDNS1123Subdomain.
[[nodiscard]] bool is_dns_subdomain(std::string_view text);

}  // namespace elbowroom::api
