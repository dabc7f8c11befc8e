#include "cli/input/cluster_reader.h"

#include <chrono>
#include <optional>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/object_ref.h"
#include "api/transport/curl_transport.h"
#include "api/transport/http_date.h"
#include "api/transport/status_error.h"
#include "cli/input/blocking_call.h"
#include "cli/output/progress.h"

namespace elbowroom::cli {
namespace {

constexpr int kPage = 500;
constexpr std::size_t kMaxPageBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxListBytes = std::size_t{1} << 30;
constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::milliseconds kTurn{500};  // a line of progress moves as often

std::string collection_of(const ClusterKind& kind, const std::string& ns) {
  std::string path = kind.group.empty() ? "/api/" : "/apis/" + std::string(kind.group) + "/";
  path += kind.version;
  if (!ns.empty()) path += "/namespaces/" + api::percent_encoded(ns);
  return path + "/" + std::string(kind.plural);
}

api::Request request_for(std::string path, api::Query query) {
  api::Request request;
  request.path = std::move(path);
  request.query = std::move(query);
  request.lane = api::Lane::Unlimited;  // a user's few requests; each list reads page after page
  request.deadline = kPatience;
  request.max_body = kMaxPageBytes;
  return request;
}

// Items of a list leave out fields that the list sets for all of them.
void complete(const ClusterKind& kind, Value& item) {
  if (item.kind != Value::Kind::Map) return;
  const std::string version = kind.group.empty()
                                  ? std::string(kind.version)
                                  : std::string(kind.group) + "/" + std::string(kind.version);
  if (item.find("kind") == nullptr) {
    api::set_member(item, "kind", api::json_text(std::string(kind.name)));
  }
  if (item.find("apiVersion") == nullptr) {
    api::set_member(item, "apiVersion", api::json_text(version));
  }
}

}  // namespace

std::string resource_of(const ClusterKind& kind) {
  std::string name(kind.plural);
  if (!kind.group.empty()) name += "." + std::string(kind.group);
  return name;
}

std::string right_for(const ListRequest& ask) {
  return "list " + resource_of(ask.kind) +
         (ask.ns.empty() ? " in all namespaces" : " in namespace " + ask.ns);
}

// One list in progress.
struct ClusterReader::Listing {
  ListRequest ask{};
  std::string token{};
  std::size_t bytes = 0;
  bool in_one_piece = false;
  std::vector<Value> items{};
  std::optional<Error> error{};
};

ClusterReader::ClusterReader(const api::Access& access)
    : ClusterReader(api::to_string(access.server),
                    std::make_unique<api::CurlTransport>(access, transport_options())) {}

ClusterReader::ClusterReader(std::string server, std::unique_ptr<api::Transport> transport)
    : server_(std::move(server)), transport_(std::move(transport)) {}

Error ClusterReader::told(const Error& error, const std::string& doing) const {
  return error.with(doing + " at " + server_);
}

Result<Value> ClusterReader::get(const ClusterKind& kind, const std::string& ns,
                                 const std::string& name) {
  ++calls_;
  const Result<api::Response> answer = answered(
      *transport_, request_for(collection_of(kind, ns) + "/" + api::percent_encoded(name), {}));
  const std::string doing =
      "get " + resource_of(kind) + " " + api::to_string(api::ObjectRef{.ns = ns, .name = name});
  if (!answer) return std::unexpected(told(answer.error(), doing));
  const api::Response& response = *answer;
  if (!api::is_success(response)) {
    return std::unexpected(told(api::error_from(response, api::Method::Get), doing));
  }
  Result<Value> object = parse_json(response.body);
  if (!object) return std::unexpected(told(object.error(), doing));
  complete(kind, *object);
  return object;
}

std::vector<Listed> ClusterReader::list(const std::vector<ListRequest>& asks) {
  std::vector<std::unique_ptr<Listing>> all;
  open_ = asks.size();
  for (const ListRequest& ask : asks) {
    all.push_back(std::make_unique<Listing>(Listing{.ask = ask}));
    fetch_page(*all.back());
  }
  while (open_ > 0) {
    transport_->run_once(kTurn);
    progress().tell_again();
  }

  std::vector<Listed> answers;
  for (const auto& each : all) {
    if (each->error) {
      answers.emplace_back(std::unexpected(told(*each->error, right_for(each->ask))));
    } else {
      answers.emplace_back(std::move(each->items));
    }
  }
  return answers;
}

void ClusterReader::fetch_page(Listing& listing) {
  ++calls_;
  api::Query query;
  if (!listing.ask.field_selector.empty()) {
    query.emplace_back("fieldSelector", listing.ask.field_selector);
  }
  if (!listing.ask.label_selector.empty()) {
    query.emplace_back("labelSelector", listing.ask.label_selector);
  }
  if (!listing.in_one_piece) query.emplace_back("limit", std::to_string(kPage));
  if (!listing.token.empty()) query.emplace_back("continue", listing.token);
  transport_->send(request_for(collection_of(listing.ask.kind, listing.ask.ns), std::move(query)),
                   [this, &listing](const Result<api::Response>& page) {
                     Result<void> taken = page ? take_page(listing, *page)
                                               : Result<void>(std::unexpected(page.error()));
                     if (!taken) listing.error = std::move(taken).error();
                     if (listing.error || listing.token.empty()) {
                       --open_;
                     } else {
                       fetch_page(listing);
                     }
                   });
}

Result<void> ClusterReader::take_page(Listing& listing, const api::Response& page) {
  if (const auto time = api::parse_http_date(page.date)) server_time_ = time;
  if (!api::is_success(page)) {
    const api::Status status = api::status_from(page, api::Method::Get);
    if (api::is_expired(status) && !listing.in_one_piece) {
      const ListRequest ask = listing.ask;
      listing = Listing{.ask = ask, .in_one_piece = true};
      fetch_page(listing);
      ++open_;  // this request ends below, the replacement continues
      return {};
    }
    return std::unexpected(api::error_from(status));
  }
  // Only now: before the first answer a credential program may ask something on the terminal.
  progress().tell("reading " + std::string(listing.ask.kind.plural), listing.items.size());
  listing.bytes += page.body.size();
  if (listing.bytes > kMaxListBytes) {
    return failure(Code::Exhausted,
                   "the list is larger than " + std::to_string(kMaxListBytes) + " bytes");
  }
  ASSIGN_OR_RETURN(Value document, parse_json(page.body));
  const Value* metadata = document.find("metadata");
  listing.token = metadata == nullptr ? "" : std::string(api::text_at(*metadata, "continue"));
  for (Member& member : document.members) {
    if (member.key != "items") continue;
    for (Value& item : member.value.items) {
      complete(listing.ask.kind, item);
      listing.items.push_back(std::move(item));
    }
  }
  return {};
}

}  // namespace elbowroom::cli
