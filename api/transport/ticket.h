// A handle on a timer, a stream or a watch. Its destructor cancels it, and no further callback
// runs.
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

  // Cancels it now; does nothing if it is over.
  void cancel() noexcept {
    if (auto undo = std::exchange(undo_, nullptr)) undo();
  }

 private:
  std::move_only_function<void()> undo_;
};

}  // namespace elbowroom::api
