// The scheduler's pages in docs/ agree with its tables.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "daemon/metrics/metric_family.h"
#include "scheduler/event_table.h"
#include "scheduler/metric_families.h"
#include "test/checkout.h"

namespace elbowroom::scheduler {
namespace {

const std::filesystem::path kRoot = std::filesystem::path(test::kData).parent_path();

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SchedulerEventTable, HoldsEachReasonOnceInItsPlace) {
  std::set<std::string_view> reasons;
  for (const EventRow& row : event_table()) {
    EXPECT_TRUE(reasons.insert(row.reason).second) << row.reason;
    EXPECT_EQ(&row_of(row.of), &row) << row.reason;
    EXPECT_TRUE(row.meaning.ends_with('.')) << row.reason;
    EXPECT_EQ(row.warning, !row.remedy.empty()) << row.reason << ": a warning says what to do";
  }
}

// No event is written past the table: one place makes them.
TEST(SchedulerEventTable, OnlyTheReactorMakesEventsAndFromTheTable) {
  int makers = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "scheduler")) {
    if (entry.path().extension() != ".cpp" || entry.path().stem() == "event_table") continue;
    const std::string text = content(entry.path());
    if (text.find("EmitEvent{") != std::string::npos) ++makers;
    for (const EventRow& row : event_table()) {
      EXPECT_EQ(text.find('"' + std::string(row.reason) + '"'), std::string::npos)
          << entry.path() << ": " << row.reason;
    }
  }
  EXPECT_EQ(makers, 1);
}

TEST(SchedulerEventTable, ThePageSaysWhatTheTableSays) {
  EXPECT_NE(content(kRoot / "docs/events.md").find("\n" + events_page()), std::string::npos)
      << "elbowroom reference events > docs/events.md puts it right";
}

TEST(SchedulerMetricFamilies, AreAsTheyShouldBe) {
  EXPECT_EQ(daemon::lint(scheduler_families()), std::vector<std::string>{});
}

TEST(SchedulerMetricFamilies, ThePageSaysWhatTheTableSays) {
  const std::string page = daemon::metrics_page("elbowroom-scheduler", scheduler_families());
  EXPECT_NE(content(kRoot / "docs/metrics.md").find("\n" + page), std::string::npos)
      << "elbowroom reference metrics > docs/metrics.md puts it right";
}

}  // namespace
}  // namespace elbowroom::scheduler
