// Order, units, width and colours of what people read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/document_text.h"
#include "cli/output/group_explanation_text.h"
#include "cli/output/one_unit.h"
#include "cli/output/screen.h"
#include "cli/output/table.h"
#include "test/unit/cli/command_line.h"

namespace elbowroom::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> in_one(std::vector<std::string> quantities) {
  std::vector<std::string*> cells;
  for (std::string& each : quantities) cells.push_back(&each);
  in_one_unit(cells);
  return quantities;
}

TEST(OutputForPeople, AColumnHasOneUnit) {
  EXPECT_THAT(in_one({"4", "2500m", "0", "-"}), ElementsAre("4000m", "2500m", "0", "-"));
  EXPECT_THAT(in_one({"8Gi", "4596Mi", "1Ti"}), ElementsAre("8192Mi", "4596Mi", "1048576Mi"));
  EXPECT_THAT(in_one({"1Ki", "1"}), ElementsAre("1024", "1"));
  EXPECT_THAT(in_one({"2", "3"}), ElementsAre("2", "3"));
  EXPECT_THAT(in_one({"7Ei", "1m"}), ElementsAre("7Ei", "1m")) << "too large for a number";
  EXPECT_THAT(in_one({"2Gi", "2G"}), ElementsAre("2Gi", "2G")) << "a unit that is not known";
  EXPECT_THAT(in_one({}), ElementsAre());
}

TEST(OutputForPeople, TheLastColumnFitsATerminal) {
  const std::vector<std::vector<std::string>> rows = {{"NODE", "WHY"},
                                                      {"n1", "one two three four five six"}};
  EXPECT_EQ(to_table(rows, {}), "NODE  WHY\nn1    one two three four five six\n");
  EXPECT_EQ(to_table(rows, {.columns = 20}),
            "NODE  WHY\nn1    one two three\n      four five six\n");
  const std::vector<std::vector<std::string>> wide = {{"NODE", "WHY"},
                                                      {"a-long-name-of-node", "one two three"}};
  EXPECT_EQ(to_table(wide, {.columns = 24}),
            "NODE            WHY\na-long-~f-node  one two\n                three\n");
  EXPECT_EQ(to_table(wide, {.columns = 26, .indent = 2}),
            "  NODE           WHY\n  a-long~f-node  one two\n                 three\n");
}

TEST(OutputForPeople, NothingIsCutWhereStandardOutputIsNoTerminal) {
  const std::string longest(317, 'x');
  const std::vector<std::vector<std::string>> rows = {
      {"POD", "NODE", "WHY"}, {longest, "n1", "a"}, {"b", "n2", "c"}};
  EXPECT_EQ(to_table(rows, {}), "POD  NODE  WHY\n" + longest + "  n1    a\nb    n2    c\n");
  EXPECT_EQ(to_table(rows, {.columns = 80}).find(longest), std::string::npos);
}

TEST(OutputForPeople, WhatStandsBelowARowStaysThereAtAnyWidth) {
  const std::vector<std::vector<std::string>> rows = {
      {"POD", "NODE", "AGE", "LACKS"},
      {"default/checkout-api-7d9f", "ip-10-0-0-23.eu-west-1.compute.internal", "140m", "1500m cpu"},
      {"default/orders-db-0", "ip-10-0-1-23.eu-west-1.compute.internal", "110m", "1500m cpu"}};
  const std::vector<std::string> below = {"", "  below the first\n", "  below the second\n"};
  for (const std::size_t columns : {0U, 20U, 40U, 80U, 100U, 200U}) {
    const std::string table = to_table(rows, {.columns = columns, .below = below});
    const std::size_t first = table.find("below the first\n");
    EXPECT_LT(table.find("140m"), first) << table;
    EXPECT_LT(first, table.find("110m")) << table;
    EXPECT_LT(table.find("110m"), table.find("below the second\n")) << table;
    EXPECT_TRUE(table.ends_with("  below the second\n")) << table;
    if (columns < 80) continue;
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), columns) << table;
  }
}

TEST(OutputForPeople, ColoursAreOnlyWhereTheyAreWanted) {
  const std::string text = "NODE  WHY\nnode1 is Deferred, not-Deferred\n";
  choose_colours("auto");
  EXPECT_EQ(painted(text), text) << "standard output of a test is no terminal";
  choose_colours("always");
  EXPECT_EQ(painted(text),
            "\x1b[1mNODE  WHY\x1b[0m\nnode1 is \x1b[33mDeferred\x1b[0m, not-Deferred\n");
  choose_colours("never");
  EXPECT_EQ(painted(text), text);
  choose_colours("auto");
}

// Forty nodes with room.
std::string nodes(int count) {
  std::string text =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
      "spec: {containers: [{name: app, resources: {requests: {cpu: 1}}}]}\n";
  for (int i = 1; i <= count; ++i) {
    text += "---\napiVersion: v1\nkind: Node\nmetadata: {name: node" + std::to_string(i) +
            "}\nstatus: {allocatable: {cpu: \"4\", memory: 8Gi, pods: \"110\"}}\n";
  }
  return text;
}

TEST(OutputForPeople, TheThirtyBestNodesAreShownAndTheRestIfAskedFor) {
  const Folder folder;
  const std::string file = folder.file("cluster.yaml", nodes(40));
  const Outcome best = run({"simulate", "schedule", "-f", file, "web"});
  EXPECT_EQ(best.status, 0) << best.err;
  EXPECT_THAT(best.out, AllOf(HasSubstr("and 10 more nodes, which are no better: --all"),
                              Not(HasSubstr("\nnode40"))));
  EXPECT_LT(best.out.find("\nnode2 "), best.out.find("\nnode10 "));
  const Outcome all = run({"simulate", "schedule", "-f", file, "web", "--all"});
  EXPECT_THAT(all.out, AllOf(HasSubstr("\nnode40"), Not(HasSubstr("more nodes"))));
  const Outcome json = run({"simulate", "schedule", "-f", file, "web", "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"node40\""));
}

TEST(OutputForPeople, PodsOfAGroupAreInNaturalOrder) {
  std::vector<Value> members;
  for (const char* pod : {"default/web-10", "default/web-2"}) {
    members.push_back(map_value({member("pod", text_value(pod))}));
  }
  const std::string text =
      group_explanation_text(map_value({member("summary", text_value("pod group default/web")),
                                        member("members", list_value(std::move(members)))}));
  EXPECT_LT(text.find("default/web-2"), text.find("default/web-10")) << text;
}

TEST(OutputForPeople, JsonHasNoColours) {
  const Folder folder;
  const std::string file = folder.file("cluster.yaml", nodes(1));
  const std::vector<std::string> words = {"simulate", "schedule", "-f",    file,
                                          "web",      "--color",  "always"};
  EXPECT_THAT(run(words).out, HasSubstr("\x1b["));
  std::vector<std::string> json = words;
  json.insert(json.end(), {"-o", "json"});
  EXPECT_THAT(run(json).out, Not(HasSubstr("\x1b[")));
}

}  // namespace
}  // namespace elbowroom::cli
