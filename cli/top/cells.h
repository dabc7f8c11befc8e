// Texts of single cells. Every cell is printable ASCII, so its bytes are its columns: names of the
// API are ASCII, and anything else shows as "?" or \xNN.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/resources.h"
#include "policy/model/time.h"

namespace elbowroom::cli::top {

// Sanitized, on one line.
[[nodiscard]] std::string cell_text(std::string_view from_outside);

// At most `width` columns; what is cut ends in "~".
[[nodiscard]] std::string cut(std::string_view text, std::size_t width);
// Exactly `width` columns.
[[nodiscard]] std::string padded(std::string_view text, std::size_t width, bool is_right);

// "0:03:20", "100:00:00": hours, minutes and seconds; a length below zero is none.
[[nodiscard]] std::string clock_text(std::chrono::microseconds length);
// How long ago, and in how long; "" for none, "now" for a time that is over.
[[nodiscard]] std::string age_text(std::optional<policy::Time> since, policy::Time now);
[[nodiscard]] std::string until_text(std::optional<policy::Time> when, policy::Time now);

// Whole mebibytes.
[[nodiscard]] std::int64_t mebibytes_up(std::int64_t bytes);
[[nodiscard]] std::int64_t mebibytes_down(std::int64_t bytes);

// "cpu 500m, memory 1Gi"; "" for nothing.
[[nodiscard]] std::string amounts_text(const policy::Resources& of);

}  // namespace elbowroom::cli::top
