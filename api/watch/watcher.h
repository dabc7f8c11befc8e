// Follows one collection and tells what changes, as decoded objects. An object that cannot be
// decoded is told too (Malformed), never dropped: whoever adds up what a node holds must know that
// something is there.
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
using WatchReport = std::variant<Replaced<T>, Upserted<T>, Removed, Malformed, Stale, Fresh>;

// What is kept of a collection, and how much of it.
template <class T>
struct WatchBounds {
  // Of objects that count as if they were not there; none: every one counts.
  std::function<bool(const Value&)> is_gone{};
  // The bytes that an object takes where it is kept.
  std::function<std::size_t(const T&)> weigh = [](const T&) { return std::size_t{4096}; };
  // Makes an object small that is heavier than usual, or says why it cannot be kept, once all of
  // them take half of most_bytes: what is too much is many objects, and never a few heavy ones.
  std::function<Result<T>(T)> make_small{};
  std::size_t usual_bytes = 4096;
  // All of them together. Beyond that a list is none, and a watch ends: the collection is no longer
  // followed until there is less of it.
  std::size_t most_bytes = std::size_t{64} << 20;
};

template <class T>
class Watcher {
 public:
  using Decode = std::function<Result<T>(const Value&)>;
  using Deliver = std::move_only_function<void(WatchReport<T>)>;

  // The transport must outlive the watcher. Decode and deliver are called from
  // Transport::run_once(), and must not destroy the watcher.
  Watcher(Transport& transport, WatchTarget target, ListWatchOptions options, Decode decode,
          Deliver deliver, WatchBounds<T> bounds = {})
      : decode_(std::move(decode)),
        deliver_(std::move(deliver)),
        bounds_(std::move(bounds)),
        plural_(target.path.substr(target.path.rfind('/') + 1)),
        loop_(transport, std::move(target), options, callbacks()) {}

  // Begins with the first list; once. The destructor ends it.
  void start() { loop_.start(); }

  [[nodiscard]] const Freshness& freshness() const { return loop_.freshness(); }

 private:
  WatchLoopCallbacks callbacks() {
    WatchLoopCallbacks callbacks;
    callbacks.list_begins = [this] {
      forget_list();
      is_listing_ = true;
    };
    callbacks.listed = [this](const Value& item) {
      if (bounds_.is_gone && bounds_.is_gone(item)) return;
      auto object = fitted(decode_(item), coming_bytes_);
      coming_bytes_ += weigh(coming_, item, object);
      if (object) {
        listed_.objects.push_back(std::move(*object));
      } else {
        listed_.malformed.push_back({ref_of(item), object.error(), bound_node(item)});
      }
    };
    callbacks.list_ends = [this] {
      is_listing_ = false;
      kept_ = std::exchange(coming_, {});
      deliver_(std::exchange(listed_, {}));
    };
    callbacks.upserted = [this](const Value& value) {
      if (bounds_.is_gone && bounds_.is_gone(value)) return remove(value);
      auto object = fitted(decode_(value), kept_.total());
      static_cast<void>(weigh(kept_, value, object));
      if (object) {
        deliver_(Upserted<T>{std::move(*object)});
      } else {
        deliver_(Malformed{ref_of(value), object.error(), bound_node(value)});
      }
    };
    callbacks.removed = [this](const Value& value) { remove(value); };
    callbacks.unreadable = [this](const Value& identity, const Error& why) {
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
    };
    callbacks.is_too_much = [this] { return too_much(); };
    callbacks.stale = [this](const Error& error) {
      forget_list();
      deliver_(Stale{error});
    };
    callbacks.fresh = [this] { deliver_(Fresh{}); };
    return callbacks;
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

  // Of a list that is coming that alone, with what it says twice: what was kept before goes with
  // it.
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
  // Of the list that is not whole yet; the bytes are of all that it says, also twice.
  bool is_listing_ = false;
  CacheSize coming_{};
  std::size_t coming_bytes_ = 0;
  Replaced<T> listed_{};
  WatchLoop loop_;
};

}  // namespace elbowroom::api
