// The circuit breaker's counts, as text that survives the process: the sets of pods that were
// removed, or may have been, in the last window. What cannot be read counts as unknown from then
// on, never as nothing. If there are more sets than the text may hold, the oldest count as unknown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::scheduler {

// Returns twelve hexadecimal digits for a uid, always the same ones.
[[nodiscard]] std::string short_name(std::string_view of);

// Pods of one node that are removed for one preemptor, all by short names.
struct CountedSet {
  policy::Time at{};  // whole seconds, on the API server's clock
  std::string preemptor{};
  std::string node{};
  std::vector<std::string> victims{};

  friend bool operator==(const CountedSet&, const CountedSet&) = default;
};

struct CircuitBreakerRecord {
  // Sets before that time may be missing; zero: none is missing.
  policy::Time whole_since{};
  std::vector<CountedSet> sets{};  // oldest first

  friend bool operator==(const CircuitBreakerRecord&, const CircuitBreakerRecord&) = default;
};

inline constexpr std::size_t kMostRecordBytes = 65'536;

// Returns a line for each set, not longer than kMostRecordBytes.
[[nodiscard]] std::string record_text(const CircuitBreakerRecord& record);

// Invalid: a line that record_text() does not write, or more than the text may hold.
[[nodiscard]] Result<CircuitBreakerRecord> parse_record(std::string_view text);

}  // namespace elbowroom::scheduler
