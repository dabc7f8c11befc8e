// elbowroom-rescheduler as a process beside the lab's API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>

#include <charconv>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "base/durable_file.h"
#include "lab/apiserver/api_server.h"
#include "lab/daemon_process.h"
#include "recording/recording_file.h"
#include "rescheduler/recording/recording.h"
#include "test/checkout.h"
#include "test/temporary_folder.h"
#include "test/unit/api/certificates.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

using lab::comes_true;
using lab::DaemonProcess;
using lab::Json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kPatience{20'000};
const char* const kHeader = "apiVersion: elbowroom.dev/v1alpha1\nkind: ReschedulerConfiguration\n";

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

Json replica(const std::string& name) {
  Json pod = lab::testing::pod_object(name, "node-1");
  pod["metadata"]["namespace"] = "default";
  pod["metadata"]["labels"] = {{"app", "web"}};
  pod["status"] = {{"phase", "Running"},
                   {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}};
  return pod;
}

Json budget(const Json& spec) {
  return {{"apiVersion", "elbowroom.dev/v1alpha1"},
          {"kind", "DisruptionBudget"},
          {"metadata", {{"name", "web"}, {"namespace", "default"}}},
          {"spec", spec}};
}

class ReschedulerProgram : public ::testing::Test {
 protected:
  ReschedulerProgram() {
    EXPECT_TRUE(api_.start());
    put(path("kubeconfig"), api_.kubeconfig());
    load(lab::testing::node_object("node-1"));
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  void load(const Json& object) {
    const auto made = api_.with_world([&](lab::World& world) { return world.load(object); });
    EXPECT_EQ(lab::testing::message_of(made), "");
  }
  [[nodiscard]] DaemonProcess start(const std::string& name,
                                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--kubeconfig=" + path("kubeconfig"),
                                          "--listen=127.0.0.1:0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto started = DaemonProcess::start(test::kRescheduler, arguments, path(name + ".log"));
    EXPECT_TRUE(started) << started.error().message;
    return *std::move(started);
  }
  [[nodiscard]] std::string log(const std::string& name) const {
    return read_file(path(name + ".log"), 1 << 20).value_or("");
  }
  [[nodiscard]] bool says(const std::string& name, const std::string& what) const {
    return comes_true([&] { return log(name).find(what) != std::string::npos; }, kPatience);
  }
  [[nodiscard]] Json status() {
    const auto found = api_.with_world([](lab::World& world) {
      return world.get({.kind = lab::find_kind("elbowroom.dev", "v1alpha1", "disruptionbudgets"),
                        .ns = "default",
                        .name = "web"});
    });
    return found ? found->json().value("status", Json::object()) : Json::object();
  }
  [[nodiscard]] bool allows(int count) {
    return comes_true([&] { return status().value("disruptionsAllowed", -1) == count; }, kPatience);
  }
  // The body of an endpoint, whatever its status.
  [[nodiscard]] std::string get(const std::string& name, const std::string& target) const {
    constexpr std::string_view kBefore = "listening on 127.0.0.1:";
    const std::string text = log(name);
    const std::size_t at = text.find(kBefore);
    if (at == std::string::npos) return "";
    int port = 0;
    std::from_chars(text.data() + at + kBefore.size(), text.data() + text.size(), port);
    httplib::Client client("127.0.0.1", port);
    const auto answer = client.Get(target);
    return answer ? answer->body : "";
  }

  test::TemporaryFolder folder_;
  lab::World world_{{}};
  lab::ApiServer api_{world_, {}};
};

TEST_F(ReschedulerProgram, KeepsAStatusAnswersReloadsRecordsAndHandsOver) {
  load(replica("a"));
  load(replica("b"));
  load(budget({{"selector", {{"matchLabels", {{"app", "web"}}}}}, {"minAvailable", 1}}));
  put(path("config.yaml"), std::string(kHeader) + "logLevel: info\n");
  DaemonProcess process =
      start("one", {"--config=" + path("config.yaml"), "--record=" + path("rec")});
  ASSERT_TRUE(allows(1)) << log("one");
  const Json is = status();
  EXPECT_EQ(is.value("expectedPods", 0), 2);
  EXPECT_EQ(is.value("desiredHealthy", 0), 1);
  ASSERT_EQ(is["conditions"].size(), 2U);
  EXPECT_EQ(is["conditions"][0]["type"], "Observed");
  EXPECT_EQ(is["conditions"][1]["reason"], "SufficientPods");
  EXPECT_TRUE(says("one", "leading: keeps the status"));

  EXPECT_THAT(get("one", "/readyz?verbose"), AllOf(HasSubstr("leads"), HasSubstr("writes")));
  EXPECT_THAT(get("one", "/explain?budget=default/web"), HasSubstr(R"("disruptionsAllowed":1)"));
  EXPECT_THAT(get("one", "/explain?budget=default/x"), HasSubstr("no disruption budget default/x"));
  EXPECT_THAT(get("one", "/explain?pod=default/a"), HasSubstr(R"("budget":"default/web")"));
  EXPECT_THAT(get("one", "/configz"), HasSubstr("kind: ReschedulerConfiguration"));
  const std::string written = "elbowroom_rescheduler_status_writes_total{result=\"written\"} 1";
  EXPECT_TRUE(comes_true([&] { return get("one", "/metrics").find(written) != std::string::npos; },
                         kPatience));

  put(path("config.yaml"), std::string(kHeader) + "logLevel: debug\n");
  ASSERT_EQ(::kill(process.pid(), SIGHUP), 0);
  EXPECT_TRUE(says("one", "configuration reloaded: logLevel"));
  EXPECT_EQ(process.stop(kPatience).value_or(-1), 0);

  auto reader = recording::RecordingReader::open(path("rec"));
  ASSERT_TRUE(reader);
  const auto report = rescheduler::replay(*reader, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->first) << report->first->line << ": " << report->first->seen;
  EXPECT_GE(report->effects, 2U);
  EXPECT_EQ(report->program, "elbowroom-rescheduler");
}

// What was counted before is counted by the next one.
TEST_F(ReschedulerProgram, OfTwoReplicasOneWrites) {
  load(replica("a"));
  load(budget({{"selector", Json::object()}, {"rate", {{"disruptions", 3}, {"per", "1h"}}}}));
  DaemonProcess one = start("one");
  ASSERT_TRUE(allows(3)) << log("one");
  DaemonProcess two = start("two");
  EXPECT_TRUE(says("two", "keeping no status"));
  EXPECT_EQ(one.stop(kPatience).value_or(-1), 0);
  EXPECT_TRUE(says("two", "leading: keeps the status"));
  load(budget({{"selector", Json::object()}, {"rate", {{"disruptions", 5}, {"per", "1h"}}}}));
  EXPECT_TRUE(allows(5)) << log("two");
  EXPECT_EQ(two.stop(kPatience).value_or(-1), 0);
}

TEST_F(ReschedulerProgram, RefusesWhatOtherDaemonsRefuse) {
  struct Row {
    std::vector<std::string> arguments;
    int status;
    std::string says;
  };
  const std::vector<Row> rows = {
      {{"--check-config"}, 0, "kind: ReschedulerConfiguration"},
      {{"--no-such-flag"}, 2, "no-such-flag"},
      {{"--mode=full"}, 2, "mode"},
      {{"--lease-namespace=../x"}, 78, "leaseNamespace: ../x is no name"},
  };
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const std::string name = "row-" + std::to_string(at);
    DaemonProcess process = start(name, rows[at].arguments);
    EXPECT_TRUE(says(name, rows[at].says)) << log(name);
    EXPECT_EQ(process.stop(kPatience).value_or(-1), rows[at].status) << log(name);
  }
}

// What an API server asks a webhook about an eviction.
std::string review_of(const std::string& pod) {
  return Json{{"apiVersion", "admission.k8s.io/v1"},
              {"kind", "AdmissionReview"},
              {"request",
               {{"uid", "review-of-" + pod},
                {"resource", {{"group", ""}, {"version", "v1"}, {"resource", "pods"}}},
                {"subResource", "eviction"},
                {"operation", "CREATE"},
                {"namespace", "default"},
                {"name", pod},
                {"userInfo", {{"username", "jane"}}},
                {"object", {{"kind", "Eviction"}, {"metadata", {{"name", pod}}}}},
                {"dryRun", false}}}}
      .dump();
}

TEST_F(ReschedulerProgram, AnswersReviewsByTheLedgerAndShowsARotatedCertificate) {
  const api::Authority ours("ours");
  const auto show = [&](const api::Issued& issued) {
    put(path("tls.crt"), issued.certificate_pem());
    put(path("tls.key"), issued.key_pem());
  };
  show(ours.issue("hook", "IP:127.0.0.1"));
  put(path("ca.crt"), ours.pem());
  load(replica("a"));
  load(replica("b"));
  load(budget({{"selector", {{"matchLabels", {{"app", "web"}}}}}, {"minAvailable", 1}}));
  DaemonProcess process =
      start("one", {"--webhook-listen=127.0.0.1:0", "--webhook-cert=" + path("tls.crt"),
                    "--webhook-key=" + path("tls.key")});
  ASSERT_TRUE(allows(1)) << log("one");
  constexpr std::string_view kBefore = "reviews of evictions are answered on 127.0.0.1:";
  ASSERT_TRUE(says("one", std::string(kBefore)));
  // Before the configuration is listed a review is answered with 503.
  ASSERT_TRUE(comes_true(
      [&] { return get("one", "/readyz?verbose").find("[+]moves ok") != std::string::npos; },
      kPatience))
      << get("one", "/readyz?verbose");
  const std::string text = log("one");
  int port = 0;
  std::from_chars(text.data() + text.find(kBefore) + kBefore.size(), text.data() + text.size(),
                  port);
  httplib::SSLClient client("127.0.0.1", port);
  client.set_ca_cert_path(path("ca.crt"));
  client.enable_server_certificate_verification(true);
  const auto ask = [&](const std::string& body) -> Json {
    const auto answer = client.Post("/review", body, "application/json");
    if (!answer) return {{"error", httplib::to_string(answer.error())}};
    if (answer->status != 200) return {{"error", answer->body}};
    return Json::parse(answer->body)["response"];
  };

  Json answer = ask(review_of("a"));
  EXPECT_EQ(answer["uid"], "review-of-a") << answer;
  EXPECT_EQ(answer["allowed"], true) << answer;
  ASSERT_EQ(status()["recentDisruptions"].size(), 1U) << "it is in the ledger by now";
  EXPECT_EQ(status()["recentDisruptions"][0]["pod"], "a");
  answer = ask(review_of("b"));
  EXPECT_EQ(answer["allowed"], false) << answer;
  EXPECT_EQ(answer["status"]["code"], 429);
  EXPECT_THAT(answer["status"]["message"].get<std::string>(), HasSubstr("default/web"));
  EXPECT_THAT(ask("{}").dump(), HasSubstr("apiVersion"));
  // As Go writes 3 MiB of `<`.
  std::string padding;
  for (int i = 0; i < (3 << 20); ++i) padding += "\\u003c";
  std::string padded = review_of("b");
  const std::string object = R"("kind":"Eviction",)";
  padded.insert(padded.find(object) + object.size(),
                R"("annotations":{"a":")" + padding + R"("},)");
  answer = ask(padded);
  EXPECT_EQ(answer["status"]["code"], 429) << answer;
  EXPECT_THAT(get("one", "/readyz?verbose"), HasSubstr("webhook"));
  const auto shows = [&](std::string_view sample) {
    return comes_true([&] { return get("one", "/metrics").find(sample) != std::string::npos; },
                      kPatience);
  };
  EXPECT_TRUE(shows(R"(elbowroom_rescheduler_reviews_total{result="refused"} 2)"))
      << get("one", "/metrics");
  constexpr std::string_view kExpires = "elbowroom_certificate_expiration_timestamp_seconds";
  EXPECT_TRUE(shows(std::string(kExpires) + "{certificate=\"webhook\"} 1"))
      << "seconds of our days";
  EXPECT_TRUE(shows(std::string(kExpires) + "{certificate=\"client\"} 0")) << "it shows a token";
}

}  // namespace
}  // namespace elbowroom::test
