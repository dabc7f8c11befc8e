// A place in an object that is being decoded: the value there, if any, and its path. Absent and
// null are the same. Every error names the path as in the manifest, and the line if there is more
// than one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "policy/model/resources.h"
#include "policy/model/time.h"

namespace elbowroom::api {

// The origin of an object. A user's file must satisfy every check. What an API server has accepted,
// any user may have written: what the server accepts is not an error, and an amount beyond 64 bits
// is the largest amount.
enum class Source : std::uint8_t { File, Server };

// A child refers to its parent: a Field must not be moved while its children are in use.
class Field {
 public:
  explicit Field(const Value& root, Source source = Source::File)
      : value_(&root), source_(source) {}

  [[nodiscard]] bool is_served() const { return source_ == Source::Server; }

  // True if there is a value that is not null.
  [[nodiscard]] bool present() const { return value_ != nullptr; }
  // Requires present().
  [[nodiscard]] const Value& value() const { return *value_; }

  // The member with that key; absent if this is absent. Invalid if this is not a mapping.
  [[nodiscard]] Result<Field> get(std::string_view key) const;

  // The value of the member with that key; the default ("", nullopt, false) if absent.
  [[nodiscard]] Result<std::string> text(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::int64_t>> integer(
      std::string_view key, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
      std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] Result<bool> boolean(std::string_view key) const;
  [[nodiscard]] Result<std::optional<policy::Time>> time(std::string_view key) const;
  [[nodiscard]] Result<std::map<std::string, std::string, std::less<>>> labels(
      std::string_view key) const;
  [[nodiscard]] Result<std::vector<std::string>> texts(std::string_view key) const;
  // None if the member is absent. "pods" is omitted: it is not a policy resource. An amount above
  // 2^63-1 is Invalid in a file, and 2^63-1 from a server.
  [[nodiscard]] Result<std::optional<policy::Resources>> resources(std::string_view key) const;

  // For lists: `for (i = 0; i < size(); ++i) item(i)`. Absent: 0. Invalid: not a list.
  [[nodiscard]] Result<std::size_t> size() const;
  [[nodiscard]] Field item(std::size_t index) const;

  // The value itself.
  [[nodiscard]] Result<std::string> as_text() const;
  [[nodiscard]] Result<std::int64_t> as_integer(std::int64_t least, std::int64_t most) const;
  [[nodiscard]] Result<std::int64_t> as_quantity(std::string_view resource) const;

  // "spec.containers[0].name: WHY (line 12)".
  [[nodiscard]] std::unexpected<Error> refuse(std::string_view why) const;
  // The same for a member that may be absent.
  [[nodiscard]] std::unexpected<Error> refuse(std::string_view key, std::string_view why) const;

 private:
  Field(const Field* parent, const Value* value, std::string_view key)
      : parent_(parent), value_(value), key_(key), source_(parent->source_) {}
  Field(const Field* parent, const Value* value, std::size_t index)
      : parent_(parent), value_(value), index_(index), source_(parent->source_) {}

  [[nodiscard]] std::string path() const;
  [[nodiscard]] Field child(const Member& member) const {
    return {this, &member.value, std::string_view(member.key)};
  }

  const Field* parent_ = nullptr;
  const Value* value_ = nullptr;
  std::string_view key_;
  std::optional<std::size_t> index_;
  Source source_ = Source::File;
};

}  // namespace elbowroom::api
