// Contention over random histories of one pod: while only we write, no slow, torn or confused watch
// makes us yield; and a writer that never stops is detected.
#include "agent/contention.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "test/pods.h"

namespace elbowroom::agent {
namespace {

constexpr const char* kType = "PodResizePending";

// 0: no condition.
WriteStatus write_of(int value) {
  WriteStatus write{.pod_uid = "uid-web", .ns = "default", .name = "web"};
  if (value == 0) {
    write.remove = {kType};
  } else {
    write.set = {{.type = kType, .status = "True", .reason = std::string("R") + char('0' + value)}};
  }
  return write;
}

// The API server's pod: every change is a version.
struct Server {
  std::vector<int> versions{0};  // the value at version index + 1

  void put(int value) {
    if (versions.back() != value) versions.push_back(value);
  }
  [[nodiscard]] policy::Pod at(std::size_t index) const {
    policy::Pod pod = test::running_pod("web", 1000);
    pod.resource_version = std::to_string(index + 1);
    pod.conditions = write_of(versions[index]).set;
    return pod;
  }
};

// The agent's side, as the reactor has it: level-triggered, one write at a time.
struct Agent {
  OwnWrites own{};
  int wanted = 0;
  int seen = 0;
  std::chrono::milliseconds now{0};
  std::size_t undone = 0;

  void see(const Server& server, std::size_t index) {
    const policy::Pod pod = server.at(index);
    seen = server.versions[index];
    shown(own, pod);
    look(pod);
  }
  void look(const policy::Pod& pod) {
    if (seen != wanted && was_undone(own, pod, write_of(wanted), now)) ++undone;
  }
};

// An event after a list may be old: a list does not show when a kubelet last wrote.
TEST(Contention, WhatAUserUndoesAfterAListIsNoKubelets) {
  const policy::Time long_ago{std::chrono::seconds(1)};
  for (const bool by_list : {true, false}) {
    Server server;
    server.put(1);
    server.put(0);
    OwnWrites own;
    wrote(own, write_of(1));
    shown(own, server.at(1), by_list ? std::optional(kKubeletUnknown) : std::nullopt);
    shown(own, server.at(2), long_ago);
    EXPECT_TRUE(was_undone(own, server.at(2), write_of(1), {}));
    EXPECT_EQ(own.by_kubelet, !by_list);
  }
}

TEST(Contention, OwnWritesAndABadWatchAreNever) {
  rc::check([] {
    Server server;
    Agent agent;
    std::size_t delivered = 0;
    std::vector<int> late;  // timed out, and not applied yet
    const int steps = *rc::gen::inRange(1, 60);
    for (int i = 0; i < steps; ++i) {
      switch (*rc::gen::inRange(0, 7)) {
        case 0:  // another decision
          agent.wanted = *rc::gen::inRange(0, 3);
          agent.look(server.at(delivered));
          break;
        case 1:  // a write that is answered
          if (agent.seen == agent.wanted) break;
          wrote(agent.own, write_of(agent.wanted));
          server.put(agent.wanted);
          break;
        case 2:  // a write that times out, and may be applied later
          if (agent.seen == agent.wanted) break;
          wrote(agent.own, write_of(agent.wanted));
          late.push_back(agent.wanted);
          refused(agent.own, false, agent.now);
          break;
        case 3:  // one of those lands, always within its minute
          if (late.empty()) break;
          server.put(late.back());
          late.pop_back();
          break;
        case 4:  // the watch sends the next version
          if (delivered + 1 < server.versions.size()) agent.see(server, ++delivered);
          break;
        case 5:  // a repeated event, or an older one
          agent.see(server, *rc::gen::inRange<std::size_t>(0, delivered + 1));
          break;
        case 6:  // a refusal
          if (agent.seen == agent.wanted) break;
          wrote(agent.own, write_of(agent.wanted));
          refused(agent.own, true, agent.now);
          break;
      }
    }
    RC_ASSERT(agent.undone == 0U);
  });
}

TEST(Contention, AWriterThatNeverGivesWayIsNoticedEachTime) {
  rc::check([] {
    Server server;
    Agent agent;
    agent.wanted = 1;
    const auto rounds = *rc::gen::inRange<std::size_t>(1, 10);
    for (std::size_t i = 0; i < rounds; ++i) {
      wrote(agent.own, write_of(1));
      server.put(1);
      agent.see(server, server.versions.size() - 1);
      server.put(*rc::gen::element(0, 2));
      const auto times = *rc::gen::inRange(1, 4);
      for (int again = 0; again < times; ++again) agent.see(server, server.versions.size() - 1);
    }
    RC_ASSERT(agent.undone == rounds);
  });
}

PodReport sized_at(std::int64_t shares) {
  PodReport of;
  of.containers["app"] = {.id = "c",
                          .state = policy::RunState::Running,
                          .size = cri::RuntimeResources{.cpu_shares = shares}};
  return of;
}

// A runtime that fails, returns false values and is late, and the reactor's side of it:
// level-triggered, one call at a time.
TEST(Contention, OwnCallsAndABadRuntimeAreNever) {
  rc::check([] {
    constexpr std::chrono::milliseconds kNow{1000};
    OwnSizes own;
    std::int64_t has = 100;
    std::int64_t wanted = 100;
    PodReport shows = sized_at(has);
    std::vector<std::int64_t> late;  // timed out, and not applied yet
    std::size_t undone = 0;
    const auto answered = [&](std::int64_t size) {
      sized(own, "app", shows, {.cpu_shares = size});
      shows = sized_at(size);  // as it was read back
    };
    const int steps = *rc::gen::inRange(1, 80);
    const int kinds =
        *rc::gen::element(6, 7);  // after a timeout no write counts as undone for long
    for (int i = 0; i < steps; ++i) {
      const int what = *rc::gen::inRange(0, kinds);
      if (what == 0) wanted = 100 * *rc::gen::inRange<std::int64_t>(1, 5);
      if (what == 1) {
        shows = sized_at(has);
        shown(own, shows);
      }
      if (what == 2 && !late.empty()) {
        has = late.back();
        late.pop_back();
      }
      if (what < 3 || shows.containers["app"].size->cpu_shares == wanted) continue;
      if (was_undone(own, "app", shows, kNow)) ++undone;
      if (what == 3) answered(has = wanted);
      if (what == 4) refused(own, "app", true, kNow);  // nothing was done
      if (what == 5) {                                 // it was
        has = wanted;
        refused(own, "app", true, kNow);
      }
      if (what == 6) {
        late.push_back(wanted);
        refused(own, "app", false, kNow);
      }
    }
    RC_ASSERT(undone == 0U);
  });
}

}  // namespace
}  // namespace elbowroom::agent
