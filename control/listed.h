// What a daemon sees of the objects of one kind, for every kind alike.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::control {

// A whole list: an object that is not in it is deleted.
template <class T>
struct Listed {
  std::vector<T> objects{};
  std::vector<std::string> unreadable{};  // keys; each was reported as Unreadable before

  friend bool operator==(const Listed&, const Listed&) = default;
};
template <class T>
struct Seen {  // added or changed
  T object{};

  friend bool operator==(const Seen&, const Seen&) = default;
};
template <class T>
struct Gone {
  std::string key{};  // NAMESPACE/NAME, or NAME
  std::string uid{};

  friend bool operator==(const Gone&, const Gone&) = default;
};

// "NAMESPACE/NAME", or "NAME".
struct NameParts {
  std::string ns{};
  std::string name{};
};
[[nodiscard]] inline NameParts name_parts(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {.ns = "", .name = std::string(key)};
  return {.ns = std::string(key.substr(0, slash)), .name = std::string(key.substr(slash + 1))};
}

}  // namespace elbowroom::control
