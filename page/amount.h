// Amounts as people read them: "3.5" cpus, "7.8Gi". Rounded to a tenth; the exact amount is
// api::format_quantity's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "policy/model/resources.h"

namespace elbowroom::page {

[[nodiscard]] std::string amount_text(std::string_view resource, std::int64_t amount);

// "cpu 1.5, memory 2Gi"; "nothing" for none.
[[nodiscard]] std::string amounts_text(const policy::Resources& of);

// amount / whole in thousandths, 0 ..= 1000; 0 for a whole of 0.
[[nodiscard]] std::int64_t thousandths(std::int64_t amount, std::int64_t whole);

}  // namespace elbowroom::page
