#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "cli/output/age.h"
#include "cli/status/cluster_status.h"

namespace elbowroom::cli {
namespace {

// A scheduler that leads acts within seconds, unless its circuit breaker holds it back for ten
// minutes.
constexpr std::chrono::minutes kActsWithin{11};
constexpr std::size_t kNamed = 10;

std::string counted(std::size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// Where a right is missing the outcome is not known; such a resize waits for a scheduler all the
// same.
bool waits_for_scheduler(const policy::WaitingResize& each) {
  return each.by == policy::RoomMaker::Scheduler &&
         (each.outcome == "Preempt" || each.outcome == "NotKnown");
}

void add_leaders(const ClusterStatus& status, std::vector<std::string>& wrong) {
  for (const LeaderStatus& each : status.leaders) {
    if (!each.exists || each.holder.empty() || (!each.expired && !each.is_late)) continue;
    if (!each.expired) {
      wrong.push_back(each.program + ": " + each.holder + " has not renewed Lease " + each.lease +
                      " for " + age_text(each.renewed, status.overview.now) +
                      "; it seems to be dead, and another replica, if there is one, leads soon");
      continue;
    }
    wrong.push_back(each.program + ": " + each.holder + " has not renewed Lease " + each.lease +
                    " for " + age_text(each.renewed, status.overview.now) +
                    ", and no other replica leads; look at its pods, or at its service");
  }
}

void add_resizes_without_scheduler(const ClusterStatus& status, std::vector<std::string>& wrong) {
  const auto waiting = std::ranges::count_if(status.overview.waiting, waits_for_scheduler);
  const LeaderStatus& scheduler = status.leaders.front();
  if (waiting == 0 || scheduler.leads() || scheduler.expired || !scheduler.unknown.empty()) return;
  wrong.push_back("no " + scheduler.program + " leads, and " +
                  counted(static_cast<std::size_t>(waiting), "resize") +
                  (waiting == 1 ? " waits" : " wait") +
                  " for a scheduler that makes room; docs/scheduler.md says how it is installed");
}

void add_late_resizes(const ClusterStatus& status, std::vector<std::string>& wrong) {
  if (!status.leaders.front().leads()) return;
  const policy::Time now = status.overview.now;
  std::size_t late = 0;
  for (const policy::WaitingResize& each : status.overview.waiting) {
    if (!waits_for_scheduler(each) || !each.since || *each.since + kActsWithin >= now) continue;
    if (++late > kNamed) continue;
    wrong.push_back("the resize of pod " + each.pod + " waits for " + age_text(each.since, now) +
                    (each.outcome == "Preempt" ? " although pods could go for it" : "") +
                    "; elbowroom explain pod " + each.pod + " --server URL asks the scheduler why");
  }
  if (late > kNamed)
    wrong.push_back("and " + counted(late - kNamed, "more resize") + " like these");
}

bool is_lost(const policy::NodeOverview& node) {
  return node.ready == policy::NodeReady::False || node.ready == policy::NodeReady::Unknown;
}

// Those of nodes that are not Ready are counted with their node.
void add_overdue(const ClusterStatus& status, std::vector<std::string>& wrong) {
  std::set<std::string_view> lost;
  for (const policy::NodeOverview& each : status.overview.nodes) {
    if (is_lost(each)) lost.insert(each.node);
  }
  std::size_t overdue = 0;
  for (const policy::LeavingPod& each : status.overview.leaving) {
    if (!each.overdue || lost.contains(each.node) || ++overdue > kNamed) continue;
    wrong.push_back("pod " + each.pod + " still runs " +
                    age_text(each.deadline, status.overview.now) +
                    " after its deadline to terminate; look at the kubelet of node " + each.node);
  }
  if (overdue > kNamed)
    wrong.push_back("and " + counted(overdue - kNamed, "more pod") + " like these");
}

void add_nodes(const ClusterStatus& status, std::vector<std::string>& wrong) {
  std::map<std::string_view, std::size_t> waiting;
  for (const policy::WaitingResize& each : status.overview.waiting) ++waiting[each.node];
  std::map<std::string_view, std::size_t> leaving;
  for (const policy::LeavingPod& each : status.overview.leaving) ++leaving[each.node];
  std::size_t lost = 0;
  for (const policy::NodeOverview& each : status.overview.nodes) {
    if (!is_lost(each) || ++lost > kNamed) continue;
    std::string words = "node " + each.node + " is not Ready, with " +
                        counted(static_cast<std::size_t>(each.pods), "Pod");
    if (const auto found = leaving.find(each.node); found != leaving.end()) {
      words += ", of which " + std::to_string(found->second) +
               (found->second == 1 ? " terminates" : " terminate");
    }
    if (const auto found = waiting.find(each.node); found != waiting.end()) {
      words += "; " + counted(found->second, "resize") + (found->second == 1 ? " waits" : " wait") +
               " there";
    }
    wrong.push_back(std::move(words) + "; look at its kubelet");
  }
  if (lost > kNamed) wrong.push_back("and " + counted(lost - kNamed, "more node") + " like these");
}

void add_agents(const ClusterStatus& status, std::vector<std::string>& wrong) {
  for (const AgentStatus& each : status.agents) {
    if (each.how != "pod" || each.ready == each.nodes) continue;
    wrong.push_back(std::to_string(each.nodes - each.ready) + " of " + std::to_string(each.nodes) +
                    " pods of elbowroom-agent are not ready; kubectl describe says why");
  }
}

}  // namespace

std::vector<std::string> wrong_in(const ClusterStatus& status) {
  std::vector<std::string> wrong;
  add_leaders(status, wrong);
  add_resizes_without_scheduler(status, wrong);
  add_late_resizes(status, wrong);
  add_overdue(status, wrong);
  add_nodes(status, wrong);
  add_agents(status, wrong);
  return wrong;
}

}  // namespace elbowroom::cli
