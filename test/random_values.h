// Random values of everything that recording::Fields covers. They are canonical (no resource of
// amount zero), and their strings contain what breaks careless writers.
#pragma once

#include <random>
#include <string>
#include <type_traits>

#include "agent/recording/recording_fields.h"

namespace elbowroom::test {

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : dice_(seed) {}

  template <class T>
  [[nodiscard]] T make() {
    T value{};
    fill(value);
    return value;
  }

  std::uint64_t below(std::uint64_t bound) { return dice_() % bound; }

  // Called by Fields for each member.
  template <class T>
  RandomValues& operator()(std::string_view /*key*/, T& value) {
    fill(value);
    return *this;
  }

 private:
  template <class T>
  void fill(T& value) {
    using namespace recording;
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 0;
    } else if constexpr (std::is_integral_v<T>) {
      value = below(4) == 0 ? static_cast<T>(dice_()) : static_cast<T>(below(5));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = text();
    } else if constexpr (kIsDuration<T>) {
      value = T(static_cast<std::int64_t>(below(kMostDuration)));
    } else if constexpr (std::is_same_v<T, policy::Time>) {
      // Mostly years of four digits, sometimes years that RFC 3339 cannot express.
      constexpr std::uint64_t kRange = 1'000'000'000'000'000'000;
      const auto micros = static_cast<std::int64_t>(below(kRange)) - 500'000'000'000'000'000;
      value = policy::Time(std::chrono::microseconds(below(5) == 0 ? 0 : micros));
    } else if constexpr (std::is_same_v<T, policy::Resources>) {
      constexpr std::array kNames = {"cpu", "memory", "ephemeral-storage", "hugepages-2Mi",
                                     "example.com/\"gpu\""};
      value = {};
      for (const char* name : kNames) {
        const bool large = below(9) == 0;
        if (below(2) == 0) {
          policy::set_amount(value, name,
                             large ? policy::kMaxAmount : static_cast<std::int64_t>(below(100)));
        }
      }
    } else if constexpr (std::is_same_v<T, agent::CriticalRemoval>) {
      value = agent::CriticalRemoval(make<agent::RemovalProgress>());
    } else if constexpr (std::is_same_v<T, agent::SeenBudgets>) {
      value = agent::SeenBudgets(make<agent::SeenBudgets::ByNamespace>());
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(Names<T>::kAll.size()));
    } else if constexpr (kIsOptional<T>) {
      value.reset();
      if (below(2) == 0) fill(value.emplace());
    } else if constexpr (kIsVariant<T>) {
      variant(value);
    } else if constexpr (kIsMap<T>) {
      value.clear();
      for (auto count = below(3); count > 0; --count) {
        auto key = make<typename T::key_type>();
        fill(value[std::move(key)]);
      }
    } else if constexpr (kIsSet<T>) {
      value.clear();
      for (auto count = below(3); count > 0; --count) value.insert(text());
    } else if constexpr (kIsList<T>) {
      value.resize(below(3));
      for (auto& each : value) fill(each);
    } else {
      Fields<T>::list(*this, value);
    }
  }

  template <class... T>
  void variant(std::variant<T...>& value) {
    const std::uint64_t index = below(sizeof...(T));
    std::uint64_t turn = 0;
    const auto one = [&]<class Alternative>(std::type_identity<Alternative>) {
      if (turn++ == index) fill(value.template emplace<Alternative>());
    };
    (one(std::type_identity<T>{}), ...);
  }

  std::string text() {
    static const std::array<std::string, 10> kPieces = {"web",
                                                        "default/",
                                                        "\"\\",
                                                        "\n\t\x1b[31m",
                                                        std::string(1, '\0'),
                                                        "\xC3\xA4\xE2\x80\xAE\xF0\x9F\x98\x80",
                                                        "\xff\xC3",
                                                        "\x1a",
                                                        "{}[],:",
                                                        "0"};
    std::string made;
    for (auto count = below(4); count > 0; --count) made += kPieces[below(kPieces.size())];
    return made;
  }

  std::mt19937_64 dice_;
};

}  // namespace elbowroom::test
