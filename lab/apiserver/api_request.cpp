#include "lab/apiserver/api_request.h"

#include <charconv>

namespace elbowroom::lab {
namespace {

std::string value_in(const std::map<std::string, std::string, std::less<>>& values,
                     std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

}  // namespace

std::string parameter(const ApiRequest& request, std::string_view name) {
  return value_in(request.query, name);
}

std::string header(const ApiRequest& request, std::string_view name) {
  return value_in(request.headers, name);
}

bool truth_in(const ApiRequest& request, std::string_view name) {
  const std::string text = parameter(request, name);
  return text == "true" || text == "1";
}

std::int64_t number_in(const ApiRequest& request, std::string_view name, std::int64_t otherwise) {
  const std::string text = parameter(request, name);
  std::int64_t number = otherwise;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : otherwise;
}

std::string media_type(const ApiRequest& request) {
  const std::string type = header(request, "content-type");
  return type.substr(0, type.find(';'));
}

}  // namespace elbowroom::lab
