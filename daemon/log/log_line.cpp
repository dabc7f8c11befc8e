#include "daemon/log/log_line.h"

#include <algorithm>

#include "base/document_text.h"
#include "base/text.h"

namespace elbowroom::daemon {
namespace {

// For the time, braces, `truncated` and `repeated`.
constexpr std::size_t kReservedBytes = 128;
constexpr std::size_t kMost = kMaxLogLineBytes - kReservedBytes;
constexpr std::size_t kLeastValueBytes = 16;

bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \"\\='") != std::string_view::npos;
}

// Returns the text quoted as in JSON: at most twice its length and two quotes, because control
// characters are removed first.
std::string in_quotes(std::string_view text) { return to_json_line(text_value(std::string(text))); }

std::string upper_case(std::string_view word) {
  std::string upper(word);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string spelled(LogFormat format, std::string_view key, std::string_view value) {
  if (format == LogFormat::Json) return "," + in_quotes(key) + ":" + in_quotes(value);
  if (format == LogFormat::Journal) return "\n" + upper_case(key) + "=" + std::string(value);
  return " " + std::string(key) + "=" +
         (needs_quotes(value) ? in_quotes(value) : std::string(value));
}

// Returns false if there is no room for a useful part of the value. Then nothing was added.
bool append(std::string& line, LogFormat format, std::string_view key, std::string_view text,
            std::size_t most = kMost) {
  const std::string value = sanitize_line(clipped(text, kMaxLogLineBytes));
  std::string whole = spelled(format, key, value);
  if (line.size() + whole.size() <= most) {
    line += whole;
    return true;
  }
  const std::size_t around = key.size() + 8;  // quotes, comma, colon
  if (line.size() + around >= most) return false;
  const std::size_t room = (most - line.size() - around) / 2;  // quoting may double the length
  if (room < kLeastValueBytes) return false;
  line += spelled(format, key, clipped(value, room));
  return true;
}

// Adds the fields, and the number of fields that did not fit.
void append_fields(std::string& line, LogFormat format, std::span<const Field> fields,
                   std::size_t most = kMost) {
  const auto left_out = std::ranges::count_if(fields, [&](const Field& field) {
    return !append(line, format, field.key.word(), field.value, most);
  });
  if (left_out > 0) line += spelled(format, "truncated", std::to_string(left_out));
}

// Returns the syslog priority. Source: sd-daemon(3).
std::string_view priority_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "7";
    case LogLevel::Info:
      return "6";
    case LogLevel::Warn:
      return "4";
    case LogLevel::Error:
      return "3";
  }
  return "6";
}

// Every value appears twice, so each copy has half the room. MESSAGE is the last line, because
// with_repeats() appends to it.
std::string format_entry(LogLevel level, std::string_view message, std::span<const Field> fields) {
  constexpr std::size_t kHalf = kMost / 2 - 32;  // for the two `truncated`
  std::string entry = "PRIORITY=" + std::string(priority_of(level));
  append(entry, LogFormat::Journal, "msg", message, kHalf);
  append_fields(entry, LogFormat::Journal, fields, kHalf);
  std::string text = "\nMESSAGE=" + clipped(sanitize_line(message), kHalf / 2);
  append_fields(text, LogFormat::Text, fields, kHalf);
  return entry + text;
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warn:
      return "warn";
    case LogLevel::Error:
      return "error";
  }
  return "info";
}

LogLevel log_level_from(std::string_view text) {
  for (const LogLevel level : {LogLevel::Debug, LogLevel::Warn, LogLevel::Error}) {
    if (text == to_string(level)) return level;
  }
  return LogLevel::Info;
}

LogFormat log_format_from(std::string_view text) {
  if (text == "json") return LogFormat::Json;
  return text == "journal" ? LogFormat::Journal : LogFormat::Text;
}

std::string format_line(LogFormat format, LogLevel level, std::string_view message,
                        std::span<const Field> fields) {
  if (format == LogFormat::Journal) return format_entry(level, message, fields);
  std::string line = format == LogFormat::Json ? "\"level\":" + in_quotes(to_string(level))
                                               : std::string(to_string(level));
  append(line, format, "msg", message);
  append_fields(line, format, fields);
  return line;
}

std::string with_repeats(LogFormat format, std::string line, std::size_t repeats) {
  if (repeats == 0) return line;
  const std::string count = std::to_string(repeats);
  if (format == LogFormat::Journal) line += spelled(LogFormat::Text, "repeated", count);
  return std::move(line) + spelled(format, "repeated", count);
}

}  // namespace elbowroom::daemon
