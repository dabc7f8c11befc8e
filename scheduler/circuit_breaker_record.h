// What the circuit breaker counts, as text that outlives the process: the sets of pods that went,
// or may have gone, in the last window. Whatever cannot be read counts as unknown from then on,
// never as nothing; and where there are more sets than the text may hold, the oldest count as
// unknown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::scheduler {

// Twelve hexadecimal digits that stand for a uid or the name of a node, always the same ones.
[[nodiscard]] std::string short_name(std::string_view of);

// Pods of one node that go for one preemptor, all by their short names.
struct CountedSet {
  policy::Time at{};  // whole seconds, on the API server's clock
  std::string preemptor{};
  std::string node{};
  std::vector<std::string> victims{};

  friend bool operator==(const CountedSet&, const CountedSet&) = default;
};

struct CircuitBreakerRecord {
  // Sets before that time may be missing; zero: none is.
  policy::Time whole_since{};
  std::vector<CountedSet> sets{};  // the oldest first

  friend bool operator==(const CircuitBreakerRecord&, const CircuitBreakerRecord&) = default;
};

inline constexpr std::size_t kMostRecordBytes = 65'536;

// A line for each set, no longer than kMostRecordBytes.
[[nodiscard]] std::string record_text(const CircuitBreakerRecord& record);

// Invalid: any line that record_text() does not write, or more than it may hold.
[[nodiscard]] Result<CircuitBreakerRecord> parse_record(std::string_view text);

}  // namespace elbowroom::scheduler
