// The terminal, by ncurses: it shows lines and reads keys. There is one at a time. The screen as it
// was before comes back when it is destroyed; a stop signal only ends a wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/result.h"
#include "cli/top/keys.h"
#include "cli/top/styled_line.h"

namespace elbowroom::cli::top {

class Terminal {
 public:
  // Invalid: TERM names no terminal that is known here. Internal: no pipe. `has_colours`: they are
  // wanted, and are used where the terminal has them.
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open(bool has_colours);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  struct Size {
    std::size_t width = 0;
    std::size_t height = 0;
  };
  // As it is now; after a change, the next show() draws everything.
  [[nodiscard]] Size size();

  void show(const std::vector<StyledLine>& lines);

  // All keys that were pressed; waits for one, for wake(), for a signal or another size, at most
  // that long.
  [[nodiscard]] std::vector<Key> keys(std::chrono::milliseconds bound);

  // Ends the wait of keys(). May be called by any thread, and by a signal's handler.
  static void wake();

  // SIGINT, SIGTERM or SIGHUP came, or the terminal is gone: its number; 0: none.
  [[nodiscard]] int stopped_by() const;

 private:
  Terminal() = default;
  void draw_again();

  void* screen_ = nullptr;
  bool has_colours_ = false;
  bool is_gone_ = false;
  Size known_{};
};

}  // namespace elbowroom::cli::top
