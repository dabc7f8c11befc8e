// Kubernetes quantities, "1500m" or "2Gi", and the exact integers for them. Everything rounds up to
// a whole unit (millicores for cpu, otherwise base units). Negative and malformed quantities, and
// those above 2^63-1, are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace elbowroom::api {

// The unit of a resource's amounts: millicores or base units (bytes, pieces).
enum class Unit { Milli, Base };

// Milli for "cpu", Base for every other resource.
[[nodiscard]] Unit unit_of(std::string_view resource);

// The amount in that unit, rounded up, >= 0. Invalid: not a number, unknown suffix, negative.
// Exhausted: above 2^63-1. Source: apimachinery resource.Quantity.
[[nodiscard]] Result<std::int64_t> parse_quantity(std::string_view text, Unit unit);

// The canonical form: cpu as whole cpus or with m; memory, ephemeral-storage and hugepages-* with
// the largest of Ki..Ei that divides the amount; all others, and amounts not divisible by 1024,
// with the largest of k..E that divides them. Requires amount >= 0.
[[nodiscard]] std::string format_quantity(std::string_view resource, std::int64_t amount);

}  // namespace elbowroom::api
