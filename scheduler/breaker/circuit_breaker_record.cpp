#include "scheduler/breaker/circuit_breaker_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace elbowroom::scheduler {
namespace {

using std::chrono::seconds;

constexpr std::string_view kVersion = "v1";
constexpr std::size_t kDigits = 12;
// Far beyond any clock, and within the range of a time in microseconds.
constexpr std::int64_t kLatest = 99'999'999'999;

std::string line_of(const CountedSet& set) {
  std::string line = std::to_string(std::chrono::ceil<seconds>(set.at.time_since_epoch()).count());
  line += ' ' + set.preemptor + ' ' + set.node;
  for (const std::string& victim : set.victims) line += ' ' + victim;
  return line + '\n';
}

std::string first_line(policy::Time whole_since) {
  const auto since = std::chrono::ceil<seconds>(whole_since.time_since_epoch());
  return std::string(kVersion) + ' ' + std::to_string(since.count()) + '\n';
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    if (end == line.size()) return words;
    line.remove_prefix(end + 1);
  }
}

std::optional<policy::Time> time_of(std::string_view word) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  const bool is_number = error == std::errc{} && end == word.data() + word.size();
  if (!is_number || count < 0 || count > kLatest) return std::nullopt;
  return policy::Time{seconds(count)};
}

bool is_short_name(std::string_view word) {
  return word.size() == kDigits && std::ranges::all_of(word, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::optional<CountedSet> set_of(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const auto at = time_of(words.front());
  if (!at || words.size() < 4) return std::nullopt;
  if (!std::all_of(words.begin() + 1, words.end(), is_short_name)) return std::nullopt;
  return CountedSet{.at = *at,
                    .preemptor = std::string(words[1]),
                    .node = std::string(words[2]),
                    .victims = {words.begin() + 3, words.end()}};
}

Error odd(std::size_t line) {
  return {Code::Invalid,
          "what the circuit breaker counted cannot be read: line " + std::to_string(line),
          {}};
}

}  // namespace

// FNV-1a with a final mix of its bits, because uids differ in their last digits.
std::string short_name(std::string_view of) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : of) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1'099'511'628'211U;
  }
  hash ^= hash >> 33U;
  hash *= 0xff51afd7ed558ccdU;
  hash ^= hash >> 33U;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string name(kDigits, '0');
  for (char& digit : name) {
    digit = kHex[hash & 15U];
    hash >>= 4U;
  }
  return name;
}

std::string record_text(const CircuitBreakerRecord& record) {
  constexpr std::size_t kRoomForFirst = 32;
  policy::Time whole_since = record.whole_since;
  std::size_t bytes = kRoomForFirst;
  std::vector<std::string> lines;  // newest first
  for (auto set = record.sets.rbegin(); set != record.sets.rend(); ++set) {
    std::string line = line_of(*set);
    if (bytes + line.size() > kMostRecordBytes) {
      whole_since = std::max(whole_since, set->at);
      break;
    }
    bytes += line.size();
    lines.push_back(std::move(line));
  }
  std::string text = first_line(whole_since);
  text.reserve(bytes);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += *line;
  return text;
}

Result<CircuitBreakerRecord> parse_record(std::string_view text) {
  CircuitBreakerRecord record;
  if (text.size() > kMostRecordBytes) return std::unexpected(odd(0));
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::unexpected(odd(number + 1));
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (++number == 1) {
      const std::vector<std::string_view> words = words_of(line);
      const auto since = words.size() == 2 ? time_of(words[1]) : std::nullopt;
      if (words.front() != kVersion || !since) return std::unexpected(odd(number));
      record.whole_since = *since;
      continue;
    }
    auto set = set_of(line);
    if (!set) return std::unexpected(odd(number));
    record.sets.push_back(*std::move(set));
  }
  if (number == 0) return std::unexpected(odd(1));
  std::ranges::stable_sort(record.sets, {}, &CountedSet::at);
  return record;
}

}  // namespace elbowroom::scheduler
