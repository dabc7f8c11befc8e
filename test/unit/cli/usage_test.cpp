// What is said of verbs, flags and words that do not exist.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "test/unit/cli/command_line.h"

namespace elbowroom::cli {
namespace {

struct UsageRow {
  std::vector<std::string> words{};
  std::string says{};
};

TEST(Usage, NearNamesAreSuggestedAndNothingIsSaidToBeMissingThatWasGiven) {
  const std::vector<UsageRow> rows = {
      {{"simulte", "resize"}, "elbowroom has no verb simulte; did you mean simulate?"},
      {{"simulate", "reszie", "a/b"},
       "elbowroom simulate has no verb reszie; did you mean resize?"},
      {{"simulate", "xyzzy"},
       "elbowroom simulate has no verb xyzzy: it has reschedule, resize, run, schedule"},
      {{"simulate", "resize", "a/b", "--from-clustr"},
       "elbowroom simulate resize has no flag --from-clustr; did you mean --from-cluster?"},
      {{"simulate", "resize", "a/b", "--from-clustr=x"}, "did you mean --from-cluster?"},
      {{"simulate", "resize", "a/b", "c/d", "e/f"},
       "elbowroom simulate resize does not expect \"c/d\""},
      {{"help", "simulte"}, "elbowroom has no verb simulte; did you mean simulate?"},
      {{"help", "simulate", "xyzzy"}, "elbowroom simulate has no verb xyzzy: it has reschedule"},
      {{"help", "doctor", "xyzzy"}, "elbowroom doctor has no verbs"},
      {{"simulate"}, "elbowroom simulate takes a verb: reschedule, resize, run, schedule"},
  };
  for (const UsageRow& each : rows) {
    const Outcome outcome = run(each.words);
    EXPECT_EQ(outcome.status, kExitUsage);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(each.says), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("required"), std::string::npos) << outcome.err;
  }
}

TEST(Usage, HelpSaysOfAVerbWhatItsFlagSays) {
  const std::vector<std::vector<std::string>> verbs = {
      {}, {"doctor"}, {"simulate"}, {"simulate", "resize"}, {"help"}};
  for (const std::vector<std::string>& verb : verbs) {
    std::vector<std::string> by_flag = verb;
    by_flag.emplace_back("--help");
    std::vector<std::string> by_word = {"help"};
    by_word.insert(by_word.end(), verb.begin(), verb.end());
    const Outcome outcome = run(by_word);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, run(by_flag).out);
    EXPECT_NE(outcome.out.find("Usage: elbowroom"), std::string::npos) << outcome.out;
  }
}

// What the API server would refuse has no verdict.
TEST(Usage, ARequestAboveItsLimitIsRefusedAndARaisedLimitIsNot) {
  const Folder folder;
  const std::string file = folder.file("pod.yaml", R"(---
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 9}}
---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, uid: u}
spec: {nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1}, limits: {cpu: 2}}}]}
)");
  const auto set = [&](const std::string& change) {
    return run({"simulate", "resize", "default/web", "-f", file, "--set", change});
  };
  const Outcome above = set("app:cpu=3");
  EXPECT_EQ(above.status, kExitUsage);
  EXPECT_EQ(above.err,
            "elbowroom: --set: requests.cpu of container app would be 3, above its limit of 2, "
            "which the API server refuses: set app:limits.cpu as well\n");
  EXPECT_EQ(set("app:limits.cpu=500m").status, kExitUsage);
  EXPECT_NE(set("ap:cpu=2").err.find("no container or sidecar \"ap\"; did you mean app?"),
            std::string::npos);
  EXPECT_EQ(set("app:cpu=2").status, 0);
  EXPECT_EQ(set("app:cpu=3,app:limits.cpu=3").status, 0);
}

constexpr const char* kNodeOf8 = R"(apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: 8, memory: 8Gi, pods: 9}}
---
)";

// What a pod of that spec is told of changes.
std::string told_of(const std::string& spec, const std::string& change) {
  const Folder folder;
  const std::string file =
      folder.file("in.yaml", kNodeOf8 +
                                 std::string("apiVersion: v1\nkind: Pod\nmetadata: {name: web, "
                                             "namespace: default, uid: u}\nspec: ") +
                                 spec + "\n");
  const Outcome said = run({"simulate", "resize", "default/web", "-f", file, "--set", change});
  EXPECT_EQ(said.status, said.err.empty() ? 0 : kExitUsage);
  return said.err;
}

TEST(Usage, AChangeOfTheQosClassIsNoResize) {
  const std::string guaranteed =
      "{nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1, memory: 1Gi}, "
      "limits: {cpu: 1, memory: 1Gi}}}]}";
  EXPECT_EQ(told_of(guaranteed, "app:cpu=500m"),
            "elbowroom: --set: pod default/web would be Burstable, and is Guaranteed; the API "
            "server refuses a resize that changes the QoS class: set the request and the limit of "
            "each resource to the same amount\n");
  EXPECT_EQ(told_of(guaranteed, "app:cpu=500m,app:limits.cpu=500m"), "");
  EXPECT_EQ(told_of("{nodeName: n, containers: [{name: app}]}", "app:cpu=1"),
            "elbowroom: --set: pod default/web would be Burstable, and is BestEffort; the API "
            "server refuses a resize that changes the QoS class\n");
}

TEST(Usage, OnlyCpuAndMemoryAreResized) {
  const std::string spec =
      "{nodeName: n, containers: [{name: app, resources: {requests: {cpu: 1, memory: 1Gi, "
      "ephemeral-storage: 1Gi}}}]}";
  for (const char* change : {"app:ephemeral-storage=2Gi", "app:hugepages-2Mi=2Mi",
                             "app:example.com/dev=2", "app:limits.example.com/dev=2"}) {
    EXPECT_THAT(told_of(spec, change), testing::HasSubstr("the resource must be cpu or memory: the "
                                                          "API server refuses a resize of another"))
        << change;
  }
  EXPECT_EQ(told_of(spec, "app:cpu=0"), "");
  EXPECT_THAT(told_of(spec, "app:limits.cpu=0"),
              testing::HasSubstr("requests.cpu of container app would be 1, above its limit of 0"));
}

TEST(Usage, StaticAndWindowsPodsAreNotResized) {
  const auto told = [](const std::string& metadata, const std::string& spec) {
    const Folder folder;
    const std::string file =
        folder.file("in.yaml", kNodeOf8 +
                                   std::string("apiVersion: v1\nkind: Pod\nmetadata: {name: web, "
                                               "namespace: default, uid: u") +
                                   metadata + "}\nspec: {nodeName: n, " + spec +
                                   "containers: [{name: app, resources: {requests: {cpu: 1}}}]}\n");
    const Outcome said =
        run({"simulate", "resize", "default/web", "-f", file, "--set", "app:cpu=2"});
    EXPECT_EQ(said.status, said.err.empty() ? 0 : kExitUsage);
    EXPECT_EQ(run({"simulate", "resize", "default/web", "-f", file}).status, 0);
    return said.err;
  };
  EXPECT_EQ(told("", ""), "");
  EXPECT_EQ(told("", "os: {name: linux}, "), "");
  EXPECT_EQ(told("", "os: {name: windows}, "),
            "elbowroom: --set: pod default/web: windows pods cannot be resized: the API server "
            "refuses it\n");
  EXPECT_EQ(told(", annotations: {kubernetes.io/config.mirror: x}", ""),
            "elbowroom: --set: pod default/web: static pods cannot be resized: the API server "
            "refuses it\n");
}

TEST(Usage, AChangeAboveThePodsOwnResourcesIsNoResize) {
  const std::string spec =
      "{nodeName: n, resources: {requests: {cpu: 2}, limits: {cpu: 3}}, containers: [{name: app, "
      "resources: {requests: {cpu: 1}, limits: {cpu: 2}}}, {name: side, resources: {requests: "
      "{cpu: 500m}}}]}";
  EXPECT_EQ(
      told_of(spec, "app:cpu=1501m"),
      "elbowroom: --set: requests.cpu of all containers together would be 2001m, above the "
      "pod-level request of 2, which the API server refuses: raise spec.resources of the pod in "
      "the file, or by kubectl patch --subresource resize\n");
  EXPECT_EQ(told_of(spec, "app:cpu=1500m"), "");
  EXPECT_EQ(
      told_of(spec, "app:limits.cpu=3001m"),
      "elbowroom: --set: limits.cpu of container app would be 3001m, above the pod-level "
      "limit of 3, which the API server refuses: raise spec.resources of the pod in the file, or "
      "by kubectl patch --subresource resize\n");
  EXPECT_EQ(told_of(spec, "app:limits.cpu=3"), "");
}

// Standard output is a device that takes nothing, as long as this object.
class FullOutput {
 public:
  FullOutput() : kept_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    ::dup2(full, STDOUT_FILENO);
    ::close(full);
  }
  ~FullOutput() {
    std::fflush(stdout);
    std::clearerr(stdout);
    std::cout.clear();
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
  }
  FullOutput(const FullOutput&) = delete;
  FullOutput& operator=(const FullOutput&) = delete;

 private:
  int kept_;
};

TEST(Usage, AnAnswerThatIsNotWrittenIsNoSuccess) {
  const Folder folder;
  const std::string file = folder.file("pod.yaml", "{apiVersion: v1, kind: PodList, items: []}");
  const std::vector<std::vector<const char*>> rows = {
      {"elbowroom", "--help"},
      {"elbowroom", "--version"},
      {"elbowroom", "simulate", "resize", "--help"},
      {"elbowroom", "reference", "metrics"},
      {"elbowroom", "reference", "rbac"},
      {"elbowroom", "simulate", "reschedule", "-f", file.c_str()},
  };
  for (const auto& words : rows) {
    int status = 0;
    {
      const FullOutput full;
      status = run_command_line(static_cast<int>(words.size()), words.data());
    }
    EXPECT_EQ(status, kExitFailure) << words[1];
  }
}

}  // namespace
}  // namespace elbowroom::cli
