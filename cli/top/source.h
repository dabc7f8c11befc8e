// Where the screen's overview comes from: followed in a thread of its own, and taken from there by
// the thread that draws.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/top/screen.h"
#include "policy/overview/overview.h"

namespace elbowroom::cli::top {

// What is known at one moment.
struct Sight {
  policy::Overview overview{};
  std::vector<std::string> notes{};  // what is not seen, and why
  bool is_complete = false;          // everything was read once, or cannot be
  bool sees_nothing = false;         // neither nodes nor pods
  Explained explained{};
};

// The last sight, from thread to thread.
class Sights {
 public:
  // `news` is called by the thread that puts, after each.
  explicit Sights(std::function<void()> news) : news_(std::move(news)) {}

  void put(Sight sight) {
    auto made = std::make_shared<const Sight>(std::move(sight));
    {
      const std::scoped_lock lock(mutex_);
      last_ = std::move(made);
    }
    news_();
  }
  // Never null.
  [[nodiscard]] std::shared_ptr<const Sight> last() const {
    const std::scoped_lock lock(mutex_);
    return last_;
  }

 private:
  std::function<void()> news_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Sight> last_ = std::make_shared<const Sight>();
};

class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // "https://host:6443".
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::shared_ptr<const Sight> last() const = 0;
  // From now on sights have the explanation of that pod (NAMESPACE/NAME); "": of none.
  virtual void explain(std::string pod) = 0;
};

}  // namespace elbowroom::cli::top
