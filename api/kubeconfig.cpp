#include "api/kubeconfig.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "api/base64.h"
#include "api/credential_file.h"
#include "api/field.h"
#include "base/document.h"

namespace elbowroom::api {
namespace {

constexpr DocumentLimits kLimits{.bytes = 1 << 20, .depth = 32, .values = 50'000};

// A parsed file; fields point into `root`.
struct File {
  std::string path{};
  Value root{};
};

Result<std::vector<File>> parsed(const std::vector<KubeconfigText>& texts) {
  std::vector<File> files;
  for (const KubeconfigText& text : texts) {
    auto documents = parse_yaml(text.text, kLimits);
    if (!documents) return std::unexpected(documents.error().with(text.path));
    if (documents->empty()) continue;
    if (documents->size() > 1 || documents->front().kind != Value::Kind::Map) {
      return failure(Code::Invalid, text.path + ": no kubeconfig: one mapping is expected");
    }
    files.push_back({text.path, std::move(documents->front())});
  }
  return files;
}

// A named entry's content ("cluster" in clusters[]), and the file it stands in.
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

// The text of a member, "" where it is absent.
Result<std::string> text_of(const Entry& entry, std::string_view key) {
  auto text = Field(*entry.content).text(key);
  if (!text) return std::unexpected(text.error().with(entry.label));
  return text;
}

// A path, absolute or from the folder of the file that names it.
Result<std::string> path_of(const Entry& entry, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string path, text_of(entry, key));
  const std::size_t slash = entry.path.rfind('/');
  if (path.empty() || path.starts_with('/') || slash == std::string::npos) return path;
  return entry.path.substr(0, slash + 1) + path;
}

Result<std::optional<std::string>> pem_of(const Entry& entry, std::string_view key) {
  ASSIGN_OR_RETURN(const std::string encoded, text_of(entry, key));
  if (encoded.empty()) return std::optional<std::string>();
  auto pem = decode_base64(encoded);
  if (!pem) return refuse(entry, std::string(key) + ": " + pem.error().message);
  if (pem->find("-----BEGIN ") == std::string::npos) {
    return refuse(entry, std::string(key) + ": there is no PEM block in it");
  }
  return std::optional(std::move(*pem));
}

Result<void> take_cluster(const Entry& entry, Access& access) {
  ASSIGN_OR_RETURN(const std::string server, text_of(entry, "server"));
  if (server.empty()) return refuse(entry, "server is missing");
  auto url = parse_server_url(server);
  if (!url) return std::unexpected(url.error().with(entry.label + ": server"));
  access.server = std::move(*url);
  ASSIGN_OR_RETURN(access.authority_pem, pem_of(entry, "certificate-authority-data"));
  ASSIGN_OR_RETURN(access.authority_file, path_of(entry, "certificate-authority"));
  ASSIGN_OR_RETURN(access.tls_server_name, text_of(entry, "tls-server-name"));
  ASSIGN_OR_RETURN(access.proxy_url, text_of(entry, "proxy-url"));
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

Result<void> refuse_unsupported(const Entry& user) {
  struct Unsupported {
    std::string_view key;
    std::string_view why;
  };
  constexpr Unsupported kUnsupported[] = {
      {"exec", "credential plugins (exec) are not supported"},
      {"auth-provider", "auth-provider is not supported"},
      {"username", "user names and passwords are not supported"},
      {"password", "user names and passwords are not supported"},
      {"as", "impersonation (as) is not supported"},
      {"as-uid", "impersonation (as-uid) is not supported"},
      {"as-groups", "impersonation (as-groups) is not supported"},
      {"as-user-extra", "impersonation (as-user-extra) is not supported"},
  };
  for (const auto& [key, why] : kUnsupported) {
    const Value* there = user.content->find(key);
    const bool is_set = there != nullptr && there->kind != Value::Kind::Null &&
                        !(there->kind == Value::Kind::String && there->text.empty());
    if (is_set) {
      return refuse(user, std::string(why) + "; use a client certificate, token or tokenFile");
    }
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
    return refuse(entry, has_key ? "client-key without client-certificate"
                                 : "client-certificate without client-key");
  }
  return {};
}

// One of the pair as data and the other as a file: the file is read now, as data never changes.
Result<void> complete_pair(Access& access) {
  if (access.certificate_pem && !access.key_pem) {
    ASSIGN_OR_RETURN(access.key_pem, read_credential(access.key_file));
  } else if (!access.certificate_pem && access.key_pem) {
    ASSIGN_OR_RETURN(access.certificate_pem, read_credential(access.certificate_file));
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
  auto text = read_credential(path);
  if (!text) return std::unexpected(text.error().with("kubeconfig"));
  return KubeconfigText{path, std::move(*text)};
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value != nullptr ? value : "";
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
  }
  return access;
}

ApiEnvironment api_environment() {
  return {from_environment("KUBECONFIG"), from_environment("HOME"),
          from_environment("KUBERNETES_SERVICE_HOST"), from_environment("KUBERNETES_SERVICE_PORT")};
}

Result<Access> daemon_access(const std::string& kubeconfig_file,
                             const ApiEnvironment& environment) {
  if (kubeconfig_file.empty()) return in_cluster_access(environment);
  ASSIGN_OR_RETURN(KubeconfigText text, read_kubeconfig(kubeconfig_file));
  return access_from({std::move(text)});
}

Result<Access> user_access(const std::string& kubeconfig_file, const ApiEnvironment& environment,
                           std::string_view context) {
  std::vector<KubeconfigText> texts;
  if (!kubeconfig_file.empty()) {
    ASSIGN_OR_RETURN(KubeconfigText text, read_kubeconfig(kubeconfig_file));
    texts.push_back(std::move(text));
    return access_from(texts, context);
  }
  std::string paths = environment.kubeconfig;
  if (paths.empty()) paths = environment.home + "/.kube/config";
  for (std::string_view rest = paths; !rest.empty();) {
    const std::string_view path = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), path.size() + 1));
    if (path.empty()) continue;
    auto text = read_kubeconfig(std::string(path));
    if (text) texts.push_back(std::move(*text));
    if (!text && text.error().code != Code::NotFound) return std::unexpected(text.error());
  }
  if (texts.empty()) {
    return failure(Code::NotFound,
                   "no kubeconfig at " + paths + "; give one with --kubeconfig or KUBECONFIG");
  }
  return access_from(texts, context);
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
  return access;
}

}  // namespace elbowroom::api
