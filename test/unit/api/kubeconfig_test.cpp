#include "api/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "temporary_folder.h"

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
  for (const std::string user :
       {"exec: {command: aws}", "auth-provider: {name: oidc}", "username: a, password: b",
        "as: root", "as-groups: ['system:masters']", "token: t, as-uid: '1'",
        "as-user-extra: {a: [b]}"}) {
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

TEST(Kubeconfig, ErrorsHoldNoSecret) {
  for (const std::string user :
       {"token: hush-hush, exec: {}", "token: [hush-hush]", "tokenFile: {hush-hush: 1}",
        "client-key-data: hush-hush", "password: hush-hush"}) {
    EXPECT_THAT(error_in(kubeconfig(kServer, user)), testing::Not(HasSubstr("hush"))) << user;
  }
}

TEST(Kubeconfig, InAClusterTheServiceAccountCounts) {
  const TemporaryFolder folder;
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

TEST(Kubeconfig, PeopleHaveAListOfFilesSomeMissing) {
  const TemporaryFolder folder;
  const std::string file = folder.write("kc", kubeconfig(kServer, "token: t"));
  const std::string list = folder.path("missing") + "::" + file;
  EXPECT_EQ(error_of(user_access("", {.kubeconfig = list})), "no error");
  EXPECT_EQ(error_of(user_access(file, {})), "no error");
  EXPECT_THAT(error_of(user_access(folder.path("missing"), {.kubeconfig = list})),
              HasSubstr("kubeconfig: " + folder.path("missing") + ": No such file"));
  EXPECT_THAT(error_of(user_access("", {.home = folder.path("home")})),
              HasSubstr("no kubeconfig at " + folder.path("home/.kube/config")));
  EXPECT_THAT(error_of(user_access("", {.kubeconfig = folder.path("")})),
              HasSubstr("no regular file"));
}

}  // namespace
}  // namespace elbowroom::api
