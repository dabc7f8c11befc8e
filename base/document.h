// A parsed YAML or JSON document as a tree of values with their positions. All text from outside
// (manifests, kubeconfig, config files, API replies) enters here. The limits are ours: size, depth,
// number of values, alias expansion, duplicate keys. What a filter drops is not checked against
// them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace elbowroom {

// 1-based; line 0: unknown.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// The definition of Value. It is a template only because a Value holds Members and a Member holds a
// Value: clang would instantiate a plain struct's empty list of Members before that type exists.
template <class Entry>
struct ValueOf {
  enum class Kind { Null, Bool, Number, String, List, Map };

  Kind kind = Kind::Null;
  std::string text{};            // Bool: "true" or "false"; Number: as written; String: the string
  std::vector<ValueOf> items{};  // List
  std::vector<Entry> members{};  // Map, in the order of the text; keys are unique
  Position at{};

  // The member with that key, or nullptr (also if this is not a Map). Valid as long as this value.
  [[nodiscard]] const ValueOf* find(std::string_view key) const {
    const auto found = std::ranges::find(members, key, &Entry::key);
    return found == members.end() ? nullptr : &found->value;
  }
};

struct Member;
using Value = ValueOf<Member>;

struct Member {
  std::string key{};
  Position at{};  // of the key
  Value value{};
};

struct DocumentLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t depth = 64;
  std::size_t values = 4'000'000;  // after alias expansion
};

// All documents of a YAML stream; empty documents are omitted. A byte order mark and CRLF are
// accepted. Text that is not UTF-8, and an unknown tag, is Invalid. Messages begin with "line L,
// column C: ".
[[nodiscard]] Result<std::vector<Value>> parse_yaml(std::string_view text,
                                                    const DocumentLimits& limits = {});

// One JSON document; trailing text is Invalid. Numbers keep their spelling. Positions are set.
[[nodiscard]] Result<Value> parse_json(std::string_view text, const DocumentLimits& limits = {});

// One or more JSON mappings and lists in sequence, as `kubectl get -o json` of several calls writes
// them. The limits apply to all of them together.
[[nodiscard]] Result<std::vector<Value>> parse_json_documents(std::string_view text,
                                                              const DocumentLimits& limits = {});

}  // namespace elbowroom
