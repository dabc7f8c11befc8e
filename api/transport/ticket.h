// A handle on something asked for: a timer, a stream, a watch. When it goes, the asking is undone,
// and no callback comes any more.
#pragma once

#include <functional>
#include <utility>

namespace elbowroom::api {

class [[nodiscard]] Ticket {
 public:
  Ticket() = default;
  explicit Ticket(std::move_only_function<void()> undo) : undo_(std::move(undo)) {}
  Ticket(Ticket&& other) noexcept : undo_(std::exchange(other.undo_, nullptr)) {}
  Ticket& operator=(Ticket&& other) noexcept {
    cancel();
    undo_ = std::exchange(other.undo_, nullptr);
    return *this;
  }
  ~Ticket() { cancel(); }

  // Undoes it now; harmless when it is over.
  void cancel() noexcept {
    if (auto undo = std::exchange(undo_, nullptr)) undo();
  }

 private:
  std::move_only_function<void()> undo_;
};

}  // namespace elbowroom::api
