#include "api/codec/decode_placement.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/avoid_entries.h"
#include "api/codec/decode_node.h"
#include "api/codec/decode_pod.h"
#include "api/codec/timestamp.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

using policy::Placement;

Value yaml(const std::string& text) {
  auto parsed = parse_yaml(text);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed && !parsed->empty() ? parsed->front() : Value{};
}

// A pod default/web with the labels app=web and tier=front; `spec` are further lines of its spec.
Result<policy::Pod> pod_with(const std::string& spec) {
  return decode_pod(
      yaml("metadata: {name: web, labels: {app: web, tier: front}}\n"
           "spec:\n  containers: [{name: app, ports: [{containerPort: 80, hostPort: 8080}, "
           "{containerPort: 80, hostPort: 8080, hostIP: 0.0.0.0}, {containerPort: 53, protocol: "
           "UDP}]}]\n" +
           spec));
}

Placement placed(const std::string& spec) {
  const auto pod = pod_with(spec);
  EXPECT_TRUE(pod) << (pod ? "" : pod.error().message);
  return pod ? pod->placement : Placement{};
}

TEST(DecodePlacement, HostPortsAreThoseThatAreAskedForEachOnce) {
  EXPECT_EQ(placed("").host_ports, (std::vector<policy::HostPort>{{.port = 8080}}));
  // On the host's network every port is the host's; an init container's is free again in time.
  const std::string init =
      "  initContainers: [{name: i, ports: [{containerPort: 1}]}, {name: s, restartPolicy: Always, "
      "ports: [{containerPort: 2}]}]\n";
  EXPECT_EQ(placed("  hostNetwork: true\n" + init).host_ports,
            (std::vector<policy::HostPort>{
                {.port = 2}, {.port = 8080}, {.protocol = policy::Protocol::Udp, .port = 53}}));
}

TEST(DecodePlacement, ATermStandsAlone) {
  const Placement placement = placed(R"(
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [tier, absent],
         mismatchLabelKeys: [app]}
      - {topologyKey: zone, namespaces: [b, a, b]}
      - {topologyKey: zone, namespaceSelector: {}}
)");
  ASSERT_EQ(placement.required_anti_affinity.size(), 3U);
  const policy::PodTerm& first = placement.required_anti_affinity[0];
  EXPECT_EQ(first.namespaces, std::vector<std::string>{"default"});
  using Expressions = std::vector<policy::LabelExpression>;
  EXPECT_EQ(first.selector->expressions,
            (Expressions{{.key = "tier", .op = policy::LabelOperator::In, .values = {"front"}},
                         {.key = "app", .op = policy::LabelOperator::NotIn, .values = {"web"}}}));
  EXPECT_EQ(placement.required_anti_affinity[1].namespaces, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(placement.required_anti_affinity[1].selector, std::nullopt);
  EXPECT_TRUE(placement.required_anti_affinity[2].namespaces.empty());
  EXPECT_EQ(placement.required_anti_affinity[2].namespace_selector, policy::LabelSelector{});
}

TEST(DecodePlacement, SpreadConstraintsHaveUpstreamsDefaults) {
  const Placement placement = placed(R"(
  topologySpreadConstraints:
  - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, matchLabelKeys: [app]}
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 3,
     labelSelector: {}, matchLabelKeys: [app], nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor}
)");
  ASSERT_EQ(placement.spread.size(), 2U);
  EXPECT_EQ(placement.spread[0],
            (policy::SpreadConstraint{.max_skew = 2, .topology_key = "zone", .required = false}));
  const policy::SpreadConstraint& second = placement.spread[1];
  EXPECT_TRUE(second.required && second.honors_taints && !second.honors_node_affinity);
  EXPECT_EQ(second.min_domains, 3);
  EXPECT_EQ(second.selector->expressions.size(), 1U);
}

TEST(DecodePlacement, ClaimsAreThoseThatVolumesName) {
  using Claims = std::vector<policy::PodClaim>;
  EXPECT_EQ(placed("  volumes: [{name: a, emptyDir: {}}]\n").claims, Claims{});
  const std::string both =
      "  volumes: [{name: a, persistentVolumeClaim: {claimName: c}}, {name: b, ephemeral: {}}]\n";
  EXPECT_EQ(placed(both).claims, (Claims{{.name = "c"}, {.name = "web-b", .is_ephemeral = true}}));
}

TEST(DecodePlacement, ImagesOfAPodWithoutANode) {
  const auto images = [](const std::string& spec) {
    const auto pod = decode_pod_as({}, yaml("metadata: {name: web, uid: u}\nspec:\n" + spec));
    EXPECT_TRUE(pod) << (pod ? "" : pod.error().message);
    return pod ? pod->placement.images : std::vector<policy::ImageName>{};
  };
  const std::string containers =
      "  initContainers: [{name: a, image: 'x:1'}]\n"
      "  containers: [{name: b, image: 'x'}, {name: c}]\n"
      "  volumes: [{name: v, image: {reference: 'r/y'}}, {name: w, emptyDir: {}}]\n";
  using policy::image_name;
  EXPECT_EQ(images(containers), (std::vector{image_name("x:1"), image_name("x:latest"),
                                             image_name(":latest"), image_name("r/y:latest")}));
  EXPECT_TRUE(images(containers + "  nodeName: n\n").empty());
}

// ---- terms that cannot be understood ----

struct Read {
  Placement placement;
  UnreadableTerms odd;
};

Read read(const std::string& spec) {
  Read made;
  const auto pod = decode_pod_as(
      {.odd = &made.odd},
      yaml("metadata: {name: web, labels: {app: web}}\nspec:\n  containers: [{name: app}]\n" +
           spec));
  EXPECT_TRUE(pod) << (pod ? "" : pod.error().message);
  if (pod) made.placement = pod->placement;
  return made;
}

constexpr const char* kPreferNodes =
    "  affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ";
constexpr const char* kRequireNodes =
    "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "{nodeSelectorTerms: ";
constexpr const char* kNear =
    "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ";
constexpr const char* kApart =
    "  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ";

TEST(DecodePlacement, WhatCannotBeUnderstoodIsToldByItsField) {
  const std::string prefer = kPreferNodes;
  struct Row {
    std::string spec;
    std::string_view field;
    bool is_served;
  };
  const Row rows[] = {
      {"  tolerations: [{key: a, operator: Like}]\n", "operator", false},
      {"  tolerations: [{value: a}]\n", "operator", false},
      {"  tolerations: [{key: a, effect: Never}]\n", "effect", false},
      {std::string(kNear) + "[{labelSelector: {}}]}}\n", "topologyKey", false},
      {prefer + "[{weight: 101, preference: {}}]}}\n", "weight", false},
      {prefer + "[{preference: {}}]}}\n", "weight", false},
      {prefer +
           "[{weight: 1, preference: {matchExpressions: [{key: a, operator: Gt, values: [v5]}]}}]"
           "}}\n",
       "values", true},
      {prefer + "[{weight: 1, preference: {matchExpressions: [{key: a, operator: In, values: "
                "[\"a b\"]}]}}]}}\n",
       "values", true},
      {prefer +
           "[{weight: 1, preference: {matchExpressions: [{key: \"a b\", operator: Exists}]}}]}}\n",
       "key", true},
      {prefer +
           "[{weight: 1, preference: {matchFields: [{key: a, operator: In, values: [x]}]}}]}}\n",
       "key", false},
      {"  topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: DoNotSchedule}]\n",
       "maxSkew", false},
      {"  topologySpreadConstraints: [{maxSkew: 1, topologyKey: z}]\n", "whenUnsatisfiable", false},
      {"  schedulingGates: [{}]\n", "name", false},
      {"  nodeSelector: [a]\n", "nodeSelector", false},
      {"  tolerations: {a: b}\n", "tolerations", false},
      {"  affinity: [a]\n", "affinity", false},
      {"  volumes: a\n", "volumes", false},
  };
  for (const Row& row : rows) {
    const Read made = read(row.spec);
    ASSERT_EQ(made.odd.size(), 1U) << row.spec;
    EXPECT_TRUE(made.odd[0].why.starts_with("spec.")) << made.odd[0].why;
    EXPECT_NE(made.odd[0].why.find(row.field), std::string::npos) << made.odd[0].why;
    EXPECT_EQ(made.odd[0].is_served, row.is_served) << made.odd[0].why;
  }
}

// As upstream has it: the term matches nothing, and the terms beside it count.
TEST(DecodePlacement, WhatCannotBeUnderstoodDoesNotMatch) {
  const std::string odd = "{matchExpressions: [{key: a, operator: Gt, values: [v5]}]}";
  const std::string good = "{matchExpressions: [{key: a, operator: Exists}]}";
  EXPECT_TRUE(read(std::string(kPreferNodes) + "[{weight: 1, preference: " + odd + "}]}}\n")
                  .placement.preferred_nodes.empty());
  const Placement alone = read(std::string(kRequireNodes) + "[" + odd + "]}}}\n").placement;
  ASSERT_TRUE(alone.required_nodes);
  EXPECT_TRUE(alone.required_nodes->empty()) << "no node";
  const Placement beside =
      read(std::string(kRequireNodes) + "[" + odd + ", " + good + "]}}}\n").placement;
  EXPECT_EQ(beside.required_nodes->size(), 1U);

  // Near to nothing, apart from nothing.
  const std::string term = "[{topologyKey: z, labelSelector: {matchExpressions: [{key: a}]}}]}}\n";
  const Placement near = read(kNear + term).placement;
  ASSERT_EQ(near.required_affinity.size(), 1U);
  EXPECT_EQ(near.required_affinity[0], policy::PodTerm{});
  EXPECT_TRUE(read(kApart + term).placement.required_anti_affinity.empty());

  EXPECT_EQ(read("  tolerations: [{key: a, operator: Like}, {key: b, operator: Exists}]\n")
                .placement.tolerations.size(),
            1U);
  EXPECT_TRUE(
      read("  topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: DoNotSchedule}]\n")
          .placement.spread.empty());
  EXPECT_EQ(read("  schedulingGates: [{}]\n").placement.gates.size(), 1U)
      << "held back all the same";
  EXPECT_TRUE(read("  nodeSelector: [a]\n").placement.required_nodes->empty());
  EXPECT_EQ(read("  volumes: a\n").placement.required_nodes, std::vector<policy::NodeTerm>{});
}

TEST(DecodePlacement, OfTooManyTermsNoneIsLookedAtAndNoNodeMatches) {
  std::string tolerations = "  tolerations: [{operator: Exists}";
  for (std::size_t i = 0; i < kMaxPlacementTerms; ++i) tolerations += ", {operator: Exists}";
  // Nor can many short lists be one long one.
  std::string term = "{matchExpressions: [{key: a, operator: Exists}";
  for (int i = 0; i < 40; ++i) term += ", {key: a, operator: Exists}";
  std::string terms = std::string(kRequireNodes) + "[" + term + "]}";
  for (int i = 0; i < 30; ++i) terms += ", " + term + "]}";
  for (const std::string& spec : {tolerations + "]\n", terms + "]}}}\n"}) {
    const Read made = read(spec);
    ASSERT_EQ(made.odd.size(), 1U);
    EXPECT_TRUE(made.odd[0].is_served);
    EXPECT_NE(made.odd[0].why.find("more than 1000"), std::string::npos) << made.odd[0].why;
    policy::Placement nowhere;
    nowhere.required_nodes.emplace();
    EXPECT_EQ(made.placement, nowhere);
  }
}

// ---- nodes ----

TEST(DecodeNode, TaintsAndPodsThatHadBetterGoElsewhere) {
  const auto node = decode_node(yaml(R"(
metadata:
  name: n
  annotations:
    scheduler.alpha.kubernetes.io/preferAvoidPods: '{"preferAvoidPods": [
      {"podSignature": {"podController": {"kind": "ReplicaSet", "uid": "u-2"}}},
      {"podSignature": {}}, {}, 7,
      {"podSignature": {"podController": {"uid": "u-1"}}, "reason": "x"},
      {"podSignature": {"podController": {"uid": "u-2"}}}]}'
spec: {taints: [{key: a, effect: NoSchedule}, {key: b, value: c, effect: PreferNoSchedule}]}
)"));
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->taints,
            (std::vector<policy::Taint>{
                {.key = "a"},
                {.key = "b", .value = "c", .effect = policy::TaintEffect::PreferNoSchedule}}));
  EXPECT_EQ(node->avoided_controllers,
            (std::vector<policy::AvoidedController>{{"u-1", {}}, {"u-2", {}}}));
}

TEST(DecodeNode, ABrokenAnnotationAvoidsNobodyAndOnly64EntriesCount) {
  for (const char* broken : {"", "{", "[]", "7", R"({"preferAvoidPods": {}})"}) {
    EXPECT_TRUE(avoided_controllers(broken).empty()) << broken;
  }
  std::string many = R"({"preferAvoidPods": [)";
  for (int i = 0; i < 100; ++i) {
    many += (i == 0 ? "" : ",") + std::string(R"({"podSignature": {"podController": {"uid": "u)") +
            std::to_string(i) + R"("}}})";
  }
  EXPECT_EQ(avoided_controllers(many + "]}").size(), 64U);
}

TEST(DecodeNode, AnEntryToAvoidCountsUntilTheTimeThatItsMessageEndsWith) {
  const auto entry = [](const std::string& uid, const std::string& message) {
    return R"({"podSignature": {"podController": {"uid": ")" + uid + R"("}}, "message": ")" +
           message + R"("})";
  };
  const auto until = parse_timestamp("2027-01-01T10:00:00Z");
  ASSERT_TRUE(until);
  const std::string list =
      R"({"preferAvoidPods": [)" + entry("u-1", "moved (until 2027-01-01T10:00:00Z)") + "," +
      entry("u-2", "moved (until soon)") + "," +
      entry("u-3", "(until 2027-01-01T10:00:00Z) is over") + "," +
      entry("u-4", "x (until 2026-01-01T10:00:00Z)") + "," +
      entry("u-4", "x (until 2027-01-01T10:00:00Z)") + "," +
      entry("u-5", "x (until 2027-01-01T10:00:00Z)") + "," + entry("u-5", "for good") + "]}";
  EXPECT_EQ(avoided_controllers(list),
            (std::vector<policy::AvoidedController>{
                {"u-1", *until}, {"u-2", {}}, {"u-3", {}}, {"u-4", *until}, {"u-5", {}}}));
}

TEST(DecodeNode, ATaintWithoutAnEffectIsRefused) {
  const auto node = decode_node(yaml("{metadata: {name: n}, spec: {taints: [{key: a}]}}"));
  ASSERT_FALSE(node);
  EXPECT_NE(node.error().message.find("effect"), std::string::npos);
}

}  // namespace
}  // namespace elbowroom::api
