#include "agent/write/event_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "test/checkout.h"

namespace elbowroom::agent {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::filesystem::path kRoot = std::filesystem::path(test::kData).parent_path();

TEST(EventTable, HoldsEachReasonOnceInItsPlace) {
  std::set<std::string_view> reasons;
  for (const EventRow& row : event_table()) {
    EXPECT_TRUE(reasons.insert(row.reason).second) << row.reason;
    EXPECT_EQ(&row_of(row.of), &row) << row.reason;
    for (const std::string_view word : {row.reason, row.action}) {
      EXPECT_TRUE(!word.empty() && word.size() <= 128 && word[0] >= 'A' && word[0] <= 'Z') << word;
      EXPECT_TRUE(std::ranges::all_of(word, [](char c) { return std::isalpha(c) != 0; })) << word;
    }
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.reason;
    EXPECT_EQ(row.warning, !row.remedy.empty()) << row.reason << ": a warning says what to do";
  }
}

// Every event is made in one place, from the table.
TEST(EventTable, OnlyTheReactorMakesEventsAndFromTheTable) {
  int makers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kRoot / "agent")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = content(entry.path());
    const bool makes = text.find("EmitEvent{") != std::string::npos;
    if (makes) ++makers;  // what a dry run would do
    for (const EventRow& row : event_table()) {
      if (entry.path().filename() == "event_table.cpp") continue;
      EXPECT_EQ(text.find('"' + std::string(row.reason) + '"'), std::string::npos)
          << entry.path() << ": " << row.reason;
    }
  }
  EXPECT_EQ(makers, 1);
}

TEST(EventTable, ThePageSaysWhatTheTableSays) {
  EXPECT_TRUE(content(kRoot / "docs/events.md").starts_with(events_page()))
      << "elbowroom reference events > docs/events.md puts it right";
}

}  // namespace
}  // namespace elbowroom::agent
