// Pods that a user with only the right to create pods can have an API server serve, each unusual in
// one way. None of them may stop decisions about their neighbours. Add a newly found oddity here,
// and every test that iterates over them covers it.
#pragma once

#include <string>
#include <vector>

namespace elbowroom::test {

struct OddPod {
  std::string name{};  // of the oddity, for messages
  std::string spec{};  // members of the spec beside nodeName and containers, as YAML: "a: 1, "
  std::string resources = "{requests: {cpu: 100m}}";  // of its only container
  bool has_begun = true;                              // runs with 100m; else none of it has started
};

// The largest amount that API servers store; in millicores it exceeds 64 bits.
inline constexpr const char* kHugeCpu = "9223372036854775807";

inline std::vector<OddPod> odd_pods() {
  const std::string prefer =
      "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
      "preference: {matchExpressions: [";
  const std::string require =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [";
  const std::string apart =
      "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{";
  const std::string spread = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, ";
  std::string many = "tolerations: [{operator: Exists}";
  for (int i = 0; i < 1'000; ++i) many += ", {operator: Exists}";
  std::string names = "{requests: {cpu: 100m";
  for (int i = 0; i < 500; ++i)
    names += ", example.com/r" + std::to_string(i) + ": \"99999999999E\"";
  const std::string huge = kHugeCpu;
  return {
      {"a huge request", "", "{requests: {cpu: \"" + huge + "\"}}", false},
      {"a huge request by its exponent", "", "{requests: {memory: \"10e999\"}}", false},
      {"a request of many digits", "", "{requests: {memory: \"9223372036854775806501m\"}}", false},
      {"a request filled in from a huge limit", "", "{limits: {cpu: \"" + huge + "\"}}", false},
      {"a huge resize, not judged yet", "", "{requests: {cpu: \"" + huge + "\"}}"},
      {"a huge limit", "", "{requests: {cpu: 100m}, limits: {cpu: \"" + huge + "\"}}"},
      {"a huge request of its own", "resources: {requests: {cpu: \"" + huge + "\"}}, ", "{}",
       false},
      {"huge amounts of many resources", "", names + "}}"},
      {"a grace period below zero", "terminationGracePeriodSeconds: -9223372036854775808, "},
      {"a huge grace period", "terminationGracePeriodSeconds: 9223372036854775807, "},
      {"a preference for Gt v5", prefer + "{key: a, operator: Gt, values: [v5]}]}}]}}, "},
      {"a requirement of Lt v5", require + "{key: a, operator: Lt, values: [v5]}]}]}}}, "},
      {"a label that can be none", prefer + "{key: a, operator: In, values: [\"a b\"]}]}}]}}, "},
      {"more terms than are looked at", many + "], "},
      // From a server newer than this program.
      {"a new preemption policy", "preemptionPolicy: Sometimes, "},
      {"a new operator of nodes", require + "{key: a, operator: Like, values: [b]}]}]}}}, "},
      {"a new operator of labels", apart + "topologyKey: zone, labelSelector: {matchExpressions: "
                                           "[{key: a, operator: Like}]}}]}}, "},
      {"a term without a topology", apart + "labelSelector: {}}]}}, "},
      {"a new toleration", "tolerations: [{key: a, operator: Like, value: b}], "},
      {"a new effect", "tolerations: [{key: a, operator: Exists, effect: Never}], "},
      {"a new way to spread", spread + "whenUnsatisfiable: Wait}], "},
      {"a new policy of spread",
       spread + "whenUnsatisfiable: ScheduleAnyway, nodeTaintsPolicy: A}], "},
      {"a gate without a name", "schedulingGates: [{}], "},
  };
}

// As YAML, of a pod default/odd on that node; `phase` "" for what its oddity says.
inline std::string manifest_of(const OddPod& odd, const std::string& node,
                               const std::string& phase = "") {
  const std::string status =
      !phase.empty()  ? "{phase: " + phase + "}"
      : odd.has_begun ? "{phase: Running, containerStatuses: [{name: app, state: {running: {}}, "
                        "allocatedResources: {cpu: 100m}, resources: {requests: {cpu: 100m}}}]}"
                      : "{phase: Pending}";
  return "{kind: Pod, metadata: {name: odd, namespace: default, uid: uid-odd, generation: 2}, "
         "spec: "
         "{nodeName: " +
         node + ", " + odd.spec + "containers: [{name: app, resources: " + odd.resources +
         "}]}, status: " + status + "}";
}

// Pods that no server lets a user create: their faults matter only until they have finished.
inline std::vector<OddPod> broken_pods() {
  return {
      {"an amount that is none", "", "{requests: {cpu: much}}"},
      {"a negative amount", "", "{requests: {cpu: -1}}"},
      {"a priority that is no number", "priority: high, "},
      {"resources that are none", "", "5"},
  };
}

// All of them on node-1, running and finished, and those broken pods that have finished.
inline std::vector<std::string> odd_manifests() {
  std::vector<std::string> all;
  for (const OddPod& odd : odd_pods()) {
    all.push_back(manifest_of(odd, "node-1"));
    all.push_back(manifest_of(odd, "node-1", "Failed"));
  }
  for (const OddPod& odd : broken_pods()) {
    all.push_back(manifest_of(odd, "node-1", "Succeeded"));
  }
  return all;
}

}  // namespace elbowroom::test
