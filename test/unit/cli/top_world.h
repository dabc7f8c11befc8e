// A small cluster by hand, for the tests of `elbowroom top`.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cli/top/screen.h"
#include "policy/overview/overview.h"

namespace elbowroom::cli::top {

inline constexpr policy::Time kNow{std::chrono::sys_days{std::chrono::year(2026) / 11 / 28} +
                                   std::chrono::hours(12)};
inline constexpr std::int64_t kMi = std::int64_t{1} << 20U;

inline policy::Resources amounts(std::int64_t milli_cpu, std::int64_t mebibytes) {
  return {.cpu = {milli_cpu}, .memory = {mebibytes * kMi}};
}

inline policy::NodeOverview node_of(std::string name, std::int64_t pods, policy::Resources held,
                                    policy::Resources promised, policy::Resources free) {
  return {.node = std::move(name),
          .ready = policy::NodeReady::True,
          .pods = pods,
          .allocatable = amounts(4000, 8192),
          .held = std::move(held),
          .promised = std::move(promised),
          .free = std::move(free)};
}

inline policy::Overview small_cluster() {
  using std::chrono::seconds;
  policy::Overview of{.now = kNow};
  of.nodes = {node_of("node1", 12, amounts(3500, 7000), amounts(500, 1024), amounts(500, 1192)),
              node_of("node2", 3, amounts(4000, 1000), {}, amounts(0, 7192)),
              node_of("node10", 7, amounts(100, 100), {}, amounts(3900, 8092))};
  of.nodes[1].unschedulable = true;
  of.nodes[2].policy_owners = {"example.com/database"};
  of.waiting = {{.pod = "default/web-1",
                 .uid = "u-web-1",
                 .node = "node1",
                 .wait = policy::ResizeWait::Deferred,
                 .since = kNow - seconds(200),
                 .lacking = amounts(500, 0),
                 .by = policy::RoomMaker::Scheduler,
                 .outcome = "Victims",
                 .victims = {"batch/job-7"},
                 .why = "the node lacks 500m of cpu",
                 .next = "the scheduler removes batch/job-7",
                 .expected = kNow + seconds(32)},
                {.pod = "default/web-2",
                 .uid = "u-web-2",
                 .node = "node10",
                 .wait = policy::ResizeWait::Infeasible,
                 .since = kNow - seconds(4000),
                 .why = "the pod asks for more than its node has"}};
  of.leaving = {{.pod = "batch/job-6",
                 .uid = "u-job-6",
                 .node = "node1",
                 .deadline = kNow + seconds(25),
                 .for_pod = "default/web-1",
                 .frees = amounts(1000, 512)},
                {.pod = "batch/stuck",
                 .uid = "u-stuck",
                 .node = "node2",
                 .deadline = kNow - seconds(25),
                 .overdue = true}};
  of.budgets = {{.budget = "DisruptionBudget batch/jobs",
                 .hard = true,
                 .pods = 8,
                 .allowed = 0,
                 .next = kNow + seconds(600)},
                {.budget = "PodDisruptionBudget default/web", .pods = 2}};
  of.removals = {{.pod = "batch/job-5",
                  .uid = "u-job-5",
                  .time = kNow - seconds(61),
                  .by = "elbowroom-scheduler",
                  .budget = "batch/jobs"}};
  return of;
}

struct TestScene {
  policy::Overview overview = small_cluster();
  std::vector<std::string> notes{};
  Explained explained{};
  bool is_complete = true;

  [[nodiscard]] Scene scene() const {
    return {.overview = overview,
            .source = "https://host:6443",
            .is_complete = is_complete,
            .notes = notes,
            .explained = &explained};
  }
};

// The lines without styles and without spaces at their ends.
inline std::vector<std::string> texts(const std::vector<StyledLine>& lines) {
  std::vector<std::string> all;
  for (const StyledLine& each : lines) {
    std::string line = plain(each);
    line.erase(line.find_last_not_of(' ') + 1);
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace elbowroom::cli::top
