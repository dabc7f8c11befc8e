// Which changes count as undone by another writer, from contention_cases.json.
#include "agent/contention.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "test/checkout.h"
#include "test/pods.h"

namespace elbowroom::agent {
namespace {

using nlohmann::json;

const json& cases() {
  static const json parsed =
      json::parse(std::ifstream(std::string(test::kData) + "/tables/contention_cases.json"));
  return parsed;
}

constexpr const char* kType = "PodResizePending";

// One condition, its reason being the letter.
WriteStatus write_of(const std::string& value) {
  WriteStatus write{.pod_uid = "uid-web", .ns = "default", .name = "web"};
  if (value == "-") {
    write.remove = {kType};
  } else {
    write.set = {{.type = kType, .status = "True", .reason = value}};
  }
  return write;
}

policy::Pod showing(const std::string& value, const std::string& version) {
  policy::Pod pod = test::running_pod("web", 1000);
  pod.resource_version = version;
  pod.conditions = write_of(value).set;
  return pod;
}

// Does what the reactor does, for one pod.
class Steps {
 public:
  void take(const std::string& step) {
    const auto space = step.find(' ');
    const std::string word = step.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : step.substr(space + 1);
    if (word == "want") wanted_ = rest;
    if (word == "write") wrote(own_, write_of(wanted_));
    if (word == "refused" || word == "timeout") refused(own_, word == "refused", now_);
    if (word == "wait") now_ += std::chrono::seconds(std::atoi(rest.c_str()));
    if (word == "show") show(rest.substr(0, rest.find('@')), rest.substr(rest.find('@') + 1));
  }
  [[nodiscard]] int undone() const { return undone_; }

 private:
  void show(const std::string& value, const std::string& version) {
    const policy::Pod pod = showing(value, version);
    shown(own_, pod);
    if (value == wanted_) return;
    if (was_undone(own_, pod, write_of(wanted_), now_)) ++undone_;
  }

  OwnWrites own_{};
  std::string wanted_{};
  std::chrono::milliseconds now_{1000};
  int undone_ = 0;
};

TEST(ContentionTable, WhatCountsAsUndone) {
  ASSERT_GT(cases()["writes"].size(), 15U);
  for (const json& row : cases()["writes"]) {
    Steps steps;
    for (const json& step : row["steps"]) steps.take(step);
    EXPECT_EQ(steps.undone(), row["undone"]) << row["name"];
  }
}

TEST(ContentionTable, ThreeTimesInFiveMinutesOnTwoPods) {
  for (const json& row : cases()["window"]) {
    Contention contention;
    bool yields = false;
    for (const json& each : row["at"]) {
      const int at = each[0];
      for (std::size_t i = 1; i < each.size(); ++i) {
        yields = one_too_many(contention, each[i], i > 1, std::chrono::seconds(at));
      }
    }
    EXPECT_EQ(yields, row["yields"]) << row;
  }
}

// Ten minutes, twice as long each further time, at most an hour; from the beginning again after an
// hour in which it did not yield.
TEST(ContentionTable, HowLongItHasToBeQuiet) {
  using std::chrono::minutes;
  Contention contention;
  std::chrono::milliseconds now{0};
  for (const int quiet : {10, 20, 40, 60, 60, 60}) {
    yield(contention, now);
    contention.why = "why";
    EXPECT_EQ(quiet_time(contention), minutes(quiet));
    EXPECT_EQ(contention.ends_at, now + minutes(quiet));
    disturb(contention, now + minutes(1));
    EXPECT_EQ(contention.ends_at, now + minutes(quiet + 1));
    now = contention.ends_at;
    go_on(contention, now);
    EXPECT_EQ(contention.why, "");
    now += minutes(60);
  }
  now += minutes(1);
  yield(contention, now);
  EXPECT_EQ(quiet_time(contention), minutes(10));
}

// Its time is that of the API server and has whole seconds: another time is another write.
TEST(ContentionTable, AKubeletThatWroteSinceIsSaidToHaveUndoneIt) {
  const auto at = [](int second) { return policy::Time(std::chrono::seconds(second)); };
  OwnWrites own;
  wrote(own, write_of("A"));
  shown(own, showing("A", "11"), at(7));
  shown(own, showing("-", "12"), at(7));
  EXPECT_TRUE(was_undone(own, showing("-", "12"), write_of("A"), std::chrono::minutes(1)));
  EXPECT_FALSE(own.by_kubelet) << "it wrote before";
  wrote(own, write_of("A"));
  shown(own, showing("A", "13"), at(7));
  shown(own, showing("B", "14"), at(9));
  EXPECT_TRUE(was_undone(own, showing("B", "14"), write_of("A"), std::chrono::minutes(1)));
  EXPECT_TRUE(own.by_kubelet);
  wrote(own, write_of("A"));
  shown(own, showing("A", "15"));
  shown(own, showing("-", "16"));
  EXPECT_TRUE(was_undone(own, showing("-", "16"), write_of("A"), std::chrono::minutes(1)));
  EXPECT_FALSE(own.by_kubelet) << "there is none";
}

// ---- sizes ----

PodReport report(const std::string& id, std::int64_t shares) {
  PodReport of;
  of.containers["app"] = {.id = id,
                          .state = policy::RunState::Running,
                          .size = cri::RuntimeResources{.cpu_shares = shares}};
  of.pod_cgroup = cri::RuntimeResources{.cpu_shares = shares};
  return of;
}

// As Steps, for the size of one container, or of the pod's own cgroup.
class SizeSteps {
 public:
  explicit SizeSteps(std::string container) : container_(std::move(container)) {}

  void take(const std::string& step) {
    const auto space = step.find(' ');
    const std::string word = step.substr(0, space);
    const std::int64_t amount = std::atoll(step.substr(space + 1).c_str());
    if (word == "give") sized(own_, container_, report("c", amount), {.cpu_shares = amount});
    if (word == "error" || word == "timeout") refused(own_, container_, word == "error", now_);
    if (word == "wait") now_ += std::chrono::seconds(amount);
    if (word == "show") {
      shown_ = report("c", amount);
      shown(own_, shown_);
    }
    if (word == "need" && was_undone(own_, container_, shown_, now_)) ++undone_;
  }
  [[nodiscard]] int undone() const { return undone_; }

 private:
  std::string container_;
  OwnSizes own_{};
  PodReport shown_{};
  std::chrono::milliseconds now_{1000};
  int undone_ = 0;
};

TEST(ContentionTable, WhichSizesCountAsUndone) {
  ASSERT_GT(cases()["sizes"].size(), 5U);
  for (const std::string container : {"app", ""}) {
    for (const json& row : cases()["sizes"]) {
      SizeSteps steps(container);
      for (const json& step : row["steps"]) steps.take(step);
      EXPECT_EQ(steps.undone(), row["undone"]) << row["name"];
    }
  }
}

TEST(ContentionTable, ASizeThatWasShownAndIsAnotherNowWasUndone) {
  for (const std::string container : {"app", ""}) {
    OwnSizes own;
    sized(own, container, report("c", 200), {.cpu_shares = 200});
    EXPECT_FALSE(was_undone(own, container, report("c", 100), {})) << "not shown yet";
    sized(own, container, report("c", 200), {.cpu_shares = 200});
    shown(own, report("c", 200));
    EXPECT_FALSE(was_undone(own, container, report("c", 200), {})) << "still so";
    EXPECT_TRUE(was_undone(own, container, report("c", 100), {}));
    EXPECT_FALSE(was_undone(own, container, report("c", 100), {})) << "told once";
  }
}

TEST(ContentionTable, AContainerThatWasStartedAnewIsAnotherOne) {
  OwnSizes own;
  sized(own, "app", report("c", 200), {.cpu_shares = 200});
  shown(own, report("c", 200));
  shown(own, report("d", 100));
  EXPECT_FALSE(was_undone(own, "app", report("d", 100), {}));
  sized(own, "app", report("d", 200), {.cpu_shares = 200});
  shown(own, report("d", 200));
  shown(own, PodReport{});
  EXPECT_TRUE(own.given.empty());
}

}  // namespace
}  // namespace elbowroom::agent
