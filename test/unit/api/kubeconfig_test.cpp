#include "api/transport/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "test/temporary_folder.h"

namespace elbowroom::api {
namespace {

using testing::HasSubstr;

// One cluster, one user and a context of both; each argument is the inside of a flow mapping.
std::string kubeconfig(const std::string& cluster, const std::string& user,
                       const std::string& context = "") {
  return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
         "contexts: [{name: main, context: {cluster: c, user: u" +
         context + "}}]\nclusters: [{name: c, cluster: {" + cluster +
         "}}]\nusers: [{name: u, user: {" + user + "}}]\n";
}

std::string error_of(const Result<Access>& access) {
  return access ? "no error" : access.error().message;
}
std::string error_in(const std::string& text) {
  return error_of(access_from({{"/etc/e/kc", text}}));
}

constexpr auto kServer = "server: 'https://h:6443/p'";

TEST(Kubeconfig, PathsStartAtTheFileThatNamesThem) {
  const auto access = access_from(
      {{"/etc/e/kc",
        kubeconfig("server: 'https://h:6443/p', certificate-authority: ca.crt, tls-server-name: n, "
                   "proxy-url: 'http://p'",
                   "client-certificate: /abs/c.pem, client-key: ../k.pem, token: t, tokenFile: tf",
                   ", namespace: ns")}});
  ASSERT_TRUE(access) << access.error().message;
  Access expected;
  expected.server = {"https", "h", 6443, "/p"};
  expected.authority_file = "/etc/e/ca.crt";
  expected.tls_server_name = "n";
  expected.proxy_url = "http://p";
  expected.certificate_file = "/abs/c.pem";
  expected.key_file = "/etc/e/../k.pem";
  expected.token = "t";
  expected.token_file = "/etc/e/tf";
  expected.ns = "ns";
  EXPECT_EQ(*access, expected);
}

TEST(Kubeconfig, InlineDataIsDecoded) {
  // "-----BEGIN X-----\n" and "-----BEGIN Y-----\n"
  const auto access =
      access_from({{"kc", kubeconfig("server: 'https://h', certificate-authority-data: "
                                     "LS0tLS1CRUdJTiBYLS0tLS0K",
                                     "client-certificate-data: LS0tLS1CRUdJTiBYLS0tLS0K, "
                                     "client-key-data: LS0tLS1CRUdJTiBZLS0tLS0K")}});
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->authority_pem, "-----BEGIN X-----\n");
  EXPECT_EQ(access->certificate_pem, "-----BEGIN X-----\n");
  EXPECT_EQ(access->key_pem, "-----BEGIN Y-----\n");
}

TEST(Kubeconfig, OfSeveralFilesTheFirstDefinitionCounts) {
  const std::string first =
      "current-context: x\nusers: [{name: u, user: {token: one, tokenFile: f}}]\n";
  const std::string second =
      "current-context: y\n"
      "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
      "clusters: [{name: c, cluster: {server: 'https://second', certificate-authority: ca}}]\n"
      "users: [{name: u, user: {token: two}}]\n";
  const auto access = access_from({{"/a/kc", first}, {"/b/kc", second}});
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server.host, "second");
  EXPECT_EQ(access->token, "one");
  EXPECT_EQ(access->token_file, "/a/f");
  EXPECT_EQ(access->authority_file, "/b/ca");
  EXPECT_EQ(error_of(access_from({{"/a/kc", first}, {"/b/kc", second}}, "y")),
            "/a/kc: there is no context \"y\"; add it to contexts");
}

TEST(Kubeconfig, WhatIsNotSupportedIsRefusedByName) {
  for (const std::string user : {"auth-provider: {name: oidc}", "username: a, password: b"}) {
    const std::string message = error_in(kubeconfig(kServer, user));
    EXPECT_THAT(message, HasSubstr("/etc/e/kc: user \"u\": ")) << user;
    EXPECT_THAT(message, HasSubstr("not supported; use a client certificate, token")) << user;
  }
  EXPECT_EQ(error_in(kubeconfig(kServer, "exec: null, username: ''")), "no error");
}

TEST(Kubeconfig, WhatIsWrongIsNamed) {
  const std::string cluster = "/etc/e/kc: cluster \"c\": ";
  const std::string user = "/etc/e/kc: user \"u\": ";
  struct Row {
    std::string text, message;
  };
  for (const Row& row : {
           Row{kubeconfig("", ""), cluster + "server is missing"},
           Row{kubeconfig("server: 7", ""), cluster + "server"},
           Row{kubeconfig("server: [1]", ""), cluster + "server"},
           Row{kubeconfig("server: ftp://h", ""),
               cluster + "server: server URL: it does not begin with https://"},
           Row{kubeconfig("server: 'https://h', insecure-skip-tls-verify: true, "
                          "certificate-authority: a",
                          ""),
               cluster + "insecure-skip-tls-verify together with a certificate authority"},
           Row{kubeconfig("server: 'https://h', insecure-skip-tls-verify: maybe", ""), cluster},
           Row{kubeconfig("server: 'https://h', certificate-authority-data: '%'", ""),
               cluster + "certificate-authority-data: not base64"},
           Row{kubeconfig("server: 'https://h', certificate-authority-data: Zm9v", ""),
               cluster + "certificate-authority-data: there is no PEM block in it"},
           Row{kubeconfig(kServer, "client-key: k"),
               user + "client-key without client-certificate"},
           Row{kubeconfig(kServer, "client-certificate: k"),
               user + "client-certificate without client-key"},
           Row{"{", "/etc/e/kc: line "},
           Row{"- a\n", "/etc/e/kc: no kubeconfig: one mapping is expected"},
           Row{"", "kubeconfig: current-context is missing"},
           Row{"a: b", "/etc/e/kc: current-context is missing"},
           Row{"current-context: x", "/etc/e/kc: there is no context \"x\""},
           Row{"current-context: x\ncontexts: 7", "/etc/e/kc: there is no context \"x\""},
           Row{"current-context: x\ncontexts: [{name: x}]", "there is no cluster \"\""},
       }) {
    EXPECT_THAT(error_in(row.text), HasSubstr(row.message)) << row.text;
  }
}

// A user with a credential program; `rest` holds the other keys of exec.
std::string exec_user(const std::string& rest) {
  return "exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never" + rest + "}";
}

TEST(Kubeconfig, ACredentialProgramIsTakenWhole) {
  const auto access = access_from(
      {{"/etc/e/kc",
        kubeconfig("server: 'https://h', extensions: [{name: other, extension: 1}, "
                   "{name: client.authentication.k8s.io/exec, extension: {audience: a}}]",
                   exec_user(", command: bin/aws, args: [eks, 'get token'], provideClusterInfo: "
                             "true, env: [{name: A, value: b}], installHint: take it"))}});
  ASSERT_TRUE(access) << access.error().message;
  ExecPlugin expected;
  expected.api_version = "client.authentication.k8s.io/v1";
  expected.command = "/etc/e/bin/aws";
  expected.arguments = {"eks", "get token"};
  expected.environment = {{"A", "b"}};
  expected.gets_cluster = true;
  expected.cluster_config = R"({"audience":"a"})";
  expected.interactive = ExecPlugin::Interactive::Never;
  expected.install_hint = "take it";
  EXPECT_EQ(access->exec, expected);

  const auto beta = access_from(
      {{"/etc/e/kc",
        kubeconfig(kServer,
                   "exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}")}});
  ASSERT_TRUE(beta) << beta.error().message;
  EXPECT_EQ(beta->exec->command, "aws") << "to be found in PATH";
  EXPECT_EQ(beta->exec->interactive, ExecPlugin::Interactive::IfAvailable);
}

TEST(Kubeconfig, AWrongCredentialProgramIsNamed) {
  const std::string user = "/etc/e/kc: user \"u\": exec";
  struct Row {
    std::string exec, message;
  };
  for (const Row& row : {
           Row{"exec: aws", user},
           Row{"exec: {command: aws}", user + ".apiVersion: must be client.authentication"},
           Row{"exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: aws}",
               user + ".apiVersion: must be client.authentication"},
           Row{exec_user(""), user + ".command: is missing"},
           Row{exec_user(", command: [a]"), user + ".command"},
           Row{exec_user(", command: a, args: b"), user + ".args"},
           Row{exec_user(", command: a, env: [{value: b}]"),
               user + ".env[0].name: is no name of an environment variable"},
           Row{exec_user(", command: a, env: [{name: 'x=y'}]"), user + ".env[0].name"},
           Row{exec_user(", command: a, provideClusterInfo: maybe"), user + ".provideClusterInfo"},
           Row{"exec: {apiVersion: client.authentication.k8s.io/v1, command: a}",
               user + ".interactiveMode: must be Never, IfAvailable or Always"},
           Row{"exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: a, "
               "interactiveMode: Sometimes}",
               user + ".interactiveMode: must be"},
       }) {
    EXPECT_THAT(error_in(kubeconfig(kServer, row.exec)), HasSubstr(row.message)) << row.exec;
  }
}

TEST(Kubeconfig, ImpersonationIsTakenWhole) {
  const auto access =
      access_from({{"kc", kubeconfig(kServer,
                                     "token: t, as: root, as-uid: '1', as-groups: [a, b], "
                                     "as-user-extra: {scopes: [x, y]}")}});
  ASSERT_TRUE(access) << access.error().message;
  const Impersonation expected{.user = "root",
                               .uid = "1",
                               .groups = {"a", "b"},
                               .extra = {{"scopes", "x"}, {"scopes", "y"}}};
  EXPECT_EQ(access->impersonation, expected);
  EXPECT_THAT(error_in(kubeconfig(kServer, "as-groups: ['system:masters']")),
              HasSubstr("as-user-extra need as: name the user"));
  for (const std::string user :
       {R"(as: "a\nb")", R"(as: a, as-groups: ["a\r\nHost: x"])", R"(as: a, as-uid: "\u0001")",
        R"(as: a, as-user-extra: {k: ["\n"]})"}) {
    EXPECT_THAT(error_in(kubeconfig(kServer, user)), HasSubstr("control character")) << user;
  }
}

TEST(Kubeconfig, ADaemonTakesNothingThatNeedsAPerson) {
  const test::TemporaryFolder folder;
  struct Row {
    std::string cluster, user, message;
  };
  const std::string https = "server: 'https://h'";
  for (const Row& row : {
           Row{https + ", insecure-skip-tls-verify: true", "token: t",
               "insecure-skip-tls-verify: a daemon trusts no server that it cannot verify"},
           Row{https, "token: t, as: root", "as: a daemon acts in its own name"},
           Row{https,
               "exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: "
               "Always}",
               "exec: interactiveMode Always: there is nobody to answer"},
       }) {
    const std::string file = folder.write("kc", kubeconfig(row.cluster, row.user));
    EXPECT_THAT(error_of(daemon_access(file, {})), HasSubstr(file + ": " + row.message));
    EXPECT_EQ(error_of(user_access(file, {})), "no error");
  }
  const std::string file = folder.write("kc", kubeconfig(https, exec_user(", command: a")));
  EXPECT_EQ(error_of(daemon_access(file, {})), "no error");
}

TEST(Kubeconfig, ErrorsHoldNoSecret) {
  for (const std::string user :
       {"token: hush-hush, exec: {}", "token: [hush-hush]", "tokenFile: {hush-hush: 1}",
        "client-key-data: hush-hush", "password: hush-hush",
        "exec: {env: [{name: PASSWORD, value: hush-hush}]}"}) {
    EXPECT_THAT(error_in(kubeconfig(kServer, user)), testing::Not(HasSubstr("hush"))) << user;
  }
}

TEST(Kubeconfig, InAClusterTheServiceAccountCounts) {
  const test::TemporaryFolder folder;
  folder.write("namespace", "kube-system\n");
  ApiEnvironment environment{"", "", "fd00::1", "443", folder.path("")};
  const auto access = daemon_access("", environment);
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(to_string(access->server), "https://[fd00::1]:443");
  EXPECT_EQ(access->ns, "kube-system");
  EXPECT_THAT(access->token_file, testing::EndsWith("/token"));
  EXPECT_THAT(access->authority_file, testing::EndsWith("/ca.crt"));

  const auto nowhere = daemon_access("", {});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Code::NotFound);
  EXPECT_THAT(nowhere.error().message, HasSubstr("give --kubeconfig"));
}

TEST(Kubeconfig, TheEnvironmentsProxyCountsWhereNoneIsNamed) {
  const test::TemporaryFolder folder;
  ApiEnvironment environment{"", "", "10.0.0.1", "443", folder.path("")};
  environment.proxies = {.https = "http://me:hush@p:1", .none = "10.0.0.0/8"};
  EXPECT_EQ(daemon_access("", environment)->proxy_url, "") << "NO_PROXY";
  const std::string plain = folder.write("plain", kubeconfig(kServer, "token: t"));
  EXPECT_EQ(daemon_access(plain, environment)->proxy_url, "http://me:hush@p:1");
  const std::string own =
      folder.write("own", kubeconfig("server: 'https://h', proxy-url: 'socks5://q'", "token: t"));
  EXPECT_EQ(user_access(own, environment)->proxy_url, "socks5h://q");
  EXPECT_THAT(error_in(kubeconfig("server: 'https://h', proxy-url: 'ftp://me:hush@q'", "")),
              HasSubstr("cluster \"c\": proxy-url: proxy: neither http, https nor socks5"));
}

TEST(Kubeconfig, PeopleHaveAListOfFilesSomeMissing) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("kc", kubeconfig(kServer, "token: t"));
  const std::string list = folder.path("missing") + "::" + file;
  EXPECT_EQ(error_of(user_access("", {.kubeconfig = list})), "no error");
  EXPECT_EQ(error_of(user_access(file, {})), "no error");
  EXPECT_THAT(error_of(user_access(folder.path("missing"), {.kubeconfig = list})),
              HasSubstr("kubeconfig: read " + folder.path("missing") +
                        ": no such file or directory: create it"));
  EXPECT_THAT(error_of(user_access("", {.home = folder.path("home")})),
              HasSubstr("no kubeconfig at " + folder.path("home/.kube/config")));
  EXPECT_THAT(error_of(user_access("", {.kubeconfig = folder.path("")})),
              HasSubstr("no regular file"));
}

}  // namespace
}  // namespace elbowroom::api
