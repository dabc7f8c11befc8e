// A line of a log as a value, and as text. Whatever stands in the values, a line is one line of
// printable UTF-8 of at most 8 KiB, its time included; for the journal it is as much in one line
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

// "debug", "info", "warn", "error".
[[nodiscard]] std::string_view to_string(LogLevel level);

// As the configuration spells them; what it does not know is Info, or Text.
[[nodiscard]] LogLevel log_level_from(std::string_view text);
[[nodiscard]] LogFormat log_format_from(std::string_view text);

// The keys of a line besides its time, level and msg. Another one does not compile.
class LogKey {
 public:
  // A word in the code is a key, which the compiler checks.
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
// resized","pod":"default/web"`, without the braces, which the time and its end bring along.
// Journal: the lines `PRIORITY=6`, `MSG=pod resized`, `POD=default/web` and, for those who only
// look, `MESSAGE=pod resized pod=default/web`; the last one has no line end. Values that are too
// long end in "..."; where fields are left out `truncated` says how many.
[[nodiscard]] std::string format_line(LogFormat format, LogLevel level, std::string_view message,
                                      std::span<const Field> fields);

// The same line, and how often it was not written since it was last.
[[nodiscard]] std::string with_repeats(LogFormat format, std::string line, std::size_t repeats);

}  // namespace elbowroom::daemon
