#include "lab/apiserver/table.h"

#include <string>

#include "lab/apiserver/table_columns.h"

namespace elbowroom::lab {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// True where a clause of Accept, "application/json;as=Table;v=v1;g=meta.k8s.io", asks for this.
bool has_parameter(std::string_view clause, std::string_view wanted) {
  while (!clause.empty()) {
    const std::size_t end = clause.find(';');
    if (trimmed(clause.substr(0, end)) == wanted) return true;
    clause = end == std::string_view::npos ? std::string_view() : clause.substr(end + 1);
  }
  return false;
}

Json definition(const Column& column) {
  return {{"name", column.name},
          {"type", column.type},
          {"format", column.is_name() ? "name" : ""},
          {"description", column.description},
          {"priority", column.priority}};
}

Json row_of(const Columns& columns, const Json& object, RowObject carried, policy::Time now) {
  Json row = {{"cells", columns.cells(object, now)}};
  if (carried == RowObject::Object) row["object"] = object;
  if (carried == RowObject::Metadata) {
    row["object"] = {{"kind", "PartialObjectMetadata"},
                     {"apiVersion", "meta.k8s.io/v1"},
                     {"metadata", map_at(object, {"metadata"})}};
  }
  return row;
}

}  // namespace

TableForm table_form(const ApiRequest& request) {
  const std::string accept = header(request, "accept");
  TableForm form;
  for (std::string_view rest = accept; !rest.empty();) {
    const std::size_t end = rest.find(',');
    const std::string_view clause = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (!trimmed(clause.substr(0, clause.find(';'))).ends_with("/json")) continue;
    if (clause.find("as=") == std::string_view::npos) break;
    if (has_parameter(clause, "as=Table") && has_parameter(clause, "v=v1")) {
      form.wanted = true;
      break;
    }
  }
  const std::string object = parameter(request, "includeObject");
  if (object == "None") form.object = RowObject::None;
  if (object == "Object") form.object = RowObject::Object;
  return form;
}

Json table_of(const Kind& kind, const Json& objects, RowObject carried, policy::Time now,
              bool with_columns) {
  const Columns columns = columns_of(kind);
  Json definitions = Json::array();
  if (with_columns) {
    for (const Column& column : columns.columns) definitions.push_back(definition(column));
  }
  Json rows = Json::array();
  Json metadata = {{"resourceVersion", text_at(objects, {"metadata", "resourceVersion"})}};
  if (objects.contains("items")) {
    metadata = map_at(objects, {"metadata"});
    for (const Json& object : list_at(objects, {"items"})) {
      rows.push_back(row_of(columns, object, carried, now));
    }
  } else {
    rows.push_back(row_of(columns, objects, carried, now));
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", std::move(metadata)},
          {"columnDefinitions", std::move(definitions)},
          {"rows", std::move(rows)}};
}

}  // namespace elbowroom::lab
