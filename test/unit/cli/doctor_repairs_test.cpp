// What `elbowroom doctor` prints to run: words of a shell, edits of a configuration's line,
// credentials.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "cli/doctor/line_edit.h"
#include "cli/doctor/repairs.h"
#include "command_line.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(DoctorRepairs, ATextIsOneWordOfAShell) {
  EXPECT_EQ(shell_word("/etc/elbowroom/config.yaml"), "/etc/elbowroom/config.yaml");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b;$(c)"), "'a b;$(c)'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(DoctorRepairs, AKeyIsSetInItsLineOrAtTheEnd) {
  DoctorFacts facts;
  EXPECT_THAT(set_key(facts, "nodeName", "a"), IsEmpty()) << "there is no file";
  facts.config.file = {.path = "/etc/c.yaml", .kind = FileFacts::Kind::Regular};
  EXPECT_THAT(set_key(facts, "nodeName", "a"),
              ElementsAre("sed -i '$a\\nodeName: \"a\"' /etc/c.yaml"));
  facts.config.lines["nodeName"] = 4;
  facts.unit = UnitFacts{.name = "elbowroomd", .loaded = true, .active = true};
  EXPECT_THAT(
      set_key(facts, "nodeName", "a"),
      ElementsAre("sed -i '4c\\nodeName: \"a\"' /etc/c.yaml", "systemctl restart elbowroomd"));
  facts.unit->active = false;
  EXPECT_EQ(set_key(facts, "nodeName", "a").size(), 1U) << "the service is not to run";
}

daemon::Schema schema() {
  using Kind = daemon::Key::Kind;
  return {.kind = "Kind",
          .keys = {{.name = "nodeName", .help = "the name"},
                   {.name = "mode", .kind = Kind::Choice, .choices = {"companion", "authority"}},
                   {.name = "dryRun", .kind = Kind::Bool},
                   {.name = "stage", .kind = Kind::Choice, .choices = {"step1", "step2"}}}};
}

// The text with the edit for that message; "": there is none.
std::string mended(const std::string& message, const std::string& text) {
  const auto edit = edit_for(message, text, schema());
  return edit ? edited(text, *edit) : "";
}

std::string expression(const std::string& message, const std::string& text) {
  const auto edit = edit_for(message, text, schema());
  return edit ? edit->expression : "";
}

TEST(DoctorRepairs, AnEditIsOfTheLineThatTheMessageNames) {
  const std::string text = "apiVersion: a\nnodeNmae: x\n# end\n";
  const std::string near = "c.yaml: line 2: unknown key \"nodeNmae\": did you mean nodeName?";
  EXPECT_EQ(mended(near, text), "apiVersion: a\nnodeName: x\n# end\n");
  EXPECT_EQ(expression(near, text), "2s/nodeNmae/nodeName/");
  const std::string none = "c.yaml: line 2: unknown key \"nodeNmae\"";
  EXPECT_EQ(mended(none, text), "apiVersion: a\n# nodeNmae: x\n# end\n");
  EXPECT_EQ(expression(none, text), "2s/^/# /") << "a value, which may be a secret, is not said";
  EXPECT_EQ(mended("c.yaml: line 1: unknown key \"colour\"", text), "") << "another line's message";
}

TEST(DoctorRepairs, AMissingHeaderTakesNoOtherLinesPlace) {
  const std::string missing = "c.yaml: line 1: kind is missing: add the line kind: Kind";
  EXPECT_EQ(mended(missing, "dryRun: true\n"), "kind: Kind\ndryRun: true\n");
  EXPECT_EQ(expression(missing, "dryRun: true\n"), "1i\\kind: Kind");
  EXPECT_EQ(mended(missing, "knid: Kind\n"), "kind: Kind\n");
  const std::string wrong = "c.yaml: line 2: kind: \"K\" is not known here: write Kind";
  EXPECT_EQ(mended(wrong, "a: b\nkind: K\n"), "a: b\nkind: Kind\n");
}

TEST(DoctorRepairs, AKnownKeyGetsTheOneValueThatIsNear) {
  const std::string of_run = "c.yaml: line 1: dryRun: wants true or false, not \"x\"";
  EXPECT_EQ(expression(of_run, "dryRun: ture\n"), "1c\\dryRun: true");
  EXPECT_EQ(expression(of_run, "dryRun: \"true\"  # for now\n"), "1c\\dryRun: true");
  EXPECT_EQ(
      expression("c.yaml: line 1: mode: \"autority\" is none of companion, authority: did you "
                 "mean authority?",
                 "mode: autority\n"),
      "1c\\mode: authority");
  for (const char* text : {"dryRun: perhaps\n", "dryRun: yes\n", "dryRun:\n", "dryRun:\n  ture\n",
                           "{dryRun: ture}\n", "dryRun: [true]\n"}) {
    EXPECT_EQ(expression(of_run, text), "") << text;
  }
  EXPECT_EQ(expression("c.yaml: line 1: stage: \"step\" is none of step1, step2", "stage: step\n"),
            "")
      << "both are near";
}

TEST(DoctorRepairs, AKnownKeyIsNeverTakenOut) {
  for (const char* message :
       {"c.yaml: line 1: mode: \"full\" is none of companion, authority",
        "c.yaml: line 1: mode: wants a string, one of companion, authority: put quotes around "
        "\"7\"",
        "c.yaml: line 1, column 1: duplicate key \"mode\": keep one", "c.yaml: line 1: no"}) {
    EXPECT_EQ(expression(message, "mode: full\n"), "") << message;
  }
}

TEST(DoctorRepairs, AnUnknownKeyOfSeveralLinesStays) {
  const std::string message = "c.yaml: line 1: unknown key \"colour\"";
  EXPECT_EQ(expression(message, "colour: blue\n\n# end\nmode: full\n"), "1s/^/# /");
  for (const char* text : {"colour:\n  a: b\n", "colour:\n\n# first\n  a: b\n", "colour:\n- a\n"}) {
    EXPECT_EQ(expression(message, text), "") << text;
  }
}

TEST(DoctorRepairs, WithoutALineThereIsNoEdit) {
  for (const char* message : {"", "no line", "c.yaml: line x", "c.yaml: line -1: no",
                              "c.yaml: line 99: unknown key \"a\""}) {
    EXPECT_EQ(expression(message, "a: b\n"), "") << message;
  }
}

// ---- credentials ----

// Programs of that name that only write down how they were called, and fail where the words match.
class Shell {
 public:
  explicit Shell(const std::string& fails) {
    program("kubectl", "case \"$*\" in *" + fails +
                           "*) exit 1;; *'{.clusters[0].cluster}'*) printf '{\"server\":\"s\"}';; "
                           "*'create token'*) printf the-token;; "
                           "*'config view'*) printf the-admins-secret;; esac\n");
    program("systemctl", "");
  }
  // As a person runs them: each line, whatever became of the one before.
  void run(const Commands& lines) const {
    for (const std::string& line : lines) {
      const std::string script = folder_.file("script", "umask 022\n" + line + "\n");
      const std::string command =
          "PATH=" + folder_.path() + ":$PATH sh " + script + " >/dev/null 2>&1";
      (void)std::system(command.c_str());
    }
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] std::string text(const std::string& name) const { return folder_.text(name); }
  [[nodiscard]] std::string calls() const { return text("calls"); }
  void write(const std::string& name, const std::string& content) const {
    (void)folder_.file(name, content);
  }

 private:
  void program(const std::string& name, const std::string& body) const {
    const std::string made = folder_.file(
        name, "#!/bin/sh\necho " + name + " \"$@\" >>" + folder_.path() + "/calls\n" + body);
    std::filesystem::permissions(made, std::filesystem::perms::owner_all);
  }

  Folder folder_;
};

DoctorFacts agent_with(const std::string& kubeconfig) {
  DoctorFacts facts;
  facts.node_name = "node-1";
  facts.kubeconfig.file = {.path = kubeconfig, .kind = FileFacts::Kind::Regular};
  facts.unit = UnitFacts{
      .name = "elbowroomd", .loaded = true, .active = true, .user = std::to_string(::getgid())};
  return facts;
}

TEST(DoctorRepairs, AKubeconfigIsMadeOfTheClustersEntryAndAToken) {
  const Shell shell("nothing");
  shell.write("config", "old");
  shell.run(make_kubeconfig(agent_with(shell.path("config"))));
  EXPECT_EQ(
      shell.text("config"),
      R"({"apiVersion":"v1","kind":"Config","current-context":"own",)"
      R"("clusters":[{"name":"cluster","cluster":{"server":"s"}}],)"
      R"("users":[{"name":"elbowroom-agent","user":{"token":"the-token"}}],)"
      R"("contexts":[{"name":"own","context":{"cluster":"cluster","user":"elbowroom-agent"}}]})"
      "\n");
  EXPECT_EQ(shell.text("config.old"), "old");
  EXPECT_EQ(std::filesystem::status(shell.path("config")).permissions(),
            static_cast<std::filesystem::perms>(0640));
  EXPECT_THAT(shell.calls(), HasSubstr("--bound-object-kind=Node --bound-object-name=node-1"));
  EXPECT_THAT(shell.calls(), HasSubstr("systemctl restart elbowroomd"));
}

TEST(DoctorRepairs, AKubeconfigThatCannotBeMadeLeavesWhatWasThere) {
  for (const char* fails : {"delete-user", "'create token'", "'config view'"}) {
    const Shell shell(fails);
    shell.write("config", "old");
    shell.run(make_kubeconfig(agent_with(shell.path("config"))));
    EXPECT_THAT(shell.text("config"), Not(HasSubstr("the-admins-secret"))) << fails;
    const bool made = std::string_view(fails) == "delete-user";  // which is not called
    EXPECT_EQ(shell.text("config") == "old", !made) << fails;
    EXPECT_EQ(shell.calls().contains("systemctl"), made) << fails;
  }
}

TEST(DoctorRepairs, AKubeconfigIsRootsAloneUntilItsGroupIsSet) {
  const Shell shell("nothing");
  DoctorFacts facts = agent_with(shell.path("config"));
  facts.kubeconfig.file.kind = FileFacts::Kind::Missing;
  facts.unit->user = "no-such-group";
  shell.run(make_kubeconfig(facts));
  EXPECT_THAT(shell.text("config"), HasSubstr("the-token"));
  EXPECT_EQ(std::filesystem::status(shell.path("config")).permissions(),
            static_cast<std::filesystem::perms>(0600));
  EXPECT_THAT(shell.calls(), Not(HasSubstr("systemctl")));
}

TEST(DoctorRepairs, TheKubeconfigOfTheCallerStays) {
  DoctorFacts facts = agent_with("/root/.kube/config");
  facts.credentials = CredentialFacts{};
  facts.kubeconfig.by = KubeconfigFacts::By::Surroundings;
  EXPECT_THAT(make_kubeconfig(facts), IsEmpty());
  EXPECT_THAT(renew_token(facts), IsEmpty());
}

TEST(DoctorRepairs, WithoutAnOldCertificateATokenBoundToTheNodeTakesItsPlace) {
  DoctorFacts facts = agent_with("/etc/elbowroom/kubeconfig");
  facts.credentials = CredentialFacts{.certificate_file = "/etc/a.crt", .key_file = "/etc/a.key"};
  EXPECT_EQ(renew_certificate(facts, false), make_kubeconfig(facts));
  facts.credentials->certificate = Dates{.what = "it"};
  const Commands renewed = renew_certificate(facts, true);
  ASSERT_EQ(renewed.size(), 1U) << "what follows a failure does not run";
  EXPECT_THAT(renewed.front(), AllOf(HasSubstr("openssl x509 -in /etc/a.crt"),
                                     Not(HasSubstr("create token")), Not(HasSubstr("CN="))));
}

}  // namespace
}  // namespace elbowroom::cli
