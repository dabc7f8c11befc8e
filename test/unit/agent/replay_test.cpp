// A reactor that is driven by hand, recorded, and run again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent/recording/recording.h"
#include "base/durable_file.h"
#include "cri/convert.h"
#include "test/pods.h"
#include "test/temporary_folder.h"

namespace elbowroom::agent {
namespace {

using test::node;
using test::resized;
using test::running_pod;
using ::testing::HasSubstr;

class Replaying : public ::testing::Test {
 protected:
  std::string path(const std::string& name = "rec") const {
    return (folder_.path() / name).string();
  }

  static ReactorOptions options() {
    return {.node_name = "node-1", .authority = true, .manage_pod_cgroups = false};
  }

  // Effects are answered until there are no more: all of them succeed.
  static void feed(Reactor& reactor, Recorder& recorder, std::chrono::milliseconds& now,
                   Seen what) {
    std::vector<Seen> waiting{std::move(what)};
    while (!waiting.empty()) {
      now += std::chrono::milliseconds(1);
      const Observation seen{{now, {}}, std::move(waiting.front())};
      waiting.erase(waiting.begin());
      recorder.seen(reactor, seen);
      const Effects effects = reactor.handle(seen);
      recorder.did(effects);
      for (const Effect& each : effects) {
        if (!std::holds_alternative<EmitEvent>(each.what)) {
          waiting.emplace_back(Done{.effect = each.id});
        }
      }
    }
  }

  // A pod that grows and shrinks, `turns` times.
  void record(int turns, std::uint64_t limit = recording::kUsualRecordLimit) {
    Reactor reactor(options(), {}, false);
    Recorder recorder(path(), limit, options(), disk_);
    std::chrono::milliseconds now{0};
    policy::Pod pod = running_pod("web", 1000, test::kMi);
    feed(reactor, recorder, now, NodeSeen{node(4000)});
    PodReport report;
    report.containers["app"] = {
        .id = "c-1",
        .state = policy::RunState::Running,
        .size = cri::resources_for({.requests = *pod.containers[0].allocated_requests})};
    feed(reactor, recorder, now, RuntimeSeen{{{pod.uid, report}}});
    feed(reactor, recorder, now, PodsListed{.pods = {pod}});
    for (int turn = 0; turn < turns; ++turn) {
      pod = resized(pod, turn % 2 == 0 ? 2000 : 1000, test::kMi);
      ++pod.generation;
      feed(reactor, recorder, now, PodSeen{pod});
    }
    EXPECT_EQ(recorder.trouble(), "");
  }

  Result<ReplayReport> run(const std::string& name = "rec", const ReplayOptions& with = {}) {
    auto reader = recording::RecordingReader::open(path(name));
    if (!reader) return std::unexpected(reader.error());
    return replay(*reader, with);
  }

  std::string text(const std::string& name = "rec") {
    return read_file(path(name), 1 << 26).value_or("");
  }
  void put(const std::string& content) { std::ofstream(path()) << content; }

  test::TemporaryFolder folder_;
  RealDisk disk_;
};

TEST_F(Replaying, TheSameEffectsComeOut) {
  record(10);
  const auto report = run();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->first);
  EXPECT_GT(report->observations, 20U);
  EXPECT_GT(report->effects, 20U);
  EXPECT_EQ(report->node, "node-1");
  EXPECT_EQ(report->mode, "authority");
  EXPECT_FALSE(report->torn);
  EXPECT_FALSE(report->unanswered);
}

TEST_F(Replaying, EveryFileReplaysByItself) {
  record(3000, recording::kLeastRecordLimit);
  for (const char* name : {"rec", "rec.1", "rec.2", "rec.3"}) {
    const auto report = run(name);
    ASSERT_TRUE(report) << name << ": " << report.error().message;
    EXPECT_FALSE(report->first) << name << " line " << report->first->line;
    EXPECT_GT(report->observations, 10U) << name;
  }
}

TEST_F(Replaying, ADifferenceIsNamedWithItsLine) {
  record(2);
  std::string changed = text();
  const std::string was = R"("reason":"ResizeStarted")";
  const std::size_t at = changed.find(was);
  ASSERT_NE(at, std::string::npos);
  changed.replace(at, was.size(), R"("reason":"ResizeBegan")");
  put(changed);
  const auto report = run();
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(report->first);
  const auto line = static_cast<std::size_t>(
      std::count(changed.begin(), changed.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  EXPECT_EQ(report->first->line, line) << "the observation stands on the line before";
  EXPECT_THAT(report->first->expected, ::testing::Contains(HasSubstr("ResizeBegan")));
  EXPECT_THAT(report->first->got, ::testing::Contains(HasSubstr("ResizeStarted")));
  EXPECT_THAT(report->first->seen, HasSubstr("done"));

  std::string rewritten;
  const auto all = run("rec", {.all = true, .rewritten = [&](std::string_view each) {
                                 rewritten += std::string(each) + "\n";
                               }});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->different, 1U);
  put(rewritten);
  EXPECT_FALSE(run()->first);
}

TEST_F(Replaying, AnyEndIsUnderstood) {
  record(1);
  const std::string whole = text();
  const std::size_t header = whole.find('\n') + 1;
  for (std::size_t length = 0; length < whole.size(); length += 37) {
    put(whole.substr(0, length));
    const auto report = run();
    if (length < header) {
      ASSERT_FALSE(report) << length;
      continue;
    }
    ASSERT_TRUE(report) << length << ": " << report.error().message;
    EXPECT_FALSE(report->first) << length;
    EXPECT_EQ(report->torn.has_value(), whole[length - 1] != '\n') << length;
  }
}

TEST_F(Replaying, LinesOutOfOrderAreNamed) {
  record(0);
  const std::string whole = text();
  const std::size_t first = whole.find('\n') + 1;
  const std::size_t second = whole.find('\n', first) + 1;
  const std::size_t third = whole.find('\n', second) + 1;
  const auto why = [&](const std::string& content) {
    put(content);
    const auto report = run();
    return report ? "" : report.error().message;
  };
  EXPECT_THAT(why(whole.substr(first)), HasSubstr("line 1: a recording begins with a header"));
  EXPECT_THAT(why(whole.substr(0, second) + whole.substr(third)),
              HasSubstr("line 3: the effects of line 2 should stand here"));
  EXPECT_THAT(why(whole.substr(0, first) + whole.substr(second, third - second)),
              HasSubstr("line 2: effects without an observation"));
  EXPECT_THAT(why(""), HasSubstr("no whole header"));
  EXPECT_THAT(why(whole.substr(0, second) + "{]\n"), HasSubstr("line 3: "));
}

TEST_F(Replaying, TheRestCanBeLeftOut) {
  record(4);
  const auto some = run("rec", {.until = 4});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->observations, 1U);
  EXPECT_FALSE(some->unanswered);
}

TEST_F(Replaying, ARecordingThatCannotBeWrittenStops) {
  put("this is somebody's text\n");
  Reactor reactor(options(), {}, false);
  Recorder recorder(path(), recording::kUsualRecordLimit, options(), disk_);
  std::chrono::milliseconds now{0};
  feed(reactor, recorder, now, NodeSeen{node(4000)});
  EXPECT_THAT(recorder.trouble(), HasSubstr("is no recording"));
  feed(reactor, recorder, now, NodeSeen{node(4000)});
  EXPECT_EQ(text(), "this is somebody's text\n");
}

}  // namespace
}  // namespace elbowroom::agent
