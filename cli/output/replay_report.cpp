#include "cli/output/replay_report.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/document_text.h"
#include "base/text.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kShownEffects = 10;  // of each side
constexpr std::size_t kShownBytes = 240;   // of one effect
constexpr std::size_t kShownBefore = 80;   // of them, before the first difference

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// The part of the text around the position.
std::string around(const std::string& text, std::size_t place) {
  if (text.size() <= kShownBytes) return sanitize_line(text);
  const std::size_t start = place <= kShownBefore ? 0 : place - kShownBefore;
  std::string shown = (start == 0 ? "" : "...") + text.substr(start, kShownBytes);
  if (start + kShownBytes < text.size()) shown += "...";
  return sanitize_line(shown);
}

std::size_t first_difference(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::string origin(const recording::ReplayReport& report) {
  return report.program + " " + report.version + ", " + report.mode +
         (report.node.empty() ? "" : ", node " + report.node);
}

Value number(std::size_t of) { return number_value(static_cast<std::int64_t>(of)); }

Value line_or_null(const std::optional<std::size_t>& line) {
  return line ? number(*line) : Value{};
}

Value texts(const std::vector<std::string>& of) {
  std::vector<Value> items;
  for (const std::string& each : of) items.push_back(text_value(each));
  return list_value(std::move(items));
}

Value encode(const ReplayedFile& replayed) {
  const recording::ReplayReport& report = replayed.report;
  Value difference;
  if (report.first) {
    difference = map_value({member("line", number(report.first->line)),
                            member("observation", text_value(report.first->seen)),
                            member("expected", texts(report.first->expected)),
                            member("got", texts(report.first->got))});
  }
  return map_value(
      {member("file", text_value(replayed.file)), member("program", text_value(report.program)),
       member("version", text_value(report.version)), member("mode", text_value(report.mode)),
       member("node", text_value(report.node)), member("observations", number(report.observations)),
       member("effects", number(report.effects)), member("same", bool_value(!report.first)),
       member("difference", std::move(difference)), member("tornLine", line_or_null(report.torn)),
       member("unansweredLine", line_or_null(report.unanswered)),
       member("rewritten", bool_value(replayed.rewritten))});
}

std::string verdict(const ReplayedFile& replayed) {
  const recording::ReplayReport& report = replayed.report;
  if (!report.first) {
    return counted(report.observations, "observation") + " gave the same " +
           counted(report.effects, "effect") + " (" + origin(report) + ")\n";
  }
  std::string words;
  if (replayed.rewritten) {
    words = "rewritten: " + std::to_string(report.different) + " of " +
            counted(report.observations, "observation") + " give other effects now; the first in ";
  }
  words += "line " + std::to_string(report.first->line) + ": other effects than recorded (" +
           origin(report) + ")\n  observed: " + sanitize_line(report.first->seen) + "\n";
  for (const std::string& line : short_difference(*report.first)) words += "  " + line + "\n";
  return words;
}

}  // namespace

std::vector<std::string> short_difference(const recording::ReplayDifference& of) {
  std::vector<std::string> expected = of.expected;
  std::vector<std::string> got = of.got;
  const auto [left, right] = std::ranges::mismatch(expected, got);
  expected.erase(expected.begin(), left);
  got.erase(got.begin(), right);
  while (!expected.empty() && !got.empty() && expected.back() == got.back()) {
    expected.pop_back();
    got.pop_back();
  }
  std::vector<std::string> lines;
  const auto show = [&](const std::vector<std::string>& side, const std::vector<std::string>& other,
                        const std::string& sign) {
    for (std::size_t i = 0; i < std::min(side.size(), kShownEffects); ++i) {
      const std::size_t place = i < other.size() ? first_difference(side[i], other[i]) : 0;
      lines.push_back(sign + around(side[i], place));
    }
    if (side.size() > kShownEffects) {
      lines.push_back(sign + "and " + std::to_string(side.size() - kShownEffects) + " more");
    }
  };
  show(expected, got, "- ");
  show(got, expected, "+ ");
  return lines;
}

std::string in_words(const ReplayedFile& replayed) {
  const std::string name = sanitize_line(replayed.file) + ": ";
  std::string words = name + verdict(replayed);
  if (replayed.report.torn) {
    words += name + "line " + std::to_string(*replayed.report.torn) +
             " is torn: the recording ends there\n";
  }
  if (replayed.report.unanswered) {
    words += name + "the effects of line " + std::to_string(*replayed.report.unanswered) +
             " were not recorded: not compared\n";
  }
  return words;
}

Value encode(const std::vector<ReplayedFile>& all) {
  std::vector<Value> files;
  bool same = true;
  for (const ReplayedFile& each : all) {
    files.push_back(encode(each));
    same = same && !each.report.first;
  }
  return map_value({member("apiVersion", text_value("elbowroom.dev/v1alpha1")),
                    member("kind", text_value("ReplayReport")), member("same", bool_value(same)),
                    member("files", list_value(std::move(files)))});
}

}  // namespace elbowroom::cli
