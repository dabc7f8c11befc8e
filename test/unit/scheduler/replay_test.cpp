// A scheduler among values, recorded, and run again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/durable_file.h"
#include "scheduler/recording/recording.h"
#include "test/scheduler_world.h"
#include "test/temporary_folder.h"

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;
using test::deferred;
using test::running_pod;
using test::SchedulerWorld;
using ::testing::HasSubstr;

class SchedulerReplay : public ::testing::Test {
 protected:
  std::string path() const { return (folder_.path() / "rec").string(); }
  std::string text() const { return read_file(path(), 1 << 26).value_or(""); }

  static ReactorOptions options() {
    ReactorOptions options = SchedulerWorld::usual();
    options.leader_elect = true;
    options.elector.identity = "one";
    options.yield_to->insert("other");
    options.breaker.pods_per_node = 7;
    return options;
  }

  // Room is made, a victim is refused, a budget and a node change, and it ends.
  std::string record(std::uint64_t limit = recording::kUsualRecordLimit) {
    Recorder recorder(path(), limit, options(), disk_);
    SchedulerWorld world(options());
    world.seen = [&](const Observation& seen) { recorder.seen(world.reactor(), seen); };
    world.did = [&](const Effects& effects) { recorder.did(effects); };
    world.put(test::node(4000));
    world.put(deferred(running_pod("web", 1000, 0, 100), 4000));
    world.put(running_pod("a", 2000, 0, 10));
    world.put(running_pod("b", 1000, 0, 5));
    world.put(policy::PodDisruptionBudget{
        .ns = "default", .name = "pdb", .selector = policy::LabelSelector{}});
    world.refuse = [](const std::string& effect) -> std::optional<Error> {
      if (effect != "delete default/b") return std::nullopt;
      return Error{Code::Denied, "a webhook says \"no\"", seconds(3)};
    };
    world.start();
    world.tell(LeaseSeen{});
    world.tell(Unreadable{"Pod", "default/odd", "no uid"});
    world.tell(Lost{Collection::Budgets, "connection refused"});
    world.tell(Back{Collection::Budgets});
    world.refuse = nullptr;
    world.pass(seconds(100));
    world.remove("default/a");
    world.tell(LeaseUnseen{"403"});
    world.tell(ServerDated{world.wall()});
    world.tell(NodeGone{"node-9", ""});
    world.tell(BudgetGone{"default/pdb", ""});
    world.tell(StopAsked{});
    return recorder.trouble();
  }

  Result<recording::ReplayReport> run(const ReplayOptions& with = {}) {
    auto reader = recording::RecordingReader::open(path());
    if (!reader) return std::unexpected(reader.error());
    return replay(*reader, with);
  }

  test::TemporaryFolder folder_;
  RealDisk disk_;
};

TEST_F(SchedulerReplay, TheSameEffectsComeOutByteForByte) {
  EXPECT_EQ(record(), "");
  std::string again;
  const auto report =
      run({.rewritten = [&](std::string_view line) { again.append(line).push_back('\n'); }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->first) << report->first->line << ": " << report->first->seen;
  EXPECT_GT(report->observations, 20U);
  EXPECT_GT(report->effects, 10U);
  EXPECT_EQ(report->program, "elbowroom-scheduler");
  EXPECT_EQ(report->mode, "resize");
  EXPECT_TRUE(again == text());
}

// Placements, taints and namespaces are in it: without them another node would take the pod.
TEST_F(SchedulerReplay, ModeFullIsReplayedToo) {
  ReactorOptions full = options();
  full.leader_elect = false;
  full.places_for = {"elbowroom"};
  Recorder recorder(path(), recording::kUsualRecordLimit, full, disk_);
  SchedulerWorld world(full);
  world.seen = [&](const Observation& seen) { recorder.seen(world.reactor(), seen); };
  world.did = [&](const Effects& effects) { recorder.did(effects); };
  policy::Node tainted = test::node(9000, 64 * test::kGi, "node-0");
  tainted.taints.push_back({.key = "example.com/only", .value = "x"});
  tainted.avoided_controllers = {{"uid-of-rs", {}},
                                 {"uid-of-set", policy::Time(std::chrono::hours(500'000))}};
  world.put(tainted);
  world.put(test::node(1000));
  world.put(running_pod("low", 1000, 0, 1));
  policy::Pod web = running_pod("web", 600, 0, 10);
  web.node.clear();
  web.phase = policy::Phase::Pending;
  web.scheduler_name = "elbowroom";
  web.placement.node_selector = {};
  world.put(web);
  policy::Pod tolerant = web;
  tolerant.name = "tolerant";
  tolerant.uid = "uid-tolerant";
  tolerant.placement.tolerations.push_back({.key = "example.com/only", .value = "x"});
  world.put(tolerant);
  world.start();
  world.tell(NamespacesListed{{{.name = "default", .labels = {{"team", "a"}}}}});
  world.tell(NamespaceSeen{{.name = "other"}});
  world.tell(NamespaceGone{"other", ""});
  const auto selecting = [](policy::SelectingKind kind) {
    return policy::Selecting{.kind = kind,
                             .ns = "default",
                             .name = "web",
                             .selector = {.match_labels = {{"app", "web"}}}};
  };
  using policy::SelectingKind;
  world.tell(control::Listed<ServiceOf>{.objects = {{selecting(SelectingKind::Service)}}});
  world.tell(
      control::Seen<ReplicationControllerOf>{{selecting(SelectingKind::ReplicationController)}});
  world.tell(control::Seen<ReplicaSetOf>{{selecting(SelectingKind::ReplicaSet)}});
  world.tell(control::Seen<StatefulSetOf>{{selecting(SelectingKind::StatefulSet)}});
  world.tell(control::Gone<StatefulSetOf>{"default/web", ""});
  policy::PodGroup gang{.ns = "default",
                        .name = "gang",
                        .resource_version = "7",
                        .standing = {.uid = "uid-gang",
                                     .priority = -5,
                                     .preemption_policy = policy::PreemptionPolicy::Never,
                                     .mode = policy::DisruptionMode::All,
                                     .obstacle = policy::GroupObstacle::ResourceClaims,
                                     .min_count = 3},
                        .has_priority = true,
                        .workload = "train",
                        .created = world.wall()};
  gang.conditions.push_back({.type = "PodGroupInitiallyScheduled", .status = "True"});
  world.tell(PodGroupsListed{.objects = {gang}, .unreadable = {"default/odd"}});
  world.tell(PodGroupSeen{gang});
  world.tell(PodGroupGone{"default/gang", "uid-gang"});
  world.pass(seconds(5));
  world.remove("default/low");
  EXPECT_EQ(world.pod("default/tolerant").node, "node-0");
  EXPECT_EQ(world.pod("default/web").node, "node-1");
  std::string again;
  const auto report =
      run({.rewritten = [&](std::string_view line) { again.append(line).push_back('\n'); }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->first) << report->first->line << ": " << report->first->seen;
  EXPECT_EQ(report->mode, "full");
  EXPECT_TRUE(again == text());
}

TEST(SchedulerRecording, WhatIsDoneAboutGroupsIsReadAsItWasWritten) {
  const Victim gang{"ml", "gang", "uid-gang"};
  const Effects effects = {
      {.id = 1, .what = ConfirmGroup{gang}},
      {.id = 2,
       .what = WriteGroupStatus{gang,
                                {{.type = "DisruptionTarget",
                                  .status = "True",
                                  .reason = "PreemptionByScheduler",
                                  .last_transition = policy::Time{seconds(7)}}}}},
      {.id = 3,
       .what = EmitEvent{.regarding = gang,
                         .reason = "Preempted",
                         .kind = control::Subject::PodGroup,
                         .related = control::Related{control::Subject::Pod, {"a", "b", "c"}}}}};
  const auto line = read_line(did_line(effects));
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_EQ(std::get<Effects>(*line), effects);
  EXPECT_EQ(in_words(effects[0]), "#1 ask for pod group ml/gang");
  EXPECT_EQ(in_words(effects[1]),
            "#2 say of pod group ml/gang: DisruptionTarget=True (PreemptionByScheduler)");
  EXPECT_EQ(in_words(effects[2]), "#3 event Preempted on PodGroup ml/gang: ");
}

TEST_F(SchedulerReplay, ADifferenceIsNamedWithItsLine) {
  EXPECT_EQ(record(), "");
  std::string changed = text();
  const std::string was = "makes room for the resize";
  changed.replace(changed.find(was), was.size(), "makes a room for a resize");
  std::ofstream(path()) << changed;
  const auto report = run();
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(report->first);
  EXPECT_THAT(report->first->expected, ::testing::Contains(HasSubstr("makes a room")));
}

// A cluster's list of pods is longer than a line may be.
TEST_F(SchedulerReplay, ALongListComesInParts) {
  Recorder recorder(path(), recording::kUsualRecordLimit, options(), disk_);
  Reactor reactor(options());
  PodsListed list{.unreadable = {"default/odd"}};
  for (int i = 0; i < 1234; ++i) {
    list.objects.push_back(cluster::PackedPod::packed(running_pod("pod-" + std::to_string(i), 10)));
  }
  const Observation seen{.what = list};
  recorder.seen(reactor, seen);
  recorder.did(reactor.handle(seen));
  EXPECT_EQ(recorder.trouble(), "");
  std::optional<Observation> read;
  const auto report = run({.seen = [&](std::size_t, const Observation& of) { read = of; }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->observations, 1U);
  EXPECT_TRUE(read == seen);
}

TEST_F(SchedulerReplay, AFullRecordingStopsAndReplaysAsFarAsItGoes) {
  Recorder recorder(path(), recording::kLeastRecordLimit, options(), disk_);
  Reactor reactor(options());
  for (int i = 0; i < 5000; ++i) {
    const Observation seen{
        .at = {.since_start = seconds(i)},
        .what = PodSeen{cluster::PackedPod::packed(running_pod("pod-" + std::to_string(i), 10))}};
    recorder.seen(reactor, seen);
    recorder.did(reactor.handle(seen));
  }
  EXPECT_THAT(recorder.trouble(), HasSubstr("raise recordLimit"));
  EXPECT_LE(text().size(), recording::kLeastRecordLimit);
  const auto report = run();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->first);
  EXPECT_GT(report->observations, 1000U);
}

TEST_F(SchedulerReplay, WhatIsNoRecordingOfItIsSaid) {
  const auto error = [&](const std::string& content) {
    std::ofstream(path()) << content;
    const auto report = run();
    return report ? "" : report.error().message;
  };
  EXPECT_THAT(error("hello\n"), HasSubstr("line 1: "));
  EXPECT_THAT(error("{\"recording\":\"elbowroomd\",\"format\":1}\n"),
              HasSubstr("this is no recording of elbowroom-scheduler"));
  EXPECT_THAT(error("{\"recording\":\"elbowroom-scheduler\",\"format\":2}\n"),
              HasSubstr("it is of format 2"));
  EXPECT_THAT(
      error("{\"recording\":\"elbowroom-scheduler\",\"format\":1,\"options\":{}}\n"
            "{\"seen\":{\"at\":{},\"what\":{\"podSeen\":{\"pod\":{\"priority\":\"high\"}}}}}\n"),
      HasSubstr(".priority"));
}

}  // namespace
}  // namespace elbowroom::scheduler
