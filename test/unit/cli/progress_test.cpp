#include "cli/output/progress.h"

#include <gtest/gtest.h>

#include <string>

namespace elbowroom::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A terminal and a clock that stand still unless a test moves them.
struct Terminal {
  Progress::Time now{};
  std::string text{};

  Progress progress() {
    return {[this] { return now; }, [this](std::string_view more) { text += more; }};
  }
  std::string taken() { return std::exchange(text, ""); }
};

TEST(Progress, WorkOfLessThanASecondSaysNothing) {
  Terminal terminal;
  Progress progress = terminal.progress();
  progress.tell("reading pods");
  terminal.now += milliseconds(999);
  progress.tell("reading pods", 500);
  progress.tell_again();
  progress.erase();
  EXPECT_EQ(terminal.text, "");
}

TEST(Progress, LongWorkHasOneLineThatMovesAndIsErased) {
  Terminal terminal;
  Progress progress = terminal.progress();
  progress.tell("reading pods");
  terminal.now += seconds(1);
  progress.tell("reading pods", 12'000);
  EXPECT_EQ(terminal.taken(), "\r\x1b[Kreading pods: 12,000 (1s)");
  progress.tell("reading pods", 12'500);
  EXPECT_EQ(terminal.taken(), "") << "not more often than eyes can read";
  terminal.now += milliseconds(2'100);
  progress.tell_again();
  EXPECT_EQ(terminal.taken(), "\r\x1b[Kreading pods: 12,500 (3s)");
  progress.erase();
  EXPECT_EQ(terminal.taken(), "\r\x1b[K");
  progress.erase();
  EXPECT_EQ(terminal.taken(), "") << "there is no line any more";
}

TEST(Progress, TheLineComesBackAfterAMessage) {
  Terminal terminal;
  Progress progress = terminal.progress();
  progress.tell("looking");
  terminal.now += seconds(2);
  progress.tell_again();
  progress.erase();
  terminal.taken();
  progress.tell_again();
  EXPECT_EQ(terminal.taken(), "\r\x1b[Klooking (2s)");
}

TEST(Progress, WithoutWorkThereIsNothingToTellAgain) {
  Terminal terminal;
  Progress progress = terminal.progress();
  terminal.now += seconds(5);
  progress.tell_again();
  EXPECT_EQ(terminal.text, "");
}

TEST(Progress, ALongNameIsCutAndControlCharactersAreNone) {
  Terminal terminal;
  Progress progress = terminal.progress();
  progress.tell("replaying \x1b[2J" + std::string(500, 'x'));
  terminal.now += seconds(1);
  progress.tell_again();
  const std::string line = terminal.taken().substr(4);
  EXPECT_EQ(line.size(), 79U);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_TRUE(line.ends_with("... (1s)")) << line;
}

TEST(Progress, WhereNoTerminalIsNothingIsWritten) {
  Progress silent;
  silent.tell("reading pods", 1);
  silent.tell_again();
  silent.erase();
}

}  // namespace
}  // namespace elbowroom::cli
