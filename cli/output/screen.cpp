#include "cli/output/screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace elbowroom::cli {
namespace {

constexpr std::size_t kNarrowest = 20;
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kPlain = "\x1b[0m";

using Tone = std::pair<std::string_view, std::string_view>;
constexpr std::array<Tone, 14> kTones = {{{"FAIL", kRed},
                                          {"Infeasible", kRed},
                                          {"Unschedulable", kRed},
                                          {"UnschedulableAndUnresolvable", kRed},
                                          {"Blocked", kRed},
                                          {"WARN", kYellow},
                                          {"Deferred", kYellow},
                                          {"Preempt", kYellow},
                                          {"AwaitingVictims", kYellow},
                                          {"PASS", kGreen},
                                          {"Allocated", kGreen},
                                          {"Bind", kGreen},
                                          {"Success", kGreen},
                                          {"Evicted", kGreen}}};

enum class When { Auto, Always, Never };
When chosen = When::Auto;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_in_word(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

// "NODE  CODE  WHY", "WHAT WOULD HELP".
bool is_title(std::string_view line) {
  const auto is_allowed = [](char c) { return (c >= 'A' && c <= 'Z') || c == ' ' || c == '\''; };
  return std::ranges::count_if(line, is_letter) > 2 && std::ranges::all_of(line, is_allowed);
}

std::string with_tones(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    const auto end = std::ranges::find_if_not(line, is_in_word);
    const std::string_view word = line.substr(0, static_cast<std::size_t>(end - line.begin()));
    const auto* tone = std::ranges::find(kTones, word, &Tone::first);
    if (tone != kTones.end()) {
      out.append(tone->second).append(word).append(kPlain);
    } else {
      out += word;
    }
    line.remove_prefix(word.size());
    if (line.empty()) break;
    out += line.front();
    line.remove_prefix(1);
  }
  return out;
}

}  // namespace

std::size_t screen_columns() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col == 0 ? 0 : std::max<std::size_t>(size.ws_col, kNarrowest);
}

bool output_has_no_reader() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

void choose_colours(std::string_view when) {
  chosen = when == "always" ? When::Always : when == "never" ? When::Never : When::Auto;
}

bool has_colours() {
  if (chosen != When::Auto) return chosen == When::Always;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_refused = no_color != nullptr && *no_color != '\0';
  const bool is_dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !is_refused && !is_dumb && ::isatty(STDOUT_FILENO) == 1;
}

std::string painted(std::string text) {
  if (!has_colours()) return text;
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (is_title(line)) {
      out.append(kBold).append(line).append(kPlain);
    } else {
      out += with_tones(line);
    }
    out += '\n';
  }
  return out;
}

}  // namespace elbowroom::cli
