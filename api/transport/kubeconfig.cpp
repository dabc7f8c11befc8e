#include "api/transport/kubeconfig.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "api/codec/base64.h"
#include "api/codec/field.h"
#include "api/transport/credential_file.h"
#include "base/document.h"
#include "base/document_text.h"

namespace elbowroom::api {
namespace {

constexpr DocumentLimits kLimits{.bytes = 1 << 20, .depth = 32, .values = 50'000};

constexpr std::string_view kAsKubectl =
    ": it has to be as `kubectl config view --raw --minify --flatten` prints one";

// A parsed file; fields point into `root`.
struct File {
  std::string path{};
  Value root{};
};

Result<std::vector<File>> parsed(const std::vector<KubeconfigText>& texts) {
  std::vector<File> files;
  for (const KubeconfigText& text : texts) {
    auto documents = parse_yaml(text.text, kLimits);
    if (!documents) {
      return failure(Code::Invalid,
                     text.path + ": " + documents.error().message + std::string(kAsKubectl));
    }
    if (documents->empty()) continue;
    if (documents->size() > 1 || documents->front().kind != Value::Kind::Map) {
      return failure(Code::Invalid, text.path + ": no kubeconfig: one mapping is expected" +
                                        std::string(kAsKubectl));
    }
    files.push_back({text.path, std::move(documents->front())});
  }
  return files;
}

// A named entry's content ("cluster" in clusters[]), and the file that contains it.
struct Entry {
  const Value* content = nullptr;
  std::string path{};   // of the file
  std::string label{};  // "FILE: user \"admin\"", for errors
};

const Value* find_named(const Value& root, std::string_view list, std::string_view name,
                        std::string_view content) {
  const Value* entries = root.find(list);
  if (entries == nullptr) return nullptr;
  for (const Value& entry : entries->items) {
    const Value* there = entry.find("name");
    if (there == nullptr || there->text != name) continue;
    const Value* found = entry.find(content);
    return found != nullptr ? found : &entry;
  }
  return nullptr;
}

Result<Entry> entry_of(const std::vector<File>& files, std::string_view list,
                       std::string_view content, const std::string& name) {
  for (const File& file : files) {
    const Value* found = find_named(file.root, list, name, content);
    if (found == nullptr) continue;
    const std::string label = file.path + ": " + std::string(content) + " \"" + name + "\"";
    return Entry{found, file.path, label};
  }
  const std::string where = files.empty() ? "kubeconfig" : files.front().path;
  return failure(Code::Invalid, where + ": there is no " + std::string(content) + " \"" + name +
                                    "\"; add it to " + std::string(list));
}

std::unexpected<Error> refuse(const Entry& entry, std::string_view why) {
  return failure(Code::Invalid, entry.label + ": " + std::string(why));
}

// The text of a member, "" if absent.
Result<std::string> text_of(const Entry& entry, std::string_view key) {
  auto text = Field(*entry.content).text(key);
  if (!text) return std::unexpected(text.error().with(entry.label));
  return text;
}

// A path, absolute or relative to the folder of the file that names it.
std::string resolved(const std::string& file, const std::string& path) {
  const std::size_t slash = file.rfind('/');
  if (path.empty() || path.starts_with('/') || slash == std::string::npos) return path;
  return file.substr(0, slash + 1) + path;
}

Result<std::string> path_of(const Entry& entry, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string path, text_of(entry, key));
  return resolved(entry.path, path);
}

Result<std::optional<std::string>> pem_of(const Entry& entry, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string encoded, text_of(entry, key));
  if (encoded.empty()) return std::optional<std::string>();
  auto pem = decode_base64(encoded);
  constexpr std::string_view kHow = ": put there what `base64 -w0` prints of the PEM file";
  if (!pem) {
    return refuse(entry, std::string(key) + ": " + pem.error().message + std::string(kHow));
  }
  if (pem->find("-----BEGIN ") == std::string::npos) {
    return refuse(entry, std::string(key) + ": there is no PEM block in it" + std::string(kHow));
  }
  return std::optional(std::move(*pem));
}

Result<void> take_cluster(const Entry& entry, Access& access) {
  ASSIGN_OR_RETURN(const std::string server, text_of(entry, "server"));
  if (server.empty()) return refuse(entry, "server is missing; give the API server's https:// URL");
  auto url = parse_server_url(server);
  if (!url) return std::unexpected(url.error().with(entry.label + ": server"));
  access.server = std::move(*url);
  ASSIGN_OR_RETURN(access.authority_pem, pem_of(entry, "certificate-authority-data"));
  ASSIGN_OR_RETURN(access.authority_file, path_of(entry, "certificate-authority"));
  ASSIGN_OR_RETURN(access.tls_server_name, text_of(entry, "tls-server-name"));
  ASSIGN_OR_RETURN(const std::string proxy, text_of(entry, "proxy-url"));
  if (!proxy.empty()) {
    auto usable = proxy_url_from(proxy);
    if (!usable) return std::unexpected(usable.error().with(entry.label + ": proxy-url"));
    access.proxy_url = *std::move(usable);
  }
  const auto skip = Field(*entry.content).boolean("insecure-skip-tls-verify");
  if (!skip) return std::unexpected(skip.error().with(entry.label));
  access.skip_verification = *skip;
  if (*skip && (access.authority_pem || !access.authority_file.empty())) {
    return refuse(entry,
                  "insecure-skip-tls-verify together with a certificate authority; "
                  "remove one of them");
  }
  return {};
}

bool is_set(const Value* there) {
  return there != nullptr && there->kind != Value::Kind::Null &&
         !(there->kind == Value::Kind::String && there->text.empty());
}

Result<void> refuse_unsupported(const Entry& user) {
  struct Unsupported {
    std::string_view key;
    std::string_view why;
  };
  constexpr Unsupported kUnsupported[] = {
      {"auth-provider", "auth-provider is not supported"},
      {"username", "user names and passwords are not supported"},
      {"password", "user names and passwords are not supported"},
  };
  for (const auto& [key, why] : kUnsupported) {
    const Value* there = user.content->find(key);
    if (is_set(there)) {
      return refuse(user,
                    std::string(why) + "; use a client certificate, token, tokenFile or exec");
    }
  }
  return {};
}

// A member of the user as a Field; `why` in errors comes with the entry's label.
template <class Take>
Result<void> within(const Entry& entry, std::string_view key, Take take) {
  const Field user(*entry.content);
  auto field = user.get(key);
  if (!field) return std::unexpected(field.error().with(entry.label));
  auto taken = take(*field);
  if (!taken) return std::unexpected(taken.error().with(entry.label));
  return {};
}

Result<void> take_environment(const Field& exec, ExecPlugin& plugin) {
  ASSIGN_OR_RETURN(const Field list, exec.get("env"));
  ASSIGN_OR_RETURN(const std::size_t size, list.size());
  for (std::size_t i = 0; i < size; ++i) {
    const Field one = list.item(i);
    ASSIGN_OR_RETURN(std::string name, one.text("name"));
    ASSIGN_OR_RETURN(std::string value, one.text("value"));
    if (name.empty() || name.find('=') != std::string::npos) {
      return one.refuse("name", "is no name of an environment variable");
    }
    plugin.environment.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

Result<ExecPlugin::Interactive> interactive_of(const Field& exec, std::string_view api_version) {
  ASSIGN_OR_RETURN(const std::string mode, exec.text("interactiveMode"));
  if (mode == "Never") return ExecPlugin::Interactive::Never;
  if (mode == "Always") return ExecPlugin::Interactive::Always;
  if (mode == "IfAvailable" || (mode.empty() && api_version.ends_with("/v1beta1"))) {
    return ExecPlugin::Interactive::IfAvailable;
  }
  return exec.refuse("interactiveMode", "must be Never, IfAvailable or Always");
}

Result<void> take_exec(const Field& exec, const Entry& entry, ExecPlugin& plugin) {
  ASSIGN_OR_RETURN(plugin.api_version, exec.text("apiVersion"));
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    return exec.refuse("apiVersion",
                       "must be client.authentication.k8s.io/v1 or v1beta1; a newer version of the "
                       "program speaks it");
  }
  ASSIGN_OR_RETURN(plugin.command, exec.text("command"));
  if (plugin.command.empty()) return exec.refuse("command", "is missing");
  // Like a shell: a command without a slash is looked up in PATH.
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = resolved(entry.path, plugin.command);
  }
  ASSIGN_OR_RETURN(plugin.arguments, exec.texts("args"));
  RETURN_IF_ERROR(take_environment(exec, plugin));
  ASSIGN_OR_RETURN(plugin.gets_cluster, exec.boolean("provideClusterInfo"));
  ASSIGN_OR_RETURN(plugin.install_hint, exec.text("installHint"));
  ASSIGN_OR_RETURN(plugin.interactive, interactive_of(exec, plugin.api_version));
  return {};
}

// The value goes into a header: a line break in it would start another header.
Result<void> check_header_text(const Entry& entry, std::string_view key, std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; };
  if (std::ranges::none_of(text, is_control)) return {};
  return refuse(entry, std::string(key) + ": there is a control character in it");
}

Result<void> take_extra(const Field& extra, Impersonation& impersonation) {
  if (!extra.present()) return {};
  for (const Member& member : extra.value().members) {
    ASSIGN_OR_RETURN(const std::vector<std::string> values, extra.texts(member.key));
    for (const std::string& value : values) impersonation.extra.emplace_back(member.key, value);
  }
  return {};
}

Result<void> take_impersonation(const Entry& entry, Impersonation& impersonation) {
  ASSIGN_OR_RETURN(impersonation.user, text_of(entry, "as"));
  ASSIGN_OR_RETURN(impersonation.uid, text_of(entry, "as-uid"));
  auto groups = Field(*entry.content).texts("as-groups");
  if (!groups) return std::unexpected(groups.error().with(entry.label));
  impersonation.groups = *std::move(groups);
  const auto take = [&](const Field& extra) { return take_extra(extra, impersonation); };
  RETURN_IF_ERROR(within(entry, "as-user-extra", take));
  if (impersonation.user.empty() && impersonation != Impersonation{}) {
    return refuse(entry, "as-uid, as-groups and as-user-extra need as: name the user");
  }
  RETURN_IF_ERROR(check_header_text(entry, "as", impersonation.user));
  RETURN_IF_ERROR(check_header_text(entry, "as-uid", impersonation.uid));
  for (const std::string& group : impersonation.groups) {
    RETURN_IF_ERROR(check_header_text(entry, "as-groups", group));
  }
  for (const auto& [key, value] : impersonation.extra) {
    RETURN_IF_ERROR(check_header_text(entry, "as-user-extra", value));
  }
  return {};
}

Result<void> take_user(const Entry& entry, Access& access) {
  RETURN_IF_ERROR(refuse_unsupported(entry));
  ASSIGN_OR_RETURN(access.certificate_pem, pem_of(entry, "client-certificate-data"));
  ASSIGN_OR_RETURN(access.key_pem, pem_of(entry, "client-key-data"));
  ASSIGN_OR_RETURN(access.certificate_file, path_of(entry, "client-certificate"));
  ASSIGN_OR_RETURN(access.key_file, path_of(entry, "client-key"));
  ASSIGN_OR_RETURN(access.token, text_of(entry, "token"));
  ASSIGN_OR_RETURN(access.token_file, path_of(entry, "tokenFile"));
  const bool has_certificate = access.certificate_pem || !access.certificate_file.empty();
  const bool has_key = access.key_pem || !access.key_file.empty();
  if (has_certificate != has_key) {
    return refuse(entry, has_key ? "client-key without client-certificate; name both"
                                 : "client-certificate without client-key; name both");
  }
  RETURN_IF_ERROR(take_impersonation(entry, access.impersonation));
  if (!is_set(entry.content->find("exec"))) return {};
  access.exec.emplace();
  return within(entry, "exec",
                [&](const Field& exec) { return take_exec(exec, entry, *access.exec); });
}

// If one of the pair is data and the other a file, the file is read now, because data never
// changes.
Result<void> complete_pair(Access& access) {
  if (access.certificate_pem && !access.key_pem) {
    ASSIGN_OR_RETURN(access.key_pem, read_credential(access.key_file));
  } else if (!access.certificate_pem && access.key_pem) {
    ASSIGN_OR_RETURN(access.certificate_pem, read_credential(access.certificate_file));
  }
  return {};
}

// The cluster's configuration for the user's credential program, as JSON; "" for none.
std::string cluster_config_of(const Entry& cluster) {
  const Value* extensions = cluster.content->find("extensions");
  if (extensions == nullptr) return {};
  for (const Value& each : extensions->items) {
    const Value* name = each.find("name");
    const Value* extension = each.find("extension");
    if (name != nullptr && extension != nullptr &&
        name->text == "client.authentication.k8s.io/exec") {
      return to_json_line(*extension);
    }
  }
  return {};
}

Result<std::string> current_context(const std::vector<File>& files) {
  for (const File& file : files) {
    auto name = Field(file.root).text("current-context");
    if (!name) return std::unexpected(name.error().with(file.path));
    if (!name->empty()) return name;
  }
  const std::string where = files.empty() ? "kubeconfig" : files.front().path;
  return failure(Code::Invalid, where + ": current-context is missing; name a context");
}

Result<KubeconfigText> read_kubeconfig(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, read_credential(path));
  return KubeconfigText{path, std::move(text)};
}

// Refuses what only a person may use.
Result<void> check_for_daemon(const std::string& path, const Access& access) {
  const auto refused = [&path](std::string_view why) {
    return failure(Code::Invalid, path + ": " + std::string(why));
  };
  if (access.skip_verification) {
    return refused(
        "insecure-skip-tls-verify: a daemon trusts no server that it cannot verify; name its "
        "certificate-authority");
  }
  if (access.impersonation != Impersonation{}) {
    return refused("as: a daemon acts in its own name; give it credentials of its own");
  }
  if (access.exec && access.exec->interactive == ExecPlugin::Interactive::Always) {
    return refused(
        "exec: interactiveMode Always: there is nobody to answer a daemon's program; use one that "
        "needs no answers, and Never");
  }
  return {};
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value != nullptr ? value : "";
}

std::string from_environment(const char* name, const char* other) {
  const std::string value = from_environment(name);
  return value.empty() ? from_environment(other) : value;
}

// Applies the environment's proxy if the kubeconfig names none.
Result<Access> through_proxy(Access access, const ApiEnvironment& environment) {
  if (access.proxy_url.empty()) {
    ASSIGN_OR_RETURN(access.proxy_url, proxy_for(access.server, environment.proxies));
  }
  return access;
}

Result<Access> for_a_person(Result<Access> access, const ApiEnvironment& environment) {
  if (!access) return access;
  if (access->exec) {
    access->exec->has_terminal =
        access->exec->interactive != ExecPlugin::Interactive::Never && ::isatty(STDIN_FILENO) == 1;
  }
  return through_proxy(*std::move(access), environment);
}

}  // namespace

Result<Access> access_from(const std::vector<KubeconfigText>& files, std::string_view context) {
  ASSIGN_OR_RETURN(const std::vector<File> trees, parsed(files));
  std::string name(context);
  if (name.empty()) {
    ASSIGN_OR_RETURN(name, current_context(trees));
  }
  ASSIGN_OR_RETURN(const Entry chosen, entry_of(trees, "contexts", "context", name));
  ASSIGN_OR_RETURN(const std::string cluster_name, text_of(chosen, "cluster"));
  ASSIGN_OR_RETURN(const std::string user_name, text_of(chosen, "user"));
  ASSIGN_OR_RETURN(const std::string ns, text_of(chosen, "namespace"));

  Access access;
  if (!ns.empty()) access.ns = ns;
  ASSIGN_OR_RETURN(const Entry cluster, entry_of(trees, "clusters", "cluster", cluster_name));
  RETURN_IF_ERROR(take_cluster(cluster, access));
  if (!user_name.empty()) {
    ASSIGN_OR_RETURN(const Entry user, entry_of(trees, "users", "user", user_name));
    RETURN_IF_ERROR(take_user(user, access));
    RETURN_IF_ERROR(complete_pair(access));
    if (access.exec) access.exec->cluster_config = cluster_config_of(cluster);
  }
  return access;
}

ApiEnvironment api_environment() {
  return {from_environment("KUBECONFIG"),
          from_environment("HOME"),
          from_environment("KUBERNETES_SERVICE_HOST"),
          from_environment("KUBERNETES_SERVICE_PORT"),
          ApiEnvironment().account_folder,
          {.https = from_environment("HTTPS_PROXY", "https_proxy"),
           .http = from_environment("HTTP_PROXY", "http_proxy"),
           .none = from_environment("NO_PROXY", "no_proxy")}};
}

Result<Access> daemon_access(const std::string& kubeconfig_file,
                             const ApiEnvironment& environment) {
  if (kubeconfig_file.empty()) return in_cluster_access(environment);
  ASSIGN_OR_RETURN(KubeconfigText text, read_kubeconfig(kubeconfig_file));
  ASSIGN_OR_RETURN(const Access access, access_from({std::move(text)}));
  RETURN_IF_ERROR(check_for_daemon(kubeconfig_file, access));
  return through_proxy(access, environment);
}

Result<Access> user_access(const std::string& kubeconfig_file, const ApiEnvironment& environment,
                           std::string_view context) {
  std::vector<KubeconfigText> texts;
  if (!kubeconfig_file.empty()) {
    auto text = read_kubeconfig(kubeconfig_file);
    if (!text) return std::unexpected(text.error().with("kubeconfig"));
    texts.push_back(*std::move(text));
    return for_a_person(access_from(texts, context), environment);
  }
  std::string paths = environment.kubeconfig;
  if (paths.empty()) paths = environment.home + "/.kube/config";
  for (std::string_view rest = paths; !rest.empty();) {
    const std::string_view path = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), path.size() + 1));
    if (path.empty()) continue;
    auto text = read_kubeconfig(std::string(path));
    if (text) texts.push_back(std::move(*text));
    if (!text && text.error().code != Code::NotFound) {
      return std::unexpected(text.error().with("kubeconfig"));
    }
  }
  if (texts.empty()) {
    return failure(Code::NotFound,
                   "no kubeconfig at " + paths + "; give one with --kubeconfig or KUBECONFIG");
  }
  return for_a_person(access_from(texts, context), environment);
}

Result<Access> in_cluster_access(const ApiEnvironment& environment) {
  if (environment.service_host.empty() || environment.service_port.empty()) {
    return failure(Code::NotFound,
                   "not in a cluster (KUBERNETES_SERVICE_HOST is not set); give --kubeconfig");
  }
  const bool is_ipv6 = environment.service_host.find(':') != std::string::npos;
  const std::string host =
      is_ipv6 ? "[" + environment.service_host + "]" : environment.service_host;
  Access access;
  auto url = parse_server_url("https://" + host + ":" + environment.service_port);
  if (!url) return std::unexpected(url.error().with("KUBERNETES_SERVICE_HOST and _PORT"));
  access.server = std::move(*url);
  access.token_file = environment.account_folder + "/token";
  access.authority_file = environment.account_folder + "/ca.crt";
  if (const auto ns = read_credential(environment.account_folder + "/namespace"); ns) {
    const std::string trimmed = ns->substr(0, ns->find_first_of(" \r\n\t"));
    if (!trimmed.empty()) access.ns = trimmed;
  }
  return through_proxy(std::move(access), environment);
}

Result<void> check_same_server(const Access& now, const Access& next) {
  if (next.server == now.server) return {};
  return failure(Code::Invalid, "kubeconfig: the server is now " + to_string(next.server) +
                                    ", and was " + to_string(now.server) +
                                    ": that needs a restart");
}

}  // namespace elbowroom::api
