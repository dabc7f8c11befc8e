// The thread of a reactor: in which portions it takes what is at hand, and what comes first.
#include "control/reactor_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace elbowroom::control {
namespace {

using ::testing::ElementsAre;

struct Told {
  std::string word{};
};
struct Observation {
  Moment at{};
  std::variant<Told, TimePassed> what{};
  bool more = false;
};
using Effects = std::vector<std::string>;
struct Options {
  std::string reactor{};
  std::string record{};
  std::uint64_t record_limit = 0;
};

// Says each word, with a plus where another one is at hand.
class Echo {
 public:
  explicit Echo(std::string before) : before_(std::move(before)) {}

  Effects handle(const Observation& seen) {
    const auto* told = std::get_if<Told>(&seen.what);
    if (told == nullptr) return {"time"};
    return {before_ + told->word + (seen.more ? "+" : "")};
  }
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_wake() const {
    return std::chrono::milliseconds(0);
  }

 private:
  std::string before_;
};

struct NoRecording {
  using Observation = control::Observation;
  using Effects = control::Effects;
  using Options = std::string;
  using Reactor = Echo;
  struct SeenLines {};
  static constexpr bool kBeginsAgain = true;

  static std::string header_line(const Options& /*options*/, const Echo& /*reactor*/) { return ""; }
  static std::vector<std::string> lines_of(SeenLines& /*lines*/, const Observation& /*seen*/) {
    return {};
  }
  static std::string did_line(const Effects& /*effects*/) { return ""; }
};

struct Parts {
  using Observation = control::Observation;
  using Effect = std::string;
  using Effects = control::Effects;
  using Options = control::Options;
  using Reactor = Echo;
  using Recording = NoRecording;
  using Status = std::string;
  using Reports = control::Reports<Observation, Effect, Status>;

  static constexpr std::chrono::milliseconds kMeasureSoonest{50};

  static std::string explain(const Echo& /*reactor*/, const std::string& pod, const Moment& /*now*/,
                             const Options& /*options*/) {
    return "of " + pod;
  }
  static std::string status_of(const Echo& /*reactor*/, const Moment& /*now*/,
                               const Options& /*options*/) {
    return "well";
  }
  static std::string totals_of(const Echo& reactor, const Moment& now, const Options& options) {
    return status_of(reactor, now, options);
  }
};

class AReactorThread : public testing::Test {
 protected:
  void put(std::string word) {
    ASSERT_TRUE(thread_.inbox().try_put(Message<Observation, std::string>(Told{std::move(word)})));
  }

  const Options options_{.reactor = "!"};
  const Parts::Reports reports_{};
  const RealDisk disk_{};
  std::vector<Effects> performed_{};
  ReactorThread<Parts> thread_{options_, reports_, disk_, 256, [this](Effects effects) {
                                 performed_.push_back(std::move(effects));
                               }};
};

TEST_F(AReactorThread, HandlesABurstTogether) {
  put("a");
  put("b");
  thread_.turn({});
  EXPECT_THAT(performed_, ElementsAre(ElementsAre("!a+", "!b")));
}

TEST_F(AReactorThread, HandlesABurstInPortions) {
  for (std::size_t i = 0; i <= kMostTogether; ++i) put("a");
  thread_.turn({});
  ASSERT_EQ(performed_.size(), 1U);
  EXPECT_EQ(performed_.front().size(), kMostTogether);
  EXPECT_EQ(performed_.front().back(), "!a")
      << "what is decided does not wait for the next portion";
}

TEST_F(AReactorThread, HandlesFirstWhatItToldItself) {
  put("b");
  thread_.tell_self(Told{"a"});
  thread_.turn({});
  thread_.turn({});
  EXPECT_THAT(performed_, ElementsAre(ElementsAre("!a"), ElementsAre("!b")));
}

TEST_F(AReactorThread, AnswersAQuestionAmidABurst) {
  put("a");
  Question question{.pod = "ns/pod"};
  std::future<std::string> answer = question.answer.get_future();
  ASSERT_TRUE(thread_.inbox().try_put(Message<Observation, std::string>(std::move(question))));
  put("b");
  thread_.turn({});
  EXPECT_EQ(answer.get(), "of ns/pod");
  EXPECT_THAT(performed_, ElementsAre(ElementsAre("!a", "!b")));
}

TEST_F(AReactorThread, TellsTheReactorThatTimePassed) {
  thread_.turn({});
  EXPECT_THAT(performed_, ElementsAre(ElementsAre("time")));
}

}  // namespace
}  // namespace elbowroom::control
