// A log line as a value and as text. Whatever its values hold, a line is one line of printable
// UTF-8 of at most 8 KiB, including its time. For the journal the same limit applies to one line
// for each field.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace elbowroom::daemon {

enum class LogLevel { Debug, Info, Warn, Error };
enum class LogFormat { Text, Json, Journal };

inline constexpr std::size_t kMaxLogLineBytes = std::size_t{8} << 10;

// Returns "debug", "info", "warn" or "error".
[[nodiscard]] std::string_view to_string(LogLevel level);

// Parses the values of the configuration; unknown ones become Info or Text.
[[nodiscard]] LogLevel log_level_from(std::string_view text);
[[nodiscard]] LogFormat log_format_from(std::string_view text);

// A key of a line besides time, level and msg. An unknown key does not compile.
class LogKey {
 public:
  // A literal converts to a key, checked by the compiler.
  // NOLINTNEXTLINE(google-explicit-constructor): words are what callers write
  consteval LogKey(const char* word) : word_(word) {
    bool known = false;
    for (const std::string_view key : {"pod", "node", "uid", "reason", "err"}) {
      known = known || key == word_;
    }
    if (!known) throw "no key of the log";
  }
  [[nodiscard]] std::string_view word() const { return word_; }

 private:
  std::string_view word_;
};

// The view is read before the call returns.
struct Field {
  LogKey key = "err";
  std::string_view value{};
};

// Text: `info msg="pod resized" pod=default/web`. Json: `"level":"info","msg":"pod
// resized","pod":"default/web"`, without the braces, which the time and the line end add. Journal:
// the lines `PRIORITY=6`, `MSG=pod resized`, `POD=default/web` and, for human readers, `MESSAGE=pod
// resized pod=default/web`; the last one has no line end. Values that are too long end in "..."; if
// fields are omitted, `truncated` is their number.
[[nodiscard]] std::string format_line(LogFormat format, LogLevel level, std::string_view message,
                                      std::span<const Field> fields);

// Returns the same line with the number of suppressed repetitions since it was last written.
[[nodiscard]] std::string with_repeats(LogFormat format, std::string line, std::size_t repeats);

}  // namespace elbowroom::daemon
