// Which owners rest after a move, and how many moves the last hour saw: what keeps moves from going
// round in circles. It is kept in a ConfigMap, so that another leader goes on from it. Times are
// the API server's.
//
//   begin() --> the owner rests while it is moved --> end(): until `cool_down` after it came to
//                                 |                          rest, doubled with each vain move
//                                 `--> drop(): nothing was moved
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/model/time.h"

namespace elbowroom::rescheduler {

// An owner, by its uid: of a Deployment's pods the Deployment.
struct OwnerRest {
  std::string name{};     // KIND NAMESPACE/NAME, for people
  policy::Time until{};   // in whole seconds
  std::int64_t vain = 0;  // moves in a row whose pods came back, or gained less than was promised

  friend bool operator==(const OwnerRest&, const OwnerRest&) = default;
};

// A pod was evicted.
struct MadeMove {
  policy::Time time{};
  std::string node{};  // that it left

  friend bool operator==(const MadeMove&, const MadeMove&) = default;
};

class OwnerRests {
 public:
  using Seconds = std::chrono::seconds;

  // More owners are not kept: no more pods are moved meanwhile.
  static constexpr std::size_t kMostOwners = 1'000;
  static constexpr std::size_t kMostMoves = 2'000;
  static constexpr std::chrono::hours kLongestRest{24};
  // A rest that a move begins with lasts until it came to rest, and at most that long.
  static constexpr std::chrono::minutes kLongestMove{15};

  // Forgets all, and takes these; Invalid: the text is spoiled, and nothing is known.
  [[nodiscard]] Result<void> restore(std::string_view text);
  // What restore() takes.
  [[nodiscard]] std::string text() const;
  // Of a lost or spoiled record: nothing is known, and all owners rest until then.
  void forget(policy::Time all_until);

  // Drops what is over by `now`.
  void advance(policy::Time now);

  // As long as it would rest after the longest move, so that a leader that is lost meanwhile
  // leaves nothing to be done again.
  void begin(const std::string& owner, std::string name, Seconds cool_down, policy::Time now);
  // The owner's pod was evicted from that node.
  void moved(const std::string& node, policy::Time now);
  // What a move that came to rest was worth.
  void end(const std::string& owner, bool was_vain, Seconds cool_down, policy::Time now);
  // Nothing was moved: the rest is as it was before.
  void drop(const std::string& owner, policy::Time now);

  // Owners that rest at `now`, each with the reason in words.
  [[nodiscard]] std::map<std::string, std::string> resting(policy::Time now) const;
  // Until when the owner rests; none: it does not.
  [[nodiscard]] std::optional<policy::Time> rests_until(const std::string& owner,
                                                        policy::Time now) const;
  // Until when all rest; none: not all do.
  [[nodiscard]] std::optional<policy::Time> all_rest_until(policy::Time now) const;
  [[nodiscard]] std::size_t owners() const { return owners_.size(); }
  // In the hour before `now`, in all and off each node.
  [[nodiscard]] std::int64_t moves_in_hour(policy::Time now) const;
  [[nodiscard]] std::map<std::string, std::int64_t> moves_off(policy::Time now) const;

  friend bool operator==(const OwnerRests&, const OwnerRests&) = default;

 private:
  std::map<std::string, OwnerRest> owners_{};  // by uid
  std::vector<MadeMove> moves_{};              // in the order of time
  std::optional<policy::Time> all_until_{};
};

}  // namespace elbowroom::rescheduler
