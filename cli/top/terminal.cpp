#define NCURSES_NOMACROS 1
#include "cli/top/terminal.h"

#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace elbowroom::cli::top {
namespace {

// A handler and other threads write to it; there is one terminal at a time.
std::atomic<int> wake_end = -1;
std::atomic<int> read_end = -1;
std::atomic<int> stop_signal = 0;

void note_stop(int number) {
  stop_signal = number;
  Terminal::wake();
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

constexpr std::array kStops = {SIGINT, SIGTERM, SIGHUP};
constexpr int kEscape = 27;
constexpr int kControlL = 12;
constexpr int kControlH = 8;
constexpr int kDelete = 127;
constexpr int kEscapeWait = 25;  // milliseconds, within which the rest of a key's bytes come

Special special_of(int code) {
  switch (code) {
    case KEY_UP:
      return Special::Up;
    case KEY_DOWN:
      return Special::Down;
    case KEY_LEFT:
      return Special::Left;
    case KEY_RIGHT:
      return Special::Right;
    case KEY_PPAGE:
      return Special::PageUp;
    case KEY_NPAGE:
      return Special::PageDown;
    case KEY_HOME:
      return Special::Home;
    case KEY_END:
      return Special::End;
    case KEY_ENTER:
    case '\n':
    case '\r':
      return Special::Enter;
    case kEscape:
      return Special::Escape;
    case '\t':
      return Special::Tab;
    case KEY_BTAB:
      return Special::BackTab;
    case KEY_BACKSPACE:
    case kControlH:
    case kDelete:
      return Special::Backspace;
    case kControlL:
      return Special::Redraw;
    default:
      return Special::None;
  }
}

// The colour pairs are numbered as the styles are.
void begin_colours() {
  start_color();
  use_default_colors();
  const auto pair = [](Style style, int colour) {
    init_pair(static_cast<short>(style), static_cast<short>(colour), -1);
  };
  pair(Style::Good, COLOR_GREEN);
  pair(Style::Warning, COLOR_YELLOW);
  pair(Style::Bad, COLOR_RED);
}

attr_t attributes_of(Style style, bool has_colours) {
  const auto colour = [&](attr_t otherwise) -> attr_t {
    return has_colours ? static_cast<attr_t>(COLOR_PAIR(static_cast<int>(style))) : otherwise;
  };
  switch (style) {
    case Style::Plain:
      return A_NORMAL;
    case Style::Strong:
      return A_BOLD;
    case Style::Faint:
      return A_DIM;
    case Style::Good:
      return colour(A_NORMAL);
    case Style::Warning:
    case Style::Bad:
      return colour(A_BOLD);
    case Style::Bar:
    case Style::Chosen:
      return A_REVERSE;
  }
  return A_NORMAL;
}

Result<void> open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return failure(Code::Internal, "no pipe can be opened");
  }
  read_end = ends[0];
  wake_end = ends[1];
  return {};
}

void close_pipe() {
  close(wake_end.exchange(-1));
  close(read_end.exchange(-1));
}

}  // namespace

Result<std::unique_ptr<Terminal>> Terminal::open(bool has_colours) {
  RETURN_IF_ERROR(open_pipe());
  stop_signal = 0;
  std::setlocale(LC_CTYPE, "");
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) {
    close_pipe();
    const char* term = std::getenv("TERM");
    return failure(Code::Invalid, std::string("TERM=") + (term == nullptr ? "" : term) +
                                      " names no terminal that is known here: use --once");
  }
  for (const int each : kStops) handle(each, note_stop);
  std::unique_ptr<Terminal> made(new Terminal());
  made->screen_ = screen;
  made->has_colours_ = has_colours && has_colors();
  if (made->has_colours_) begin_colours();
  cbreak();
  noecho();
  nonl();
  set_escdelay(kEscapeWait);
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  curs_set(0);
  return made;
}

Terminal::~Terminal() {
  endwin();
  delscreen(static_cast<SCREEN*>(screen_));
  for (const int each : kStops) handle(each, SIG_DFL);
  close_pipe();
}

Terminal::Size Terminal::size() {
  winsize told{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &told) == 0 && told.ws_col > 0 && told.ws_row > 0) {
    const Size now{told.ws_col, told.ws_row};
    const bool is_other = now.width != known_.width || now.height != known_.height;
    if (is_other) {
      resizeterm(told.ws_row, told.ws_col);
      draw_again();
    }
    known_ = now;
  } else {
    known_ = {static_cast<std::size_t>(COLS), static_cast<std::size_t>(LINES)};
  }
  return known_;
}

void Terminal::draw_again() { clearok(curscr, TRUE); }

void Terminal::show(const std::vector<StyledLine>& lines) {
  werase(stdscr);
  int row = 0;
  for (const StyledLine& line : lines) {
    wmove(stdscr, row++, 0);
    for (const Span& span : line) {
      wattrset(stdscr, static_cast<int>(attributes_of(span.style, has_colours_)));
      // The last cell of the screen takes its character and reports that the cursor has no place.
      static_cast<void>(waddnstr(stdscr, span.text.c_str(), static_cast<int>(span.text.size())));
    }
  }
  wattrset(stdscr, A_NORMAL);
  wrefresh(stdscr);
}

std::vector<Key> Terminal::keys(std::chrono::milliseconds bound) {
  std::array<pollfd, 2> waits = {pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{read_end, POLLIN, 0}};
  const int ready = poll(waits.data(), waits.size(), static_cast<int>(bound.count()));
  std::array<char, 64> wakes{};
  while (read(read_end, wakes.data(), wakes.size()) > 0) continue;
  if (ready > 0 && (waits[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) is_gone_ = true;
  std::vector<Key> keys;
  for (int code = wgetch(stdscr); code != ERR; code = wgetch(stdscr)) {
    const Special special = special_of(code);
    if (special == Special::Redraw) draw_again();
    if (special != Special::None)
      keys.push_back({.special = special});
    else if (code >= ' ' && code <= '~')
      keys.push_back({.character = static_cast<char>(code)});
  }
  return keys;
}

void Terminal::wake() {
  const int saved = errno;
  // A full pipe wakes as well.
  [[maybe_unused]] const auto written = write(wake_end, "", 1);
  errno = saved;
}

int Terminal::stopped_by() const { return is_gone_ ? SIGHUP : stop_signal.load(); }

}  // namespace elbowroom::cli::top
