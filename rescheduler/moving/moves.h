// The moves of the leader, from the configuration to what came of them: passes, the evictions that
// they decide on, the successors, and the owners' rests, which are written before the first
// eviction of a pass.
//
// Before its first pass a leadership writes the record of rests as it was seen: whatever was
// written since fails that, and it begins with what is newer.
//
//   a pass is due --> plan --> WriteRests --> the moves are carried out --> the successors come up
//                                 `--> Failed: none is carried out
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/packed_pod.h"
#include "policy/moves/move_plan.h"
#include "policy/moves/node_load.h"
#include "rescheduler/cluster_state.h"
#include "rescheduler/counters.h"
#include "rescheduler/moving/arrivals.h"
#include "rescheduler/moving/move_pass.h"
#include "rescheduler/moving/move_settings.h"
#include "rescheduler/moving/mover.h"
#include "rescheduler/moving/owner_rests.h"
#include "rescheduler/outbox.h"
#include "rescheduler/reactor_options.h"
#include "rescheduler/removal/ledgers.h"
#include "rescheduler/turn.h"

namespace elbowroom::rescheduler {

class Moves {
 public:
  using Time = std::chrono::milliseconds;  // on the reactor's clock

  // All must outlive it.
  Moves(const ReactorOptions& options, ClusterState& cluster, Outbox& outbox, Ledgers& ledgers,
        Counts& counts);

  // ---- what is seen ----
  // None: there is no such ConfigMap.
  void saw_settings(const std::optional<ConfigText>& map);
  void saw_rests(std::optional<ConfigText> map);
  void saw(const cluster::PackedPod& pod) { arrivals_.saw(pod); }

  // ---- what the leader does ----
  // Nothing of an earlier leadership is relied upon but what is stored.
  void begin(const Turn& turn);
  void end();
  void work(const Turn& turn);
  void step_done(const MoveStep& step, const Turn& turn) { mover_.step_done(step, turn); }
  void step_failed(const MoveStep& step, const Error& error, const Turn& turn) {
    mover_.step_failed(step, error, turn);
  }
  void rests_written(const std::string& version);
  void rests_not_written(const Error& error);

  [[nodiscard]] std::optional<Time> next() const;

  // ---- what is asked ----
  [[nodiscard]] const MoveSettings& settings() const { return settings_; }
  [[nodiscard]] const OwnerRests& rests() const { return rests_; }
  [[nodiscard]] const policy::MovePlan& last_plan() const { return last_; }
  [[nodiscard]] const MovePass& pass() const { return pass_; }
  [[nodiscard]] std::size_t under_way() const { return mover_.moving() + arrivals_.size(); }
  // Why the rests were not written the last time; "": they were.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  [[nodiscard]] bool is_unchanged() const;
  void recall(const Turn& turn);
  void claim(const Turn& turn);
  void make_pass(const Turn& turn);
  void carry_out(std::vector<policy::Move> moves, const Turn& turn);
  void store_rests(const Turn& turn);
  void take(MoveEnd ended, const Turn& turn);
  void take(const Arrival& arrival, const Turn& turn);
  void tell_blocked(const Turn& turn);
  void tell_move(const policy::Move& move, const std::string& note, bool log_only);

  ClusterState& cluster_;
  Outbox& outbox_;
  Ledgers& ledgers_;
  Counts& counts_;
  const bool has_no_past_;
  MoveSettings settings_;
  OwnerRests rests_{};
  std::optional<ConfigText> stored_{};  // the rests' ConfigMap, as the watch shows it
  std::string version_{};               // that the next write is based on; "": there is none
  std::string written_{};               // the text that was written last
  bool is_writing_ = false;
  bool is_claimed_ = false;  // by a write of this leadership: no other one's is newer
  std::string trouble_{};
  Mover mover_;
  Arrivals arrivals_;
  MovePass pass_;
  std::vector<policy::Move> planned_{};               // begin once the rests are written
  std::map<std::string, policy::NodeLoad> before_{};  // of the nodes that are left, by pod uid
  policy::MovePlan last_{};
  std::map<std::string, std::string> told_{};  // what blocks a pod, by uid
  std::set<std::string> refused_in_pass_{};    // what the API server answered
  // The cluster's and the settings' versions of the last pass; 0: another one may find more.
  std::uint64_t looked_at_ = 0;
  std::uint64_t settings_seen_ = 0;
  Time next_pass_{0};
};

}  // namespace elbowroom::rescheduler
