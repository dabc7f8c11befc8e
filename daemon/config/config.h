// The strict configuration of a daemon: one table of keys, read from a file and from flags. What is
// not in the table is an error that says file, line, key and what may have been meant, and a flag
// wins over the file, the file over the default.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "daemon/http/address.h"

namespace elbowroom::daemon {

// One row of the table; its views are of literals.
struct Key {
  // Amount: a number or a quantity, in a file with or without quotes; who reads it checks it.
  enum class Kind { Text, Bool, Choice, Address, Path, Amount };

  std::string_view name{};  // camelCase, as in the file; the flag is the same in kebab-case
  Kind kind = Kind::Text;
  std::string_view fallback{};              // "": unset until somebody sets it
  std::vector<std::string_view> choices{};  // of a Choice
  std::string_view help{};                  // lower case, no full stop
  bool secret = false;                      // shown as (removed)
  bool is_live = false;                     // a reload may change it; else a restart has to
  bool may_be_empty = false;                // "" means something: an empty value switches it off
};

// "nodeName" as "node-name", without dashes before it.
[[nodiscard]] std::string flag_of(std::string_view key);

// What a file of this kind may hold. A key is in it once.
struct Schema {
  std::string_view kind{};  // AgentConfiguration, ...
  std::vector<Key> keys{};
};

// The keys every daemon has: kubeconfig, listen, logLevel, logFormat, record, recordLimit.
[[nodiscard]] std::vector<Key> common_keys(std::string_view listen);

struct Setting {
  Key key{};
  std::string value{};   // checked; "": unset
  std::string origin{};  // "default", "FILE: line L", "flag"

  // Asked for by somebody, not just the default.
  [[nodiscard]] bool given() const { return origin != "default"; }
};

// Every key of a schema with its value, in the schema's order.
struct Settings {
  std::string_view kind{};
  std::vector<Setting> all{};

  // Require that the schema has the key, and for truth() and address() that it is of that kind.
  [[nodiscard]] const Setting& at(std::string_view key) const;
  [[nodiscard]] const std::string& text(std::string_view key) const { return at(key).value; }
  [[nodiscard]] bool is_set(std::string_view key) const { return !at(key).value.empty(); }
  [[nodiscard]] bool truth(std::string_view key) const { return at(key).value == "true"; }
  [[nodiscard]] Address address(std::string_view key) const;
};

// The defaults alone.
[[nodiscard]] Settings defaults(const Schema& schema);

// The defaults with a file's text over them; `path` is for messages. Invalid: the text is no YAML
// of that apiVersion and kind, or a key is unknown, twice there or of a wrong type or value. A
// program exits 78 then.
[[nodiscard]] Result<Settings> settings_from(const Schema& schema, std::string_view path,
                                             std::string_view text);

// The same from disk; also NotFound, Denied, Unavailable, Exhausted (more than 1 MiB).
[[nodiscard]] Result<Settings> settings_from_file(const Schema& schema, const std::string& path);

// `flags`: flag without dashes, such as "node-name", to value. Invalid: as above; a program
// exits 2.
[[nodiscard]] Result<Settings> with_flags(Settings settings,
                                          const std::map<std::string, std::string>& flags);

// The keys whose values differ. Invalid: one of them is not live; it is named with what it was,
// what it is to be, and who says so.
[[nodiscard]] Result<std::vector<std::string>> live_changes(const Settings& now,
                                                            const Settings& next);

// What a key that nobody set comes to on this machine, or why that is not known yet.
struct Resolution {
  std::string key{};
  std::string value{};  // "": not known yet, or not used
  std::string why{};    // a phrase
};

// A file that settings_from reads to the same values, secrets removed. Of unset keys those that are
// resolved are there: with the value and the phrase as a comment, or as a comment alone.
[[nodiscard]] std::string to_yaml(const Settings& settings,
                                  const std::vector<Resolution>& resolved = {});

}  // namespace elbowroom::daemon
