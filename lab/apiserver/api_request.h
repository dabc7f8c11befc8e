// One request to the API server and its reply, as values. They do not contain the transport (a
// socket, or a call in virtual time).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace elbowroom::lab {

struct ApiRequest {
  std::string method{};                                       // "GET"
  std::string path{};                                         // without the query
  std::map<std::string, std::string, std::less<>> query{};    // decoded; the first of several
  std::map<std::string, std::string, std::less<>> headers{};  // names in lower case
  std::string body{};
};

// The query parameter or header; "" if absent.
[[nodiscard]] std::string parameter(const ApiRequest& request, std::string_view name);
[[nodiscard]] std::string header(const ApiRequest& request, std::string_view name);

// True for "true" and "1".
[[nodiscard]] bool truth_in(const ApiRequest& request, std::string_view name);

// `otherwise` if it is absent or not a number.
[[nodiscard]] std::int64_t number_in(const ApiRequest& request, std::string_view name,
                                     std::int64_t otherwise);

// The Content-Type without its parameters.
[[nodiscard]] std::string media_type(const ApiRequest& request);

struct ApiReply {
  int code = 200;
  std::string type = "application/json";
  std::map<std::string, std::string, std::less<>> headers{};  // besides Content-Type and Date
  std::vector<std::string> warnings{};                        // texts of Warning headers
  std::string body{};
};

}  // namespace elbowroom::lab
