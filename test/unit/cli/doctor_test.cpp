// `elbowroom doctor` from the command line to servers, files and a runtime: a healthy setup, and
// common faults, each with its remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/base64.h"
#include "cli/doctor/doctor_machine.h"
#include "cli/doctor/doctor_setup.h"
#include "cli/doctor/file_facts.h"
#include "lab/cluster.h"
#include "lab_api.h"
#include "test/unit/api/certificates.h"
#include "test/unit/api/loopback.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

namespace fs = std::filesystem;

constexpr const char* kNode = R"(
apiVersion: v1
kind: Node
metadata: {name: node-1, uid: n-1}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
  nodeInfo: {kubeletVersion: v1.37.0}
)";

void allow(const std::string& path, unsigned mode) {
  fs::permissions(path, static_cast<fs::perms>(mode));
}

// The findings, by check.
struct Diagnosis {
  Outcome ran{};
  std::map<std::string, Json> checks{};

  [[nodiscard]] std::string result(const std::string& check) const {
    const auto found = checks.find(check);
    return found == checks.end() ? "not there" : found->second.value("result", "");
  }
  [[nodiscard]] std::string cause(const std::string& check) const {
    return checks.at(check).value("cause", "");
  }
  // With what to run.
  [[nodiscard]] std::string remedy(const std::string& check) const {
    std::string text = checks.at(check).value("remedy", "");
    for (const Json& each : checks.at(check)["commands"]) text += "; " + each.get<std::string>();
    return text;
  }
  [[nodiscard]] std::vector<std::string> failed() const {
    std::vector<std::string> all;
    for (const auto& [check, finding] : checks) {
      if (finding.value("result", "") == "FAIL") all.push_back(check);
    }
    return all;
  }
};

Diagnosis doctor(std::vector<std::string> words) {
  words.insert(words.begin(), "doctor");
  words.insert(words.end(), {"-o", "json"});
  Diagnosis diagnosis{.ran = run(words)};
  const Json document = Json::parse(diagnosis.ran.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << diagnosis.ran.out << diagnosis.ran.err;
  if (document.is_discarded()) return diagnosis;
  for (const Json& each : document["checks"]) diagnosis.checks[each["check"]] = each;
  return diagnosis;
}

// A configuration of an agent, in a folder of its own, which no other user may change.
class Configured {
 public:
  explicit Configured(const std::string& kubeconfig) {
    kubeconfig_ = folder_.file("kubeconfig", kubeconfig);
    allow(kubeconfig_, 0600);
  }
  // The path of the file, with these lines.
  std::string with(const std::string& lines, const std::string& kind = "AgentConfiguration") {
    const std::string path = folder_.file(
        "config.yaml", "apiVersion: elbowroom.dev/v1alpha1\nkind: " + kind +
                           "\nkubeconfig: " + kubeconfig_ + "\nlisten: 127.0.0.1:0\n" + lines);
    allow(path, 0644);
    return path;
  }
  Diagnosis look(const std::string& lines, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"--config", with(lines + "nodeName: node-1\n")};
    words.insert(words.end(), more.begin(), more.end());
    return doctor(words);
  }
  [[nodiscard]] const std::string& kubeconfig() const { return kubeconfig_; }
  [[nodiscard]] const Folder& folder() const { return folder_; }

 private:
  Folder folder_;
  std::string kubeconfig_;
};

constexpr const char* kAlone = "kubeletHealthz: \"\"\n";

// ---- against the lab's server ----

TEST(Doctor, ALabIsWellAndNothingIsWritten) {
  LabApi lab;
  lab.load(kNode);
  Configured agent(lab.server().kubeconfig());
  const Diagnosis first = agent.look(kAlone);
  EXPECT_EQ(first.ran.status, 0) << first.ran.out;
  EXPECT_EQ(first.ran.err, "");
  EXPECT_THAT(first.failed(), IsEmpty());
  EXPECT_GE(first.checks.size(), 30U);
  for (const char* check : {"config.valid",        "kubeconfig.found",
                            "kubeconfig.valid",    "kubeconfig.mode",
                            "server.encrypted",    "server.reachable",
                            "server.credentials",  "server.ready",
                            "server.version",      "server.resize",
                            "server.groups",       "clock.server",
                            "rights.list-nodes",   "rights.patch-pods-status",
                            "node.there",          "node.ready",
                            "node.kubelet",        "node.policy",
                            "server.policy-field", "beside.vpa"}) {
    EXPECT_EQ(first.result(check), "PASS") << check << ": " << first.checks.at(check);
  }
  EXPECT_EQ(first.result("rights.least"), "WARN") << "the lab's user may do everything";
  EXPECT_EQ(first.result("runtime.socket"), "SKIP");
  EXPECT_EQ(agent.look(kAlone).ran.out, first.ran.out) << "the same once more";

  for (const lab::RequestRecord& each : lab.server().requests()) {
    const bool asks = each.method == "POST" && each.target.contains("/selfsubject");
    const bool tries = each.method == "PATCH" && each.target.contains("dryRun=All");
    EXPECT_TRUE(each.method == "GET" || asks || tries) << each.method << " " << each.target;
  }
}

TEST(Doctor, ATableForPeopleEndsWithWhatIsToBeDone) {
  LabApi lab;
  Configured agent(lab.server().kubeconfig());
  const Outcome got = run({"doctor", "--config", agent.with("nodeName: node-1\n")});
  EXPECT_EQ(got.status, 1);
  EXPECT_THAT(got.out, AllOf(HasSubstr("elbowroomd in mode companion"),
                             HasSubstr("\nFAIL node.there: there is no Node node-1"),
                             HasSubstr("-> set nodeName to the name that"), HasSubstr(" 1 fail,")));
  EXPECT_THAT(run({"doctor", "--config", agent.with(""), "-o", "yaml"}).out,
              HasSubstr("kind: Diagnosis"));
}

// A person's own kubeconfig, on a machine that is no node.
TEST(Doctor, ElsewhereTheClusterIsJudgedAlone) {
  LabApi lab;
  const std::string config = lab.kubeconfig();
  allow(config, 0600);
  ::setenv("KUBECONFIG", config.c_str(), 1);
  const Outcome got = run({"doctor"});
  const Outcome of_file = run({"doctor", "--kubeconfig", config});
  ::unsetenv("KUBECONFIG");
  EXPECT_EQ(got.status, 0) << got.out;
  EXPECT_THAT(got.out, AllOf(Not(HasSubstr("node.there")), Not(HasSubstr("WARN rights.least")),
                             HasSubstr("nothing is wrong: the cluster, as seen for elbowroomd"),
                             HasSubstr("\nSKIP 5"), Not(HasSubstr("SKIP these credentials")),
                             HasSubstr("elbowroom status")));
  EXPECT_THAT(of_file.out, AllOf(HasSubstr("nothing is wrong: the cluster, as seen for elbowroomd"),
                                 Not(HasSubstr("node.there")), Not(HasSubstr("rights.least"))))
      << "the file of a person";
  ::setenv("KUBECONFIG", config.c_str(), 1);
  EXPECT_THAT(run({"doctor", "-v"}).out,
              AllOf(HasSubstr("these credentials are yours"), HasSubstr("--node names its Node")));
  ::unsetenv("KUBECONFIG");
}

TEST(Doctor, AWrongNodeNameIsNearARightOne) {
  LabApi lab;
  lab.load(kNode);
  Configured agent(lab.server().kubeconfig());
  const Diagnosis got = agent.look(kAlone, {"--node", "node-l"});
  EXPECT_EQ(got.ran.status, 1);
  EXPECT_THAT(got.failed(), ElementsAre("node.there"));
  EXPECT_THAT(got.cause("node.there"), HasSubstr("did you mean node-1?"));
}

TEST(Doctor, TheSchedulersRightsAndLeaseAreItsOwn) {
  LabApi lab;
  lab.load(kNode);
  lab.load(R"(
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: elbowroom-scheduler, namespace: kube-system, uid: l-1}
spec: {holderIdentity: gone_1, leaseDurationSeconds: 15, renewTime: "2020-01-01T00:00:00.000000Z"}
)");
  lab.load(R"(
apiVersion: v1
kind: Pod
metadata: {name: kube-scheduler-a, namespace: kube-system, uid: u-1, labels: {component: kube-scheduler}}
spec: {containers: [{name: a, image: x, command: [kube-scheduler, "--feature-gates=InPlacePodVerticalScalingSchedulerPreemption=true"]}]}
)");
  Configured scheduler(lab.server().kubeconfig());
  const Diagnosis got = doctor({"--program", "scheduler", "--config",
                                scheduler.with("yieldTo: \"\"\n", "SchedulerConfiguration")});
  EXPECT_EQ(got.ran.status, 0) << got.ran.out;
  EXPECT_EQ(got.result("rights.update-leases"), "PASS");
  EXPECT_EQ(got.result("server.podgroups"), "PASS");
  EXPECT_EQ(got.cause("server.podgroups"),
            "podgroups of scheduling.k8s.io are served in v1beta1; gates: no pod of kube-apiserver "
            "shows its feature gates");
  for (const char* right :
       {"rights.list-podgroups", "rights.watch-podgroups", "rights.patch-podgroups-status"}) {
    EXPECT_EQ(got.result(right), "PASS") << right;
  }
  EXPECT_EQ(got.result("scheduler.lease"), "WARN");
  EXPECT_THAT(got.cause("scheduler.lease"), HasSubstr("not renewed by gone_1"));
  EXPECT_EQ(got.result("node.there"), "not there");
  EXPECT_EQ(got.result("server.policy-field"), "WARN") << "the lab's server keeps the field";
  EXPECT_EQ(run({"doctor", "--program", "scheduler", "--node", "x"}).status, 2);
}

TEST(Doctor, SaysInWhichVersionPodGroupsAreServedAndWithWhichGates) {
  LabApi lab;
  lab.load(kNode);
  lab.load(R"(
apiVersion: v1
kind: Pod
metadata: {name: kube-apiserver-a, namespace: kube-system, uid: u-2, labels: {component: kube-apiserver}}
spec: {containers: [{name: a, image: x, command: [kube-apiserver, "--feature-gates=GenericWorkload=true,PodGroupPreemptionPolicy=true"]}]}
)");
  Configured scheduler(lab.server().kubeconfig());
  const auto look = [&](lab::GroupVersions versions) {
    lab.server().with_world([&](lab::World& world) { world.serve_groups(versions); });
    return doctor(
        {"--program", "scheduler", "--config", scheduler.with("", "SchedulerConfiguration")});
  };
  EXPECT_EQ(look(lab::GroupVersions::Alpha).cause("server.podgroups"),
            "podgroups of scheduling.k8s.io are served in v1alpha3; gates: GenericWorkload, "
            "PodGroupPreemptionPolicy");
  const Diagnosis none = look(lab::GroupVersions::None);
  EXPECT_EQ(none.result("server.podgroups"), "PASS");
  EXPECT_THAT(none.cause("server.podgroups"), HasSubstr("are not served"));
  EXPECT_EQ(none.ran.status, 0) << none.ran.out;
}

// As VPA's manifests label its updater, and as its chart does.
TEST(Doctor, PodsThatOutstayVpasPatienceAreNamed) {
  for (const char* labels : {"{app: vpa-updater}",
                             "{app.kubernetes.io/name: vertical-pod-autoscaler, "
                             "app.kubernetes.io/component: updater}"}) {
    LabApi lab;
    lab.load(kNode);
    lab.load("apiVersion: v1\nkind: Pod\nmetadata: {name: u, namespace: vpa, labels: " +
             std::string(labels) + "}\nspec: {containers: [{name: u, image: u}]}\n");
    Configured agent(lab.server().kubeconfig());
    const Diagnosis before = agent.look(kAlone);
    EXPECT_EQ(before.result("beside.vpa"), "PASS") << before.cause("beside.vpa");
    EXPECT_THAT(before.cause("beside.vpa"), HasSubstr("vpa/u"));
    for (const char* pod : {"{name: slow}\nspec: {terminationGracePeriodSeconds: 300, ",
                            "{name: quick}\nspec: {terminationGracePeriodSeconds: 299, "}) {
      lab.load("apiVersion: v1\nkind: Pod\nmetadata: " + std::string(pod) +
               "containers: [{name: a, image: a}]}\nstatus: {phase: Running}\n");
    }
    const Diagnosis after = agent.look(kAlone);
    EXPECT_EQ(after.result("beside.vpa"), "WARN");
    EXPECT_THAT(after.cause("beside.vpa"), HasSubstr("default/slow (300 s)"));
    EXPECT_THAT(after.cause("beside.vpa"), Not(HasSubstr("quick")));
  }
}

TEST(Doctor, SuchAPodIsFoundOnALaterPageToo) {
  LabApi lab;
  lab.load(kNode);
  std::string pods =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: u, labels: {app: vpa-updater}}\n"
      "spec: {containers: [{name: u, image: u}]}\n";
  for (int i = 0; i < 600; ++i) {
    pods += "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p" + std::to_string(1000 + i) +
            "}\nspec: {terminationGracePeriodSeconds: " + (i == 599 ? "900" : "30") +
            ", containers: [{name: a, image: a}]}\nstatus: {phase: Running}\n";
  }
  lab.load(pods);
  Configured agent(lab.server().kubeconfig());
  EXPECT_THAT(agent.look(kAlone).cause("beside.vpa"), HasSubstr("default/p1599 (900 s)"));
}

TEST(Doctor, WhatMayNotBeAskedIsSkipped) {
  LabApi lab;
  lab.load(kNode);
  lab.refuse("/selfsubjectaccessreviews", 403, "Forbidden");
  lab.refuse("/api/v1/nodes", 403, "Forbidden");
  lab.refuse("/api/v1/pods", 403, "Forbidden");
  Configured agent(lab.server().kubeconfig());
  const Diagnosis got = agent.look(kAlone);
  EXPECT_EQ(got.ran.status, 0) << got.ran.out;
  for (const char* check : {"rights.list-nodes", "node.there", "node.policy", "beside.vpa"}) {
    EXPECT_EQ(got.result(check), "SKIP") << check;
    EXPECT_THAT(got.cause(check), HasSubstr("403")) << check;
  }
}

// ---- against a server with scripted answers ----

using Pages = std::map<std::string, std::pair<int, std::string>>;  // by path

Pages usual_pages() {
  return {
      {"/version", {200, R"({"major":"1","minor":"35","gitVersion":"v1.35.1"})"}},
      {"/readyz", {200, "ok"}},
      {"/api/v1", {200, R"({"resources":[{"name":"pods"},{"name":"pods/resize"}]})"}},
      {"/apis", {200, R"({"groups":[{"name":"events.k8s.io",
         "versions":[{"groupVersion":"events.k8s.io/v1","version":"v1"}]}]})"}},
      {"/api/v1/nodes", {200, R"({"items":[{"kind":"Node","metadata":{"name":"node-1","uid":"n-1"},
         "status":{"allocatable":{"cpu":"4"},"conditions":[{"type":"Ready","status":"True"}],
                   "nodeInfo":{"kubeletVersion":"v1.35.1"}}}]})"}},
      {"/api/v1/pods", {200, R"({"items":[]})"}},
      {"/apis/authentication.k8s.io/v1/selfsubjectreviews",
       {201, R"({"status":{"userInfo":{"username":"agent-1"}}})"}}};
}

// Everything is permitted but what `denied` names, such as "patch nodes".
std::function<void(httplib::Server&)> pages_of(Pages pages, std::string denied = {}) {
  return [pages = std::move(pages), denied = std::move(denied)](httplib::Server& server) {
    const auto say = [pages](const httplib::Request& asked, httplib::Response& answer) {
      const auto found = pages.find(asked.path);
      answer.status = found == pages.end() ? 404 : found->second.first;
      answer.set_content(found == pages.end() ? "{}" : found->second.second, "application/json");
    };
    server.Get(".*", say);
    server.Patch(".*", [](const httplib::Request& asked, httplib::Response& answer) {
      EXPECT_EQ(asked.get_param_value("dryRun"), "All");
      answer.set_content(R"({"kind":"Node","metadata":{"name":"node-1"}})", "application/json");
    });
    server.Post(".*", [say, denied](const httplib::Request& asked, httplib::Response& answer) {
      if (!asked.path.ends_with("/selfsubjectaccessreviews")) return say(asked, answer);
      const Json about = Json::parse(asked.body)["spec"]["resourceAttributes"];
      std::string right = about.value("verb", "") + " " + about.value("resource", "");
      if (about.contains("subresource")) right += "/" + about.value("subresource", "");
      const bool allowed = right != denied && right != "* *";
      answer.status = 201;
      answer.set_content(Json({{"status", {{"allowed", allowed}}}}).dump(), "application/json");
    });
  };
}

std::string kubeconfig_for(const std::string& url, const std::string& cluster = {},
                           const std::string& user = "token: secret") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: a\n"
         "contexts: [{name: a, context: {cluster: a, user: a}}]\n"
         "clusters: [{name: a, cluster: {server: \"" +
         url + "\"" + (cluster.empty() ? "" : ", " + cluster) + "}}]\nusers: [{name: a, user: {" +
         user + "}}]\n";
}

Diagnosis look_at(const api::Loopback& server) {
  Configured agent(kubeconfig_for("http://127.0.0.1:" + std::to_string(server.port())));
  return agent.look(kAlone);
}

TEST(Doctor, ARightThatIsMissingIsNamedWithTheRole) {
  const api::Loopback server(pages_of(usual_pages(), "patch pods/status"));
  const Diagnosis got = look_at(server);
  EXPECT_EQ(got.ran.status, 1);
  EXPECT_THAT(got.failed(), ElementsAre("rights.patch-pods-status")) << got.ran.out;
  EXPECT_THAT(got.cause("rights.patch-pods-status"),
              HasSubstr("agent-1 may not patch pods/status"));
  EXPECT_THAT(got.remedy("rights.patch-pods-status"), HasSubstr("ClusterRole elbowroom-agent "));
  EXPECT_EQ(got.result("rights.least"), "PASS");
  EXPECT_THAT(got.cause("server.policy-field"), HasSubstr("drops podPreemptionPolicy"));
}

TEST(Doctor, AnOldServerIsTooOld) {
  Pages pages = usual_pages();
  pages["/version"].second = R"({"major":"1","minor":"31+","gitVersion":"v1.31.9-x"})";
  pages["/api/v1"].second = R"({"resources":[{"name":"pods"}]})";
  const api::Loopback server(pages_of(pages));
  const Diagnosis got = look_at(server);
  EXPECT_EQ(got.ran.status, 1);
  EXPECT_THAT(got.failed(), ElementsAre("server.version")) << got.ran.out;
  EXPECT_EQ(got.cause("server.resize"), "waits for check server.version");
  EXPECT_THAT(got.cause("server.version"), HasSubstr("v1.31.9-x is too old"));
  EXPECT_THAT(got.remedy("server.version"), HasSubstr("1.33 or later"));
}

TEST(Doctor, AServerThatDoesNotKnowUsEndsTheQuestions) {
  Pages pages = usual_pages();
  for (auto& [path, page] : pages) page = {401, R"({"kind":"Status","message":"Unauthorized"})"};
  const api::Loopback server(pages_of(pages));
  const Diagnosis got = look_at(server);
  EXPECT_THAT(got.failed(), ElementsAre("server.credentials")) << got.ran.out;
  EXPECT_EQ(got.result("rights.list-nodes"), "SKIP");
}

TEST(Doctor, NobodyThere) {
  std::uint16_t port = 0;
  {
    const api::Loopback gone(pages_of({}));
    port = gone.port();
  }
  Configured agent(kubeconfig_for("http://127.0.0.1:" + std::to_string(port)));
  const Diagnosis got = agent.look(kAlone);
  EXPECT_THAT(got.failed(), ElementsAre("server.reachable")) << got.ran.out;
  EXPECT_THAT(got.remedy("server.reachable"), HasSubstr("is the server up"));
}

TEST(Doctor, AServersCertificateThatHasExpired) {
  const api::Authority authority("ours", {.until = 400L * 24 * 3600});
  const api::Issued identity =
      authority.issue("api", "IP:127.0.0.1", {.from = -7200, .until = -3600});
  const api::Loopback server(
      std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get()), "https",
      pages_of(usual_pages()));
  Configured agent(
      kubeconfig_for("https://127.0.0.1:" + std::to_string(server.port()),
                     "certificate-authority-data: " + api::encode_base64(authority.pem())));
  const Diagnosis got = agent.look(kAlone);
  EXPECT_THAT(got.failed(), ElementsAre("server.tls")) << got.ran.out;
  EXPECT_THAT(got.cause("server.tls"), HasSubstr("expired"));
  EXPECT_THAT(got.remedy("server.tls"), HasSubstr("renew the server's certificate"));
  EXPECT_EQ(got.result("credentials.authority"), "PASS");
}

// ---- kubeconfigs ----

TEST(Doctor, AKubeconfigThatIsMissingOrWrong) {
  Configured agent("");
  fs::remove(agent.kubeconfig());
  Diagnosis got = agent.look(kAlone);
  EXPECT_EQ(got.ran.status, 1);
  EXPECT_THAT(got.failed(), ElementsAre("kubeconfig.found"));
  EXPECT_THAT(got.cause("kubeconfig.found"),
              AllOf(HasSubstr(agent.kubeconfig()), HasSubstr("config.yaml: line 3")));
  EXPECT_THAT(got.remedy("kubeconfig.found"), HasSubstr("docs/install.md"));

  agent.folder().file("kubeconfig", kubeconfig_for("https://a", "", "username: me"));
  allow(agent.kubeconfig(), 0600);
  got = agent.look(kAlone);
  EXPECT_THAT(got.failed(), ElementsAre("kubeconfig.valid"));
  EXPECT_THAT(got.cause("kubeconfig.valid"), HasSubstr("passwords are not supported"));

  agent.folder().file("kubeconfig", "users: [");
  got = agent.look(kAlone);
  EXPECT_THAT(got.failed(), ElementsAre("kubeconfig.valid"));
}

TEST(Doctor, FilesThatOthersMayReadOrChange) {
  LabApi lab;
  lab.load(kNode);
  Configured agent(lab.server().kubeconfig());
  allow(agent.kubeconfig(), 0644);
  const std::string config = agent.with("nodeName: node-1\n");
  allow(config, 0666);
  const Diagnosis got = doctor({"--config", config});
  EXPECT_THAT(got.failed(), ElementsAre("config.mode", "kubeconfig.mode"));
  EXPECT_THAT(got.remedy("kubeconfig.mode"), HasSubstr("chmod 0600 " + agent.kubeconfig()));
  EXPECT_THAT(got.remedy("config.mode"), HasSubstr("chmod 0644 " + config));
}

TEST(Doctor, AConfigurationThatIsWrongIsToldAsTheDaemonTellsIt) {
  LabApi lab;
  lab.load(kNode);
  Configured agent(lab.server().kubeconfig());
  const Diagnosis got = doctor({"--config", agent.with("nodeNmae: x\n"), "--node", "node-1",
                                "--kubeconfig", agent.kubeconfig()});
  EXPECT_THAT(got.failed(), ElementsAre("config.valid"));
  EXPECT_THAT(got.cause("config.valid"), HasSubstr("did you mean nodeName?"));
}

TEST(Doctor, AKeyWithABadValueIsNeverCommentedOut) {
  LabApi lab;
  lab.load(kNode);
  Configured agent(lab.server().kubeconfig());
  const auto remedy_for = [&](const std::string& line) {
    return agent.look(line + "\n").remedy("config.valid");
  };
  EXPECT_THAT(remedy_for("dryRun: ture"),
              AllOf(HasSubstr("give dryRun in line 5 one of the values true, false;"),
                    HasSubstr("sed -i '5c\\dryRun: true'")));
  for (const char* line : {"dryRun: perhaps", "mode: full", "criticalPreemption: 1",
                           "criticalPreemption: true", "mode: [authority]", "kubeletHealthz: x"}) {
    EXPECT_THAT(remedy_for(line),
                AllOf(HasSubstr("give "), HasSubstr(" in line "), Not(HasSubstr("sed "))))
        << line;
  }
  EXPECT_THAT(remedy_for("colour: blue"), HasSubstr("sed -i '5s/^/# /'"));
  EXPECT_THAT(remedy_for("colour: blue\nmode: full"), Not(HasSubstr("sed ")));

  for (const char* line : {"podsPerNode: many", "podsPerNode: [1]", "setsPerPod: 0", "yieldTo: 1",
                           "mode: companion"}) {
    const Diagnosis got = doctor({"--program", "scheduler", "--config",
                                  agent.with(std::string(line) + "\n", "SchedulerConfiguration")});
    EXPECT_THAT(got.remedy("config.valid"),
                AllOf(HasSubstr("give "), HasSubstr(" in line 5 "), Not(HasSubstr("sed "))))
        << line;
  }
}

// A JSON web token that ends then; its signature is not checked here.
std::string token_until(long end) {
  std::string payload = api::encode_base64("{\"exp\":" + std::to_string(end) + "}");
  while (payload.ends_with('=')) payload.pop_back();
  return "e30." + payload + ".c2ln";
}

TEST(Doctor, CredentialsThatHaveExpired) {
  const api::Loopback server(pages_of(usual_pages()));
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port());
  const api::Authority authority("clients");
  const api::Issued old = authority.issue("agent", "", {.from = -7200, .until = -3600});
  const api::Issued other = authority.issue("other", "");
  const Folder folder;
  const std::string certificate = folder.file("a.crt", old.certificate_pem());
  const std::string key = folder.file("a.key", old.key_pem());
  const std::string user = "client-certificate: " + certificate + ", client-key: ";

  Configured agent(kubeconfig_for(url, "", user + key));
  Diagnosis got = agent.look(kAlone);
  EXPECT_THAT(got.failed(), ElementsAre("credentials.certificate")) << got.ran.out;
  EXPECT_THAT(got.cause("credentials.certificate"), HasSubstr(certificate + " has expired"));
  EXPECT_THAT(got.remedy("credentials.certificate"), HasSubstr("issued again"));

  Configured missing(kubeconfig_for(url, "", user + folder.path() + "/gone"));
  got = missing.look(kAlone);
  EXPECT_THAT(got.failed(), ElementsAre("credentials.files")) << got.ran.out;
  EXPECT_THAT(got.cause("credentials.files"), HasSubstr("client-key: "));

  const std::string good = folder.file("b.crt", other.certificate_pem());
  Configured mixed(kubeconfig_for(url, "", "client-certificate: " + good + ", client-key: " + key));
  EXPECT_THAT(mixed.look(kAlone).failed(), ElementsAre("credentials.key"));

  const std::string token = folder.file("token", token_until(1'000'000'000));
  Configured tired(kubeconfig_for(url, "", "tokenFile: " + token));
  got = tired.look(kAlone);
  EXPECT_THAT(got.failed(), ElementsAre("credentials.token")) << got.ran.out;
  EXPECT_THAT(got.cause("credentials.token"), HasSubstr("2001-09-09"));
}

TEST(Doctor, OnlyATokenWithAnEndHasOne) {
  EXPECT_EQ(end_of_token(token_until(1'000'000'000)),
            policy::Time(std::chrono::seconds(1'000'000'000)));
  for (const char* none : {"", "abc", "a.b", "a.b.c", "..", "e30.e30.x", "e30.eyJleHAiOiJ4In0.x",
                           "e30.eyJleHAiOjk5OTk5OTk5OTk5OTk5OTk5fQ.x"}) {
    EXPECT_EQ(end_of_token(none), std::nullopt) << none;
  }
}

TEST(Doctor, WhatIsAboveAFileCountsToo) {
  const Folder folder;
  const std::string inner = folder.path() + "/inner";
  fs::create_directory(inner);
  const std::string path = folder.file("inner/token", "a");
  allow(folder.path(), 0755);
  allow(inner, 0750);
  const FileFacts facts = file_facts(path);
  ASSERT_EQ(facts.gates.size(), 1U) << "the folders above that one let everybody in";
  EXPECT_EQ(facts.gates[0].path, inner);
  EXPECT_EQ(facts.gates[0].mode, 0750U);
  EXPECT_EQ(facts.gates[0].kind, FileFacts::Kind::Folder);
  allow(inner, 0755);
  EXPECT_THAT(file_facts(path).gates, IsEmpty());
}

// ---- the machine ----

TEST(Doctor, AnAgentInAuthorityIsLookedIntoAndItsFaultsAreFound) {
  const Folder folder;
  auto cluster = lab::Cluster::start({.folder = folder.path()});
  ASSERT_TRUE(cluster) << cluster.error().message;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!(*cluster)->is_ready() && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  Configured agent((*cluster)->api().kubeconfig());
  const std::string root = (*cluster)->cgroup_root(0).string();
  const std::string state = folder.path() + "/node-1.state";
  allow(state, 0700);
  const std::string runtime = "runtimeEndpoint: unix:" + folder.path() + "/node-1.sock\n";
  const std::string usual = "mode: authority\nkubeletHealthz: \"\"\n" + runtime;
  const std::string groups = "cgroupRoot: " + root + "\n";
  const std::string kept = "stateDir: " + state + "\n";

  const Diagnosis well = agent.look(usual + groups + kept);
  EXPECT_THAT(well.failed(), IsEmpty()) << well.ran.out;
  for (const char* check :
       {"runtime.socket", "runtime.answers", "runtime.version", "cgroups.mounted", "cgroups.driver",
        "disk.state", "disk.mode", "disk.room", "disk.writable", "disk.alone", "disk.checkpoint"}) {
    EXPECT_EQ(well.result(check), "PASS") << check << ": " << well.checks.at(check);
  }

  EXPECT_THAT(
      agent
          .look("mode: authority\nkubeletHealthz: \"\"\nruntimeEndpoint: unix:/gone.sock\n" +
                groups + kept)
          .failed(),
      ElementsAre("runtime.socket"));
  const Diagnosis elsewhere = agent.look(usual + "cgroupRoot: " + folder.path() + "\n" + kept);
  EXPECT_THAT(elsewhere.failed(), ElementsAre("cgroups.mounted"));
  EXPECT_THAT(elsewhere.remedy("cgroups.mounted"), HasSubstr("cgroupRoot"));

  allow(state, 0755);
  const Diagnosis open = agent.look(usual + groups + kept);
  EXPECT_THAT(open.failed(), ElementsAre("disk.mode"));
  EXPECT_THAT(open.remedy("disk.mode"), HasSubstr("chmod 0700 " + state));
  allow(state, 0700);

  // No byte is free in a file system that holds none.
  const Diagnosis full = agent.look(usual + groups + "stateDir: /proc\n");
  EXPECT_EQ(full.result("disk.room"), "FAIL");
  EXPECT_THAT(full.remedy("disk.room"), HasSubstr("free some space"));

  fs::create_directories(root + "/memory/kubepods.slice");
  fs::create_directories(root + "/cpu/kubepods.slice");
  const Diagnosis foreign = agent.look(usual + groups + kept);
  EXPECT_THAT(foreign.failed(), ElementsAre("cgroups.driver"));
  EXPECT_THAT(foreign.remedy("cgroups.driver"), HasSubstr("cgroupDriver: systemd"));
  EXPECT_EQ(foreign.cause("cgroups.readable"), "waits for check cgroups.driver");
}

// A socket that accepts connections and answers none, in a folder of its own.
class MuteSocket {
 public:
  MuteSocket() : path_(folder_.path() + "/mute.sock"), socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

 private:
  Folder folder_;
  std::string path_;
  Fd socket_;
};

TEST(Doctor, ARuntimeWhoseFolderWasMadeAnewAndThatSaysNothing) {
  const MuteSocket runtime;
  const Folder machine;
  DoctorFacts facts;
  facts.authority = true;
  const MachinePlaces places{.processes = machine.path()};
  const DoctorOptions ask{.kubeconfig = "/nowhere", .mode = "authority"};
  auto setup =
      read_setup_facts(ask, {.configuration = machine.path(), .systemd = "/nowhere"}, {}, facts);
  ASSERT_TRUE(setup.authority);
  setup.agent.runtime.endpoint = runtime.path();
  UnitFacts unit{.name = "elbowroomd-authority", .loaded = true, .pid = 7};
  facts.unit = unit;
  const fs::path seen = machine.path() + "/7/root" + runtime.folder();
  fs::create_directories(seen);
  read_machine_facts(setup, places, facts);
  ASSERT_TRUE(facts.runtime);
  EXPECT_EQ(facts.runtime->socket.kind, FileFacts::Kind::Socket);
  ASSERT_TRUE(facts.runtime->trouble) << "it says nothing";
  EXPECT_EQ(facts.runtime->trouble->code, Code::Unavailable);
  ASSERT_TRUE(facts.runtime->renewed);
  EXPECT_TRUE(*facts.runtime->renewed) << "the service sees another folder";

  fs::remove(seen);
  fs::create_directory_symlink(runtime.folder(), seen);
  read_machine_facts(setup, places, facts);
  EXPECT_FALSE(*facts.runtime->renewed) << "it sees the same";
}

TEST(Doctor, TheHolderOfALockIsFoundByItsInode) {
  const std::string locks =
      "1: POSIX  ADVISORY  WRITE 11 fd:01:55 0 EOF\n"
      "2: FLOCK  ADVISORY  WRITE 22 fd:01:555 0 EOF\n"
      "2: -> FLOCK  ADVISORY  WRITE 33 fd:01:55 0 EOF\n"
      "3: FLOCK  ADVISORY  READ  44 fd:01:55 0 EOF\n";
  EXPECT_EQ(holder_in(locks, 555), 22);
  EXPECT_EQ(holder_in(locks, 5), std::nullopt);
  EXPECT_EQ(holder_in("", 5), std::nullopt);
}

// ---- units and daemons ----

constexpr const char* kShown =
    "NRestarts=6\nExecMainStatus=78\nMainPID=12\nUser=_elbowroom\nLoadState=loaded\n"
    "ActiveState=failed\nUnitFileState=enabled\nConditionResult=yes\n"
    "ConditionTimestampMonotonic=55\nNeedDaemonReload=yes\n";

TEST(Doctor, AUnitIsAsSystemctlShowsIt) {
  const UnitFacts unit = unit_facts("elbowroomd.service", kShown);
  EXPECT_EQ(unit.name, "elbowroomd");
  EXPECT_TRUE(unit.loaded && unit.failed && unit.enabled && unit.stale);
  EXPECT_FALSE(unit.active || unit.unmet);
  EXPECT_EQ(unit.restarts, 6);
  EXPECT_EQ(unit.exit_status, 78);
  EXPECT_EQ(unit.pid, 12);
  EXPECT_EQ(unit.user, "_elbowroom");
  const UnitFacts starting = unit_facts("a", "ActiveState=activating\nStatusText=waits\n");
  EXPECT_TRUE(starting.starting && !starting.active);
  EXPECT_EQ(starting.status, "waits");
  EXPECT_TRUE(unit_facts("a",
                         "LoadState=loaded\nActiveState=inactive\nConditionResult=no\n"
                         "ConditionTimestampMonotonic=9\n")
                  .unmet);
  EXPECT_FALSE(unit_facts("a", "ConditionResult=no\nConditionTimestampMonotonic=0\n").unmet);
}

TEST(Doctor, TheUnitThatRunsSaysTheMode) {
  const Folder machine;
  const std::string systemctl = machine.file(
      "systemctl",
      "#!/bin/sh\ncase $2 in\n"
      "*authority*) echo LoadState=loaded; echo ActiveState=active; echo MainPID=12;;\n"
      "*) echo LoadState=loaded; echo ActiveState=inactive; echo UnitFileState=enabled;;\n"
      "esac\n");
  allow(systemctl, 0755);
  const MachinePlaces places{
      .configuration = machine.path(), .systemd = machine.path(), .systemctl = systemctl};
  DoctorFacts facts;
  auto setup = read_setup_facts({.kubeconfig = "/nowhere"}, places, {}, facts);
  EXPECT_TRUE(setup.authority);
  EXPECT_TRUE(setup.is_here);
  ASSERT_TRUE(facts.unit) << facts.unit.why_not;
  EXPECT_EQ(facts.unit->name, "elbowroomd-authority");
  EXPECT_TRUE(facts.unit->other_runs) << "both are on";
  EXPECT_EQ(facts.unit->user, "_elbowroom");
  EXPECT_EQ(facts.unit->awaited.path, "/etc/elbowroom/kubeconfig");

  DoctorFacts asked;
  setup = read_setup_facts({.kubeconfig = "/nowhere", .mode = "companion"}, places, {}, asked);
  EXPECT_FALSE(setup.authority) << "the command line wins";
}

TEST(Doctor, ADaemonIsAskedHowItIs) {
  LabApi lab;
  lab.load(kNode);
  Configured agent(lab.server().kubeconfig());
  const auto daemon_that_says = [](const std::string& metrics, const std::string& ready) {
    return [=](httplib::Server& server) {
      const auto page = [&server](const std::string& path, const std::string& text) {
        server.Get(path, [text](const httplib::Request&, httplib::Response& answer) {
          answer.set_content(text, "text/plain");
        });
      };
      page("/metrics", metrics);
      page("/livez", "[+]loops ok\n");
      page("/readyz", ready);
    };
  };
  const auto look = [&](const api::Loopback& daemon) {
    Configured own(lab.server().kubeconfig());
    const std::string config = own.with(std::string(kAlone) + "nodeName: node-1\n");
    std::string text =
        "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\nkubeconfig: " +
        own.kubeconfig() + "\nlisten: 127.0.0.1:" + std::to_string(daemon.port()) +
        "\nnodeName: node-1\n" + kAlone;
    own.folder().file("config.yaml", text);
    return doctor({"--config", config});
  };
  const std::string build =
      "# TYPE\nelbowroom_build_info{program=\"elbowroomd\",revision=\"x\",version=\"";
  const api::Loopback unwell(
      daemon_that_says(build + "0.0.1\"} 1\n", "[+]api ok\n[-]node failed: there is no Node\n"));
  Diagnosis got = look(unwell);
  EXPECT_THAT(got.failed(), ElementsAre("daemon.ready")) << got.ran.out;
  EXPECT_THAT(got.cause("daemon.ready"), HasSubstr("node failed: there is no Node"));
  EXPECT_EQ(got.result("daemon.version"), "WARN");
  EXPECT_EQ(got.result("daemon.turns"), "PASS");

  const api::Loopback other(daemon_that_says("go_info 1\n", ""));
  got = look(other);
  EXPECT_THAT(got.failed(), ElementsAre("daemon.port")) << got.ran.out;
  EXPECT_THAT(got.cause("daemon.port"), HasSubstr("another program answers"));
}

}  // namespace
}  // namespace elbowroom::cli
