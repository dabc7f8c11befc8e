#include "lab/apiserver/api_service.h"

#include <optional>
#include <utility>

#include "api/codec/json.h"
#include "base/document.h"
#include "lab/apiserver/access_review.h"
#include "lab/apiserver/api_body.h"
#include "lab/apiserver/discovery.h"
#include "lab/apiserver/openapi.h"
#include "lab/apiserver/openapi_v2.h"
#include "lab/apiserver/scale.h"
#include "lab/apiserver/strict_fields.h"
#include "lab/apiserver/table.h"
#include "lab/schema/protobuf_body.h"
#include "lab/schema/protobuf_list.h"
#include "lab/schema/protobuf_object.h"

namespace elbowroom::lab {
namespace {

std::optional<PatchType> patch_type(const std::string& media) {
  if (media == "application/merge-patch+json") return PatchType::Merge;
  if (media == "application/strategic-merge-patch+json") return PatchType::StrategicMerge;
  if (media == "application/json-patch+json") return PatchType::JsonPatch;
  return std::nullopt;
}

ApiError method_not_allowed() {
  return {.code = 405,
          .reason = "MethodNotAllowed",
          .message = "the server does not allow this method on the requested resource"};
}

ApiError no_such_resource() {
  return {.code = 404,
          .reason = "NotFound",
          .message = "the server could not find the requested resource"};
}

Subresource subresource_of(const Route& route) {
  if (route.subresource == "status") return Subresource::Status;
  if (route.subresource == "resize") return Subresource::Resize;
  return Subresource::None;
}

Target target_of(const Route& route) {
  return {
      .kind = route.kind, .ns = route.ns, .name = route.name, .subresource = subresource_of(route)};
}

bool is_dry_run(const ApiRequest& request) { return parameter(request, "dryRun") == "All"; }

// Who owns the fields that the request changes: the manager it names, else the program's name.
std::string manager_of(const ApiRequest& request) {
  const std::string said = parameter(request, "fieldManager");
  const std::string agent = header(request, "user-agent");
  return (said.empty() ? agent.substr(0, agent.find('/')) : said).substr(0, 128);
}

// The body of an apply: YAML. kubectl sends JSON, which is a subset of it.
Answer<Json> apply_body(const std::string& body) {
  auto config = parse_object(body);
  if (!config && body.starts_with('{')) {
    return std::unexpected(bad_request(config.error().message));
  }
  if (config) return *std::move(config);
  const auto documents =
      parse_yaml(body, {.bytes = kMaxJsonBytes, .depth = kMaxJsonDepth, .values = 200'000});
  if (!documents) return std::unexpected(bad_request(documents.error().message));
  if (documents->size() != 1) {
    return std::unexpected(bad_request("the body is not one YAML document"));
  }
  config = parse_object(api::to_json(documents->front()));
  if (!config) return std::unexpected(bad_request(config.error().message));
  return *std::move(config);
}

bool is_action(const Route& route) {
  return route.subresource == "binding" || route.subresource == "eviction";
}

ApiReply reply_with(int code, const Json& body) {
  return {.code = code, .body = to_text(body) + "\n"};
}

// Serves kinds with known field numbers in protobuf, to clients that ask for it.
std::optional<std::string> protobuf_reply(const ApiRequest& request, const Route& route,
                                          const Json& answer) {
  if (request.method != "GET" || !route.subresource.empty() || !wants_protobuf(request)) {
    return std::nullopt;
  }
  if (route.name.empty()) return protobuf_list(*route.kind, answer);
  if (!supports_protobuf(*route.kind)) return std::nullopt;
  return protobuf_object(*route.kind, answer);
}

// The pages that describe the server itself.
std::optional<ApiReply> own_page(const ApiRequest& request, GroupVersions groups) {
  if (request.method != "GET") return std::nullopt;
  if (request.path == "/readyz" || request.path == "/livez" || request.path == "/healthz") {
    return ApiReply{.type = "text/plain", .body = "ok"};
  }
  if (request.path == "/openapi/v2") {
    return ApiReply{.type = std::string(kOpenApiV2Type),
                    .body = std::string(openapi_v2_document())};
  }
  if (const auto document = openapi_document(request.path, groups)) {
    return ApiReply{.body = std::string(*document)};
  }
  if (const auto document = discovery(request.path, groups)) return reply_with(200, *document);
  return std::nullopt;
}

}  // namespace

ApiReply reply_of(const ApiError& error) {
  ApiReply reply = reply_with(error.code, to_status(error));
  if (error.retry_after_seconds > 0) {
    reply.headers["Retry-After"] = std::to_string(error.retry_after_seconds);
  }
  return reply;
}

bool ApiService::is_watch(const ApiRequest& request) {
  if (request.method != "GET" || !truth_in(request, "watch")) return false;
  const auto route = parse_route(request.path);
  return route && route->name.empty();
}

ApiReply ApiService::answer(const ApiRequest& request) {
  if (auto page = own_page(request, world_.served_groups())) return *std::move(page);
  if (auto review = access_review(request)) return *std::move(review);
  const auto route = parse_route(request.path, world_.served_groups());
  if (!route) return reply_of(no_such_resource());
  warnings_.clear();
  created_ = false;
  const Answer<Object> answered = object(request, *route);
  if (!answered) return reply_of(answered.error());
  const int code = request.method == "POST" || created_ ? 201 : 200;
  // A deletion and an eviction are answered with a Status, which is not a table row.
  const TableForm form = table_form(request);
  const bool as_table =
      form.wanted && route->subresource != "scale" && text_at(*answered, {"kind"}) != "Status";
  ApiReply reply{.code = code};
  if (auto bytes = as_table ? std::nullopt : protobuf_reply(request, *route, *answered)) {
    reply.type = kProtobuf;
    reply.body = *std::move(bytes);
  } else {
    reply.body = as_table ? to_text(table_of(*route->kind, *answered, form.object, world_.time()))
                          : answered->text();
    reply.body += '\n';
  }
  for (const std::string& warning : warnings_) reply.warnings.push_back(warning);
  return reply;
}

// Reads the object as its kind defines it: unknown fields are dropped, and refused or reported as
// the request asks.
Answer<Json> ApiService::read_fields(const ApiRequest& request, const Kind& kind, Json object) {
  ASSIGN_OR_RETURN(const FieldValidation validation,
                   field_validation(parameter(request, "fieldValidation")));
  std::vector<std::string> problems = drop_unknown_fields(kind, object);
  if (validation != FieldValidation::Ignore) {
    // A patch is not an object of the kind, but a duplicate key in it is still an error.
    for (std::string& twice : duplicate_fields(request.body)) problems.push_back(std::move(twice));
  }
  if (validation == FieldValidation::Strict && !problems.empty()) {
    return std::unexpected(strict_error(kind, problems));
  }
  if (auto refused = refuse_types(kind, object)) return std::unexpected(*std::move(refused));
  if (validation == FieldValidation::Warn) warnings_ = std::move(problems);
  return object;
}

Answer<Json> ApiService::body_of(const ApiRequest& request, const Kind& kind) {
  ASSIGN_OR_RETURN(Json object, decoded_body(request));
  return read_fields(request, kind, std::move(object));
}

Answer<ApiWatch> ApiService::watch(const ApiRequest& request, ApiWatch::Clock::time_point now) {
  const auto route = parse_route(request.path, world_.served_groups());
  if (!route) return std::unexpected(no_such_resource());
  return ApiWatch::open(request, *route, now, options_.bookmark_interval);
}

Answer<Object> ApiService::object(const ApiRequest& request, const Route& route) {
  if (route.subresource == "scale") return scale(request, route);
  if (request.method == "GET") return read(request, route);
  if (request.method == "POST") return post(request, route);
  if (request.method == "DELETE") return remove(request, route);
  if (route.name.empty() || is_action(route)) return std::unexpected(method_not_allowed());
  if (request.method == "PUT") return put(request, route);
  if (request.method == "PATCH") return patch(request, route);
  return std::unexpected(method_not_allowed());
}

Answer<Object> ApiService::read(const ApiRequest& request, const Route& route) {
  if (!route.name.empty()) {
    if (is_action(route)) return std::unexpected(method_not_allowed());
    return world_.get(target_of(route));
  }
  ASSIGN_OR_RETURN(Selector selector,
                   parse_selector(*route.kind, parameter(request, "labelSelector"),
                                  parameter(request, "fieldSelector")));
  const std::int64_t limit = number_in(request, "limit", 0);
  ASSIGN_OR_RETURN(Json list,
                   world_.list({.kind = route.kind,
                                .ns = route.ns,
                                .selector = std::move(selector),
                                .limit = limit > 0 ? static_cast<std::size_t>(limit) : 0,
                                .continue_token = parameter(request, "continue"),
                                .resource_version = parameter(request, "resourceVersion"),
                                .exact = parameter(request, "resourceVersionMatch") == "Exact"}));
  return Object(std::move(list));
}

Answer<Object> ApiService::post(const ApiRequest& request, const Route& route) {
  const bool dry_run = is_dry_run(request);
  if (route.name.empty()) {
    ASSIGN_OR_RETURN(Json made, body_of(request, *route.kind));
    return world_.create(*route.kind, route.ns, std::move(made),
                         {.dry_run = dry_run, .manager = manager_of(request)});
  }
  ASSIGN_OR_RETURN(const Json object, decoded_body(request));
  if (route.subresource == "binding") return world_.bind(route.ns, route.name, object, dry_run);
  if (route.subresource == "eviction") return world_.evict(route.ns, route.name, object, dry_run);
  return std::unexpected(method_not_allowed());
}

Answer<Object> ApiService::put(const ApiRequest& request, const Route& route) {
  ASSIGN_OR_RETURN(const Json object, body_of(request, *route.kind));
  return world_.update(target_of(route), object,
                       {.dry_run = is_dry_run(request), .manager = manager_of(request)});
}

Answer<Object> ApiService::patch(const ApiRequest& request, const Route& route) {
  const std::string media = media_type(request);
  if (media == "application/apply-patch+yaml") return apply(request, route);
  const auto type = patch_type(media);
  if (!type) return std::unexpected(unsupported_media(media));
  // A JSON patch is a list, and parse_object() requires a mapping.
  const auto wrapped = parse_object(R"({"patch":)" + request.body + "}");
  if (!wrapped) return std::unexpected(bad_request(wrapped.error().message));
  if (wrapped->size() != 1) return std::unexpected(bad_request("the body is not JSON"));
  return world_.patch(
      target_of(route), *type, *find_at(*wrapped, {"patch"}),
      {.dry_run = is_dry_run(request), .manager = manager_of(request), .read = [&](Json object) {
         return read_fields(request, *route.kind, std::move(object));
       }});
}

Answer<Object> ApiService::apply(const ApiRequest& request, const Route& route) {
  ASSIGN_OR_RETURN(Json config, apply_body(request.body));
  const Target target = target_of(route);
  created_ = !world_.get(target);
  return world_.apply(
      target, std::move(config), truth_in(request, "force"),
      {.dry_run = is_dry_run(request), .manager = parameter(request, "fieldManager")});
}

Answer<Object> ApiService::remove(const ApiRequest& request, const Route& route) {
  if (route.name.empty() || !route.subresource.empty()) {
    return std::unexpected(method_not_allowed());
  }
  DeleteOptions options;
  options.dry_run = is_dry_run(request);
  if (request.query.contains("gracePeriodSeconds")) {
    options.grace_seconds = number_in(request, "gracePeriodSeconds", 30);
  }
  if (!request.body.empty()) {
    ASSIGN_OR_RETURN(const Json body, decoded_body(request));
    if (const auto grace = integer_at(body, {"gracePeriodSeconds"})) options.grace_seconds = grace;
    options.uid = text_at(body, {"preconditions", "uid"});
    options.resource_version = text_at(body, {"preconditions", "resourceVersion"});
    if (!list_at(body, {"dryRun"}).empty()) options.dry_run = true;
  }
  return world_.remove(target_of(route), options);
}

// The Scale that a PUT or a merge patch of the present one asks for.
Answer<Json> ApiService::wanted_scale(const ApiRequest& request, Json scale) {
  if (request.method == "PUT") return decoded_body(request);
  if (patch_type(media_type(request)) != PatchType::Merge) {
    return std::unexpected(unsupported_media(media_type(request)));
  }
  const auto body = parse_object(request.body);
  if (!body) return std::unexpected(bad_request(body.error().message));
  // The version is a precondition only where the patch names one.
  scale["metadata"].erase("resourceVersion");
  scale.merge_patch(*body);
  return scale;
}

Answer<Object> ApiService::scale(const ApiRequest& request, const Route& route) {
  Target target = target_of(route);
  ASSIGN_OR_RETURN(const Object object, world_.get(target));
  if (request.method == "GET") return Object(scale_of(object.json()));
  if (request.method != "PUT" && request.method != "PATCH") {
    return std::unexpected(method_not_allowed());
  }
  ASSIGN_OR_RETURN(const Json wanted, wanted_scale(request, scale_of(object.json())));
  ASSIGN_OR_RETURN(const Json patch, patch_to_scale(object.json(), wanted));
  ASSIGN_OR_RETURN(const Object made,
                   world_.patch(target, PatchType::Merge, patch,
                                {.dry_run = is_dry_run(request), .manager = manager_of(request)}));
  return Object(scale_of(made.json()));
}

}  // namespace elbowroom::lab
