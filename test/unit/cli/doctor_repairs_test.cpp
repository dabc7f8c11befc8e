// What `elbowroom doctor` prints to run: words of a shell, and edits of a configuration's line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/doctor/line_edit.h"
#include "cli/doctor/repairs.h"

namespace elbowroom::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

TEST(DoctorRepairs, AnEditIsOfTheLineThatTheMessageNames) {
  const std::string text = "apiVersion: a\nnodeNmae: x\n# end\n";
  const auto edits =
      edits_for("c.yaml: line 2: unknown key \"nodeNmae\": did you mean nodeName?", text, "Kind");
  ASSERT_EQ(edits.size(), 2U);
  EXPECT_EQ(edited(text, edits[0]), "apiVersion: a\nnodeName: x\n# end\n");
  EXPECT_EQ(edits[0].expression, "2s/nodeNmae/nodeName/");
  EXPECT_EQ(edited(text, edits[1]), "apiVersion: a\n# nodeNmae: x\n# end\n");
  EXPECT_EQ(edits[1].expression, "2s/^/# /") << "a value, which may be a secret, is not said";

  const auto missing = edits_for("c.yaml: line 1: kind is missing: add the line", text, "Kind");
  ASSERT_EQ(missing.size(), 3U);
  EXPECT_EQ(edited(text, missing[1]), "kind: Kind\napiVersion: a\nnodeNmae: x\n# end\n");
  EXPECT_EQ(missing[1].expression, "1i\\kind: Kind");
}

TEST(DoctorRepairs, WithoutALineThereIsNoEdit) {
  for (const char* message : {"", "no line", "c.yaml: line x", "c.yaml: line -1: no"}) {
    EXPECT_THAT(edits_for(message, "a: b\n", "Kind"), IsEmpty()) << message;
  }
  const auto beyond = edits_for("c.yaml: line 99: no", "a: b\n", "Kind");
  ASSERT_EQ(beyond.size(), 1U);
  EXPECT_EQ(edited("a: b\n", beyond[0]), "a: b\n# ");
}

}  // namespace
}  // namespace elbowroom::cli
