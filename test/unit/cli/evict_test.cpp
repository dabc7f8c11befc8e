// `elbowroom evict` against the lab's API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "api/codec/avoid_entries.h"
#include "api/codec/json.h"
#include "api/codec/timestamp.h"
#include "api/transport/curl_transport.h"
#include "api/transport/kubeconfig.h"
#include "api/write/node_annotation.h"
#include "cli/evict/evict_rbac.h"
#include "cli/evict/eviction.h"
#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kAvoid = "scheduler.alpha.kubernetes.io/preferAvoidPods";

constexpr const char* kObjects = R"(---
apiVersion: v1
kind: Node
metadata: {name: node1, uid: n-1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
)";

// A pod that is ready on node1; `more`: further metadata, as YAML in one line.
std::string pod(const std::string& name, const std::string& more = "") {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: default, uid: u-" + name + ", labels: {app: db}" +
         (more.empty() ? "" : ", " + more) +
         "}\nspec: {nodeName: node1, containers: [{name: app, image: x}]}\n"
         "status: {phase: Running, conditions: [{type: Ready, status: \"True\"}]}\n";
}

std::string owned_by(const std::string& kind) {
  return "ownerReferences: [{apiVersion: apps/v1, kind: " + kind +
         ", name: db, uid: o-1, controller: true}]";
}

std::string budget(const std::string& name, const std::string& spec) {
  return "---\napiVersion: elbowroom.dev/v1alpha1\nkind: DisruptionBudget\nmetadata: {name: " +
         name + ", namespace: default}\nspec: {selector: {matchLabels: {app: db}}, " + spec + "}\n";
}

constexpr const char* kPodBudget = R"(---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: NAME, namespace: default, generation: 1}
spec: {selector: {matchLabels: {app: db}}, minAvailable: 1}
status: {disruptionsAllowed: ALLOWED, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2, observedGeneration: 1}
)";

std::string pod_budget(const std::string& name, int allowed) {
  std::string text = kPodBudget;
  text.replace(text.find("NAME"), 4, name);
  text.replace(text.find("ALLOWED"), 7, std::to_string(allowed));
  return text;
}

// "patch nodes", "create events.events.k8s.io": the right for a request.
std::string right_for(const lab::RequestRecord& record) {
  std::vector<std::string> parts;
  std::istringstream path(record.target.substr(1, record.target.find('?') - 1));
  for (std::string part; std::getline(path, part, '/');) parts.push_back(part);
  const std::string group = parts.front() == "apis" ? "." + parts.at(1) : "";
  parts.erase(parts.begin(), parts.begin() + (group.empty() ? 2 : 3));
  if (parts.size() > 2 && parts.front() == "namespaces") {
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  std::string verb = parts.size() > 1 ? "get" : "list";
  if (record.method == "POST") verb = "create";
  if (record.method == "PATCH") verb = "patch";
  return verb + " " + parts.front() + (parts.size() > 2 ? "/" + parts.at(2) : "") + group;
}

// The lab, with three pods of a ReplicaSet.
class Evict : public testing::Test {
 protected:
  Evict() {
    const std::string owner = owned_by("ReplicaSet");
    lab.load(kObjects + pod("a", owner) + pod("b", owner) + pod("c", owner));
  }
  Outcome evict(std::vector<std::string> words) {
    words.insert(words.begin(), {"evict", "--kubeconfig", lab.kubeconfig()});
    return run(words);
  }
  lab::Json object(const std::string& group, const std::string& version, const std::string& plural,
                   const std::string& name) {
    return lab.server().with_world([&](lab::World& world) {
      const lab::Json* found = world.peek(*lab::find_kind(group, version, plural), "default", name);
      return found == nullptr ? lab::Json() : *found;
    });
  }
  lab::Json entries(const std::string& name) {
    const auto found = object("elbowroom.dev", "v1alpha1", "disruptionbudgets", name);
    return found.contains("status") ? found["status"].value("recentDisruptions", lab::Json::array())
                                    : lab::Json::array();
  }
  bool terminates(const std::string& name) {
    const auto found = object("", "v1", "pods", name);
    return found.is_null() || found["metadata"].contains("deletionTimestamp");
  }
  std::string annotation() {
    return lab.server().with_world([&](lab::World& world) {
      const lab::Json* found = world.peek(*lab::find_kind("", "v1", "nodes"), "", "node1");
      if (found == nullptr || !(*found)["metadata"].contains("annotations")) return std::string();
      return (*found)["metadata"]["annotations"].value(kAvoid, std::string());
    });
  }
  void annotate(const std::string& value) {
    lab.load(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node1", "uid": "n-1",)"
             R"( "annotations": {")" +
             std::string(kAvoid) + "\": " + lab::Json(value).dump() +
             R"(}}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}})");
  }
  // The events of a pod: their notes.
  std::vector<std::string> notes() {
    std::vector<std::string> all;
    const auto list = *parse_json(lab.saved("events.k8s.io", "v1", "events"));
    for (const Value& each : list.find("items")->items) {
      EXPECT_EQ(api::text_at(each, "reason"), "EvictionBlocked");
      all.emplace_back(api::text_at(each, "note"));
    }
    return all;
  }
  std::vector<std::string> writes() {
    std::vector<std::string> all;
    for (const lab::RequestRecord& each : lab.server().requests()) {
      if (each.method != "GET") all.push_back(each.method);
    }
    return all;
  }

  LabApi lab;
};

TEST_F(Evict, APodGoesAndItsBudgetsAreDebitedBefore) {
  lab.load(budget("strength", "maxUnavailable: 1, hard: true") +
           budget("rate", "rate: {disruptions: 1, per: 1h}"));
  const Outcome done = evict({"default/a", "-o", "json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\"kind\": \"EvictionDecision\""));
  EXPECT_THAT(done.out, HasSubstr("\"result\": \"Evicted\""));
  EXPECT_THAT(done.out, HasSubstr("\"node\": \"node1\""));
  EXPECT_TRUE(terminates("a"));
  for (const char* name : {"strength", "rate"}) {
    ASSERT_THAT(entries(name), SizeIs(1)) << name;
    EXPECT_EQ(entries(name)[0]["uid"], "u-a");
    EXPECT_EQ(entries(name)[0]["by"], "elbowroom");
  }
  EXPECT_THAT(writes(), ElementsAre("POST", "PATCH", "PATCH", "POST"));
  const Outcome next = evict({"default/b", "-o", "json"});
  EXPECT_EQ(next.status, 75);
  EXPECT_THAT(next.out, HasSubstr("\"result\": \"Blocked\""));
  EXPECT_THAT(next.out, HasSubstr("disruption budget default/"));
  EXPECT_FALSE(terminates("b"));
}

TEST_F(Evict, ARateSaysWhenTheNextMayGo) {
  lab.load(budget("rate", "rate: {disruptions: 1, per: 1h}"));
  ASSERT_EQ(evict({"default/a"}).status, 0);
  const Outcome next = evict({"default/b"});
  EXPECT_EQ(next.status, 75);
  EXPECT_THAT(next.out, HasSubstr("next allowed: 20"));
}

TEST_F(Evict, ADryRunChangesNothing) {
  lab.load(budget("strength", "maxUnavailable: 1") + pod_budget("pdb", 1));
  const Outcome would = evict({"default/a", "--dry-run", "-o", "json"});
  EXPECT_EQ(would.status, 0) << would.err;
  EXPECT_THAT(would.out, HasSubstr("\"result\": \"WouldEvict\""));
  EXPECT_FALSE(terminates("a"));
  EXPECT_THAT(entries("strength"), IsEmpty());
  const auto left = object("policy", "v1", "poddisruptionbudgets", "pdb");
  EXPECT_EQ(left["status"]["disruptionsAllowed"], 1);
}

TEST_F(Evict, APodDisruptionBudgetIsAWall) {
  lab.load(budget("strength", "maxUnavailable: 1") + pod_budget("pdb", 0));
  const Outcome blocked = evict({"default/a"});
  EXPECT_EQ(blocked.status, 75);
  EXPECT_THAT(blocked.out, HasSubstr("disruption budget pdb needs 2 healthy pods"));
  EXPECT_FALSE(terminates("a"));
  EXPECT_THAT(entries("strength"), IsEmpty()) << "nothing was debited";
}

TEST_F(Evict, WhoCannotGoIsSaid) {
  lab.load(pod("alone") + pod("daemon", owned_by("DaemonSet")));
  const Outcome alone = evict({"default/alone"});
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.out, HasSubstr("no controller"));
  const Outcome daemon = evict({"default/daemon"});
  EXPECT_EQ(daemon.status, 1);
  EXPECT_THAT(daemon.out, HasSubstr("DaemonSet db"));
  EXPECT_EQ(evict({"default/alone", "--force"}).status, 0);
  lab.load(pod_budget("one", 1) + pod_budget("two", 1));
  const Outcome two = evict({"default/a"});
  EXPECT_EQ(two.status, 1);
  EXPECT_THAT(two.out, HasSubstr("default/one and default/two"));
  const Outcome missing = evict({"default/aa"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("there is no pod default/aa"));
  EXPECT_EQ(evict({"default/a", "--grace", "-1"}).status, 2);
}

TEST_F(Evict, APodWhoseGroupGoesWholeStays) {
  lab.load(
      "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"
      "metadata: {name: train, namespace: default}\n"
      "spec: {disruptionMode: {all: {}}, schedulingPolicy: {basic: {}}}\n"
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: member, namespace: default, uid: "
      "u-member, " +
      owned_by("ReplicaSet") +
      "}\nspec: {nodeName: node1, schedulingGroup: {podGroupName: train}, containers: [{name: app, "
      "image: x}]}\nstatus: {phase: Running}\n");
  const Outcome refused = evict({"default/member", "--force"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("its pod group default/train is disrupted whole"));
  EXPECT_FALSE(terminates("member"));
}

TEST_F(Evict, WithoutTheRightToReadGroupsNoMemberGoes) {
  lab.load(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: member, namespace: default, uid: "
      "u-member, " +
      owned_by("ReplicaSet") +
      "}\nspec: {nodeName: node1, schedulingGroup: {podGroupName: train}, containers: [{name: app, "
      "image: x}]}\nstatus: {phase: Running}\n");
  lab.refuse("/podgroups", 403, "Forbidden");
  const Outcome refused = evict({"default/member"});
  EXPECT_EQ(refused.status, 77);
  EXPECT_THAT(refused.err, HasSubstr("podgroups"));
  EXPECT_FALSE(terminates("member"));
  EXPECT_EQ(evict({"default/a"}).status, 0) << "one without a group";
}

TEST_F(Evict, APodUnderMoreBudgetsThanAreWrittenStays) {
  std::string many;
  for (int i = 0; i <= 64; ++i) many += budget("b" + std::to_string(i), "maxUnavailable: 2");
  lab.load(many);
  const Outcome refused = evict({"default/a"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("65 DisruptionBudgets cover it, and no more than 64"));
  EXPECT_FALSE(terminates("a"));
}

TEST_F(Evict, WhatWasDebitedIsTakenBackWhereThePodStays) {
  lab.load(budget("strength", "maxUnavailable: 1"));
  lab.refuse("/eviction?fieldManager", 503, "ServiceUnavailable");
  const Outcome failed = evict({"default/a", "--avoid-node"});
  EXPECT_EQ(failed.status, 69) << failed.out;
  EXPECT_EQ(annotation(), "");
  EXPECT_FALSE(terminates("a"));
  EXPECT_THAT(entries("strength"), IsEmpty());
  EXPECT_THAT(writes(), ElementsAre("POST", "PATCH", "PATCH", "POST", "PATCH", "PATCH"));
}

TEST_F(Evict, ALedgerThatCannotBeReadIsAWall) {
  lab.load(
      "---\napiVersion: elbowroom.dev/v1alpha1\nkind: DisruptionBudget\n"
      "metadata: {name: odd, namespace: default}\n"
      "spec: {selector: {}, maxUnavailable: 2}\n"
      "status: {recentDisruptions: [{pod: x, time: \"2026-01-01T00:00:00Z\"}]}\n");
  const Outcome refused = evict({"default/a"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("recentDisruptions[0].uid"));
  EXPECT_FALSE(terminates("a"));
}

TEST_F(Evict, OnlyAHardBudgetStopsAtARightThatIsMissing) {
  lab.load(budget("soft", "maxUnavailable: 2"));
  lab.refuse("/status?", 403, "Forbidden");
  const Outcome soft = evict({"default/a"});
  EXPECT_EQ(soft.status, 0);
  EXPECT_THAT(soft.err, HasSubstr("the budget is not hard"));
  lab.load(budget("hard", "maxUnavailable: 2, hard: true"));
  const Outcome hard = evict({"default/b"});
  EXPECT_EQ(hard.status, 77);
  EXPECT_FALSE(terminates("b"));
}

TEST_F(Evict, TheNodeIsAvoidedForATime) {
  lab.load(budget("strength", "maxUnavailable: 1"));
  const Outcome done = evict({"default/a", "--avoid-node", "--avoid-for", "90m", "-o", "json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\"avoided\": true"));
  EXPECT_TRUE(terminates("a"));
  const auto entry = lab::Json::parse(annotation())["preferAvoidPods"][0];
  const lab::Json owner = {{"apiVersion", "apps/v1"},
                           {"kind", "ReplicaSet"},
                           {"name", "db"},
                           {"uid", "o-1"},
                           {"controller", true}};
  EXPECT_EQ(entry["podSignature"]["podController"], owner);
  const auto evicted = api::parse_timestamp(entry["evictionTime"].get<std::string>());
  const auto until = api::avoided_until(entry["message"].get<std::string>());
  ASSERT_TRUE(evicted && until);
  EXPECT_EQ(*until - *evicted, std::chrono::minutes(90));
  EXPECT_THAT(writes(), ElementsAre("POST", "PATCH", "PATCH", "POST")) << "asks, avoids, debits";
  EXPECT_THAT(evict({"default/b"}).out, HasSubstr("disruption budget default/strength"));
}

TEST_F(Evict, WithoutAWordOfItTheNodeIsNotAvoided) {
  const Outcome done = evict({"default/a", "-o", "json"});
  EXPECT_THAT(done.out, HasSubstr("\"avoided\": false"));
  EXPECT_EQ(annotation(), "");
  EXPECT_EQ(evict({"default/b", "--avoid-for", "1h"}).status, 2);
  for (const char* odd : {"0s", "59s", "721h", "-1h", "soon"}) {
    EXPECT_EQ(evict({"default/b", "--avoid-node", "--avoid-for", odd}).status, 2) << odd;
  }
  EXPECT_FALSE(terminates("b"));
}

TEST_F(Evict, ADryRunAvoidsNothing) {
  const Outcome would = evict({"default/a", "--avoid-node", "--dry-run", "-o", "json"});
  EXPECT_EQ(would.status, 0) << would.err;
  EXPECT_THAT(would.out, HasSubstr("\"avoided\": true"));
  EXPECT_EQ(annotation(), "");
  annotate("garbage");
  EXPECT_EQ(evict({"default/a", "--avoid-node", "--dry-run"}).status, 1);
}

TEST_F(Evict, TheAvoidanceIsTakenBackWhereABudgetRefusesMeanwhile) {
  lab.load(budget("a", "maxUnavailable: 1, hard: true"));
  lab.refuse("/status?", 409, "Conflict");
  const Outcome later = evict({"default/a", "--avoid-node"});
  EXPECT_EQ(later.status, 75) << later.err;
  EXPECT_THAT(later.out, HasSubstr("default/a is written by others all the time"));
  EXPECT_EQ(annotation(), "");
  EXPECT_FALSE(terminates("a"));
}

TEST_F(Evict, WhatOthersWroteIntoTheAnnotationStays) {
  const std::string theirs =
      R"({"preferAvoidPods":[{"podSignature":{"podController":{"uid":"x"}},"odd":1.50}]})";
  annotate(theirs);
  ASSERT_EQ(evict({"default/a", "--avoid-node"}).status, 0);
  EXPECT_THAT(annotation(), HasSubstr(theirs.substr(0, theirs.size() - 2) + ",{"));
}

TEST_F(Evict, AnAnnotationThatCannotBeReadIsLeftAlone) {
  std::string full = R"({"preferAvoidPods":[)";
  for (int i = 0; i < 64; ++i) full += std::string(i == 0 ? "" : ",") + "{}";
  full += "]}";
  const std::string large(std::size_t{256} << 10, 'x');
  for (const std::string& odd :
       {std::string("garbage"), std::string(R"({"preferAvoidPods":[7]})"), full, large}) {
    annotate(odd);
    const Outcome refused = evict({"default/a", "--avoid-node"});
    EXPECT_EQ(refused.status, 1) << refused.err;
    EXPECT_THAT(refused.out, HasSubstr("node node1: metadata.annotations[" + std::string(kAvoid)));
    EXPECT_EQ(annotation(), odd);
    EXPECT_FALSE(terminates("a"));
  }
  EXPECT_EQ(evict({"default/a"}).status, 0) << "nothing else hangs on it";
}

TEST_F(Evict, WithoutTheRightToWriteTheNodeNobodyIsEvicted) {
  lab.refuse("/api/v1/nodes/node1?", 403, "Forbidden");
  const Outcome denied = evict({"default/a", "--avoid-node"});
  EXPECT_EQ(denied.status, 77) << denied.err;
  EXPECT_THAT(denied.err, HasSubstr("node node1: metadata.annotations["));
  EXPECT_FALSE(terminates("a"));
}

TEST_F(Evict, AServerThatKeepsAnsweringConflictIsAskedABoundedNumberOfTimes) {
  lab.refuse("/api/v1/nodes/node1?", 409, "Conflict");
  const Outcome later = evict({"default/a", "--avoid-node"});
  EXPECT_EQ(later.status, 75) << later.err;
  EXPECT_THAT(later.out, HasSubstr("is written by others all the time"));
  EXPECT_THAT(writes(), SizeIs(6)) << "one dry run, and five tries";
  EXPECT_FALSE(terminates("a"));
}

TEST_F(Evict, AConflictOnTheNodeIsReadAgain) {
  lab.server().inject({.method = "PATCH",
                       .path_contains = "/api/v1/nodes/node1?",
                       .code = 409,
                       .reason = "Conflict"});
  const Outcome done = evict({"default/a", "--avoid-node"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(annotation(), HasSubstr("elbowroom evicts pod u-a"));
}

// What was read is no longer there: the server refuses the write, whatever else has changed.
TEST_F(Evict, TheServerHoldsAWriteToTheValueThatWasRead) {
  const auto access = api::access_from({{.path = "k", .text = lab.server().kubeconfig()}});
  ASSERT_TRUE(access);
  ClusterWriter writer(*access);
  const auto read = [&] {
    return *api::annotation_in(*writer.read(api::node_object_path("node1")), kAvoid);
  };
  const auto code = [&](const api::NodeAnnotation& seen, std::optional<std::string> value) {
    return writer.send(api::annotation_request(seen, value))->status;
  };
  const api::NodeAnnotation at_first = read();
  EXPECT_EQ(code(at_first, "one"), 200);
  EXPECT_EQ(code(at_first, "two"), 422) << "there are annotations by now";
  const api::NodeAnnotation one = read();
  EXPECT_EQ(code(one, "two"), 200);
  EXPECT_EQ(code(one, "three"), 422) << "it has another value";
  EXPECT_EQ(code(read(), std::nullopt), 200);
  EXPECT_EQ(annotation(), "");
  EXPECT_EQ(code(one, "three"), 422) << "it is gone";
  api::NodeAnnotation other = read();
  other.uid = "n-2";
  EXPECT_EQ(code(other, "three"), 422) << "another Node has the name";
}

TEST_F(Evict, APodWhoseSuccessorCouldNotAvoidTheNodeStays) {
  lab.load(pod("alone"));
  const Outcome alone = evict({"default/alone", "--force", "--avoid-node"});
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.out, HasSubstr("leave out --avoid-node"));
  EXPECT_FALSE(terminates("alone"));
}

// The reply is lost, and the pod terminates: it was evicted.
TEST_F(Evict, AnEvictionWhoseReplyIsLostIsLookedFor) {
  lab.load(budget("strength", "maxUnavailable: 1"));
  lab.server().inject({.kind = lab::Fault::Kind::LoseReply,
                       .path_contains = "/eviction?fieldManager",
                       .times = 1000});
  const Outcome done = evict({"default/a", "--avoid-node", "-o", "json"});
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("\"result\": \"Evicted\""));
  EXPECT_THAT(entries("strength"), SizeIs(1));
  EXPECT_NE(annotation(), "");
}

// It may still be under way: a debit too many is taken back later, one too few never.
TEST_F(Evict, ADebitStaysWhereNobodyKnowsWhetherThePodGoes) {
  lab.load(budget("strength", "maxUnavailable: 1"));
  lab.server().inject({.kind = lab::Fault::Kind::BreakOff,
                       .path_contains = "/eviction?fieldManager",
                       .times = 1000});
  const Outcome open = evict({"default/a"});
  EXPECT_EQ(open.status, 69) << open.err;
  EXPECT_THAT(open.err, HasSubstr("is not known"));
  EXPECT_THAT(entries("strength"), SizeIs(1));
}

TEST_F(Evict, EachBudgetThatBlocksIsNamedWithItsNextTime) {
  lab.load(budget("rate", "rate: {disruptions: 1, per: 1h}") +
           budget("slow", "rate: {disruptions: 1, per: 2h}") + pod_budget("pdb", 5));
  ASSERT_EQ(evict({"default/a"}).status, 0);
  const Outcome blocked = evict({"default/b", "-o", "json"});
  EXPECT_EQ(blocked.status, 75);
  EXPECT_THAT(blocked.out,
              HasSubstr("budget default/rate allows 0 disruptions now, and the next "));
  EXPECT_THAT(blocked.out,
              HasSubstr("budget default/slow allows 0 disruptions now, and the next "));
  const auto said = lab::Json::parse(blocked.out);
  const auto next = api::parse_timestamp(said["nextAllowedTime"].get<std::string>());
  const auto time = api::parse_timestamp(entries("slow")[0]["time"].get<std::string>());
  ASSERT_TRUE(next && time);
  EXPECT_GE(*next - *time, std::chrono::hours(2)) << "the last of them counts";
}

TEST_F(Evict, ThePodsOwnerIsToldOnceForEachNews) {
  lab.load(budget("rate", "maxUnavailable: 0"));
  EXPECT_EQ(evict({"default/a"}).status, 75);
  EXPECT_EQ(evict({"default/a"}).status, 75);
  EXPECT_THAT(notes(), ElementsAre(HasSubstr("disruption budget default/rate allows 0")));
  lab.load(pod_budget("pdb", 0));
  EXPECT_EQ(evict({"default/a"}).status, 75);
  EXPECT_THAT(notes(), SizeIs(2));
  EXPECT_EQ(evict({"default/b", "--dry-run"}).status, 75);
  EXPECT_THAT(notes(), SizeIs(2)) << "a dry run tells nothing";
}

TEST_F(Evict, ARightToWriteEventsIsNotNeeded) {
  lab.load(budget("rate", "maxUnavailable: 0"));
  lab.refuse("/events", 403, "Forbidden");
  const Outcome blocked = evict({"default/a"});
  EXPECT_EQ(blocked.status, 75);
  EXPECT_THAT(blocked.err, HasSubstr("the event on the pod is not written"));
}

// The roles of the manifests hold what is asked for, and nothing else but pod groups, which are
// read where a pod names one.
TEST_F(Evict, ItAsksForWhatTheTablesSay) {
  lab.load(budget("strength", "maxUnavailable: 1"));
  ASSERT_EQ(evict({"default/a", "--avoid-node"}).status, 0);
  ASSERT_EQ(evict({"default/b"}).status, 75);
  std::set<std::string> asked;
  for (const lab::RequestRecord& each : lab.server().requests()) asked.insert(right_for(each));
  std::set<std::string> allowed;
  const auto allow = [&](std::span<const api::RbacRule> table) {
    for (const api::RbacRule& each : table) {
      const std::string group = each.group.empty() ? "" : "." + std::string(each.group);
      allowed.insert(std::string(each.verb) + " " + std::string(each.resource) + group);
    }
  };
  allow(kEvictRights);
  allow(kAvoidNodeRights);
  allowed.erase("avoid nodes");
  allowed.erase("list podgroups.scheduling.k8s.io");
  EXPECT_EQ(asked, allowed);
}

TEST_F(Evict, ATerminatingAMirrorAndAFinishedPodStay) {
  lab.load(pod("mirror",
               "annotations: {kubernetes.io/config.mirror: x, "
               "kubernetes.io/config.source: file}, " +
                   owned_by("ReplicaSet")));
  const Outcome mirror = evict({"default/mirror"});
  EXPECT_EQ(mirror.status, 1);
  EXPECT_THAT(mirror.out, HasSubstr("only its node removes"));
  ASSERT_EQ(evict({"default/a"}).status, 0);
  const Outcome again = evict({"default/a"});
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.out, HasSubstr("terminating already"));
}

// The clock and the pauses are the test's.
TEST_F(Evict, WaitsForABudgetAsLongAsItWasTold) {
  lab.load(pod_budget("pdb", 0));
  const auto access = api::access_from({{.path = "k", .text = lab.server().kubeconfig()}});
  ASSERT_TRUE(access);
  ClusterReader reader(*access);
  ClusterWriter writer(*access);
  std::chrono::steady_clock::time_point now{};
  std::vector<milliseconds> pauses;
  const EvictionSurroundings surroundings{.now = [&] { return now; },
                                          .pause =
                                              [&](milliseconds time) {
                                                pauses.push_back(time);
                                                now += time;
                                              },
                                          .tell = [](const std::string&) {}};
  const EvictionWish wish{.pod = {.ns = "default", .name = "a"}, .wait = seconds(10)};
  const auto blocked = cli::evict(reader, writer, wish, surroundings);
  ASSERT_TRUE(blocked) << blocked.error().message;
  EXPECT_EQ(blocked->result, EvictionResult::Blocked);
  EXPECT_THAT(pauses, ElementsAre(seconds(1), seconds(2), seconds(4), seconds(3)));
  EXPECT_THAT(notes(), SizeIs(1)) << "the same news";
  pauses.clear();
  lab.server().inject({.path_contains = "/eviction",
                       .code = 429,
                       .reason = "TooManyRequests",
                       .retry_after_seconds = 4,
                       .times = 1000});
  ASSERT_TRUE(cli::evict(reader, writer, wish, surroundings));
  EXPECT_THAT(pauses, ElementsAre(seconds(4), seconds(4)));
}

struct Killed {};

// The process is killed before it sends another request than the first so many writes and reads.
class MortalTransport final : public api::Transport {
 public:
  MortalTransport(const api::Access& access, int requests) : real_(access, {}), left_(requests) {}
  void send(api::Request request, Done done) override {
    if (left_-- == 0) throw Killed{};
    real_.send(std::move(request), std::move(done));
  }
  api::Ticket stream(api::Request request, api::StreamCallbacks callbacks) override {
    return real_.stream(std::move(request), std::move(callbacks));
  }
  api::Ticket after(api::Clock::duration delay, std::move_only_function<void()> f) override {
    return real_.after(delay, std::move(f));
  }
  void post(std::move_only_function<void()> f) override { real_.post(std::move(f)); }
  void run_once(api::Clock::duration max_wait) override { real_.run_once(max_wait); }
  [[nodiscard]] api::Clock::time_point now() const override { return real_.now(); }
  [[nodiscard]] policy::Time wall() const override { return real_.wall(); }

 private:
  api::CurlTransport real_;
  int left_;
};

// The writer's requests: a dry run, the node twice, three debits, the uid, the eviction.
constexpr int kMostRequests = 12;

class EvictKilled : public Evict, public testing::WithParamInterface<int> {
 protected:
  void expect_entered_once() {
    for (const char* name : {"strength", "rate"}) {
      ASSERT_THAT(entries(name), SizeIs(1)) << name;
      EXPECT_EQ(entries(name)[0]["uid"], "u-a") << name;
    }
  }
};

TEST_P(EvictKilled, NeitherLosesNorDoublesADebit) {
  lab.load(budget("strength", "maxUnavailable: 2, hard: true") +
           budget("rate", "rate: {disruptions: 2, per: 1h}"));
  const auto access = api::access_from({{.path = "k", .text = lab.server().kubeconfig()}});
  ASSERT_TRUE(access);
  ClusterReader reader(*access);
  ClusterWriter writer("the lab", std::make_unique<MortalTransport>(*access, GetParam()));
  bool is_killed = false;
  try {
    const auto made = cli::evict(reader, writer,
                                 {.pod = {.ns = "default", .name = "a"}, .avoid_for = seconds(600)},
                                 {.now = [] { return std::chrono::steady_clock::now(); },
                                  .pause = [](milliseconds) {},
                                  .tell = [](const std::string&) {}});
    EXPECT_TRUE(made) << made.error().message;
  } catch (const Killed&) {
    is_killed = true;
  }
  EXPECT_TRUE(is_killed || terminates("a"));
  EXPECT_TRUE(!is_killed || GetParam() < kMostRequests) << "not each step was tried";
  if (terminates("a")) return expect_entered_once();
  EXPECT_EQ(evict({"default/a", "--avoid-node"}).status, 0) << "another try goes on from there";
  expect_entered_once();
}

INSTANTIATE_TEST_SUITE_P(At, EvictKilled, testing::Range(0, kMostRequests + 1));

TEST_F(Evict, AnotherPodThatHasTheNameMeanwhileStays) {
  lab.load(pod_budget("pdb", 0));
  const auto access = api::access_from({{.path = "k", .text = lab.server().kubeconfig()}});
  ASSERT_TRUE(access);
  ClusterReader reader(*access);
  ClusterWriter writer(*access);
  std::chrono::steady_clock::time_point now{};
  const auto replace = [&] {
    lab.server().with_world([](lab::World& world) {
      (void)world.remove({lab::find_kind("", "v1", "pods"), "default", "a"}, {.grace_seconds = 0});
    });
    std::string next = pod("a", owned_by("ReplicaSet"));
    next.replace(next.find("u-a"), 3, "u-another");
    lab.load(pod_budget("pdb", 1) + next);
  };
  const auto made =
      cli::evict(reader, writer, {.pod = {.ns = "default", .name = "a"}, .wait = seconds(10)},
                 {.now = [&] { return now; },
                  .pause =
                      [&](milliseconds time) {
                        now += time;
                        replace();
                      },
                  .tell = [](const std::string&) {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::Conflict);
  EXPECT_THAT(made.error().message, HasSubstr("pod default/a was replaced"));
  EXPECT_FALSE(terminates("a"));
  EXPECT_EQ(object("policy", "v1", "poddisruptionbudgets", "pdb")["status"]["disruptionsAllowed"],
            1);
}

}  // namespace
}  // namespace elbowroom::cli
