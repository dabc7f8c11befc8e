// The columns of events, in both of their forms.
#include <array>
#include <string>

#include "base/ascii_lower.h"
#include "lab/apiserver/event_form.h"
#include "lab/apiserver/human_duration.h"
#include "lab/apiserver/table_columns.h"

namespace elbowroom::lab {
namespace {

constexpr std::array kColumns{
    Column{.name = "Last Seen", .description = "When it was seen last."},
    Column{.name = "Type", .description = "Type of this event (Normal, Warning)."},
    Column{.name = "Reason", .description = "Why it happened, as one word for programs."},
    Column{.name = "Object", .description = "The object that this event is about."},
    Column{.name = "Subobject", .description = "The part of the object.", .priority = 1},
    Column{.name = "Source", .description = "Who reports it.", .priority = 1},
    Column{.name = "Message", .description = "What happened, for people."},
    Column{.name = "First Seen", .description = "When it was seen first.", .priority = 1},
    Column{.name = "Count", .description = "How often it was seen.", .priority = 1},
    Column{
        .name = "Name", .description = "Name must be unique within a namespace.", .priority = 1}};

std::string trimmed(const std::string& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string first_of(const std::string& a, const std::string& b) { return a.empty() ? b : a; }

std::string source_of(const Json& event) {
  const std::string component =
      first_of(text_at(event, {"source", "component"}), text_at(event, {"reportingComponent"}));
  const std::string place =
      first_of(text_at(event, {"source", "host"}), text_at(event, {"reportingInstance"}));
  return place.empty() ? component : component + ", " + place;
}

Json cells(const Json& stored, policy::Time now) {
  const Json event = core_event(stored);
  const auto ago = [&](Path path) { return human_age(text_at(event, path), now); };
  const std::string first =
      text_at(event, {"firstTimestamp"}).empty() ? ago({"eventTime"}) : ago({"firstTimestamp"});
  std::string last = text_at(event, {"lastTimestamp"}).empty() ? first : ago({"lastTimestamp"});
  std::int64_t count = integer_at(event, {"count"}).value_or(1);
  if (!map_at(event, {"series"}).empty()) {
    last = ago({"series", "lastObservedTime"});
    count = integer_at(event, {"series", "count"}).value_or(count);
  }
  std::string object = ascii_lower(text_at(event, {"involvedObject", "kind"}));
  if (const std::string name = text_at(event, {"involvedObject", "name"}); !name.empty()) {
    object += "/" + name;
  }
  return {last,
          text_at(event, {"type"}),
          text_at(event, {"reason"}),
          object,
          text_at(event, {"involvedObject", "fieldPath"}),
          source_of(event),
          trimmed(text_at(event, {"message"})),
          first,
          count,
          text_at(event, {"metadata", "name"})};
}

}  // namespace

Columns event_columns() { return {.columns = kColumns, .cells = cells}; }

}  // namespace elbowroom::lab
