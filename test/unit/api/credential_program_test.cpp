#include "api/transport/credential_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <string>

#include "api/transport/credentials.h"
#include "test/temporary_folder.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kVersion = "client.authentication.k8s.io/v1";

std::string answer_with(const std::string& status) {
  return R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": )" +
         status + "}";
}

class CredentialProgramTest : public testing::Test {
 protected:
  // The program is this shell script; each run adds a line to the file "runs".
  CredentialProgram program(const std::string& script) {
    const std::string path =
        folder_.write("program", "#!/bin/sh\necho run >> " + folder_.path("runs") + "\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    access_.exec->command = path;
    return CredentialProgram(access_);
  }
  // As the program runs; "" until there is an answer.
  std::string answer(CredentialProgram& of) {
    const auto deadline = Clock::now() + 20s;
    while (!of.advance(now_, wall_)) {
      if (Clock::now() > deadline) return "no answer";
      std::array<pollfd, 3> ready{};
      for (std::size_t i = 0; i < ready.size(); ++i) {
        ready[i] = {.fd = of.descriptors()[i], .events = POLLIN, .revents = 0};
      }
      ::poll(ready.data(), ready.size(), 1000);
    }
    const auto& credential = of.credential();
    return credential ? credential->token + credential->certificate + credential->key
                      : std::string(to_string(credential.error().code)) + ": " +
                            credential.error().message;
  }
  std::string answer_of(const std::string& script) {
    CredentialProgram of = program(script);
    return answer(of);
  }
  std::size_t runs() const {
    std::ifstream file(folder_.path("runs"));
    return static_cast<std::size_t>(
        std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n'));
  }
  void pass(std::chrono::seconds time) {
    now_ += time;
    wall_ += time;
  }

  test::TemporaryFolder folder_;
  Access access_ = [] {
    Access access;
    access.server = {"https", "h", 6443, ""};
    access.exec = ExecPlugin{.api_version = std::string(kVersion)};
    return access;
  }();
  Clock::time_point now_{1h};
  policy::Time wall_{std::chrono::sys_days(std::chrono::year(2026) / 7 / 24)};
};

TEST_F(CredentialProgramTest, ItsAnswerIsKeptUntilItExpires) {
  CredentialProgram of = program("echo '" + answer_with(R"({"token": "one", "expirationTimestamp":
                                 "2026-07-24T00:10:00Z"})") +
                                 "'");
  EXPECT_EQ(answer(of), "one");
  pass(599s);
  EXPECT_EQ(answer(of), "one");
  EXPECT_EQ(runs(), 1U);
  pass(1s);
  EXPECT_EQ(answer(of), "one");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(CredentialProgramTest, AnAnswerThatHasExpiredAtOnceMakesNoLoop) {
  CredentialProgram of = program("echo '" + answer_with(R"({"token": "one", "expirationTimestamp":
                                 "2020-01-01T00:00:00Z"})") +
                                 "'");
  EXPECT_EQ(answer(of), "one");
  EXPECT_EQ(answer(of), "one");
  EXPECT_EQ(runs(), 1U);
  pass(5s);
  EXPECT_EQ(answer(of), "one");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(CredentialProgramTest, ARefusedAnswerIsAskedForAgainOnce) {
  CredentialProgram of =
      program("echo '" + answer_with(R"({"token": "t"})") + R"(' | sed "s/\"t\"/\"$(wc -l < )" +
              folder_.path("runs") + ")\\\"/\"");
  EXPECT_EQ(answer(of), "1");
  EXPECT_FALSE(of.renew("1", now_)) << "it is brand new: the server does not like it";
  pass(5s);
  EXPECT_TRUE(of.renew("1", now_));
  EXPECT_TRUE(of.renew("1", now_)) << "another request with the same";
  EXPECT_EQ(answer(of), "2");
  EXPECT_TRUE(of.renew("1", now_)) << "there is another one already";
  EXPECT_EQ(answer(of), "2");
  EXPECT_EQ(runs(), 2U);
}

TEST_F(CredentialProgramTest, ACertificateIsAnAnswerToo) {
  EXPECT_EQ(answer_of("echo '" +
                      answer_with(R"({"clientCertificateData": "C", "clientKeyData": "K"})") + "'"),
            "CK");
}

TEST_F(CredentialProgramTest, ItKnowsTheClusterWhereItIsToldTo) {
  access_.exec->gets_cluster = true;
  access_.exec->cluster_config = R"({"audience":"a"})";
  access_.exec->environment = {{"EXTRA", "from kubeconfig"}};
  access_.authority_file = folder_.write("ca.crt", "PEM!");
  access_.tls_server_name = "n";
  const std::string seen = folder_.path("seen");
  answer_of("printf '%s %s' \"$EXTRA\" \"$KUBERNETES_EXEC_INFO\" > " + seen);
  std::ifstream file(seen);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, R"(from kubeconfig {"apiVersion":"client.authentication.k8s.io/v1",)"
                  R"("kind":"ExecCredential","spec":{"interactive":false,"cluster":{)"
                  R"("server":"https://h:6443","tls-server-name":"n",)"
                  R"("certificate-authority-data":"UEVNIQ==","config":{"audience":"a"}}}})");
}

TEST_F(CredentialProgramTest, ItDoesNotSpeakToTheServiceManagerForUs) {
  ::setenv("NOTIFY_SOCKET", "/nowhere", 1);
  const std::string seen = folder_.path("seen");
  answer_of("printf '[%s]' \"$NOTIFY_SOCKET\" > " + seen);
  ::unsetenv("NOTIFY_SOCKET");
  std::ifstream file(seen);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, "[]");
}

TEST_F(CredentialProgramTest, WhyItFailedIsSaid) {
  struct Row {
    std::string script, message;
  };
  for (const Row& row : {
           Row{"echo 'SSO session expired' >&2; exit 255",
               "Unavailable: credential program " + folder_.path("program") +
                   ": exit status 255; run it by hand to see why"},
           Row{"exit 7", "program: exit status 7"},
           Row{"kill -9 $$", "it was ended by signal 9"},
           Row{"yes", "Denied: credential program " + folder_.path("program") +
                          ": it wrote more than 1 MiB and was killed"},
           Row{"echo hello", "its output is no JSON object"},
           Row{"echo '[1]'", "its output is no ExecCredential"},
           Row{R"(echo '{"kind": "ExecCredential", "apiVersion": "v9"}')",
               "its output is not of apiVersion client.authentication.k8s.io/v1, as the"},
           Row{"echo '" + answer_with("{}") + "'", "neither a token nor a client certificate"},
           Row{"echo '" + answer_with(R"({"token": 7})") + "'", "a status of another form"},
           Row{"echo '" + answer_with(R"({"token": "a b"})") + "'", "spaces or control characters"},
           Row{"echo '" + answer_with(R"({"token": "t", "clientKeyData": "K"})") + "'",
               "only one of clientCertificateData and clientKeyData"},
           Row{"echo '" + answer_with(R"({"token": "t", "expirationTimestamp": "soon"})") + "'",
               "a status of another form"},
       }) {
    EXPECT_THAT(answer_of(row.script), HasSubstr(row.message)) << row.script;
  }
}

TEST_F(CredentialProgramTest, AMissingProgramComesWithTheHint) {
  access_.exec->command = "/nowhere/aws";
  access_.exec->install_hint = "get it\nfrom example.com";
  CredentialProgram of(access_);
  EXPECT_EQ(answer(of),
            "Denied: credential program /nowhere/aws: No such file or directory; get it\\x0afrom "
            "example.com");
}

TEST_F(CredentialProgramTest, FailuresHoldNoSecret) {
  access_.exec->environment = {{"PASSWORD", "hush-1"}};
  const std::string token = "hush-2-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.bbbbb";
  for (const std::string& script : std::vector<std::string>{
           "echo \"login with $PASSWORD failed\" >&2; exit 1", "echo 'password=hush-5' >&2; exit 1",
           "echo 'password=hush-5' >&2; kill -9 $$", "echo 'password=hush-5' >&2; echo hello",
           "echo 'bad token: " + token + "' >&2; exit 1", "echo '{\"" + token + "\": '",
           "echo '" + answer_with("{\"token\": [\"" + token + "\"]}") + "'",
           "echo '" + answer_with("{\"clientKeyData\": \"hush-3\"}") + "'",
           "echo '{\"kind\": \"hush-4\", \"apiVersion\": \"hush-4\"}'"}) {
    EXPECT_THAT(answer_of(script), Not(HasSubstr("hush"))) << script;
  }
}

TEST_F(CredentialProgramTest, AfterAFailureItWaitsLongerEachTime) {
  CredentialProgram of = program("exit 1");
  EXPECT_FALSE(of.problem()) << "it has not run";
  EXPECT_THAT(answer(of), HasSubstr("exit status 1"));
  EXPECT_THAT(answer(of), HasSubstr("exit status 1"));
  EXPECT_EQ(runs(), 1U);
  pass(5s);
  answer(of);
  EXPECT_EQ(runs(), 2U);
  pass(5s);
  answer(of);
  EXPECT_EQ(runs(), 2U);
  pass(5s);
  answer(of);
  EXPECT_EQ(runs(), 3U);
}

TEST_F(CredentialProgramTest, OneThatIsLateIsKilled) {
  CredentialProgram of = program("exec sleep 600");
  EXPECT_FALSE(of.advance(now_, wall_));
  pass(29s);
  EXPECT_FALSE(of.advance(now_, wall_));
  pass(1s);
  EXPECT_TRUE(of.advance(now_, wall_));
  EXPECT_THAT(of.credential().error().message,
              HasSubstr("it did not end within 30 s and was killed"));
}

// The text for an operator in the log.
TEST_F(CredentialProgramTest, AFailureIsAProblemOfTheCredentials) {
  program("exit 3");
  Credentials credentials(access_);
  EXPECT_FALSE(credentials.problem()) << "it has not run";
  const auto deadline = Clock::now() + 20s;
  while (!credentials.ready(now_, wall_) && Clock::now() < deadline) {
    pollfd ready{.fd = credentials.descriptors()[0], .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 10);
  }
  ASSERT_TRUE(credentials.problem());
  EXPECT_THAT(credentials.problem()->message, HasSubstr("exit status 3"));

  program("echo '" + answer_with(R"({"token": "t"})") + "'");
  pass(5s);
  EXPECT_TRUE(credentials.problem()) << "as long as it is not known to be over";
  while (!credentials.ready(now_, wall_) && Clock::now() < deadline) {
    pollfd ready{.fd = credentials.descriptors()[0], .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 10);
  }
  EXPECT_FALSE(credentials.problem());
}

}  // namespace
}  // namespace elbowroom::api
