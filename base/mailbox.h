// A bounded queue of values between threads. It holds the project's only lock. Both of its waits
// are bounded by a deadline and a stop.
//
// Order of destruction: std::jthread's destructor requests a stop and then joins. So declare a
// mailbox before the threads that use it (members are destroyed last to first: the threads join,
// then the mailbox is destroyed), and declare a consumer after the producers that must still reach
// it. Join a producer that must finish its work by hand before anything is stopped. Stopping drains
// nothing: what must survive is in a checkpoint.
#pragma once

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace elbowroom {

// Any number of producers and consumers. Values of one producer come out in its order.
template <class T>
class Mailbox {
 public:
  using Clock = std::chrono::steady_clock;

  // Holds at most `capacity` values, at least 1.
  explicit Mailbox(std::size_t capacity) : capacity_(capacity) { assert(capacity > 0); }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Waits for room until `deadline` or stop. False: the value was not taken, and is still in
  // `value`.
  [[nodiscard]] bool put(T&& value, const std::stop_token& stop, Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    if (!has_room(lock, stop, deadline)) return false;
    values_.push_back(std::move(value));
    lock.unlock();
    arrival_.notify_one();
    return true;
  }

  // Puts all values in order, with one wake-up for as many as fit. False: the values not taken are
  // still in `values`.
  [[nodiscard]] bool put_all(std::deque<T>& values, const std::stop_token& stop,
                             Clock::time_point deadline) {
    while (!values.empty()) {
      std::unique_lock lock(mutex_);
      if (!has_room(lock, stop, deadline)) return false;
      for (; !values.empty() && values_.size() < capacity_; values.pop_front()) {
        values_.push_back(std::move(values.front()));
      }
      lock.unlock();
      arrival_.notify_all();
    }
    return true;
  }

  // Never waits. False: the mailbox is full, and the value is still in `value`.
  [[nodiscard]] bool try_put(T&& value) {
    {
      const std::scoped_lock lock(mutex_);
      if (values_.size() >= capacity_) return false;
      values_.push_back(std::move(value));
    }
    arrival_.notify_one();
    return true;
  }

  // The oldest value. Nothing once `deadline` has passed or a stop was requested, even if values
  // are left.
  [[nodiscard]] std::optional<T> take(const std::stop_token& stop, Clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    if (!arrival_.wait_until(lock, stop, deadline, [this] { return !values_.empty(); })) {
      return std::nullopt;
    }
    if (stop.stop_requested()) {
      arrival_.notify_one();  // as in has_room
      return std::nullopt;
    }
    return pop(std::move(lock));
  }

  // Never waits.
  [[nodiscard]] std::optional<T> try_take() {
    std::unique_lock lock(mutex_);
    if (values_.empty()) return std::nullopt;
    return pop(std::move(lock));
  }

  // How many values are queued at this instant: for metrics, not for decisions.
  [[nodiscard]] std::size_t size() {
    const std::scoped_lock lock(mutex_);
    return values_.size();
  }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  // Waits for room. False: none in time, or a stop was requested.
  bool has_room(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                Clock::time_point deadline) {
    if (!room_.wait_until(lock, stop, deadline, [this] { return values_.size() < capacity_; })) {
      return false;
    }
    if (!stop.stop_requested()) return true;
    room_.notify_one();  // the wake-up may have been meant for this one: pass it on
    return false;
  }

  std::optional<T> pop(std::unique_lock<std::mutex> lock) {
    std::optional<T> value(std::move(values_.front()));
    values_.pop_front();
    lock.unlock();
    room_.notify_one();
    return value;
  }

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable_any arrival_;
  std::condition_variable_any room_;
  std::deque<T> values_;
};

}  // namespace elbowroom
