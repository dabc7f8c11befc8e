// The parts that explanations are printed from: members of documents, lines, sections. What comes
// from a document may come from anywhere; absent parts print nothing, and every line is sanitized.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "policy/model/time.h"

namespace elbowroom::cli::document_parts {

inline constexpr std::size_t kShownPods = 20;

// The member with that key; a Null where there is none.
[[nodiscard]] const Value& at(const Value& map, std::string_view key);
[[nodiscard]] std::string text(const Value& map, std::string_view key);
[[nodiscard]] bool is_true(const Value& map, std::string_view key);
// The first entries of a long list.
[[nodiscard]] std::vector<const Value*> first(const Value& list, std::size_t most);
// "a, b and 3 more".
[[nodiscard]] std::string names_in(const Value& list);

[[nodiscard]] std::string item(std::string_view words);
[[nodiscard]] std::string line(std::string_view words);
[[nodiscard]] std::string section(std::string_view title);
// The table, every line indented like the other lines of its section. `below`: lines that stand
// below each row, the header's first.
[[nodiscard]] std::string indented_table(const std::vector<std::vector<std::string>>& rows,
                                         std::span<const std::string> below = {});

[[nodiscard]] std::optional<policy::Time> time_in(const Value& map, std::string_view key);
// "2026-01-01T00:05:00Z" for "2026-01-01T00:05:00.123456Z": seconds are enough.
[[nodiscard]] std::string whole_seconds(std::string when);
// "90s", "5m", "3h".
[[nodiscard]] std::string span_of(std::chrono::microseconds span);
// ", since TIME (5m)"; "" if not known.
[[nodiscard]] std::string since_text(const Value& document, const Value& holder);

// The sections of events and notes; "" where there are none.
[[nodiscard]] std::string events(const Value& document);
[[nodiscard]] std::string notes(const Value& document);

// The pod group of an explained pod: lines below the first one; "" for a pod of no group.
[[nodiscard]] std::string membership(const Value& document);

}  // namespace elbowroom::cli::document_parts
