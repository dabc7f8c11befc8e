// What came of moves, as an onlooker of the cluster finds it: where each successor came up, what
// that gained, and whether it was what the policy asks for. The successor of a pod is the first pod
// of its controller that was not there when it was evicted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lab/virtual/simulation.h"
#include "test/simulation/moves/move_facts.h"
#include "test/simulation/moves/move_history.h"

namespace elbowroom::test {

// A pod that was evicted to be moved.
struct SeenMove {
  using Span = lab::Simulation::Span;

  lab::Json pod{};  // as it was
  std::string owner{};
  std::string controller{};
  std::string from{};
  Span at{0};
  std::int64_t pass = 0;
  Filled left{};                         // the node, with the pod
  std::set<std::string> replicas{};      // uids of its controller's pods
  std::optional<std::string> waiting{};  // the uid of the one pod that waits and has a place
  std::string policy{};                  // as it is told; "": it is not told yet
  std::int64_t promised = 0;
  std::string expected{};  // the node that it is told to go to
  // Of the successor.
  std::string successor{};  // uid
  std::string name{};
  std::string to{};          // node
  std::uint64_t landed = 0;  // the number of this landing
  std::optional<Span> ready{};
  std::int64_t load_gain = 0;
  std::int64_t preference_gain = 0;  // in percent of all its weights
  bool is_above_target = false;
  bool is_disturbed = false;  // other pods came to, or left, one of the two nodes meanwhile
  bool is_judged = false;
};

class LandedMoves {
 public:
  using Span = lab::Simulation::Span;
  using Broken = std::function<void(const std::string&)>;

  // All must outlive it. `counts`: what happened, by name.
  LandedMoves(const lab::World& world, const MoveHistory& history, Broken broken,
              std::map<std::string, std::size_t>& counts)
      : world_(world), history_(history), broken_(std::move(broken)), counts_(counts) {}

  void add(SeenMove move) { moves_.push_back(std::move(move)); }
  // It is told why the pod with that uid was moved, in the words of the event.
  void told(const std::string& uid, const std::string& note);
  // The pod is so now.
  void saw_pod(const lab::Json& pod, Span now);
  // One that was not evicted to be moved is gone.
  void lost_pod(const std::string& uid, const std::string& node);
  void check_at_end(Span now);

  [[nodiscard]] const std::vector<SeenMove>& moves() const { return moves_; }
  [[nodiscard]] std::optional<Span> last() const {
    return moves_.empty() ? std::nullopt : std::optional(moves_.back().at);
  }
  // When the successor of the owner's latest move came up; the latest time there is where it has
  // not; none: nothing of it was moved.
  [[nodiscard]] std::optional<Span> rested_since(const std::string& owner) const;
  [[nodiscard]] bool came_back_last(const std::string& owner) const;

 private:
  void land(SeenMove& move, const lab::Json& pod);
  void disturb(const std::string& node, const std::string& uid);
  void check_waiting(const SeenMove& move);
  void judge(SeenMove& move);

  const lab::World& world_;
  const MoveHistory& history_;
  Broken broken_;
  std::map<std::string, std::size_t>& counts_;
  std::vector<SeenMove> moves_{};
  std::set<std::string> bound_{};  // uids
  std::int64_t gained_ = 0;        // in all
  std::uint64_t landed_ = 0;       // how many did
};

}  // namespace elbowroom::test
