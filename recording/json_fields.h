// Converts values to JSON text and back; each struct is described once, as a list of its fields.
// The conversion is lossless, and equal values give equal bytes. Zero and empty members are
// omitted. A struct that is not described completely does not compile (see Fields).
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/document.h"
#include "base/document_text.h"
#include "base/result.h"

namespace elbowroom::recording {

// The members of a struct; specialized for each. A structured binding names every member, so a
// member that is added to the struct but not here is a compiler error:
//
//   template <> struct Fields<Point> {
//     static void list(auto& io, auto& point) {
//       auto& [x, y] = point;
//       io("x", x)("y", y);
//     }
//   };
template <class T>
struct Fields;

// The names of an enumeration's values or a variant's alternatives, in order:
//   template <> struct Names<Color> { static constexpr std::array all = {"Red"sv, "Green"sv}; };
template <class T>
struct Names;

// A type with its own text form: `text(value)` and `value(text)`, which returns nullopt for
// malformed text.
template <class T>
struct Worded;

// A type that reads and writes itself: write(FieldWriter&, value), read(FieldReader&, Value, T&).
template <class T>
struct Special;

template <class T>
concept IsWorded = requires(const T& of) { Worded<T>::text(of); };
template <class T>
concept IsSpecial = requires { sizeof(Special<T>); };

// Returns a text that is valid in JSON for any bytes: bytes that are not UTF-8, and 0x1A itself,
// become 0x1A and two hex digits. Others stay unchanged.
[[nodiscard]] std::string armoured(std::string_view text);
// nullopt: the text does not come from armoured().
[[nodiscard]] std::optional<std::string> bare(std::string_view text);

// The longest duration that a reader accepts: about 31,000 years, so that sums never wrap.
inline constexpr std::int64_t kMostDuration = 1'000'000'000'000'000;

template <class T>
inline constexpr bool kIsDuration = false;
template <class R, class P>
inline constexpr bool kIsDuration<std::chrono::duration<R, P>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVariant = false;
template <class... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;
template <class T>
inline constexpr bool kIsMap = false;
template <class... T>
inline constexpr bool kIsMap<std::map<T...>> = true;
template <class T>
inline constexpr bool kIsSet = false;
template <class... T>
inline constexpr bool kIsSet<std::set<T...>> = true;
template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsList<std::deque<T>> = true;
// A type described by Fields.
template <class T>
inline constexpr bool kIsStruct =
    std::is_class_v<T> && !std::is_same_v<T, std::string> && !kIsDuration<T> && !IsWorded<T> &&
    !IsSpecial<T> && !kIsOptional<T> && !kIsVariant<T> && !kIsMap<T> && !kIsSet<T> && !kIsList<T>;

class FieldWriter {
 public:
  explicit FieldWriter(std::string& to) : to_(to) {}

  // Writes a member of the struct; zero and empty members are omitted.
  template <class T>
  FieldWriter& operator()(std::string_view key, const T& value) {
    if constexpr (kIsOptional<T>) {
      if (value) member(key, *value, true);
    } else if constexpr (std::is_enum_v<T>) {
      if (value != T{}) member(key, value, true);
    } else {
      member(key, value, false);
    }
    return *this;
  }

  template <class T>
  void write(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      to_ += value ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      number(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(value);
    } else if constexpr (kIsDuration<T>) {
      number(value.count());
    } else if constexpr (IsWorded<T>) {
      text(Worded<T>::text(value));
    } else if constexpr (IsSpecial<T>) {
      Special<T>::write(*this, value);
    } else if constexpr (std::is_enum_v<T>) {
      text(Names<T>::kAll[static_cast<std::size_t>(value)]);
    } else if constexpr (kIsVariant<T>) {
      static_assert(Names<T>::kAll.size() == std::variant_size_v<T>);
      to_ += '{';
      text(Names<T>::kAll[value.index()]);
      to_ += ':';
      std::visit([this](const auto& one) { this->write(one); }, value);
      to_ += '}';
    } else if constexpr (kIsMap<T>) {
      map(value);
    } else if constexpr (kIsList<T> || kIsSet<T>) {
      list(value);
    } else {
      to_ += '{';
      const bool outer = std::exchange(first_, true);
      Fields<T>::list(*this, value);
      first_ = outer;
      to_ += '}';
    }
  }

  void text(std::string_view text);

  template <class Map>
  void map(const Map& entries) {
    to_ += '{';
    bool first = true;
    for (const auto& [key, value] : entries) {
      if (!std::exchange(first, false)) to_ += ',';
      if constexpr (std::is_integral_v<std::decay_t<decltype(key)>>) {
        to_ += '"';
        number(key);
        to_ += '"';
      } else {
        text(key);
      }
      to_ += ':';
      write(value);
    }
    to_ += '}';
  }

 private:
  template <class T>
  void member(std::string_view key, const T& value, bool always) {
    const std::size_t before = to_.size();
    const bool was_first = first_;
    if (!std::exchange(first_, false)) to_ += ',';
    to_.append("\"").append(key).append("\":");
    const std::size_t start = to_.size();
    write(value);
    if (always || !is_nothing(std::string_view(to_).substr(start))) return;
    to_.resize(before);
    first_ = was_first;
  }

  template <class T>
  void list(const T& items) {
    to_ += '[';
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) to_ += ',';
      write(item);
    }
    to_ += ']';
  }

  template <class T>
  void number(T value) {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    to_.append(digits.data(), end);
  }

  static bool is_nothing(std::string_view written) {
    return written == "0" || written == "false" || written == "\"\"" || written == "{}" ||
           written == "[]";
  }

  std::string& to_;
  bool first_ = true;
};

// Reads what FieldWriter wrote. Any other input ends with an error that names the place, never with
// a value out of bounds.
class FieldReader {
 public:
  // After the first error nothing more is read.
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] bool ok() const { return error_.empty(); }

  // Reads a member of the struct; a missing member is zero or empty.
  template <class T>
  FieldReader& operator()(std::string_view key, T& value) {
    value = T{};
    if (!ok()) return *this;
    keys_.push_back(key);
    const Value* found = map_->find(key);
    if constexpr (kIsStruct<T>) {
      // Its members are zero or empty, too, whatever their initializers are.
      static const Value nothing{.kind = Value::Kind::Map};
      if (found == nullptr) found = &nothing;
    }
    if constexpr (kIsVariant<T>) {
      if (found == nullptr) fail("is missing");
    }
    if (found == nullptr) {
      if (!ok()) inside("." + std::string(key));
      return *this;
    }
    if constexpr (kIsOptional<T>) {
      value.emplace();
      read(*found, *value);
    } else {
      read(*found, value);
    }
    if (!ok()) inside("." + std::string(key));
    return *this;
  }

  template <class T>
  void read(const Value& from, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (expect(from, Value::Kind::Bool)) value = from.text == "true";
    } else if constexpr (std::is_integral_v<T>) {
      value = number<T>(from);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (expect(from, Value::Kind::String)) value = unarmoured(from.text);
    } else if constexpr (kIsDuration<T>) {
      value = T(duration_count(from));
    } else if constexpr (IsWorded<T>) {
      worded(from, value);
    } else if constexpr (IsSpecial<T>) {
      Special<T>::read(*this, from, value);
    } else if constexpr (std::is_enum_v<T>) {
      if (expect(from, Value::Kind::String))
        value = static_cast<T>(index_of(Names<T>::kAll, from.text));
    } else if constexpr (kIsVariant<T>) {
      variant(from, value);
    } else if constexpr (kIsMap<T>) {
      map(from, value);
    } else if constexpr (kIsList<T> || kIsSet<T>) {
      list(from, value);
    } else {
      fields(from, value);
    }
  }

  bool expect(const Value& from, Value::Kind kind);
  void fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
  }
  // Extends the place of the error, from inside to outside.
  void inside(std::string_view step) { place_.insert(0, step); }
  [[nodiscard]] const std::string& place() const { return place_; }
  [[nodiscard]] std::string unarmoured(const std::string& text);

  template <class T>
  [[nodiscard]] T number(const Value& from) {
    T value{};
    if (!expect(from, Value::Kind::Number)) return value;
    const char* end = from.text.data() + from.text.size();
    const auto [stop, wrong] = std::from_chars(from.text.data(), end, value);
    if (wrong == std::errc{} && stop == end) return value;
    fail("is not a whole number from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
         std::to_string(std::numeric_limits<T>::max()));
    return T{};
  }

 private:
  template <class T>
  void fields(const Value& from, T& value) {
    if (!expect(from, Value::Kind::Map)) return;
    const Value* outer = std::exchange(map_, &from);
    const std::vector<std::string_view> outer_keys = std::exchange(keys_, {});
    Fields<T>::list(*this, value);
    refuse_unknown();
    map_ = outer;
    keys_ = outer_keys;
  }

  template <class T>
  void map(const Value& from, T& value) {
    using Key = typename T::key_type;
    if (!expect(from, Value::Kind::Map)) return;
    for (const Member& each : from.members) {
      Key key{};
      if constexpr (std::is_integral_v<Key>) {
        key = number<Key>({.kind = Value::Kind::Number, .text = each.key});
      } else {
        key = unarmoured(each.key);
      }
      read(each.value, value[std::move(key)]);
      if (!ok()) return inside("[\"" + each.key + "\"]");
    }
  }

  template <class T>
  void list(const Value& from, T& value) {
    if (!expect(from, Value::Kind::List)) return;
    for (const Value& each : from.items) {
      typename T::value_type item{};
      read(each, item);
      if (!ok()) return inside("[" + std::to_string(&each - from.items.data()) + "]");
      if constexpr (kIsSet<T>) {
        value.insert(std::move(item));
      } else {
        value.push_back(std::move(item));
      }
    }
  }

  template <class... T>
  void variant(const Value& from, std::variant<T...>& value) {
    if (!expect(from, Value::Kind::Map)) return;
    if (from.members.size() != 1) return fail("is not an object of one member");
    const Member& only = from.members.front();
    const std::size_t index = index_of(Names<std::variant<T...>>::kAll, only.key);
    if (!ok()) return;
    std::size_t turn = 0;
    const auto one = [&]<class Alternative>(std::type_identity<Alternative>) {
      if (turn++ == index) read(only.value, value.template emplace<Alternative>());
    };
    (one(std::type_identity<T>{}), ...);
    if (!ok()) inside("." + only.key);
  }

  template <class T>
  void worded(const Value& from, T& value) {
    if (!expect(from, Value::Kind::String)) return;
    if (auto meant = Worded<T>::value(from.text)) {
      value = *meant;
    } else {
      fail("is no " + std::string(Worded<T>::kWhat));
    }
  }

  template <std::size_t N>
  std::size_t index_of(const std::array<std::string_view, N>& names, const std::string& name) {
    for (std::size_t i = 0; i < N; ++i) {
      if (names[i] == name) return i;
    }
    fail("\"" + name + "\" is none of the names that are known here");
    return 0;
  }

  std::int64_t duration_count(const Value& from);
  void refuse_unknown();

  const Value* map_ = nullptr;            // of the struct being read
  std::vector<std::string_view> keys_{};  // requested from it
  std::string error_{};
  std::string place_{};
};

// Returns the value as JSON on one line.
template <class T>
[[nodiscard]] std::string to_text(const T& value) {
  std::string text;
  FieldWriter(text).write(value);
  return text;
}

// Invalid: the value has another form; the error says where and why.
template <class T>
[[nodiscard]] Result<T> from_value(const Value& value) {
  T made{};
  FieldReader reader;
  reader.read(value, made);
  if (reader.ok()) return made;
  return failure(Code::Invalid,
                 (reader.place().empty() ? "it" : reader.place()) + " " + reader.error());
}

}  // namespace elbowroom::recording
