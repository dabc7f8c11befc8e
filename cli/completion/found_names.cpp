#include "cli/completion/found_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/transport/curl_transport.h"
#include "api/transport/kubeconfig.h"
#include "api/transport/status_error.h"
#include "base/document.h"
#include "cli/input/blocking_call.h"
#include "cli/input/read_input.h"

namespace elbowroom::cli {
namespace {

constexpr std::size_t kMaxName = 253;
constexpr std::string_view kOnlyMetadata =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
// Newest first, as the verbs read them.
constexpr std::array<std::string_view, 3> kGroupVersions = {"v1beta1", "v1alpha3", "v1alpha2"};

// A shell reads these words: nothing but names of Kubernetes passes.
bool is_name(std::string_view text) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  return !text.empty() && text.size() <= kMaxName &&
         text.find_first_not_of(kLetters) == std::string_view::npos;
}

// A context may have more letters: those of cloud providers have ':', '/', '@' and '_'.
bool is_context(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && !text.starts_with('-') &&
         std::ranges::all_of(text, [](char c) {
           const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
           return is_letter || (c >= '0' && c <= '9') || std::string_view("-._:/@+").contains(c);
         });
}

std::vector<std::string> kubeconfig_files(const std::string& given) {
  if (!given.empty()) return {given};
  const api::ApiEnvironment environment = api::api_environment();
  if (environment.kubeconfig.empty()) return {environment.home + "/.kube/config"};
  std::vector<std::string> files;
  std::string_view rest = environment.kubeconfig;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (colon != 0) files.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return files;
}

Names contexts_in(const std::string& given) {
  Names names;
  for (const std::string& file : kubeconfig_files(given)) {
    const auto texts = read_input(file);
    const auto documents = texts && texts->size() == 1
                               ? parse_yaml(texts->front().text)
                               : Result<std::vector<Value>>(std::vector<Value>{});
    if (!documents || documents->empty()) continue;
    const Value* contexts = documents->front().find("contexts");
    if (contexts == nullptr) continue;
    for (const Value& each : contexts->items) {
      const std::string name(api::text_at(each, "name"));
      if (is_context(name) && names.size() < kMostNames) names.push_back(name);
    }
  }
  return names;
}

Names names_at(api::Transport& transport, const std::string& path,
               std::chrono::milliseconds deadline) {
  api::Request request{.path = path, .query = {{"limit", std::to_string(kMostNames)}}};
  request.accept = kOnlyMetadata;
  request.lane = api::Lane::Unlimited;
  request.deadline = deadline;
  const auto answer = answered(transport, std::move(request));
  if (!answer || !api::is_success(*answer)) return {};
  const auto document = parse_json(answer->body);
  const Value* items = document ? document->find("items") : nullptr;
  Names names;
  if (items == nullptr) return names;
  for (const Value& each : items->items) {
    const Value* name = api::value_at(each, {"metadata", "name"});
    if (name != nullptr && is_name(name->text)) names.push_back(name->text);
    if (names.size() == kMostNames) break;
  }
  return names;
}

// "pod/", "default/", "": what stands before the name that is typed.
std::string before_name(const std::string& word) {
  const std::size_t slash = word.find('/');
  return slash == std::string::npos ? "" : word.substr(0, slash + 1);
}

std::string namespace_of(const Question& question, const api::Access& access) {
  const std::string before = before_name(question.word);
  const bool is_kind = before == "pod/" || before == "pods/" || before == "po/" ||
                       before == "podgroup/" || before == "podgroups/";
  if (!before.empty() && !is_kind) return before.substr(0, before.size() - 1);
  return question.ns.empty() ? access.ns : question.ns;
}

}  // namespace

Names found_names(const Question& question, std::chrono::milliseconds deadline) {
  if (question.what == Lookup::Contexts) return contexts_in(question.kubeconfig);
  Result<api::Access> access =
      api::user_access(question.kubeconfig, api::api_environment(), question.context);
  if (!access) return {};
  if (access->exec) access->exec->has_terminal = false;  // nobody answers questions after a tab
  const std::string ns = namespace_of(question, *access);
  if (!is_name(ns)) return {};
  api::TransportOptions options = transport_options();
  options.connect_timeout = deadline;
  api::CurlTransport transport(*access, options);
  if (question.what == Lookup::Nodes) return names_at(transport, "/api/v1/nodes", deadline);
  if (question.what == Lookup::Namespaces) {
    return names_at(transport, "/api/v1/namespaces", deadline);
  }
  Names names;
  if (question.what == Lookup::Pods) {
    names = names_at(transport, "/api/v1/namespaces/" + ns + "/pods", deadline);
  }
  if (question.what == Lookup::PodGroups) {
    for (const std::string_view version : kGroupVersions) {
      const std::string path =
          "/apis/scheduling.k8s.io/" + std::string(version) + "/namespaces/" + ns + "/podgroups";
      names = names_at(transport, path, deadline);
      if (!names.empty()) break;
    }
  }
  for (std::string& each : names) each.insert(0, before_name(question.word));
  return names;
}

}  // namespace elbowroom::cli
