#include "lab/world/label_key.h"

#include <algorithm>

namespace elbowroom::lab {
namespace {

constexpr const char* kNameRule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'";
constexpr const char* kPrefixRule =
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
    "'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_alphanumeric(char c) { return is_digit(c) || is_lower(c) || (c >= 'A' && c <= 'Z'); }

bool is_name(std::string_view name) {
  return !name.empty() && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::ranges::all_of(
             name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// Labels of lower case letters and digits, with '-' inside, separated by single dots.
bool is_subdomain(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    const std::string_view label = name.substr(0, dot);
    const auto ends = [](char c) { return is_lower(c) || is_digit(c); };
    if (label.empty() || !ends(label.front()) || !ends(label.back())) return false;
    if (!std::ranges::all_of(label, [&](char c) { return ends(c) || c == '-'; })) return false;
    if (dot == std::string_view::npos) return true;
    name = name.substr(dot + 1);
  }
}

}  // namespace

std::vector<std::string> label_key_problems(std::string_view key) {
  std::vector<std::string> problems;
  std::string_view name = key;
  if (const std::size_t slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {"a qualified name " + std::string(kNameRule) +
              ") with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      if (prefix.size() > 253) {
        problems.emplace_back("prefix part must be no more than 253 bytes");
      }
      if (!is_subdomain(prefix)) problems.emplace_back(kPrefixRule);
    }
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > 63) {
    problems.emplace_back("name part must be no more than 63 bytes");
  }
  if (!is_name(name)) problems.push_back("name part " + std::string(kNameRule) + ")");
  return problems;
}

}  // namespace elbowroom::lab
