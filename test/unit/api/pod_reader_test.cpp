// Pods of any size as a watcher reads them: in protobuf and in JSON, with a tree of no more than a
// few containers.
#include "api/watch/pod_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/bound_node.h"
#include "api/codec/protobuf_object.h"
#include "api/codec/wire_filter.h"
#include "api/watch/watch_event.h"
#include "policy/model/capped_pod.h"
#include "policy/model/charge.h"
#include "test/wire_bytes.h"

namespace elbowroom::api {
namespace {

using test::amount;
using test::bytes;
using test::entry;
using test::number;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kMany = 300;

std::string name_of(int index) { return "c" + std::to_string(index); }

// Containers of 2m; the statuses of all but the last one say 3m allocated, 1m actual.
std::string pod_in_protobuf(int containers, const std::string& phase,
                            const std::string& more_metadata = "") {
  std::string spec = bytes(10, "n");
  std::string status = bytes(1, phase);
  for (int i = 0; i < containers; ++i) {
    spec += bytes(2, bytes(1, name_of(i)) + bytes(8, amount(2, "cpu", "2m")));
    if (i + 1 == containers) continue;
    status += bytes(8, bytes(1, name_of(i)) + bytes(2, bytes(2, "")) + amount(10, "cpu", "3m") +
                           bytes(11, amount(2, "cpu", "1m")));
  }
  return bytes(1, bytes(1, "big") + bytes(3, "ns") + bytes(5, "u") + more_metadata) +
         bytes(2, spec) + bytes(3, status);
}

std::string pod_in_json(int containers, const std::string& phase, bool status_first) {
  std::string specs;
  std::string statuses;
  for (int i = 0; i < containers; ++i) {
    const std::string named = std::string(i == 0 ? "" : ",") + R"({"name":")" + name_of(i) + '"';
    specs += named + R"(,"env":[{}],"resources":{"requests":{"cpu":"2m"}}})";
    if (i + 1 == containers) continue;
    statuses += named + R"(,"state":{"running":{}},"allocatedResources":{"cpu":"3m"},)"
                        R"("resources":{"requests":{"cpu":"1m"}}})";
  }
  const std::string spec = R"("spec":{"containers":[)" + specs + R"(],"nodeName":"n"})";
  const std::string status =
      R"("status":{"containerStatuses":[)" + statuses + R"(],"phase":")" + phase + R"("})";
  return R"({"metadata":{"name":"big","namespace":"ns","uid":"u"},)" +
         (status_first ? status + "," + spec : spec + "," + status) + "}";
}

struct Read {
  Result<policy::Pod> pod = policy::Pod{};
  std::size_t items = 0;  // of containers in the tree
  std::vector<std::string> news{};
};

Read read(PodReader& reader, Result<Value> tree) {
  Read read;
  if (!tree) return {.pod = std::unexpected(tree.error())};
  if (const Value* spec = tree->find("spec")) {
    if (const Value* containers = spec->find("containers")) read.items = containers->items.size();
  }
  read.pod = reader.decode(*tree);
  read.news = reader.take_news();
  return read;
}

Read by_protobuf(const std::string& message, Part part = Part::Whole) {
  PodReader reader;
  reader.begins();
  return read(reader, protobuf_message("Pod", message, {part, &reader}));
}

Read by_json(const std::string& text) {
  PodReader reader;
  reader.begins();
  const WireFilter json_filter("Pod", WireFilter::Of::Object, Part::Whole, &reader);
  return read(reader, parse_json(text, {}, json_filter));
}

std::string figures(const policy::Pod& pod) {
  const policy::Totals totals = policy::totals_of(pod);
  return std::to_string(totals.desired.cpu.value) + "/" +
         std::to_string(totals.allocated.cpu.value) + "/" + std::to_string(totals.actual.cpu.value);
}

TEST(PodReader, OfManyContainersTheTotalsCount) {
  const std::string wanted = "600/899/301";  // 300*2, 299*3+2, 299*1+2
  for (const Read& read : {by_protobuf(pod_in_protobuf(kMany, "Running")),
                           by_json(pod_in_json(kMany, "Running", false)),
                           by_json(pod_in_json(kMany, "Running", true))}) {
    ASSERT_TRUE(read.pod) << read.pod.error().message;
    EXPECT_EQ(read.items, policy::kMostContainers);
    EXPECT_EQ(figures(*read.pod), wanted);
    EXPECT_TRUE(policy::is_capped(*read.pod));
    EXPECT_EQ(read.pod->containers[0].state, policy::RunState::Running);
    EXPECT_THAT(read.news, ElementsAre(HasSubstr("ns/big: 300 containers, more than")));
  }
}

TEST(PodReader, OfFewContainersEachCounts) {
  const int most = static_cast<int>(policy::kMostContainers);
  for (const Read& read : {by_protobuf(pod_in_protobuf(most, "Running")),
                           by_json(pod_in_json(most, "Running", true))}) {
    ASSERT_TRUE(read.pod) << read.pod.error().message;
    EXPECT_EQ(read.pod->containers.size(), policy::kMostContainers);
    EXPECT_EQ(read.pod->containers[0].actual_requests->cpu.value, 1);
    EXPECT_THAT(read.news, IsEmpty());
  }
}

TEST(PodReader, WhatIsOddInAnyContainerIsTold) {
  const std::string nameless = bytes(2, bytes(2, bytes(8, amount(2, "cpu", "2m"))));
  const Read read = by_protobuf(pod_in_protobuf(kMany, "Running") + nameless);
  ASSERT_FALSE(read.pod);
  EXPECT_THAT(read.pod.error().message, HasSubstr("name: must not be empty"));
  const Read twice =
      by_protobuf(pod_in_protobuf(kMany, "Running") + bytes(2, bytes(2, bytes(1, "c7"))));
  ASSERT_FALSE(twice.pod);
  EXPECT_THAT(twice.pod.error().message, HasSubstr("\"c7\" is given twice"));
}

// Nothing of its spec is built, whatever is in it.
TEST(PodReader, AFinishedPodIsAStub) {
  for (const char* phase : {"Succeeded", "Failed"}) {
    PodReader reader;
    const auto tree =
        protobuf_message("Pod", pod_in_protobuf(kMany, phase), {Part::Whole, &reader});
    ASSERT_TRUE(tree) << tree.error().message;
    EXPECT_EQ(tree->find("spec")->find("containers"), nullptr);
    EXPECT_TRUE(has_finished(*tree));
  }
}

TEST(PodReader, WhoNeverPlacesReadsNoTerms) {
  const std::string with_terms =
      pod_in_protobuf(1, "Running") + bytes(2, bytes(22, bytes(2, "Gt")) + bytes(18, bytes(1, "")));
  PodReader reader;
  const auto tree = protobuf_message("Pod", with_terms, {Part::Sizes, &reader});
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->find("spec")->find("tolerations"), nullptr);
  EXPECT_EQ(tree->find("spec")->find("affinity"), nullptr);
  EXPECT_NE(tree->find("spec")->find("containers"), nullptr);
}

TEST(PodReader, TooManyLabelsAreLeftOutAndTold) {
  std::string labels;
  for (int i = 0; i < 5'000; ++i) labels += entry(11, "k" + std::to_string(10'000 + i), "v");
  const Read read = by_protobuf(pod_in_protobuf(1, "Running", labels));
  ASSERT_TRUE(read.pod);
  EXPECT_LT(read.pod->labels.size(), 2'000U);
  EXPECT_TRUE(read.pod->labels.contains("k10000"));
  EXPECT_THAT(read.news, ElementsAre(HasSubstr("labels: too many")));
}

// One term after the other, and lists in lists: neither bound alone would end it.
TEST(PodReader, OfTooManyTermsOfPlacementNoneCount) {
  for (const int expressions : {15, 40}) {
    std::string one = bytes(1, "k") + bytes(2, "In");
    std::string values;
    for (int i = 0; i < 1'000; ++i) {
      one += bytes(3, "v");
      values += std::string(i == 0 ? "" : ",") + R"("v")";
    }
    std::string terms;
    std::string json_terms;
    for (int i = 0; i < expressions; ++i) {
      terms += bytes(1, one);
      json_terms += std::string(i == 0 ? "" : ",") + R"({"key":"k","operator":"In","values":[)" +
                    values + "]}";
    }
    const std::string port = bytes(6, test::number(2, 80) + bytes(4, "TCP"));
    const std::string protobuf =
        bytes(1, bytes(1, "p") + bytes(3, "ns") + bytes(5, "u")) +
        bytes(2, bytes(2, bytes(1, "c") + port + bytes(8, amount(2, "cpu", "2m"))) +
                     bytes(10, "n") + bytes(18, bytes(1, bytes(1, bytes(1, terms)))) +
                     bytes(22, bytes(1, "t") + bytes(2, "Exists")));
    const std::string json =
        R"({"metadata":{"name":"p","namespace":"ns","uid":"u"},"spec":{"containers":[)"
        R"({"name":"c","ports":[{"hostPort":80,"protocol":"TCP"}],)"
        R"("resources":{"requests":{"cpu":"2m"}}}],"nodeName":"n","affinity":{"nodeAffinity":{)"
        R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
        R"({"matchExpressions":[)" +
        json_terms + R"(]}]}}},"tolerations":[{"key":"t","operator":"Exists"}]}})";
    for (const Read& read : {by_protobuf(protobuf), by_json(json)}) {
      ASSERT_TRUE(read.pod) << read.pod.error().message;
      EXPECT_EQ(read.pod->containers[0].desired.requests.cpu.value, 2);
      EXPECT_EQ(read.pod->placement.host_ports.size(), 1U);
      const bool counts = expressions == 15;
      EXPECT_EQ(read.pod->placement.tolerations.size(), counts ? 1U : 0U);
      EXPECT_EQ(read.pod->placement.required_nodes->size(), counts ? 1U : 0U);
      EXPECT_EQ(read.news.size(), counts ? 0U : 1U);
    }
  }
}

TEST(PodReader, WhatIsMadeSmallCostsTheSameAndTakesLittle) {
  std::string labels;
  for (int i = 0; i < 1'000; ++i) {
    labels += entry(11, "k" + std::to_string(10'000 + i), std::string(20, 'v'));
  }
  PodReader reader;
  reader.begins();
  auto tree =
      protobuf_message("Pod", pod_in_protobuf(100, "Running", labels), {Part::Whole, &reader});
  ASSERT_TRUE(tree);
  const auto pod = reader.decode(*tree);
  ASSERT_TRUE(pod);
  const policy::Pod small = reader.made_small(*pod);
  EXPECT_GT(weight_of(*pod), 100'000U);
  EXPECT_LT(weight_of(small), 60'000U);
  EXPECT_EQ(figures(small), figures(*pod));
  EXPECT_EQ(small.labels.begin()->first, "k10000");
  EXPECT_FALSE(reader.take_news().empty());
}

// An API server bounds no text of an owner reference.
TEST(PodReader, AnOwnerIsNoLongerThanAName) {
  const std::string owner = bytes(13, bytes(1, std::string(1'000'000, 'k')) + bytes(3, "o") +
                                          bytes(4, "u") + test::number(6, 1));
  const Read read = by_protobuf(pod_in_protobuf(1, "Running", owner));
  ASSERT_TRUE(read.pod);
  EXPECT_EQ(read.pod->controller->kind.size(), 253U);
  EXPECT_LT(weight_of(*read.pod), 4'000U);
}

TEST(PodReader, APodIsToldOnce) {
  PodReader reader;
  for (int i = 0; i < 3; ++i) {
    reader.begins();
    const Read again = read(
        reader, protobuf_message("Pod", pod_in_protobuf(kMany, "Running"), {Part::Whole, &reader}));
    EXPECT_EQ(again.news.size(), i == 0 ? 1U : 0U);
  }
  EXPECT_EQ(reader.reduced(), 3U);
}

}  // namespace
}  // namespace elbowroom::api
