#include "api/write/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "api/codec/protobuf_object.h"
#include "loopback.h"
#include "test/wire_bytes.h"

namespace elbowroom::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ObjectRef kWeb{"default", "web", "u-1"};
constexpr auto kPod = "/api/v1/namespaces/default/pods/web";
constexpr auto kStatus = "/api/v1/namespaces/default/pods/web/status";

std::string pod(const std::string& uid, const std::string& version) {
  return R"({"kind":"Pod","metadata":{"name":"web","namespace":"default","uid":")" + uid +
         R"(","resourceVersion":")" + version +
         R"("},"status":{"containerStatuses":[{"name":"a"}]}})";
}

Result<void> outcome_of(const Loopback& server,
                        const std::function<void(Client&, Client::Done)>& call) {
  CurlTransport transport(server.access(), {});
  std::optional<Result<void>> outcome;
  {
    Client client(transport, "elbowroomd");
    call(client, [&](Result<void> came) { outcome = std::move(came); });
  }
  if (!run_until(transport, [&] { return outcome.has_value(); })) {
    return failure(Code::Internal, "no answer in the test's time");
  }
  return *outcome;
}

TEST(Client, AStatusWithResourcesIsReadAndWrittenAgainWhenSomebodyElseWrote) {
  int reads = 0;
  std::vector<std::string> writes;
  const Loopback server([&](httplib::Server& http) {
    http.Get(kPod, [&](const auto&, httplib::Response& out) {
      out.set_content(pod("u-1", std::to_string(++reads)), "application/json");
    });
    http.Patch(kStatus, [&](const httplib::Request& in, httplib::Response& out) {
      writes.push_back(in.get_header_value("Content-Type") + " " +
                       in.get_param_value("fieldManager") + " " + in.body);
      out.status = writes.size() == 1 ? 409 : 200;
    });
  });
  const auto outcome = outcome_of(server, [](Client& client, Client::Done done) {
    client.patch_pod_status(kWeb,
                            {.containers = {{"a", policy::Resources{.cpu = {1000}}, std::nullopt}}},
                            std::move(done));
  });
  EXPECT_TRUE(outcome) << outcome.error().message;
  const auto body = [](const std::string& version) {
    return R"(application/strategic-merge-patch+json elbowroomd {"metadata":{"uid":"u-1",)"
           R"("resourceVersion":")" +
           version +
           R"("},"status":{"containerStatuses":[{"name":"a","allocatedResources":{"cpu":"1"}}]}})";
  };
  EXPECT_THAT(writes, ElementsAre(body("1"), body("2")));
}

TEST(Client, ABindingNamesPodUidAndNode) {
  std::vector<std::string> writes;
  int status = 201;
  const Loopback server([&](httplib::Server& http) {
    http.Post("/api/v1/namespaces/default/pods/web/binding",
              [&](const httplib::Request& in, httplib::Response& out) {
                writes.push_back(in.get_header_value("Content-Type") + " " +
                                 in.get_param_value("fieldManager") + " " + in.body);
                out.status = status;
              });
  });
  const auto bind = [](Client& client, Client::Done done) {
    client.bind_pod(kWeb, "node-1", std::move(done));
  };
  EXPECT_TRUE(outcome_of(server, bind));
  EXPECT_THAT(
      writes,
      ElementsAre("application/json elbowroomd {\"apiVersion\":\"v1\",\"kind\":\"Binding\","
                  "\"metadata\":{\"namespace\":\"default\",\"name\":\"web\",\"uid\":\"u-1\"},"
                  "\"target\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"node-1\"}}"));
  status = 409;  // placed already
  const auto again = outcome_of(server, bind);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::Conflict);
  EXPECT_THAT(again.error().message, HasSubstr("bind pod default/web to node node-1"));
  status = 404;
  EXPECT_EQ(outcome_of(server, bind).error().code, Code::NotFound);
}

TEST(Client, ABindingWithoutUidOrNodeIsNotSent) {
  const Loopback server([](httplib::Server&) {});
  for (const auto& [uid, node] : {std::pair("", "node-1"), std::pair("u-1", "")}) {
    const auto outcome = outcome_of(server, [&](Client& client, Client::Done done) {
      client.bind_pod({"default", "web", uid}, node, std::move(done));
    });
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Code::Internal);
  }
}

TEST(Client, AStatusWriteGivesUpWhenItIsAlwaysBeaten) {
  int writes = 0;
  const Loopback server([&](httplib::Server& http) {
    http.Get(kPod, [&](const auto&, httplib::Response& out) {
      out.set_content(pod("u-1", "1"), "application/json");
    });
    http.Patch(kStatus, [&](const auto&, httplib::Response& out) {
      ++writes;
      out.status = 409;
    });
  });
  const auto outcome = outcome_of(server, [](Client& client, Client::Done done) {
    client.patch_pod_status(kWeb, {.containers = {{"a", policy::Resources{.cpu = {1}}, {}}}},
                            std::move(done));
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::Conflict);
  EXPECT_EQ(outcome.error().message, "patch status of pod default/web: 409 Conflict");
  EXPECT_EQ(writes, 5);
}

// In whichever of the two the server answers.
TEST(Client, APodIsReadInProtobufOrInJson) {
  const std::string message =
      test::bytes(1, test::bytes(1, "web") + test::bytes(3, "default") + test::bytes(5, "u-1"));
  for (const bool is_json : {true, false}) {
    std::string accepted;
    const Loopback server([&](httplib::Server& http) {
      http.Get(kPod, [&](const httplib::Request& in, httplib::Response& out) {
        accepted = in.get_header_value("Accept");
        out.set_content(is_json ? pod("u-1", "1") : test::envelope("v1", "Pod", message),
                        is_json ? "application/json" : std::string(kProtobuf));
      });
    });
    std::string uid;
    const auto outcome = outcome_of(server, [&](Client& client, Client::Done done) {
      client.get_pod(kWeb, [&uid, done = std::move(done)](Result<Value> read) mutable {
        if (read) uid = ref_of(*read).uid;
        done(read ? Result<void>() : std::unexpected(read.error()));
      });
    });
    EXPECT_TRUE(outcome);
    EXPECT_EQ(uid, "u-1");
    EXPECT_EQ(accepted, kReadsProtobuf);
  }
}

constexpr auto kGroupStatus =
    "/apis/scheduling.k8s.io/v1alpha3/namespaces/ml/podgroups/gang/status";
const ObjectRef kGang{"ml", "gang", "u-7"};

TEST(Client, TheConditionsOfAPodGroupAreMergedUnderItsUid) {
  std::vector<std::string> writes;
  int status = 200;
  const Loopback server([&](httplib::Server& http) {
    http.Patch(kGroupStatus, [&](const httplib::Request& in, httplib::Response& out) {
      writes.push_back(in.get_header_value("Content-Type") + " " +
                       in.get_param_value("fieldManager") + " " + in.body);
      out.status = status;
    });
  });
  const policy::Condition condition{.type = "PodGroupInitiallyScheduled",
                                    .status = "True",
                                    .reason = "Scheduled",
                                    .last_transition = policy::Time{std::chrono::seconds(0)}};
  const auto write = [&](Client& client, Client::Done done) {
    client.patch_group_status(kGang, "v1alpha3", {condition}, std::move(done));
  };
  EXPECT_TRUE(outcome_of(server, write));
  EXPECT_THAT(
      writes,
      ElementsAre(
          R"(application/strategic-merge-patch+json elbowroomd {"metadata":{"uid":"u-7"},"status":)"
          R"({"conditions":[{"type":"PodGroupInitiallyScheduled","status":"True",)"
          R"("reason":"Scheduled","message":"","lastTransitionTime":"1970-01-01T00:00:00Z"}]}})"));
  for (const auto& [answer, code] :
       {std::pair(404, Code::NotFound), std::pair(409, Code::Conflict)}) {
    status = answer;
    const auto outcome = outcome_of(server, write);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, code);
    EXPECT_THAT(outcome.error().message, HasSubstr("patch status of pod group ml/gang"));
  }
}

// The API requires both.
TEST(Client, AConditionOfAPodGroupWithoutReasonOrTimeIsNotSent) {
  const Loopback server([](httplib::Server&) {});
  const policy::Condition whole{.type = "DisruptionTarget",
                                .status = "True",
                                .reason = "r",
                                .last_transition = policy::Time{}};
  policy::Condition without_reason = whole;
  without_reason.reason.clear();
  policy::Condition without_time = whole;
  without_time.last_transition.reset();
  ObjectRef without_uid = kGang;
  without_uid.uid.clear();
  for (const auto& [group, condition] :
       {std::pair(kGang, without_reason), std::pair(kGang, without_time),
        std::pair(without_uid, whole)}) {
    const auto outcome = outcome_of(server, [&](Client& client, Client::Done done) {
      client.patch_group_status(group, "v1beta1", {condition}, std::move(done));
    });
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Code::Internal);
  }
}

TEST(Client, ARecreatedPodIsNeverWritten) {
  int writes = 0;
  const Loopback server([&](httplib::Server& http) {
    http.Get(kPod, [&](const auto&, httplib::Response& out) {
      out.set_content(pod("u-2", "1"), "application/json");
    });
    http.Patch(kStatus, [&](const auto&, httplib::Response&) { ++writes; });
  });
  const auto outcome = outcome_of(server, [](Client& client, Client::Done done) {
    client.patch_pod_status(kWeb, {.containers = {{"a", policy::Resources{.cpu = {1}}, {}}}},
                            std::move(done));
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::Conflict);
  EXPECT_EQ(writes, 0);
}

TEST(Client, ADeleteCarriesTheUidAndNoGracePeriod) {
  std::string seen;
  const Loopback server([&](httplib::Server& http) {
    http.Delete(kPod, [&](const httplib::Request& in, httplib::Response&) { seen += in.body; });
  });
  for (const bool dry_run : {false, true}) {
    EXPECT_TRUE(outcome_of(server, [&](Client& client, Client::Done done) {
      client.delete_pod(kWeb, dry_run, std::move(done));
    }));
  }
  EXPECT_EQ(seen, R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u-1"}})"
                  R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"u-1"},)"
                  R"("dryRun":["All"]})");
}

TEST(Client, ARemovalOfWhatIsGoneSucceedsAndOfAnotherPodConflicts) {
  struct Row {
    int status;
    std::optional<Code> code;
  };
  for (const Row& row : {Row{404, std::nullopt}, Row{409, Code::Conflict}, Row{403, Code::Denied},
                         Row{503, Code::Unavailable}}) {
    const Loopback server([&](httplib::Server& http) {
      const auto say = [&](const auto&, httplib::Response& out) { out.status = row.status; };
      http.Delete(kPod, say);
      http.Patch(kStatus, say);
    });
    for (const auto& call : {std::function([](Client& client, Client::Done done) {
                               client.delete_pod(kWeb, false, std::move(done));
                             }),
                             std::function([](Client& client, Client::Done done) {
                               client.mark_disruption_target(kWeb, {.type = "DisruptionTarget"},
                                                             std::move(done));
                             })}) {
      const auto outcome = outcome_of(server, call);
      EXPECT_EQ(outcome ? std::nullopt : std::optional(outcome.error().code), row.code);
    }
  }
}

TEST(Client, ADeleteOfWhatIsGoneIsToldWhereThatIsAskedFor) {
  const Loopback server([&](httplib::Server& http) {
    http.Delete(kPod, [&](const auto&, httplib::Response& out) { out.status = 404; });
  });
  const auto outcome = outcome_of(server, [](Client& client, Client::Done done) {
    client.delete_pod(kWeb, false, std::move(done), Client::Gone::IsNotFound);
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::NotFound);
}

TEST(Client, ARequestThatReachesNoServerIsNamedOnce) {
  const auto nowhere = [] {
    const Loopback server([](httplib::Server&) {});
    return server.access();
  }();
  CurlTransport transport(nowhere, {});
  std::optional<Result<Response>> outcome;
  {
    Client client(transport, "elbowroom");
    client.request(Method::Put, "/apis/x", {}, std::string(kJson), "{}",
                   [&](Result<Response> came) { outcome = std::move(came); });
  }
  ASSERT_TRUE(run_until(transport, [&] { return outcome.has_value(); }));
  ASSERT_FALSE(*outcome);
  const std::string message = outcome->error().message;
  EXPECT_TRUE(message.starts_with("PUT /apis/x: ")) << message;
  EXPECT_EQ(message.rfind("PUT /apis/x"), 0U) << message;
}

TEST(Client, NothingIsRemovedWithoutUid) {
  int hits = 0;
  const Loopback server([&](httplib::Server& http) {
    http.Delete(kPod, [&](const auto&, httplib::Response&) { ++hits; });
  });
  const auto outcome = outcome_of(server, [](Client& client, Client::Done done) {
    client.delete_pod({"default", "web", ""}, false, std::move(done));
  });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Code::Internal);
  EXPECT_EQ(hits, 0);
}

TEST(Client, AnnotatesANode) {
  std::string seen;
  const Loopback server([&](httplib::Server& http) {
    http.Patch("/api/v1/nodes/n1", [&](const httplib::Request& in, httplib::Response&) {
      seen += in.get_header_value("Content-Type") + in.body;
    });
  });
  for (const auto& value : {std::optional<std::string>("node"), std::optional<std::string>()}) {
    EXPECT_TRUE(outcome_of(server, [&](Client& client, Client::Done done) {
      client.annotate_node("n1", "elbowroom.dev/critical-preemption", value, std::move(done));
    }));
  }
  EXPECT_EQ(
      seen,
      R"(application/merge-patch+json{"metadata":{"annotations":{"elbowroom.dev/critical-preemption":"node"}}})"
      R"(application/merge-patch+json{"metadata":{"annotations":{"elbowroom.dev/critical-preemption":null}}})");
}

TEST(Client, AnAnswerThatIsNoJsonIsAnErrorThatNamesTheCall) {
  const Loopback server([](httplib::Server& http) {
    http.Get("/api/v1/nodes/n1",
             [](const auto&, httplib::Response& out) { out.set_content("<html>", "text/html"); });
  });
  CurlTransport transport(server.access(), {});
  Client client(transport, "x");
  std::string message;
  client.get_node(
      "n1", [&](const Result<Value>& came) { message = came ? "no error" : came.error().message; });
  ASSERT_TRUE(run_until(transport, [&] { return !message.empty(); }));
  EXPECT_THAT(message, HasSubstr("get node n1: line 1"));
}

}  // namespace
}  // namespace elbowroom::api
