// A dump answers as its cluster does, and has nothing in it that may be secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/document_text.h"
#include "cli/dump/redacted.h"
#include "cli/input/manifests.h"
#include "cli/input/read_input.h"
#include "lab_api.h"
#include "test/checkout.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Each text with "SECRET" is one that no decision reads.
constexpr const char* kObjects = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1, annotations: {other: SECRET-1, elbowroom.dev/critical-preemption: node}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: default
  uid: u-1
  generation: 3
  labels: {env: label-env, command: label-command}
  annotations: {kubectl.kubernetes.io/last-applied-configuration: SECRET-2}
spec:
  nodeName: node1
  priority: 1000
  nodeSelector: {image: label-image}
  imagePullSecrets: [{name: SECRET-3}]
  hostname: SECRET-13
  fieldOfALaterVersion: {name: SECRET-14, key: SECRET-15}
  volumes:
  - {name: v, secret: {secretName: SECRET-4}}
  - {name: w, configMap: {name: SECRET-5}}
  - {name: g, gitRepo: {repository: "https://user:SECRET-16@host"}}
  - {name: f, flexVolume: {driver: d, options: {password: SECRET-17}}}
  - {name: n, nfs: {server: SECRET-18, path: /SECRET-19}}
  - {name: h, hostPath: {path: /SECRET-20}}
  containers:
  - name: app
    image: registry.example/IMAGE
    command: [run, SECRET-6]
    args: [--token=SECRET-7]
    env: [{name: TOKEN, value: SECRET-8}]
    envFrom: [{secretRef: {name: SECRET-9}}]
    lifecycle: {preStop: {exec: {command: [SECRET-10]}}}
    livenessProbe: {httpGet: {path: /, port: 80, httpHeaders: [{name: Authorization, value: SECRET-11}]}}
    resources: {requests: {cpu: "3"}}
status:
  phase: Running
  hostIP: SECRET-21
  podIP: SECRET-22
  startTime: "2026-01-01T00:00:00Z"
  containerStatuses:
  - name: app
    image: registry.example/IMAGE
    allocatedResources: {cpu: "1"}
    resources: {requests: {cpu: "1"}}
    lastState: {terminated: {exitCode: 1, message: SECRET-12}}
---
apiVersion: v1
kind: Pod
metadata: {name: batch, namespace: jobs, uid: u-2, labels: {app: batch}}
spec:
  nodeName: node1
  priority: 10
  containers: [{name: app, image: x, resources: {requests: {cpu: "2"}}}]
status: {phase: Running, startTime: "2026-01-01T00:00:00Z"}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: keep, namespace: jobs, uid: b-1}
spec: {minAvailable: 1, selector: {matchLabels: {app: batch}}}
status: {disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1}
)";

// Every example of the pages is the same to the decoders.
TEST(Redacted, ChangesNothingThatADecisionReads) {
  std::size_t files = 0;
  for (const char* folder : {"docs/examples", "docs/examples/schedule", "docs/examples/reschedule",
                             "docs/examples/preview"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(test::kData).parent_path() / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      ++files;
      const auto texts = read_input(entry.path().string());
      ASSERT_TRUE(texts);
      const auto objects = parse_yaml(texts->at(0).text);
      ASSERT_TRUE(objects) << entry.path();
      std::vector<Value> left;
      for (const Value& each : *objects) left.push_back(redacted(each, {.images = true}));
      const auto before = manifests_of(*objects, "a");
      const auto after = manifests_of(left, "b");
      ASSERT_TRUE(before) << entry.path();
      ASSERT_TRUE(after) << entry.path() << after.error().message;
      EXPECT_EQ(before->pods, after->pods) << entry.path();
      EXPECT_EQ(before->nodes, after->nodes) << entry.path();
      EXPECT_EQ(before->pod_disruption_budgets, after->pod_disruption_budgets) << entry.path();
      EXPECT_EQ(before->disruption_budgets, after->disruption_budgets) << entry.path();
      EXPECT_EQ(before->groups, after->groups) << entry.path();
    }
  }
  EXPECT_GT(files, 10U);
}

class Dump : public ::testing::Test {
 protected:
  Dump() { lab_.load(kObjects); }

  std::string dumped(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"dump", "--kubeconfig", lab_.kubeconfig()};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }

  LabApi lab_;
};

TEST_F(Dump, AnswersAsItsClusterDoes) {
  const Folder folder;
  for (const char* format : {"yaml", "json"}) {
    const std::string file = folder.file(std::string("dump.") + format, dumped({"-o", format}));
    const Outcome of_file = run({"simulate", "resize", "default/web", "-f", file, "-o", "json"});
    const Outcome of_cluster = run({"simulate", "resize", "default/web", "--from-cluster",
                                    "--kubeconfig", lab_.kubeconfig(), "-o", "json"});
    EXPECT_EQ(of_file.status, 0) << of_file.err;
    EXPECT_EQ(of_file.out, of_cluster.out);
    EXPECT_THAT(of_file.out, HasSubstr("jobs/keep"));
  }
  for (const lab::RequestRecord& each : lab_.server().requests()) EXPECT_EQ(each.method, "GET");
}

TEST_F(Dump, IsExplainedAsItsClusterIs) {
  const Folder folder;
  const std::string file = folder.file("dump.yaml", dumped());
  const std::vector<std::string> asked = {"explain", "pod", "web", "--now", "2026-02-01T00:00:00Z",
                                          "-o",      "json"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), asked.begin(), asked.end());
    return run(std::move(more));
  };
  const Outcome of_file = with({"-f", file});
  EXPECT_EQ(of_file.status, 0) << of_file.err;
  EXPECT_EQ(of_file.out, with({"--kubeconfig", lab_.kubeconfig()}).out);
  EXPECT_THAT(of_file.out, HasSubstr("jobs/keep"));
  EXPECT_EQ(with({"-f", file, "--server", "http://127.0.0.1:1"}).status, 2);
  EXPECT_EQ(run({"explain", "pod", "gone", "-f", file}).status, 1);
  EXPECT_EQ(run({"explain", "group", "gone", "-f", file}).status, 1);
}

TEST_F(Dump, HasNothingThatMayBeSecret) {
  const std::string text = dumped();
  EXPECT_THAT(text, Not(HasSubstr("SECRET")));
  EXPECT_THAT(text, Not(HasSubstr("IMAGE")));
  for (const char* kept :
       {"label-env", "label-command", "label-image", "elbowroom.dev/critical-preemption"}) {
    EXPECT_THAT(text, HasSubstr(kept));
  }
}

TEST_F(Dump, ShowsWhatIsAskedFor) {
  EXPECT_THAT(dumped({"--with", "images"}), HasSubstr("registry.example/IMAGE"));
  EXPECT_THAT(dumped({"--with", "annotations"}), HasSubstr("SECRET-2"));
  const std::string environment = dumped({"--with", "environment"});
  EXPECT_THAT(environment, HasSubstr("SECRET-8"));
  EXPECT_THAT(environment, Not(HasSubstr("SECRET-4")));
}

TEST_F(Dump, ADaemonThatDoesNotAnswerIsSaidAndTheRestIsPrinted) {
  const Outcome got = run({"dump", "--kubeconfig", lab_.kubeconfig(), "--server",
                           "http://127.0.0.1:1", "--server", "ftp://x"});
  EXPECT_EQ(got.status, 0);
  EXPECT_THAT(got.err, HasSubstr("--server http://127.0.0.1:1: "));
  EXPECT_THAT(got.err, HasSubstr("--server ftp://x: "));
  EXPECT_THAT(got.out, HasSubstr("kind: Pod"));
  EXPECT_THAT(got.out, Not(HasSubstr("DaemonReport")));
}

TEST_F(Dump, ARecordingIsAddedLineByLineAndAnswersIgnoreIt) {
  const Folder folder;
  const std::string recording = folder.file("recording", "{\"recording\":\"x\"}\n{\"seen\":1}\n");
  const std::string text = dumped({"--recording", recording, "-o", "json"});
  EXPECT_THAT(text, HasSubstr(R"("{\"seen\":1}")"));
  const std::string file = folder.file("dump.json", text);
  const Outcome of_file = run({"simulate", "resize", "default/web", "-f", file});
  EXPECT_EQ(of_file.status, 0);
  EXPECT_EQ(of_file.err, "");
  std::string lines;
  while (lines.size() <= std::size_t{17} << 20) lines += std::string(1023, 'x') + "\n";
  const Outcome too_long =
      run({"dump", "--kubeconfig", lab_.kubeconfig(), "--recording", folder.file("large", lines)});
  EXPECT_THAT(too_long.err, HasSubstr("longer than 16 MiB"));
  EXPECT_THAT(too_long.out, Not(HasSubstr("kind: Recording")));
}

TEST_F(Dump, OneOfAnotherVersionAnswersAndSaysSo) {
  const Folder folder;
  std::string text = dumped();
  const std::string own = std::string("elbowroomVersion: \"") + ELBOWROOM_VERSION + "\"";
  ASSERT_THAT(text, HasSubstr(own));
  EXPECT_THAT(text, ::testing::ContainsRegex("serverVersion: \"?v1\\."));
  text.replace(text.find(own), own.size(), "elbowroomVersion: \"9.9.9\"");
  const Outcome got =
      run({"simulate", "resize", "default/web", "-f", folder.file("dump.yaml", text)});
  EXPECT_EQ(got.status, 0);
  EXPECT_THAT(got.err, HasSubstr("the input was dumped by elbowroom 9.9.9, and this is"));
}

TEST_F(Dump, WithoutARightItSaysSoAndPrintsTheRest) {
  lab_.refuse("/poddisruptionbudgets", 403, "Forbidden");
  const Outcome got = run({"dump", "--kubeconfig", lab_.kubeconfig()});
  EXPECT_EQ(got.status, 0);
  EXPECT_THAT(got.err, HasSubstr("not permitted: list poddisruptionbudgets.policy"));
  EXPECT_THAT(got.out, HasSubstr("kind: Pod"));
  lab_.refuse("/api/v1/nodes", 403, "Forbidden");
  const Outcome without = run({"dump", "--kubeconfig", lab_.kubeconfig()});
  EXPECT_EQ(without.status, 0) << without.err;
  EXPECT_THAT(without.err, HasSubstr("not permitted: list nodes in all namespaces"));
  EXPECT_THAT(without.out, AllOf(HasSubstr("kind: Pod\n"), Not(HasSubstr("kind: Node\n"))));
  lab_.refuse("/api/v1/pods", 403, "Forbidden");
  EXPECT_EQ(run({"dump", "--kubeconfig", lab_.kubeconfig()}).status, 77);
}

}  // namespace
}  // namespace elbowroom::cli
