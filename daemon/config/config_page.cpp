#include "daemon/config/config_page.h"

namespace elbowroom::daemon {
namespace {

std::string holds(const Key& key) {
  std::string words;
  switch (key.kind) {
    case Key::Kind::Text:
      words = "text";
      break;
    case Key::Kind::Bool:
      words = "`true`, `false`";
      break;
    case Key::Kind::Choice:
      for (const std::string_view choice : key.choices) {
        words += (words.empty() ? "`" : ", `") + std::string(choice) + "`";
      }
      break;
    case Key::Kind::Address:
      words = "ADDR:PORT";
      break;
    case Key::Kind::Path:
      words = "path";
      break;
    case Key::Kind::Amount:
      words = "number";
      break;
    case Key::Kind::Block:
      return "in a file alone";
  }
  return key.may_be_empty ? words + ", or `\"\"`" : words;
}

}  // namespace

std::string config_page(std::string_view program, const Schema& schema) {
  std::string page =
      "# " + std::string(schema.kind) + "\n\nThe configuration of `" + std::string(program) +
      "`. This page is printed by `elbowroom reference configuration` from the table "
      "that the\nparser reads by; a test compares the two. A file begins with "
      "`apiVersion: elbowroom.dev/v1alpha1` and\n`kind: " +
      std::string(schema.kind) +
      "`. Every key that is not in a file alone is a flag too (`logLevel` is `--log-level`), and a "
      "flag wins over "
      "the file.\n\n| key | holds | default | on SIGHUP | what it says |\n"
      "|---|---|---|---|---|\n";
  for (const Key& key : schema.keys) {
    const std::string fallback = key.fallback.empty() ? "" : "`" + std::string(key.fallback) + "`";
    page += "| `" + std::string(key.name) + "` | " + holds(key) + " | " + fallback + " | " +
            (key.is_live ? "reloaded" : "") + " | " + std::string(key.help) + " |\n";
  }
  return page;
}

}  // namespace elbowroom::daemon
