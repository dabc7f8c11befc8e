#include "lab/apiserver/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/timestamp.h"
#include "lab/apiserver/api_service.h"
#include "lab/apiserver/human_duration.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::lab {
namespace {

using namespace std::chrono_literals;
using testing::node_object;
using testing::nodes;
using testing::pod_object;
using testing::pods;

constexpr const char* kTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

policy::Time at(const char* text) { return *api::parse_timestamp(text); }

TEST(HumanDuration, GetsCoarserAsItGetsLonger) {
  struct Row {
    std::chrono::seconds duration;
    const char* text;
  };
  const Row rows[] = {
      {-2s, "<invalid>"},   {-1s, "0s"},           {0s, "0s"},         {119s, "119s"},
      {120s, "2m"},         {599s, "9m59s"},       {600s, "10m"},      {179min + 59s, "179m"},
      {3h, "3h"},           {7h + 59min, "7h59m"}, {8h + 59min, "8h"}, {47h, "47h"},
      {48h, "2d"},          {51h, "2d3h"},         {24h * 8, "8d"},    {24h * 729, "729d"},
      {24h * 740, "2y10d"}, {24h * 365 * 9, "9y"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(human_duration(row.duration), row.text) << row.duration.count() << " s";
  }
  EXPECT_EQ(human_age("", {}), "<unknown>");
}

// Name to status, and what kubectl shows of it.
struct PodRow {
  const char* what;
  const char* pod;
  std::vector<const char*> ready_status_restarts;
};

TEST(PodTable, ReadyStatusAndRestartsAreUpstreams) {
  const PodRow rows[] = {
      {"runs",
       R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Running",
        "containerStatuses":[{"name":"a","ready":true,"state":{"running":{}}}]}})",
       {"1/1", "Running", "0"}},
      {"waits for its image",
       R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Pending",
        "containerStatuses":[{"name":"a","state":{"waiting":{"reason":"ImagePullBackOff"}}}]}})",
       {"0/1", "ImagePullBackOff", "0"}},
      {"is done",
       R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Succeeded",
        "containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}})",
       {"0/1", "Completed", "0"}},
      {"one is done, one runs",
       R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]},
        "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],
        "containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
        {"name":"b","ready":true,"state":{"running":{}}}]}})",
       {"1/2", "Running", "0"}},
      {"one is done, one runs, and the pod is not ready",
       R"({"spec":{"containers":[{"name":"a"},
        {"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","state":
        {"terminated":{"exitCode":0,"reason":"Completed"}}},{"name":"b","ready":true,
        "state":{"running":{}}}]}})",
       {"1/2", "NotReady", "0"}},
      {"killed by a signal",
       R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Failed",
        "containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":137,"signal":9}}}]}})",
       {"0/1", "Signal:9", "0"}},
      {"ended with a code",
       R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Failed",
        "containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":3}}}]}})",
       {"0/1", "ExitCode:3", "0"}},
      {"restarted a minute ago",
       R"({"spec":{"containers":[{"name":"a"}]},"status":{
        "phase":"Running","containerStatuses":[{"name":"a","ready":true,"state":{"running":{}},
        "restartCount":2,"lastState":{"terminated":{"finishedAt":"2026-01-01T00:59:00Z"}}}]}})",
       {"1/1", "Running", "2 (60s ago)"}},
      {"initializes",
       R"({"spec":{"containers":[{"name":"a"}],"initContainers":[{"name":"i"},
        {"name":"j"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":
        {"terminated":{"exitCode":0}}},{"name":"j","state":{"running":{}}}]}})",
       {"0/1", "Init:1/2", "0"}},
      {"fails to initialize",
       R"({"spec":{"containers":[{"name":"a"}],"initContainers":[
        {"name":"i"}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i",
        "restartCount":4,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]}})",
       {"0/1", "Init:CrashLoopBackOff", "4"}},
      {"has a sidecar",
       R"({"spec":{"containers":[{"name":"a"}],"initContainers":[{"name":"s",
        "restartPolicy":"Always"}]},"status":{"phase":"Running","initContainerStatuses":[
        {"name":"s","started":true,"ready":true,"state":{"running":{}}}],"containerStatuses":[
        {"name":"a","ready":true,"state":{"running":{}}}]}})",
       {"2/2", "Running", "0"}},
      {"leaves",
       R"({"metadata":{"deletionTimestamp":"2026-01-01T01:00:30Z"},"spec":{"containers":
        [{"name":"a"}]},"status":{"phase":"Running"}})",
       {"0/1", "Terminating", "0"}},
      {"leaves and is done",
       R"({"metadata":{"deletionTimestamp":"2026-01-01T01:00:30Z"},"spec":
        {"containers":[{"name":"a"}]},"status":{"phase":"Failed","reason":"Evicted"}})",
       {"0/1", "Evicted", "0"}},
      {"is gated",
       R"({"spec":{"containers":[{"name":"a"}]},"status":{"phase":"Pending",
        "conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})",
       {"0/1", "SchedulingGated", "0"}},
      {"is no pod at all", R"({"spec":[],"status":{"containerStatuses":3}})", {"0/0", "", "0"}},
  };
  for (const PodRow& row : rows) {
    const Json table =
        table_of(pods(), Json::parse(row.pod), RowObject::None, at("2026-01-01T01:00:00Z"));
    const Json& cells = table["rows"][0]["cells"];
    EXPECT_EQ(cells.size(), table["columnDefinitions"].size());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(cells[i + 1], row.ready_status_restarts[i]) << row.what;
    }
  }
}

TEST(Table, EveryKindHasAsManyCellsAsColumns) {
  for (const Kind& kind : all_kinds()) {
    const Json table = table_of(kind, Json::object(), RowObject::Metadata, {});
    EXPECT_EQ(table["rows"][0]["cells"].size(), table["columnDefinitions"].size()) << kind.name;
  }
}

class TableApiTest : public ::testing::Test {
 protected:
  TableApiTest() {
    world_.set_time(at("2026-01-01T00:00:00Z"));
    EXPECT_TRUE(world_.create(nodes(), "", node_object("n")));
    EXPECT_TRUE(world_.create(pods(), "default", pod_object("web", "n")));
    world_.set_time(at("2026-01-01T00:05:00Z"));
  }

  Json get(const std::string& path, const std::string& include = "") {
    ApiRequest request{.method = "GET", .path = path, .headers = {{"accept", kTable}}};
    if (!include.empty()) request.query["includeObject"] = include;
    const ApiReply reply = service_.answer(request);
    EXPECT_EQ(reply.code, 200) << reply.body;
    return Json::parse(reply.body);
  }

  World world_{{}};
  ApiService service_{world_};
};

TEST_F(TableApiTest, AListIsATableWithItsVersion) {
  const Json table = get("/api/v1/pods");
  EXPECT_EQ(table["kind"], "Table");
  EXPECT_EQ(table["apiVersion"], "meta.k8s.io/v1");
  EXPECT_EQ(table["metadata"]["resourceVersion"], std::to_string(world_.version()));
  ASSERT_EQ(table["rows"].size(), 1u);
  EXPECT_EQ(table["rows"][0]["cells"],
            (Json{"web", "0/1", "Pending", "0", "5m", "<none>", "n", "<none>", "<none>"}));
  EXPECT_EQ(table["rows"][0]["object"]["kind"], "PartialObjectMetadata");
  EXPECT_EQ(table["rows"][0]["object"]["metadata"]["namespace"], "default");
  EXPECT_FALSE(table["rows"][0]["object"].contains("spec"));
}

TEST_F(TableApiTest, TheWholeObjectComesWhereItIsAskedFor) {
  EXPECT_EQ(get("/api/v1/namespaces/default/pods/web", "Object")["rows"][0]["object"]["kind"],
            "Pod");
  EXPECT_FALSE(get("/api/v1/nodes", "None")["rows"][0].contains("object"));
}

TEST_F(TableApiTest, AnErrorStaysAStatus) {
  const ApiReply reply = service_.answer({.method = "GET",
                                          .path = "/api/v1/namespaces/default/pods/none",
                                          .headers = {{"accept", kTable}}});
  EXPECT_EQ(reply.code, 404);
  EXPECT_EQ(Json::parse(reply.body)["kind"], "Status");
}

TEST_F(TableApiTest, WhoAsksForObjectsFirstGetsThem) {
  for (const char* accept : {"application/json", "*/*", "",
                             "application/json,application/json;as=Table;v=v1;g=meta.k8s.io"}) {
    EXPECT_FALSE(table_form({.headers = {{"accept", accept}}}).wanted) << accept;
  }
  EXPECT_TRUE(table_form({.headers = {{"accept", kTable}}}).wanted);
}

TEST_F(TableApiTest, AWatchTellsTheColumnsOnce) {
  const ApiRequest request{.method = "GET",
                           .path = "/api/v1/pods",
                           .query = {{"watch", "true"}},
                           .headers = {{"accept", kTable}}};
  EXPECT_TRUE(world_.create(pods(), "default", pod_object("db")));
  auto watch = service_.watch(request, ApiWatch::Clock::time_point());
  ASSERT_TRUE(watch);
  const std::string text = watch->next(world_, ApiWatch::Clock::time_point()).text;
  const std::size_t end = text.find('\n');
  const Json first = Json::parse(text.substr(0, end));
  const Json second = Json::parse(text.substr(end + 1));
  EXPECT_EQ(first["object"]["kind"], "Table");
  EXPECT_EQ(first["object"]["columnDefinitions"].size(), 9u);
  EXPECT_EQ(second["object"]["columnDefinitions"].size(), 0u);
  EXPECT_EQ(second["object"]["rows"][0]["cells"][0], "web");
}

TEST_F(TableApiTest, MayIAndWhoAmI) {
  const auto ask = [&](const std::string& path) {
    const ApiReply reply = service_.answer({.method = "POST",
                                            .path = path,
                                            .headers = {{"content-type", "application/json"}},
                                            .body = R"({"spec":{},"kind":"Review"})"});
    EXPECT_EQ(reply.code, 201) << path;
    return Json::parse(reply.body);
  };
  EXPECT_EQ(ask("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")["status"]["allowed"],
            true);
  EXPECT_EQ(
      ask("/apis/authentication.k8s.io/v1/selfsubjectreviews")["status"]["userInfo"]["username"],
      "lab");
  EXPECT_EQ(ask("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews")["status"]["incomplete"],
            false);
}

}  // namespace
}  // namespace elbowroom::lab
