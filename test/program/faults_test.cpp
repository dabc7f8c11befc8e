// User errors and faults around a daemon: the daemon itself reports the fault and the remedy, in
// its log or when asked for its status. docs/troubleshooting.md contains each of the texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/base64.h"
#include "base/durable_file.h"
#include "lab/cluster.h"
#include "lab/daemon_process.h"
#include "test/checkout.h"
#include "test/temporary_folder.h"
#include "test/unit/api/certificates.h"
#include "test/unit/api/loopback.h"
#include "test/unit/lab/lab_fixture.h"

namespace elbowroom::test {
namespace {

using lab::comes_true;
using lab::DaemonProcess;
using ::testing::HasSubstr;
using PodText = std::vector<std::string>;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPatience{20'000};
constexpr uid_t kNobody = 65534;
const fs::path kRoot = fs::path(test::kData).parent_path();

std::string content(const fs::path& path) { return read_file(path.string(), 1 << 20).value_or(""); }

// On one line, so that line breaks in a page or a message do not matter.
std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

std::string kubeconfig(const std::string& cluster, const std::string& user = "token: t") {
  return "current-context: m\ncontexts: [{name: m, context: {cluster: c, user: u}}]\n"
         "clusters: [{name: c, cluster: {" +
         cluster + "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

const std::string kNowhere = kubeconfig("server: 'http://127.0.0.1:1'");

class Faults : public ::testing::Test {
 protected:
  Faults() { fs::permissions(folder_.path(), fs::perms(0755)); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  void put(const std::string& name, const std::string& text) { std::ofstream(path(name)) << text; }
  [[nodiscard]] std::string log() const { return content(path("out.log")); }

  // Runs as a user without rights if possible: file modes do not restrict root.
  [[nodiscard]] DaemonProcess start(const char* program, PodText arguments,
                                    bool by_nobody = false) {
    fs::remove(path("out.log"));
    arguments.emplace_back("--listen=127.0.0.1:0");
    std::string what = program;
    if (by_nobody && ::geteuid() == 0) {
      // Its own folder may be closed to other users.
      const std::string copy = path(fs::path(program).filename().string());
      fs::copy_file(program, copy, fs::copy_options::skip_existing);
      arguments.insert(arguments.begin(),
                       {"--reuid=65534", "--regid=65534", "--clear-groups", copy});
      what = "/usr/bin/setpriv";
    }
    auto process = DaemonProcess::start(what, arguments, path("out.log"));
    EXPECT_TRUE(process) << process.error().message;
    return *std::move(process);
  }

  // Its exit status; it must end by itself.
  int end_of(DaemonProcess process) {
    siginfo_t about{};
    EXPECT_TRUE(comes_true(
        [&] {
          return ::waitid(P_PID, static_cast<id_t>(process.pid()), &about,
                          WEXITED | WNOHANG | WNOWAIT) == 0 &&
                 about.si_pid == process.pid();
        },
        kPatience))
        << "it did not end: " << log();
    return process.stop(kPatience).value_or(-1);
  }

  // Both the daemon and the page have these texts; `says` contains the fault first, then the
  // remedy.
  void expect_told(const PodText& says) {
    for (const std::string& each : says) {
      EXPECT_TRUE(comes_true([&] { return log().contains(each); }, kPatience))
          << "not told: " << each << "\n"
          << log();
    }
  }
  static void expect_on_page(const std::string& words) {
    EXPECT_THAT(on_one_line(content(kRoot / "docs/troubleshooting.md")), HasSubstr(words));
  }

  test::TemporaryFolder folder_;
};

// ---- errors that keep a daemon from starting ----

TEST_F(Faults, AKubeconfigThatIsOfNoUseIsNamedWithTheRemedy) {
  struct Row {
    std::string text;
    PodText says;
  };
  const std::string as_kubectl =
      "it has to be as `kubectl config view --raw --minify --flatten` prints one";
  const std::vector<Row> rows = {
      {"hello", {"one mapping is expected", as_kubectl}},
      {"{a: [", {"line 1", as_kubectl}},
      {"apiVersion: v1", {"current-context is missing", "name a context"}},
      {"current-context: m", {"there is no context \"m\"", "add it to contexts"}},
      {kubeconfig(""), {"cluster \"c\": server is missing", "give the API server's https:// URL"}},
      {kubeconfig("server: 'https://h', certificate-authority-data: '%'"),
       {"certificate-authority-data: not base64", "put there what `base64 -w0` prints"}},
      {kubeconfig("server: 'https://h'", "client-key: k"),
       {"client-key without client-certificate", "name both"}},
      {kubeconfig("server: 'https://h'", "username: a, password: b"),
       {"not supported", "use a client certificate, token, tokenFile or exec"}},
      {kubeconfig("server: 'https://h', insecure-skip-tls-verify: true"),
       {"trusts no server that it cannot verify", "name its certificate-authority"}},
  };
  for (const char* program : {test::kAgent, test::kScheduler}) {
    for (const Row& row : rows) {
      put("kubeconfig", row.text);
      EXPECT_EQ(end_of(start(program, {"--kubeconfig=" + path("kubeconfig")})), 78) << row.text;
      expect_told(row.says);
      expect_told({"kubeconfig: " + path("kubeconfig") + ": "});
    }
  }
  expect_on_page("the line in the journal names file, line, key and remedy");
}

TEST_F(Faults, AMissingKubeconfigIsNamedWithTheRemedy) {
  for (const char* program : {test::kAgent, test::kScheduler}) {
    EXPECT_EQ(end_of(start(program, {"--kubeconfig=" + path("none")})), 78);
    expect_told({"kubeconfig: read " + path("none") + ": no such file or directory: create it"});
    EXPECT_EQ(end_of(start(program, {})), 78);
    expect_told({"not in a cluster (KUBERNETES_SERVICE_HOST is not set); give --kubeconfig"});
  }
  expect_on_page("no such file or directory: create it");
}

TEST_F(Faults, FilesThatMayNotBeReadOrWrittenAreNamedWithTheRemedy) {
  put("kubeconfig", kNowhere);
  put("secret", kNowhere);
  fs::permissions(path("secret"), fs::perms(0));
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), fs::perms(0500));
  const std::string good = "--kubeconfig=" + path("kubeconfig");
  const std::string access = ": permission denied: give this user access to it";
  for (const char* program : {test::kAgent, test::kScheduler}) {
    EXPECT_EQ(end_of(start(program, {"--kubeconfig=" + path("secret")}, true)), 78);
    expect_told({"kubeconfig: read " + path("secret") + access});
    EXPECT_EQ(end_of(start(program, {good, "--config=" + path("secret")}, true)), 78);
    expect_told({path("secret") + access});
    EXPECT_EQ(end_of(start(program, {good, "--record=" + path("closed/r")}, true)), 78);
    expect_told({"record: ", path("closed/r") + access, ": name another file"});
  }
  const PodText authority = {good, "--mode=authority", "--kubelet-healthz="};
  const auto with = [&](const std::string& more) {
    PodText all = authority;
    all.push_back(more);
    return all;
  };
  EXPECT_EQ(end_of(start(test::kAgent, with("--state-dir=" + path("closed/state")), true)), 78);
  expect_told({"state directory " + path("closed/state") + ": it cannot be made: Permission denied",
               "make it a directory of the user that elbowroomd runs as, or set stateDir"});
  EXPECT_EQ(end_of(start(test::kAgent, with("--state-dir=" + path("kubeconfig")), true)), 78);
  expect_told({"it cannot be opened", "or set stateDir"});
  expect_on_page("permission denied: give this user access to it");
  expect_on_page("make it a directory of the user that elbowroomd runs as");
}

TEST_F(Faults, AFolderWithoutControlGroupsIsNamedWithTheRemedy) {
  put("kubeconfig", kNowhere);
  fs::create_directory(path("state"));
  fs::permissions(path("state"), fs::perms::owner_all);
  for (const auto& [root, says] :
       {std::pair{path("none"),
                  "mount the control groups there, or set cgroupRoot to where they are"},
        std::pair{path("state"), "mount one, or set cgroupRoot to where they are"}}) {
    EXPECT_EQ(end_of(start(test::kAgent, {"--kubeconfig=" + path("kubeconfig"), "--mode=authority",
                                          "--kubelet-healthz=", "--state-dir=" + path("state"),
                                          "--cgroup-root=" + root})),
              78);
    expect_told({"cgroup root " + root, says});
  }
  expect_on_page("or set cgroupRoot to where they are");
}

// ---- unusable servers ----

class BadServer : public Faults {
 protected:
  // Runs both programs, one after the other, until each has reported it.
  void expect_told_of(const std::string& text, const PodText& says) {
    put("kubeconfig", text);
    for (const char* program : {test::kAgent, test::kScheduler}) {
      PodText arguments = {"--kubeconfig=" + path("kubeconfig")};
      if (program == std::string(test::kAgent)) arguments.emplace_back("--node-name=node-1");
      const DaemonProcess process = start(program, arguments);
      expect_told(says);
    }
  }
  [[nodiscard]] std::unique_ptr<api::Loopback> serve(const api::Issued& identity,
                                                     X509_STORE* clients = nullptr) {
    auto http = std::make_unique<httplib::SSLServer>(identity.certificate.get(), identity.key.get(),
                                                     clients);
    return std::make_unique<api::Loopback>(std::move(http), "https", [](httplib::Server& server) {
      server.Get("/.*", [](const auto&, httplib::Response& out) { out.status = 401; });
    });
  }
  [[nodiscard]] std::string at(const api::Loopback& server, const std::string& user = "token: t") {
    return kubeconfig("server: 'https://127.0.0.1:" + std::to_string(server.port()) +
                          "', certificate-authority-data: " + api::encode_base64(ours_.pem()),
                      user);
  }

  api::Authority ours_{"ours"};
};

TEST_F(BadServer, NobodyThere) {
  expect_told_of(kNowhere, {"127.0.0.1 port 1",
                            "see that the API server runs, and that 127.0.0.1 port 1 is where"});
  expect_on_page("see that the API server runs");
  expect_told_of(kubeconfig("server: 'https://nobody.invalid:6443'"),
                 {"resolve host", "mend the server in the kubeconfig, or this machine's DNS"});
  expect_on_page("mend the server in the kubeconfig, or this machine's DNS");
}

TEST_F(BadServer, ItsCertificateHasExpired) {
  const auto server = serve(ours_.issue("api", "IP:127.0.0.1", {-7200, -3600}));
  expect_told_of(at(*server), {"certificate has expired", "renew the server's certificate"});
  expect_on_page("renew the server's certificate");
}

TEST_F(BadServer, ItsCertificateIsNobodysWeKnow) {
  const auto server = serve(api::Authority("theirs").issue("api", "IP:127.0.0.1"));
  expect_told_of(at(*server), {"vouches for the server",
                               "put the certificate of the cluster's authority there"});
  expect_on_page("put the certificate of the cluster's authority there");
}

TEST_F(BadServer, OurCertificateHasExpired) {
  const auto server = serve(ours_.issue("api", "IP:127.0.0.1"));
  const api::Issued old = ours_.issue("me", "DNS:me", {-7200, -3600});
  expect_told_of(
      at(*server, "client-certificate-data: " + api::encode_base64(old.certificate_pem()) +
                      ", client-key-data: " + api::encode_base64(old.key_pem())),
      {"client-certificate-data of the kubeconfig expired at 2",
       "renew it, or set this machine's clock if that is ahead"});
  expect_on_page("renew it, or set this machine's clock if that is ahead");
}

TEST_F(BadServer, OurTokenIsNotTaken) {
  const auto server = serve(ours_.issue("api", "IP:127.0.0.1"));
  expect_told_of(at(*server), {"401 Unauthorized", "does not take the credentials",
                               "put new ones into the kubeconfig"});
  expect_on_page("does not take the credentials");
}

TEST_F(BadServer, IsTooOld) {
  const auto list = [](const std::string& kind) {
    return R"({"kind":")" + kind +
           R"(List","apiVersion":"v1","metadata":{"resourceVersion":"1"},)" + R"("items":[]})";
  };
  const auto bookmark = [](const std::string& kind) {
    return R"({"type":"BOOKMARK","object":{"apiVersion":"v1","kind":")" + kind +
           R"(","metadata":{"resourceVersion":"2"}}})" + "\n";
  };
  const api::Loopback server([&](httplib::Server& http) {
    http.Get("/version", [](const auto&, httplib::Response& out) {
      out.set_content(R"({"major":"1","minor":"31+","gitVersion":"v1.31.9-x"})",
                      "application/json");
    });
    http.Get("/api/v1/(nodes|pods)", [&](const httplib::Request& asked, httplib::Response& out) {
      const std::string kind = asked.path.ends_with("nodes") ? "Node" : "Pod";
      out.set_content(asked.has_param("watch") ? bookmark(kind) : list(kind), "application/json");
    });
  });
  expect_told_of(kubeconfig("server: 'http://127.0.0.1:" + std::to_string(server.port()) + "'"),
                 {"Kubernetes v1.31.9-x is too old: pods are resized in place from 1.33 on",
                  "upgrade the control plane to 1.33 or later"});
  expect_on_page("upgrade the control plane to 1.33 or later");
}

// ---- the machine of an agent in authority mode ----

class Machine : public Faults {
 protected:
  Machine() {
    auto cluster = lab::Cluster::start(
        {.agents = false, .companion = false, .folder = folder_.path(), .complain = {}});
    EXPECT_TRUE(cluster) << cluster.error().message;
    cluster_ = *std::move(cluster);
    EXPECT_TRUE(comes_true([&] { return cluster_->is_ready(); }, kPatience));
    put("kubeconfig", cluster_->api().kubeconfig());
    lab::Json pod = lab::testing::pod_object("web", "node-1");
    pod["metadata"]["namespace"] = "default";
    const auto made = cluster_->api().with_world([&](lab::World& w) { return w.load(pod); });
    EXPECT_EQ(lab::testing::message_of(made), "");
    EXPECT_TRUE(comes_true([&] { return phase() == "Running"; }, kPatience));
    fs::create_directory(path("state"));
    fs::permissions(path("state"), fs::perms::owner_all);
  }

  std::string phase() {
    const auto pod = cluster_->api().with_world(
        [&](lab::World& world) { return world.get(lab::testing::pod_target("web")); });
    return pod ? lab::text_at(*pod, {"status", "phase"}) : "";
  }
  [[nodiscard]] DaemonProcess start_agent(const PodText& more, bool by_nobody = false) {
    const uid_t owner = by_nobody ? kNobody : 0;
    EXPECT_TRUE(::geteuid() != 0 || ::chown(path("state").c_str(), owner, owner) == 0);
    PodText arguments = {"--kubeconfig=" + path("kubeconfig"), "--mode=authority",
                         "--kubelet-healthz=", "--cgroup-root=" + cluster_->cgroup_root(0).string(),
                         "--state-dir=" + path("state")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto unless_given = [&](const std::string& flag, const std::string& value) {
      const auto is_it = [&](const std::string& each) { return each.starts_with(flag); };
      if (std::ranges::none_of(more, is_it)) arguments.push_back(flag + value);
    };
    unless_given("--node-name=", "node-1");
    unless_given("--runtime-endpoint=", cluster_->runtime(0).endpoint());
    return start(test::kAgent, arguments, by_nobody);
  }
  void expect_well_again() { expect_told({"a part works again\" reason=runtime"}); }

  std::unique_ptr<lab::Cluster> cluster_;
};

TEST_F(Machine, WithoutARuntimesSocket) {
  const DaemonProcess agent = start_agent({"--runtime-endpoint=unix://" + path("cri.sock")});
  expect_told({path("cri.sock") + ": No such file or directory",
               "start the runtime, or name its socket (runtimeEndpoint)",
               "its folder was made anew after this program started: restart this program"});
  expect_on_page("its folder was made anew after this program started");
  // The socket appears, disappears, and is made again.
  const std::string socket = cluster_->runtime(0).endpoint().substr(std::string("unix://").size());
  fs::create_symlink(socket, path("cri.sock"));
  expect_well_again();
}

TEST_F(Machine, WithARuntimeThatGoesAndMakesItsSocketAnew) {
  const DaemonProcess agent = start_agent({});
  expect_told({"started in mode authority"});
  cluster_->runtime(0).stop();
  expect_told({"a part does not work\" reason=runtime", "start the runtime, or name"});
  ASSERT_TRUE(cluster_->runtime(0).start());
  expect_well_again();
}

TEST_F(Machine, WithASocketThatItMayNotOpen) {
  const std::string socket = cluster_->runtime(0).endpoint().substr(std::string("unix://").size());
  fs::permissions(socket, fs::perms(0));
  const DaemonProcess agent = start_agent({}, true);
  expect_told({"Permission denied",
               "run this program by its unit, or give its user access to that "
               "socket"});
  expect_on_page("run this program by its unit, or give its user access to that socket");
  fs::permissions(socket, fs::perms(0777));
  expect_well_again();
}

TEST_F(Machine, WithControlGroupsThatItMayNotRead) {
  const std::string socket = cluster_->runtime(0).endpoint().substr(std::string("unix://").size());
  fs::permissions(socket, fs::perms(0777));
  std::vector<fs::path> closed;
  for (const auto& each : fs::recursive_directory_iterator(cluster_->cgroup_root(0))) {
    if (each.is_directory() && each.path().filename() == "kubepods") closed.push_back(each.path());
  }
  ASSERT_FALSE(closed.empty());
  for (const fs::path& each : closed) fs::permissions(each, fs::perms(0));
  const DaemonProcess agent = start_agent({}, true);
  expect_told({"open cgroup /kubepods", "Permission denied",
               "run this program by its unit, which has the right to, or as root"});
  expect_on_page("run this program by its unit, which has the right to, or as root");
  for (const fs::path& each : closed) fs::permissions(each, fs::perms(0755));
  expect_well_again();
}

TEST_F(Machine, WithAnotherCgroupDriverThanTheRuntimes) {
  const DaemonProcess agent = start_agent({"--cgroup-driver=systemd"});
  expect_told({"cgroupDriver is systemd, and the runtime's is cgroupfs",
               "leave cgroupDriver out (auto), or set it to cgroupfs"});
  expect_on_page("leave cgroupDriver out (auto)");
}

TEST_F(Machine, WithoutANodeOfItsName) {
  const DaemonProcess agent = start_agent({"--node-name=node-7"});
  expect_told({"there is no Node node-7",
               "set nodeName to the one that `kubectl get nodes` shows for this machine"});
  expect_on_page("set nodeName to the one that `kubectl get nodes` shows");
}

TEST_F(Machine, WhereAnotherAgentHasTheState) {
  const DaemonProcess first = start_agent({});
  expect_told({"started in mode authority"});
  EXPECT_EQ(end_of(start_agent({})), 75);
  expect_told({"another agent uses it", "stop that one, or set stateDir to another directory"});
  expect_on_page("another agent uses it");
}

}  // namespace
}  // namespace elbowroom::test
