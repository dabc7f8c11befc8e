// A Node of the API as the value that policy decides on. Everything that forbids preemption for
// resizes on it, field and annotation, ends in one list of owners.
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

// Invalid: no metadata.name, wrong types, amounts. A node without status.allocatable has its
// capacity. Owners that are no label keys, and those above 20, count and are listed as malformed.
[[nodiscard]] Result<policy::Node> decode_node(const Value& object);

// The bytes that it takes, about.
[[nodiscard]] std::size_t weight_of(const policy::Node& node);

// A label key: an optional DNS prefix and '/', then 1..63 of letters, digits, '-', '_', '.',
// beginning and ending with a letter or digit. Source: apimachinery validation.IsQualifiedName.
[[nodiscard]] bool is_label_key(std::string_view text);

// What the name of a Node must be: 1..253 of lower case letters, digits, '-' and '.'. Source:
// apimachinery validation.IsDNS1123Subdomain.
[[nodiscard]] bool is_dns_subdomain(std::string_view text);

}  // namespace elbowroom::api
