#include "test/simulation/moves/landed_moves.h"

#include <algorithm>
#include <cstdlib>

#include "test/simulation/moves/move_objects.h"

namespace elbowroom::test {
namespace {

using lab::Json;
using std::chrono::minutes;
using std::chrono::seconds;

// A pod that ends slowly takes half a minute, and only then its StatefulSet makes another one.
constexpr seconds kBoundWithin{60};
constexpr minutes kLongest{10};

std::int64_t number_behind(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? 0 : std::strtoll(text.c_str() + at + words.size(), nullptr, 10);
}

std::string word_behind(const std::string& text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return "";
  const std::size_t from = at + words.size();
  return text.substr(from, text.find(' ', from) - from);
}

}  // namespace

void LandedMoves::told(const std::string& uid, const std::string& note) {
  const auto at =
      std::ranges::find(moves_, uid, [](const SeenMove& each) { return uid_of(each.pod); });
  if (at == moves_.end() || !note.starts_with("Moved off")) return;
  at->policy = note.contains(" by AffinityPreference") ? "AffinityPreference" : "UnderutilizedNode";
  at->promised = number_behind(note, "to gain ");
  at->expected = word_behind(note, " percent on node ");
  ++counts_["by " + at->policy];
}

void LandedMoves::saw_pod(const Json& pod, Span now) {
  const std::string uid = uid_of(pod);
  const std::string controller = controller_of(pod).uid;
  auto move = std::ranges::find(moves_, uid, &SeenMove::successor);
  if (move == moves_.end() && !bound_.contains(uid)) {
    move = std::ranges::find_if(moves_, [&](const SeenMove& each) {
      return each.successor.empty() && each.controller == controller &&
             !each.replicas.contains(uid);
    });
    if (move != moves_.end()) {
      move->successor = uid;
      move->name = name_of(pod);
    }
  }
  const bool is_bound_now = !node_of(pod).empty() && bound_.insert(uid).second;
  if (move == moves_.end()) {
    if (is_bound_now) disturb(node_of(pod), uid);
    return;
  }
  if (is_bound_now) land(*move, pod);
  if (!move->ready && is_ready(pod)) move->ready = now;
}

void LandedMoves::land(SeenMove& move, const Json& pod) {
  move.to = node_of(pod);
  move.landed = ++landed_;
  ++counts_[move.to == move.from ? "came back" : "landed"];
  for (const SeenMove& each : moves_) {
    const bool is_beside = &each != &move && each.to == move.to && each.pass == move.pass;
    if (is_beside) move.is_disturbed = true;
  }
  const Filled there = filled(world_, move.to);
  move.load_gain = move.to == move.from ? 0 : move.left.percent_more_than(there);
  move.is_above_target = there.is_above(history_.wishes.target);
  const Json* to = world_.peek(node_kind(), "", move.to);
  const Json* from = world_.peek(node_kind(), "", move.from);
  const std::int64_t all = all_weights(pod);
  if (to != nullptr && from != nullptr && all > 0) {
    move.preference_gain = (met_weights(pod, *to) - met_weights(pod, *from)) * 100 / all;
  }
  check_waiting(move);
}

// Other pods that come to a node change what a move gains, and are counted apart.
void LandedMoves::disturb(const std::string& node, const std::string& uid) {
  for (SeenMove& each : moves_) {
    const bool is_open = each.to.empty() && uid != uid_of(each.pod);
    if (is_open) each.is_disturbed = true;
    if (is_open && each.from != node) ++counts_["others come while a pod is moved"];
  }
}

void LandedMoves::lost_pod(const std::string& uid, const std::string& node) { disturb(node, uid); }

// The one pod that waited, and had a place, still has one.
void LandedMoves::check_waiting(const SeenMove& move) {
  if (!history_.is_quiet || !move.waiting) return;
  const auto pods = world_.all_stored_objects(pod_kind());
  const auto pod =
      std::ranges::find(pods, *move.waiting, [](const Json* each) { return uid_of(*each); });
  if (pod == pods.end() || !node_of(**pod).empty()) return;
  // Its group does not exist: no scheduler places it anywhere.
  if (lab::find_at(**pod, {"spec", "schedulingGroup"}) != nullptr) return;
  const auto nodes = world_.all_stored_objects(node_kind());
  const bool has_place = std::ranges::any_of(
      nodes, [&](const Json* each) { return has_place_for(world_, *each, **pod); });
  if (!has_place) {
    broken_("pod " + name_of(move.pod) + " was moved to where pod " + name_of(**pod) +
            " could have gone, which waits still");
  }
}

void LandedMoves::judge(SeenMove& move) {
  if (move.is_judged || move.policy.empty() || move.to.empty()) return;
  move.is_judged = true;
  const MoveWishes& wishes = history_.wishes;
  const bool is_by_load = move.policy == "UnderutilizedNode";
  const std::int64_t gain = is_by_load ? move.load_gain : move.preference_gain;
  gained_ += gain;
  if (!history_.is_quiet) return;
  const std::string words = "pod " + name_of(move.pod) + " moved from " + move.from + " to " +
                            move.to + " by " + move.policy;
  if (gained_ < 0) broken_(words + ", and the sum of gains is below zero");
  const bool is_short = gain < (is_by_load ? wishes.least_load : wishes.least_preference);
  // The pass counted on its other moves: without one of them, or with one that took another node,
  // the scheduler may choose otherwise.
  const bool is_without_others = std::ranges::any_of(moves_, [&](const SeenMove& each) {
    if (&each == &move || each.pass != move.pass) return false;
    return each.to.empty() || each.landed > move.landed || each.to != each.expected;
  });
  if (move.is_disturbed || is_without_others) {
    ++counts_[is_short ? "gained too little, where the cluster changed meanwhile"
                       : "the cluster changed meanwhile"];
    return;
  }
  ++counts_["judged by its gain"];
  if (is_short) broken_(words + " gained only " + std::to_string(gain));
  if (is_by_load && move.is_above_target) broken_(words + ", which is above the target then");
  if (is_by_load && move.preference_gain < 0) broken_(words + ", which it prefers less");
  if (gain < move.promised) ++counts_["gained less than promised"];
}

void LandedMoves::check_at_end(Span now) {
  for (SeenMove& each : moves_) judge(each);
  for (const SeenMove& each : moves_) {
    if (!history_.is_quiet || now - each.at < kBoundWithin) continue;
    const std::string words = "pod " + name_of(each.pod) + " was evicted from " + each.from;
    if (each.policy.empty()) broken_(words + ", and nobody was told");
    if (!each.to.empty()) continue;
    if (each.is_disturbed) {
      ++counts_["is pending, where the cluster changed meanwhile"];
    } else {
      broken_(words + ", and its successor is on no node");
    }
  }
}

std::optional<SeenMove::Span> LandedMoves::rested_since(const std::string& owner) const {
  for (auto each = moves_.rbegin(); each != moves_.rend(); ++each) {
    if (each->owner == owner) return each->ready ? *each->ready : each->at + kLongest;
  }
  return std::nullopt;
}

bool LandedMoves::came_back_last(const std::string& owner) const {
  for (auto each = moves_.rbegin(); each != moves_.rend(); ++each) {
    if (each->owner == owner) return each->to == each->from;
  }
  return false;
}

}  // namespace elbowroom::test
