// Stores the circuit breaker's counts for a successor, in a Lease of their own that no process
// holds (docs/decisions/0031). A set of pods is removed only after the API server has stored it.
// Many sets share one write.
//
//   begin --> Unread --read--> Known <--written-- Writing
//                ^               `--something to store-------^ |
//                `------------------ a write failed -----------'
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/model/time.h"
#include "scheduler/breaker/circuit_breaker_record.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

class CircuitBreakerStore {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock
  using Number = std::uint64_t;
  using Asked = std::variant<ReadBreaker, WriteBreaker>;

  explicit CircuitBreakerStore(Time window) : window_(window) {}

  // A new leadership: the record must be read before any pod is removed.
  void begin();

  // Returns the next request, if any; read(), written() or failed() must answer it before the next
  // one. `date`: the API server's time.
  [[nodiscard]] std::optional<Asked> step(Time now, policy::Time date);
  // When step() may return something; none: not before something happens.
  [[nodiscard]] std::optional<Time> next() const;

  // The stored record; none: there is none, which is expected if `may_be_missing`. If the first
  // record that this leadership reads is unreadable, it counts as unknown.
  void read(const std::optional<StoredBreaker>& stored, bool may_be_missing, policy::Time date);
  void written(const std::optional<StoredBreaker>& stored);
  void failed(const Error& error, Time now);

  // The API server has answered, or failed, since begin().
  [[nodiscard]] bool has_looked() const { return has_looked_; }
  // Why nothing can be stored now; "": it can, as far as is known.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] const CircuitBreakerRecord& record() const { return record_; }

  // These pods of the node are about to be removed. Returns the set's number.
  Number add(std::string_view preemptor_uid, std::string_view node,
             std::span<const std::string> victim_uids, policy::Time date);
  // True if the set is stored. Zero is no set, and is always stored.
  [[nodiscard]] bool is_kept(Number set) const { return set <= written_; }
  // The set's pods are removed now.
  void goes(Number set, policy::Time date);
  // No pod of the set is removed; or this one is not.
  void take_back(Number set);
  void take_back(std::string_view node, std::string_view victim_uid);

 private:
  // Lets bursts share writes: one write in five milliseconds, after the first twenty.
  static constexpr Time kEach{5};
  static constexpr Time kAhead{100};
  static constexpr Time kFirstBackoff{500};
  static constexpr Time kLongestBackoff{10'000};

  void take_in(const CircuitBreakerRecord& stored, bool is_first);
  void erase(std::size_t index);
  void forget_oldest(policy::Time date);

  const Time window_;
  CircuitBreakerRecord record_{};
  std::vector<Number> numbers_{};  // of the sets in it; 0: stored earlier
  std::optional<StoredBreaker> stored_{};
  bool is_known_ = false;  // the stored record, unless another writer has changed it
  bool has_looked_ = false;
  bool has_read_ = false;  // in this leadership
  bool is_asking_ = false;
  Number last_ = 0;
  Number changed_ = 0;  // sets up to this number must be written
  Number sent_ = 0;
  Number written_ = 0;
  Time not_before_{0};
  Time paced_{0};  // when the last write was due at that pace
  unsigned failures_ = 0;
  std::string trouble_{};
};

}  // namespace elbowroom::scheduler
