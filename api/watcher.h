// Follows one collection and tells what changes, as decoded objects. The one thing to know: an
// object that cannot be decoded is told too (Malformed), never dropped: whoever adds up what a node
// holds must know that something is there.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/bound_node.h"
#include "api/object_ref.h"
#include "api/watch_loop.h"

namespace elbowroom::api {

struct Malformed {
  ObjectRef ref{};
  Error error{};
  std::string node{};  // of a pod that counts there: see bound_node()
};

// The whole collection; whatever is not in it is gone.
template <class T>
struct Replaced {
  std::vector<T> objects{};
  std::vector<Malformed> malformed{};
};
// New or changed; also sent again unchanged at times.
template <class T>
struct Upserted {
  T object{};
};
struct Removed {
  ObjectRef ref{};
};
// The collection is no longer followed, and why; later Fresh or Replaced.
struct Stale {
  Error error{};
};
struct Fresh {};

template <class T>
using WatchNews = std::variant<Replaced<T>, Upserted<T>, Removed, Malformed, Stale, Fresh>;

template <class T>
class Watcher {
 public:
  using Decode = std::function<Result<T>(const Value&)>;
  using Deliver = std::move_only_function<void(WatchNews<T>)>;

  // The transport must outlive the watcher. Decode and deliver are called from
  // Transport::run_once(), and must not destroy the watcher.
  Watcher(Transport& transport, WatchTarget target, ListWatchOptions options, Decode decode,
          Deliver deliver)
      : decode_(std::move(decode)),
        deliver_(std::move(deliver)),
        loop_(transport, std::move(target), options, callbacks()) {}

  // Begins with the first list; once. The destructor ends it.
  void start() { loop_.start(); }

  [[nodiscard]] const Freshness& freshness() const { return loop_.freshness(); }

 private:
  WatchLoopCallbacks callbacks() {
    WatchLoopCallbacks callbacks;
    callbacks.list_begins = [this] { listed_ = {}; };
    callbacks.listed = [this](const Value& item) {
      if (auto object = decode_(item)) {
        listed_.objects.push_back(std::move(*object));
      } else {
        listed_.malformed.push_back({ref_of(item), object.error(), bound_node(item)});
      }
    };
    callbacks.list_ends = [this] { deliver_(std::exchange(listed_, {})); };
    callbacks.upserted = [this](const Value& value) {
      if (auto object = decode_(value)) {
        deliver_(Upserted<T>{std::move(*object)});
      } else {
        deliver_(Malformed{ref_of(value), object.error(), bound_node(value)});
      }
    };
    callbacks.removed = [this](const Value& value) { deliver_(Removed{ref_of(value)}); };
    callbacks.stale = [this](const Error& error) { deliver_(Stale{error}); };
    callbacks.fresh = [this] { deliver_(Fresh{}); };
    return callbacks;
  }

  Decode decode_;
  Deliver deliver_;
  Replaced<T> listed_;
  WatchLoop loop_;
};

}  // namespace elbowroom::api
