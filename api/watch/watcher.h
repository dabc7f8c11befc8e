// Follows one collection and reports its changes as decoded objects. An object that cannot be
// decoded is also reported (Malformed), never dropped: code that sums what a node holds must know
// that it exists.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/codec/bound_node.h"
#include "api/codec/cache_size.h"
#include "api/codec/object_ref.h"
#include "api/watch/watch_loop.h"

namespace elbowroom::api {

struct Malformed {
  ObjectRef ref{};
  Error error{};
  std::string node{};  // for a pod that counts on a node: see bound_node()
};

// The whole collection. An object that is not in it has been deleted.
template <class T>
struct Replaced {
  std::vector<T> objects{};
  std::vector<Malformed> malformed{};
};
// Added or changed; sometimes repeated without a change.
template <class T>
struct Upserted {
  T object{};
};
struct Removed {
  ObjectRef ref{};
};
// The collection is no longer followed, and why. Fresh or Replaced follows later.
struct Stale {
  Error error{};
};
struct Fresh {};

template <class T>
using WatchReport = std::variant<Replaced<T>, Upserted<T>, Removed, Malformed, Stale, Fresh>;

// Which objects of a collection are kept, and their limit.
template <class T>
struct WatchBounds {
  // Whether an object counts as deleted; none: every object counts.
  std::function<bool(const Value&)> is_gone{};
  // The bytes that a kept object takes.
  std::function<std::size_t(const T&)> weigh = [](const T&) { return std::size_t{4096}; };
  // Reduces an object that is larger than usual_bytes, or returns why it cannot be kept. Used once
  // all objects together take half of most_bytes. So only many objects exceed the limit, never a
  // few large ones.
  std::function<Result<T>(T)> make_small{};
  std::size_t usual_bytes = 4096;
  // The limit for all objects together. Beyond it a list fails and a watch ends: the collection is
  // not followed until it is smaller.
  std::size_t most_bytes = std::size_t{64} << 20;
};

template <class T>
class Watcher {
 public:
  using Decode = std::function<Result<T>(const Value&)>;
  using Deliver = std::move_only_function<void(WatchReport<T>)>;

  // The transport must outlive the watcher. Decode and deliver are called in Transport::run_once(),
  // and must not destroy the watcher.
  Watcher(Transport& transport, WatchTarget target, ListWatchOptions options, Decode decode,
          Deliver deliver, WatchBounds<T> bounds = {})
      : decode_(std::move(decode)),
        deliver_(std::move(deliver)),
        bounds_(std::move(bounds)),
        plural_(target.path.substr(target.path.rfind('/') + 1)),
        loop_(transport, std::move(target), options, callbacks()) {}

  // Starts with the first list. Call it once. The destructor ends it.
  void start() { loop_.start(); }

  [[nodiscard]] const Freshness& freshness() const { return loop_.freshness(); }
  // How many objects it has reported that are not deleted, as far as is known.
  [[nodiscard]] std::size_t objects() const { return kept_.objects(); }

 private:
  WatchLoopCallbacks callbacks() {
    WatchLoopCallbacks callbacks;
    callbacks.list_begins = [this] {
      forget_list();
      is_listing_ = true;
    };
    callbacks.listed = [this](const Value& item) { list(item); };
    callbacks.list_ends = [this] {
      is_listing_ = false;
      kept_ = std::exchange(coming_, {});
      deliver_(std::exchange(listed_, {}));
    };
    callbacks.upserted = [this](const Value& value) { upsert(value); };
    callbacks.removed = [this](const Value& value) { remove(value); };
    callbacks.unreadable = [this](const Value& identity, const Error& why) {
      reject(identity, why);
    };
    callbacks.is_too_much = [this] { return too_much(); };
    callbacks.stale = [this](const Error& error) {
      forget_list();
      deliver_(Stale{error});
    };
    callbacks.fresh = [this] { deliver_(Fresh{}); };
    return callbacks;
  }

  void list(const Value& item) {
    if (bounds_.is_gone && bounds_.is_gone(item)) return;
    auto object = fitted(decode_(item), coming_bytes_);
    coming_bytes_ += weigh(coming_, item, object);
    if (object) {
      listed_.objects.push_back(std::move(*object));
    } else {
      listed_.malformed.push_back({ref_of(item), object.error(), bound_node(item)});
    }
  }

  void upsert(const Value& value) {
    if (bounds_.is_gone && bounds_.is_gone(value)) return remove(value);
    auto object = fitted(decode_(value), kept_.total());
    static_cast<void>(weigh(kept_, value, object));
    if (object) {
      deliver_(Upserted<T>{std::move(*object)});
    } else {
      deliver_(Malformed{ref_of(value), object.error(), bound_node(value)});
    }
  }

  // An object that cannot be read as a tree.
  void reject(const Value& identity, const Error& why) {
    if (bounds_.is_gone && bounds_.is_gone(identity)) {
      if (!is_listing_) remove(identity);
      return;
    }
    const Result<T> none = std::unexpected(why);
    if (is_listing_) {
      coming_bytes_ += weigh(coming_, identity, none);
      listed_.malformed.push_back({ref_of(identity), why, bound_node(identity)});
    } else {
      static_cast<void>(weigh(kept_, identity, none));
      deliver_(Malformed{ref_of(identity), why, bound_node(identity)});
    }
  }

  void forget_list() {
    is_listing_ = false;
    listed_ = {};
    coming_ = {};
    coming_bytes_ = 0;
  }

  void remove(const Value& value) {
    const ObjectRef ref = ref_of(value);
    kept_.forget(ref.uid);
    deliver_(Removed{ref});
  }

  [[nodiscard]] Result<T> fitted(Result<T> object, std::size_t others) const {
    if (!object || !bounds_.make_small) return object;
    const std::size_t bytes = bounds_.weigh(*object);
    const bool fits = bytes <= bounds_.usual_bytes || others + bytes <= bounds_.most_bytes / 2;
    return fits ? std::move(object) : bounds_.make_small(*std::move(object));
  }

  [[nodiscard]] std::size_t weigh(CacheSize& where, const Value& value, const Result<T>& object) {
    const std::size_t bytes =
        object ? bounds_.weigh(*object) : object.error().message.size() + sizeof(Malformed);
    const ObjectRef ref = ref_of(value);
    where.set(ref.uid.empty() ? to_string(ref) : ref.uid, bytes);
    return bytes;
  }

  // While a list arrives, only that list counts, including its repeated objects: it replaces
  // everything kept before.
  [[nodiscard]] std::optional<Error> too_much() const {
    const std::size_t bytes = is_listing_ ? coming_bytes_ : kept_.total();
    if (bytes <= bounds_.most_bytes) return std::nullopt;
    const std::size_t objects =
        is_listing_ ? listed_.objects.size() + listed_.malformed.size() : kept_.objects();
    return Error{Code::Exhausted,
                 "there are more " + plural_ +
                     " than this program keeps: " + std::to_string(objects) + " take more than " +
                     std::to_string(bounds_.most_bytes >> 20U) + " MiB; delete some of them",
                 {}};
  }

  Decode decode_;
  Deliver deliver_;
  WatchBounds<T> bounds_;
  std::string plural_;  // "pods"
  CacheSize kept_{};
  // Of the incomplete list. The bytes include repeated objects.
  bool is_listing_ = false;
  CacheSize coming_{};
  std::size_t coming_bytes_ = 0;
  Replaced<T> listed_{};
  WatchLoop loop_;
};

}  // namespace elbowroom::api
