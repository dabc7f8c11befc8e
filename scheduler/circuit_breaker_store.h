// Keeps what the circuit breaker counts where a successor finds it: in a Lease of its own that
// nobody holds (docs/decisions/0031). A set of pods goes only once the API server has it written
// down; many sets share one write.
//
//   begin --> Unread --read--> Known <--written-- Writing
//                ^               `--something is to be kept--^ |
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
#include "scheduler/circuit_breaker_record.h"
#include "scheduler/effect.h"
#include "scheduler/observation.h"

namespace elbowroom::scheduler {

class CircuitBreakerStore {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock
  using Number = std::uint64_t;
  using Asked = std::variant<ReadBreaker, WriteBreaker>;

  explicit CircuitBreakerStore(Time window) : window_(window) {}

  // Another leadership: what is stored is to be read before anybody goes.
  void begin();

  // What is to be asked for now, if anything; answered by read(), written() or failed() before the
  // next. `date`: the API server's clock.
  [[nodiscard]] std::optional<Asked> step(Time now, policy::Time date);
  // When step() may have something; none: when something happens.
  [[nodiscard]] std::optional<Time> next() const;

  // It is stored; none: it is not there, which is as it should be where `may_be_missing`. What
  // cannot be understood counts as unknown, where it is the first that this leadership reads.
  void read(const std::optional<StoredBreaker>& stored, bool may_be_missing, policy::Time date);
  void written(const std::optional<StoredBreaker>& stored);
  void failed(const Error& error, Time now);

  // Somebody answered, well or not, since it began.
  [[nodiscard]] bool has_looked() const { return has_looked_; }
  // Why nothing can be kept now; "": it can, as far as is known.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] const CircuitBreakerRecord& record() const { return record_; }

  // These pods of the node are to go. The number is this set's.
  Number add(std::string_view preemptor_uid, std::string_view node,
             std::span<const std::string> victim_uids, policy::Time date);
  // It is stored. Zero is no set, and always is.
  [[nodiscard]] bool is_kept(Number set) const { return set <= written_; }
  // Its pods go now.
  void goes(Number set, policy::Time date);
  // None of its pods goes; or this one does not.
  void take_back(Number set);
  void take_back(std::string_view node, std::string_view victim_uid);

 private:
  // So that what comes in a burst shares writes: one in five milliseconds, after the first twenty.
  static constexpr Time kEach{5};
  static constexpr Time kAhead{100};
  static constexpr Time kFirstBackoff{500};
  static constexpr Time kLongestBackoff{10'000};

  void take_in(const CircuitBreakerRecord& stored, bool is_first);
  void erase(std::size_t index);
  void forget_oldest(policy::Time date);

  const Time window_;
  CircuitBreakerRecord record_{};
  std::vector<Number> numbers_{};  // of the sets in it; 0: stored before
  std::optional<StoredBreaker> stored_{};
  bool is_known_ = false;  // what is stored, as far as nobody else has written since
  bool has_looked_ = false;
  bool has_read_ = false;  // in this leadership
  bool is_asking_ = false;
  Number last_ = 0;
  Number changed_ = 0;  // up to here it is to be written
  Number sent_ = 0;
  Number written_ = 0;
  Time not_before_{0};
  Time paced_{0};  // when the last write would have been sent at that pace
  unsigned failures_ = 0;
  std::string trouble_{};
};

}  // namespace elbowroom::scheduler
