// The strict configuration of a daemon: one table of keys, read from a file and from flags. A key
// that is not in the table is an error that names file, line, key and the closest known key. A flag
// overrides the file, the file overrides the default.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.h"
#include "base/result.h"
#include "daemon/http/address.h"

namespace elbowroom::daemon {

// One row of the table; its views refer to literals.
struct Key {
  // Amount: a number or a quantity, in a file with or without quotes. The code that reads it checks
  // it. Block: any value, in a file alone; another decoder reads it, and there is no flag.
  enum class Kind { Text, Bool, Choice, Address, Path, Amount, Block };

  std::string_view name{};  // camelCase, as in the file; the flag is the same in kebab-case
  Kind kind = Kind::Text;
  std::string_view fallback{};              // "": unset by default
  std::vector<std::string_view> choices{};  // of a Choice
  std::string_view help{};                  // lower case, no full stop
  bool secret = false;                      // shown as (removed)
  bool is_live = false;       // a reload may change it; otherwise a change requires a restart
  bool may_be_empty = false;  // "" has a meaning: an empty value switches the feature off
};

// Converts "nodeName" to "node-name", without leading dashes.
[[nodiscard]] std::string flag_of(std::string_view key);

// The keys that a file of this kind may hold. Each key is unique.
struct Schema {
  std::string_view kind{};  // AgentConfiguration, ...
  std::vector<Key> keys{};
};

// The keys of every daemon: kubeconfig, listen, logLevel, logFormat, record, recordLimit.
[[nodiscard]] std::vector<Key> common_keys(std::string_view listen);

struct Setting {
  Key key{};
  std::string value{};   // checked; "": unset; of a Block its lines
  std::string origin{};  // "default", "FILE: line L", "flag"

  // True if a file or a flag set the value.
  [[nodiscard]] bool given() const { return origin != "default"; }
};

// Every key of a schema with its value, in the schema's order.
struct Settings {
  std::string_view kind{};
  std::vector<Setting> all{};
  Value blocks{};  // a mapping: the file's header and its Blocks, as they stand there

  // Require that the schema has the key. truth() and address() also require a key of that kind.
  [[nodiscard]] const Setting& at(std::string_view key) const;
  [[nodiscard]] const std::string& text(std::string_view key) const { return at(key).value; }
  [[nodiscard]] bool is_set(std::string_view key) const { return !at(key).value.empty(); }
  [[nodiscard]] bool truth(std::string_view key) const { return at(key).value == "true"; }
  [[nodiscard]] Address address(std::string_view key) const;
};

// Returns the defaults alone.
[[nodiscard]] Settings defaults(const Schema& schema);

// Applies a file's text to the defaults; `path` is for messages. Invalid: the text is no YAML of
// that apiVersion and kind, or a key is unknown, duplicated or has a wrong type or value. A program
// then exits 78.
[[nodiscard]] Result<Settings> settings_from(const Schema& schema, std::string_view path,
                                             std::string_view text);

// Reads the same from disk. Also fails with NotFound, Denied, Unavailable, Exhausted (more than 1
// MiB).
[[nodiscard]] Result<Settings> settings_from_file(const Schema& schema, const std::string& path);

// `flags` maps a flag without dashes, such as "node-name", to its value. Invalid: as above; a
// program then exits 2.
[[nodiscard]] Result<Settings> with_flags(Settings settings,
                                          const std::map<std::string, std::string>& flags);

// Returns the keys whose values differ. Invalid: one of them is not live. The error names the key,
// its present value, the requested value and the origin of the request.
[[nodiscard]] Result<std::vector<std::string>> live_changes(const Settings& now,
                                                            const Settings& next);

// The effective value of an unset key on this machine, or why it is not known yet.
struct Resolution {
  std::string key{};
  std::string value{};  // "": not known yet, or not used
  std::string why{};    // a phrase
};

// Returns a file that settings_from reads back to the same values, without secrets. Unset keys that
// are resolved appear with the value and the phrase as a comment, or as a comment alone.
[[nodiscard]] std::string to_yaml(const Settings& settings,
                                  const std::vector<Resolution>& resolved = {});

}  // namespace elbowroom::daemon
