// Hostile strings through everything that shows strings: no control byte is printed, nothing is
// forged, and JSON stays JSON.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "agent/checkpoint/checkpoint.h"
#include "agent/program/metric_families.h"
#include "agent/write/resize_event_text.h"
#include "api/write/event_correlator.h"
#include "base/document.h"
#include "base/document_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/output/table.h"
#include "cri/wire.h"
#include "daemon/http/endpoints.h"
#include "daemon/log/log_line.h"
#include "daemon/metrics/metrics.h"
#include "test/pods.h"

namespace elbowroom::test {
namespace {

constexpr std::string_view kNul("\0", 1);

const std::vector<std::string>& nasty() {
  static const std::vector<std::string> all = {"\x1b[31m",
                                               "\x1b]0;title\x07",
                                               "\x1b]8;;http://x\x1b\\",
                                               "\x1b[2J\x1b[H",
                                               "\x9b"
                                               "31m",
                                               "\xc2\x9b"
                                               "31m",
                                               "\xc2\x85",
                                               "\r",
                                               "\n",
                                               "\t",
                                               "\r\nSet-Cookie: a=b",
                                               "\nMESSAGE=forged",
                                               "\nerror msg=forged",
                                               std::string(kNul),
                                               "\x7f",
                                               "\b\b\b",
                                               "\xe2\x80\xae"
                                               "evil",
                                               "\xe2\x81\xa6",
                                               "\xe2\x80\xa8",
                                               "\xef\xbb\xbf",
                                               "\xd8\x9c",
                                               "\xff",
                                               "\xc0\xaf",
                                               "\xed\xa0\x80",
                                               "\xf4\x90\x80\x80",
                                               "\xe2\x80",
                                               "%n%s%x",
                                               "{}",
                                               "{0}",
                                               "\"",
                                               "\\",
                                               "'",
                                               "\"} 1\nevil 2",
                                               "\",\"msg\":\"forged",
                                               "<script>",
                                               "&amp;",
                                               "pod=",
                                               " ",
                                               "=",
                                               "plain",
                                               "gr\xc3\xb6\xc3\x9f"
                                               "e",
                                               std::string(70'000, 'x'),
                                               std::string(9'000, '"')};
  return all;
}

std::string hostile() {
  const auto parts = *rc::gen::container<std::vector<std::size_t>>(
      rc::gen::inRange<std::size_t>(0, nasty().size() + 2));
  std::string text;
  for (const std::size_t part : parts) {
    if (part < nasty().size()) {
      text += nasty()[part];
    } else {
      text += *rc::gen::arbitrary<std::string>();
    }
    if (text.size() > 100'000) break;
  }
  return text;
}

// Printable UTF-8 on one line.
bool is_clean_line(std::string_view text) {
  return first_invalid_utf8(text) == text.size() &&
         sanitize_line(text) == clipped(text, kMaxTextBytes);
}

// The same on several lines.
bool are_clean_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!is_clean_line(text.substr(0, end))) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

RC_GTEST_PROP(HostileText, IsOneCleanLineAndTwiceCleanedTheSame, ()) {
  const std::string text = hostile();
  RC_ASSERT(is_clean_line(sanitize_line(text)));
  RC_ASSERT(sanitize(sanitize(text)) == sanitize(text));
  RC_ASSERT(is_clean_line(cri::printable(text, 256)));
}

RC_GTEST_PROP(HostileText, ForgesNothingInALogLine, ()) {
  const std::string message = hostile();
  const std::string value = hostile();
  const std::vector<daemon::Field> fields = {{"pod", value}, {"err", message}};
  for (const auto format :
       {daemon::LogFormat::Text, daemon::LogFormat::Json, daemon::LogFormat::Journal}) {
    const std::string line = daemon::format_line(format, daemon::LogLevel::Info, message, fields);
    RC_ASSERT(line.size() <= daemon::kMaxLogLineBytes);
    if (format == daemon::LogFormat::Journal) {  // priority, msg, pod, err, and them all
      RC_ASSERT(are_clean_lines(line));
      RC_ASSERT(std::ranges::count(line, '\n') == 4);
      continue;
    }
    RC_ASSERT(is_clean_line(line));
    if (format != daemon::LogFormat::Json) continue;
    const auto parsed = parse_json("{" + line + "}");
    RC_ASSERT(parsed.has_value());
    for (const Member& member : parsed->members) {
      static constexpr std::string_view kKeys[] = {"level", "msg", "pod", "err", "truncated"};
      RC_ASSERT(std::ranges::find(kKeys, member.key) != std::end(kKeys));
    }
    RC_ASSERT(parsed->find("level")->text == "info");
  }
}

RC_GTEST_PROP(HostileText, StaysInItsCell, ()) {
  const std::string table = cli::to_table({{"NAME", "WHY"}, {hostile(), hostile()}});
  RC_ASSERT(std::ranges::count(table, '\n') == 2);
  RC_ASSERT(are_clean_lines(table));
}

RC_GTEST_PROP(HostileText, StaysInItsJsonString, ()) {
  const Value value = map_value({member("a", text_value(hostile())), member("b", text_value("x"))});
  for (const std::string& text : {to_json_line(value), to_json(value), to_yaml(value)}) {
    RC_ASSERT(first_invalid_utf8(text) == text.size());
    RC_ASSERT(std::ranges::none_of(text, [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
    }));
  }
  const auto back = parse_json(to_json_line(value));
  RC_ASSERT(back.has_value() && back->members.size() == 2 && back->find("b")->text == "x");
}

RC_GTEST_PROP(HostileText, IsAHarmlessEventNote, ()) {
  api::EventCorrelator fold({.instance = "node-1"});
  api::EventNote note;
  note.regarding.ref = {"default", "web", "u1"};
  note.reason = "ResizeError";
  note.action = "Resize";
  note.note = hostile();
  const auto write = fold.record(note, policy::Time{}, api::Clock::now());
  RC_ASSERT(write.has_value());
  const auto event = parse_json(write->body);
  RC_ASSERT(event.has_value());
  RC_ASSERT(event->find("reason")->text == "ResizeError");
  RC_ASSERT(event->find("note")->text.size() <= 1024U);
  RC_ASSERT(is_clean_line(event->find("note")->text));

  policy::Pod pod = running_pod("web", 1000);
  pod.containers[0].name = hostile();
  const std::string words = agent::resize_event_text("Pod resize error", pod, 2, hostile());
  RC_ASSERT(first_invalid_utf8(words) == words.size());
}

RC_GTEST_PROP(HostileText, IsNoFigure, ()) {
  const daemon::Metrics metrics("elbowroomd", agent::agent_families());
  const std::size_t lines = static_cast<std::size_t>(std::ranges::count(metrics.text(), '\n'));
  metrics.counter("elbowroom_resize_outcomes_total", {{"outcome", hostile()}}).add();
  const std::string text = metrics.text();
  RC_ASSERT(static_cast<std::size_t>(std::ranges::count(text, '\n')) <= lines + 1);
  RC_ASSERT(are_clean_lines(text));
}

RC_GTEST_PROP(HostileText, ComesBackFromTheCheckpointAsItWasOrAsAnError, ()) {
  agent::Checkpoint checkpoint;
  const auto lines = std::ranges::count(agent::encode(checkpoint), '\n');
  const std::string name = hostile();
  checkpoint.pods["u1"] = {.ns = "default", .name = name, .generation = 1};
  const std::string text = agent::encode(checkpoint);
  RC_ASSERT(first_invalid_utf8(text) == text.size());
  RC_ASSERT(std::ranges::count(text, '\n') == lines);
  const auto back = agent::decode_checkpoint(text);
  if (back && first_invalid_utf8(name) == name.size()) RC_ASSERT(back->pods == checkpoint.pods);
}

RC_GTEST_PROP(HostileText, IsNoPartOfAReply, ()) {
  const std::string text = hostile();
  daemon::Endpoints endpoints;
  endpoints.ready = [&] {
    return std::vector<daemon::Check>{{text, false, text}, {"b", true, text}};
  };
  endpoints.explain = [](const std::string& ns, const std::string& name) {
    return daemon::Reply{.body = ns + "/" + name + "\n"};
  };
  for (const std::string& path : {std::string("/readyz"), std::string("/explain"), text}) {
    const daemon::Reply reply =
        daemon::answer(endpoints, {.method = "GET",
                                   .path = path,
                                   .parameters = {{"verbose", ""}, {"pod", "default/" + text}}});
    RC_ASSERT(are_clean_lines(reply.body) || reply.body.size() > kMaxTextBytes);
    RC_ASSERT(!reply.type.contains("html"));
    if (path == "/readyz") RC_ASSERT(std::ranges::count(reply.body, '\n') == 3);
  }
}

}  // namespace
}  // namespace elbowroom::test
