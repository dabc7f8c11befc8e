// One line on standard error that says how far long work is: "reading pods: 12,000 (4s)". It
// appears once the work has taken a second, moves, and is erased before anything else is written.
// Where standard error is no terminal nothing is written.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace elbowroom::cli {

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `write` takes what goes to the terminal.
  Progress(std::function<Time()> now, std::function<void(std::string_view)> write)
      : now_(std::move(now)), write_(std::move(write)) {}
  // Says nothing at all.
  Progress() = default;

  // The work goes on, and is at this: "reading pods". `done`: so many so far; 0 is not shown. The
  // first call starts the clock.
  void tell(std::string_view doing, std::size_t done = 0);
  // The work goes on as it was told last, if anything was.
  void tell_again();
  // Removes the line. The work may go on.
  void erase();

 private:
  void draw();

  std::function<Time()> now_{};
  std::function<void(std::string_view)> write_{};
  std::string doing_{};
  std::size_t done_ = 0;
  std::optional<Time> began_{};
  std::optional<Time> drawn_{};  // none: no line is there
};

// That of the program, on its standard error. For its main thread.
[[nodiscard]] Progress& progress();

}  // namespace elbowroom::cli
