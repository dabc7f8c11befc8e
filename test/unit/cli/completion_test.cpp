// What `elbowroom __complete` offers, and which names of a cluster it finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "cli/completion/found_names.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::chrono::seconds kPatience{60};

std::string offered(std::vector<std::string> words) {
  words.insert(words.begin(), {"__complete", "--"});
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(Completion, OffersVerbsFlagsAndValuesOfTheProgramsOwnTree) {
  EXPECT_THAT(offered({""}), AllOf(HasSubstr("simulate\tsay what would happen"),
                                   HasSubstr("--version\t"), Not(HasSubstr("__complete"))));
  EXPECT_EQ(offered({"sim"}), "simulate\tsay what would happen; nothing is written\n:4\n");
  EXPECT_EQ(offered({"simulate", "resize", "--rules", ""}), "elbowroom\nupstream\n:4\n");
  EXPECT_EQ(offered({"simulate", "resize", "--rules=up"}), "--rules=upstream\n:4\n");
  EXPECT_EQ(offered({"simulate", "resize", "--rules", "=", "up"}), "upstream\n:4\n");
  EXPECT_EQ(offered({"simulate", "resize", "-f", "x"}), ":0\n");
  EXPECT_THAT(offered({"explain", "pod", "-"}), AllOf(HasSubstr("-n\t"), HasSubstr("--server\t")));
  EXPECT_EQ(offered({"no", "such"}), ":4\n");
}

TEST(Completion, FindsNamesOfTheClusterAndOnlyWhereItIsAsked) {
  LabApi lab;
  lab.load(R"(---
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: app, image: x}]}
---
apiVersion: v1
kind: Pod
metadata: {name: db, namespace: shop}
spec: {containers: [{name: app, image: x}]}
---
apiVersion: v1
kind: Node
metadata: {name: node1}
)");
  const std::string config = lab.kubeconfig();
  const auto found = [&](Lookup what, const std::string& ns, const std::string& word) {
    return found_names({.what = what, .kubeconfig = config, .ns = ns, .word = word}, kPatience);
  };
  EXPECT_THAT(found(Lookup::Pods, "", ""), ElementsAre("web"));
  EXPECT_THAT(found(Lookup::Pods, "shop", ""), ElementsAre("db"));
  EXPECT_THAT(found(Lookup::Pods, "", "pod/"), ElementsAre("pod/web"));
  EXPECT_THAT(found(Lookup::Pods, "", "shop/d"), ElementsAre("shop/db"));
  EXPECT_THAT(found(Lookup::Nodes, "", ""), ElementsAre("node1"));
  EXPECT_EQ(found(Lookup::Contexts, "", "").size(), 1U);
  lab.refuse("/pods", 403, "Forbidden");
  EXPECT_THAT(found(Lookup::Pods, "", ""), ElementsAre());
}

TEST(Completion, IsSilentWithoutACluster) {
  const Folder folder;
  const std::string none = folder.path() + "/none";
  EXPECT_EQ(offered({"explain", "pod", "--kubeconfig", none, ""}), ":4\n");
  EXPECT_EQ(offered({"explain", "pod", "--server", "http://127.0.0.1:1", ""}), ":4\n");
}

TEST(Completion, ContextsThatAShellCouldRunAreLeftOut) {
  const Folder folder;
  const std::string config = folder.file("config", R"yaml(apiVersion: v1
kind: Config
contexts:
- {name: "arn:aws:eks:eu/prod@x", context: {cluster: a}}
- {name: "$(touch x)", context: {cluster: a}}
- {name: "-rf", context: {cluster: a}}
- {name: "two\nlines", context: {cluster: a}}
)yaml");
  EXPECT_EQ(offered({"explain", "pod", "--kubeconfig", config, "--context", ""}),
            "arn:aws:eks:eu/prod@x\n:4\n");
}

TEST(Completion, EveryShellHasAScript) {
  for (const char* shell : {"bash", "zsh", "fish", "kubectl"}) {
    EXPECT_THAT(run({"completion", shell}).out, HasSubstr("elbowroom __complete -- "));
  }
  EXPECT_THAT(run({"completion", "zsh"}).out, StartsWith("#compdef elbowroom"));
  EXPECT_EQ(run({"completion", "csh"}).status, kExitUsage);
}

}  // namespace
}  // namespace elbowroom::cli
