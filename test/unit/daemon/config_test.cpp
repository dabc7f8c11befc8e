#include "daemon/config/config.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/config/suggestion.h"

namespace elbowroom::daemon {
namespace {

Schema schema() {
  Schema schema{.kind = "AgentConfiguration", .keys = common_keys("127.0.0.1:10361")};
  schema.keys.push_back({.name = "nodeName"});
  schema.keys.push_back({.name = "mode",
                         .kind = Key::Kind::Choice,
                         .fallback = "companion",
                         .choices = {"companion", "authority"}});
  schema.keys.push_back({.name = "dryRun", .kind = Key::Kind::Bool, .fallback = "false"});
  schema.keys.push_back({.name = "stateDir", .kind = Key::Kind::Path, .fallback = "/var/lib/x"});
  schema.keys.push_back({.name = "apiToken", .secret = true});
  schema.keys.push_back({.name = "look",
                         .kind = Key::Kind::Address,
                         .fallback = "127.0.0.1:1",
                         .may_be_empty = true});
  schema.keys.push_back({.name = "rules", .kind = Key::Kind::Block});
  return schema;
}

constexpr std::string_view kHeader =
    "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\n";

std::string error_of(std::string_view lines) {
  const auto read = settings_from(schema(), "c.yaml", std::string(kHeader) + std::string(lines));
  return read ? "(fine)" : read.error().message;
}

TEST(Config, ABlockIsOfAFileAloneAndKeptAsItStands) {
  const std::string text = std::string(kHeader) + "nodeName: n1\nrules:\n  limits: [1, 2]\n";
  const auto read = settings_from(schema(), "c.yaml", text);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_NE(read->blocks.find("rules"), nullptr);
  EXPECT_EQ(read->blocks.find("rules")->at.line, 5U);
  EXPECT_NE(read->blocks.find("kind"), nullptr);
  EXPECT_EQ(read->blocks.find("nodeName"), nullptr);
  EXPECT_FALSE(with_flags(*read, {{"rules", "x"}}));
  const auto again = settings_from(schema(), "c.yaml", to_yaml(*read));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->text("rules"), read->text("rules"));
  const auto changed = live_changes(defaults(schema()), *read);
  EXPECT_FALSE(changed);
}

TEST(Config, TheFileWinsOverDefaultsAndFlagsOverTheFile) {
  const auto read = settings_from(
      schema(), "c.yaml", std::string(kHeader) + "mode: authority\ndryRun: true\nnodeName: n1\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->text("mode"), "authority");
  EXPECT_EQ(read->at("mode").origin, "c.yaml: line 3");
  EXPECT_TRUE(read->truth("dryRun"));
  EXPECT_EQ(read->text("stateDir"), "/var/lib/x");
  EXPECT_FALSE(read->at("stateDir").given());
  EXPECT_FALSE(read->is_set("kubeconfig"));
  EXPECT_EQ(read->address("listen"), (Address{"127.0.0.1", 10361}));

  const auto flagged = with_flags(*read, {{"mode", "companion"}, {"state-dir", "/tmp/y"}});
  ASSERT_TRUE(flagged) << flagged.error().message;
  EXPECT_EQ(flagged->text("mode"), "companion");
  EXPECT_EQ(flagged->at("mode").origin, "flag");
  EXPECT_TRUE(flagged->at("stateDir").given());
  EXPECT_EQ(flagged->text("nodeName"), "n1");
}

TEST(Config, AnEmptyValueSwitchesOffWhatMayBeSwitchedOff) {
  const std::string off = std::string(kHeader) + "look: \"\"\n";
  const auto read = settings_from(schema(), "c.yaml", off);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->is_set("look"));
  const auto again = settings_from(schema(), "again.yaml", to_yaml(*read));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->is_set("look"));
  const auto flagged = with_flags(defaults(schema()), {{"look", ""}});
  ASSERT_TRUE(flagged) << flagged.error().message;
  EXPECT_FALSE(flagged->is_set("look"));
  EXPECT_FALSE(with_flags(defaults(schema()), {{"listen", ""}}));
}

TEST(Config, EveryMistakeIsNamedWithItsPlaceAndARemedy) {
  const std::map<std::string, std::string> expected = {
      {"nodName: n1", "c.yaml: line 3: unknown key \"nodName\": did you mean nodeName?"},
      {"dryRun: false\nnode-name: n1",
       "c.yaml: line 4: unknown key \"node-name\": did you mean nodeName?"},
      {"zzz: 1", "c.yaml: line 3: unknown key \"zzz\""},
      {"mode: autority",
       "c.yaml: line 3: mode: \"autority\" is none of companion, authority: did you mean "
       "authority?"},
      {"mode: 7",
       "c.yaml: line 3: mode: wants a string, one of companion, authority: put quotes around "
       "\"7\""},
      {"dryRun: yes", "c.yaml: line 3: dryRun: wants true or false, not \"yes\""},
      {"dryRun: 1", "c.yaml: line 3: dryRun: wants true or false, not 1"},
      {"nodeName: [a]", "c.yaml: line 3: nodeName: wants a string, not a list"},
      {"nodeName:", "c.yaml: line 3: nodeName: is empty: give it a value, or leave it out"},
      {"nodeName: ''", "c.yaml: line 3: nodeName: is empty: give it a value, or leave it out"},
      {"nodeName: \"a\\nb\"", "c.yaml: line 3: nodeName: holds a control character: remove it"},
      {"listen: '10361'",
       "c.yaml: line 3: listen: \"10361\": no port: write ADDR:PORT, such as 127.0.0.1:10361"},
      {"nodeName: a\nnodeName: b",
       "c.yaml: line 4, column 1: duplicate key \"nodeName\": keep one"},
      {"---\na: b",
       "c.yaml: line 1: not one mapping: begin with apiVersion: elbowroom.dev/v1alpha1, and write "
       "one document"},
  };
  for (const auto& [lines, message] : expected) EXPECT_EQ(error_of(lines), message) << lines;
}

TEST(Config, ApiVersionAndKindMustBeOurs) {
  const auto error = [](std::string_view text) {
    return settings_from(schema(), "c.yaml", text).error().message;
  };
  EXPECT_EQ(error("kind: AgentConfiguration\n"),
            "c.yaml: line 1: apiVersion is missing: add the line apiVersion: "
            "elbowroom.dev/v1alpha1");
  EXPECT_EQ(error("apiVersion: elbowroom.dev/v1alpha1\nkind: KubeletConfiguration\n"),
            "c.yaml: line 2: kind: \"KubeletConfiguration\" is not known here: write "
            "AgentConfiguration");
  EXPECT_EQ(error("apiVersion: [1]\nkind: x\n"),
            "c.yaml: line 1: apiVersion: \"\" is not known here: write elbowroom.dev/v1alpha1");
  EXPECT_TRUE(error("").starts_with("c.yaml: line 1: not one mapping"));
  EXPECT_TRUE(error("- a\n").starts_with("c.yaml: line 1: not one mapping"));
  EXPECT_TRUE(error("a: b: c\n").starts_with("c.yaml: line 1, column "));
}

TEST(Config, NoControlCharacterReachesAMessage) {
  for (const auto* lines : {"\"a\\e[31m\": b", "mode: \"\\e[31m\""}) {
    const std::string message = error_of(lines);
    EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
  }
  EXPECT_LT(error_of(std::string(100'000, 'a') + ": b").size(), 300U);
}

TEST(Config, FlagsAreAsStrict) {
  const auto error = [](const std::map<std::string, std::string>& flags) {
    const auto read = with_flags(defaults(schema()), flags);
    return read ? "(fine)" : read.error().message;
  };
  EXPECT_EQ(error({{"mode", "x"}}), "--mode: \"x\" is none of companion, authority");
  EXPECT_EQ(error({{"stat-dir", "x"}}), "unknown flag \"--stat-dir\": did you mean state-dir?");
  EXPECT_EQ(error({{"dry-run", "maybe"}}), "--dry-run: \"maybe\" is neither true nor false");
  EXPECT_EQ(error({{"node-name", ""}}), "--node-name: is empty: give it a value, or leave it out");
  EXPECT_EQ(error({{"node-name", "123"}}), "(fine)");
}

TEST(Config, WhatIsPrintedReadsBackAndHidesSecrets) {
  const auto set = with_flags(defaults(schema()),
                              {{"api-token", "hush"}, {"node-name", "1.2"}, {"dry-run", "true"}});
  ASSERT_TRUE(set);
  const std::string yaml = to_yaml(*set);
  EXPECT_EQ(yaml.find("hush"), std::string::npos);
  EXPECT_EQ(yaml,
            "apiVersion: elbowroom.dev/v1alpha1\nkind: AgentConfiguration\n"
            "listen: \"127.0.0.1:10361\"\nlogLevel: info\nlogFormat: text\n"
            "recordLimit: \"64Mi\"\nnodeName: \"1.2\"\n"
            "mode: companion\ndryRun: true\nstateDir: \"/var/lib/x\"\napiToken: \"(removed)\"\n"
            "look: \"127.0.0.1:1\"\n");
  const auto again = settings_from(schema(), "c.yaml", yaml);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_yaml(*again), yaml);
}

// A number needed quotes, which no user expects.
TEST(Config, AmountsAreNumbersOrText) {
  const auto limit = [](std::string_view value) {
    const auto read = settings_from(
        schema(), "c.yaml", std::string(kHeader) + "recordLimit: " + std::string(value) + "\n");
    return read ? read->text("recordLimit") : read.error().message;
  };
  EXPECT_EQ(limit("67108864"), "67108864");
  EXPECT_EQ(limit("\"67108864\""), "67108864");
  EXPECT_EQ(limit("64Mi"), "64Mi");
  EXPECT_EQ(limit("[1]"), "c.yaml: line 3: recordLimit: wants a number, not a list");
  EXPECT_EQ(limit("true"), "c.yaml: line 3: recordLimit: wants a number, not true");
  const auto read = settings_from(schema(), "c.yaml", std::string(kHeader) + "recordLimit: 3\n");
  EXPECT_NE(to_yaml(*read).find("\nrecordLimit: 3\n"), std::string::npos) << to_yaml(*read);
}

TEST(Config, WhatNobodySetIsShownAsItCounts) {
  const auto set = with_flags(defaults(schema()), {{"mode", "authority"}});
  const std::string yaml =
      to_yaml(*set, {{.key = "nodeName", .value = "node-7", .why = "the host\nname"},
                     {.key = "mode", .value = "companion", .why = "never"},
                     {.key = "kubeconfig", .why = "none is needed"}});
  EXPECT_NE(yaml.find("\nnodeName: node-7  # the host\\x0aname\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("\nmode: authority\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("\n# kubeconfig: none is needed\n"), std::string::npos) << yaml;
  const auto again = settings_from(schema(), "c.yaml", yaml);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->text("nodeName"), "node-7");
}

TEST(Config, AMissingOrHugeFileIsNamed) {
  const std::string missing = testing::TempDir() + "no-such-config.yaml";
  const auto none = settings_from_file(schema(), missing);
  EXPECT_EQ(none.error().code, Code::NotFound);
  EXPECT_NE(none.error().message.find(missing), std::string::npos);
  EXPECT_EQ(settings_from_file(schema(), "/dev/zero").error().code, Code::Invalid);
}

TEST(Config, AFlagIsItsKeyInKebabCase) {
  EXPECT_EQ(flag_of("cpuManagerPolicy"), "cpu-manager-policy");
  EXPECT_EQ(flag_of("record"), "record");
}

TEST(Address, IsReadAndPrinted) {
  for (const auto* text : {"127.0.0.1:10361", "[::1]:80", "localhost:0", "node-1.example:65535"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(to_string(*address), text);
  }
  for (const auto* text : {"", ":", ":80", "a", "a:", "a:65536", "a:-1", "a:+1", "a:1x", "a b:1",
                           "::1:80", "[::1]", "[]:1", "[::1:80", "[x]:1", "a/b:1"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
  EXPECT_FALSE(parse_address(std::string(300, 'a') + ":1"));
}

TEST(Suggestion, FindsTheClosestWord) {
  constexpr std::array<std::string_view, 4> kWords = {"mode", "node", "listen", "logLevel"};
  EXPECT_EQ(closest("mdoe", kWords), "mode");
  EXPECT_EQ(closest("ode", kWords), "mode");
  EXPECT_EQ(closest("LOG_LEVEL", kWords), "logLevel");
  EXPECT_EQ(closest("lisetn", kWords), "listen");
  EXPECT_EQ(closest("kubeconfig", kWords), std::nullopt);
  EXPECT_EQ(closest("", kWords), std::nullopt);
  EXPECT_EQ(closest(std::string(1 << 20, 'a'), kWords), std::nullopt);
}

}  // namespace
}  // namespace elbowroom::daemon
