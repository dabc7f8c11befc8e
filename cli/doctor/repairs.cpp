#include "cli/doctor/repairs.h"

#include <algorithm>
#include <cctype>

namespace elbowroom::cli {
namespace {

constexpr const char* kAuthority =
    "kubectl config view --raw --minify --flatten -o "
    "'jsonpath={.clusters[0].cluster.certificate-authority-data}'";

// In JSON: address and authority, and nothing of a user.
constexpr const char* kCluster =
    "kubectl config view --raw --minify --flatten -o 'jsonpath={.clusters[0].cluster}'";

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_./:@%+=,-").contains(c);
}

std::string kubeconfig_of(const DoctorFacts& facts) {
  return shell_word(facts.kubeconfig.file.path);
}

// A field of its present context, such as "user".
std::string named_in(const DoctorFacts& facts, const std::string& field) {
  return "\"$(kubectl config --kubeconfig=" + kubeconfig_of(facts) +
         " view --minify -o 'jsonpath={.contexts[0].context." + field + "}')\"";
}

std::string new_token(const DoctorFacts& facts) {
  std::string command =
      "kubectl create token " + role_of(facts) + " -n kube-system --duration=8760h";
  if (facts.program != Program::Agent || facts.node_name.empty()) return command;
  return command + " --bound-object-kind=Node --bound-object-name=" + shell_word(facts.node_name);
}

// The end of a pipe that writes a file which the service may read, and nobody else.
std::string into(const DoctorFacts& facts, const std::string& path) {
  const bool is_service = facts.unit && facts.unit->loaded;
  return (is_service ? "install -m 0640 -g " + shell_word(facts.unit->user)
                     : std::string("install -m 0600")) +
         " /dev/stdin " + shell_word(path);
}

// A request for the certificate, for the name that the present one has.
std::string request(const std::string& certificate, const std::string& key) {
  return "openssl req -new -key " + shell_word(key) + " -subj \"$(openssl x509 -in " +
         shell_word(certificate) +
         " -noout -subject -nameopt compat | sed 's,^subject= *,,')\" | base64 -w0";
}

// One line, which stops at the first command that fails. It leaves the shell as it is.
Commands chained(const Commands& commands) {
  std::string line = "(";
  for (const std::string& each : commands) line += (line.size() > 1 ? " && " : "") + each;
  return {line + ")"};
}

// In JSON, which is YAML; with the cluster's entry in place of the first %s, the token in that of
// the second.
std::string kubeconfig_form(const std::string& role) {
  return R"('{"apiVersion":"v1","kind":"Config","current-context":"own",)"
         R"("clusters":[{"name":"cluster","cluster":%s}],)"
         R"("users":[{"name":")" +
         role + R"(","user":{"token":"%s"}}],)" +
         R"("contexts":[{"name":"own","context":{"cluster":"cluster","user":")" + role +
         R"("}}]}\n')";
}

// The doctor's own caller may be the administrator, whose kubeconfig stays as it is.
bool is_of_service(const KubeconfigFacts& of) {
  return !of.file.path.empty() && of.by != KubeconfigFacts::By::Surroundings;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

Commands joined_commands(Commands first, const Commands& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

Commands restart(const DoctorFacts& facts) {
  if (!facts.unit || !facts.unit->loaded) return {};
  const UnitFacts& unit = *facts.unit;
  const bool is_to_run = unit.active || unit.failed || unit.starting || unit.enabled || unit.unmet;
  return is_to_run ? Commands{"systemctl restart " + unit.name} : Commands{};
}

Commands set_key(const DoctorFacts& facts, const std::string& key, const std::string& value) {
  const FileFacts& file = facts.config.file;
  if (file.kind != FileFacts::Kind::Regular) return {};
  const std::string line = key + ": \"" + value + "\"";
  const auto at = facts.config.lines.find(key);
  const std::string expression =
      at == facts.config.lines.end() ? "$a\\" + line : std::to_string(at->second) + "c\\" + line;
  return joined_commands({"sed -i " + shell_word(expression) + " " + shell_word(file.path)},
                         restart(facts));
}

Commands give_to_service(const DoctorFacts& facts, const std::string& path) {
  if (!facts.unit || !facts.unit->loaded) return {"chmod 0600 " + shell_word(path)};
  return {"chgrp " + shell_word(facts.unit->user) + " " + shell_word(path),
          "chmod 0640 " + shell_word(path)};
}

Commands make_kubeconfig(const DoctorFacts& facts) {
  const FileFacts& file = facts.kubeconfig.file;
  if (!is_of_service(facts.kubeconfig)) return {};
  const std::string path = kubeconfig_of(facts);
  Commands commands = {"umask 077", "cluster=\"$(" + std::string(kCluster) + ")\"",
                       "token=\"$(" + new_token(facts) + ")\""};
  if (file.kind != FileFacts::Kind::Missing) {
    commands.push_back("mv -T --backup=numbered " + path + " " + shell_word(file.path + ".old"));
  }
  commands.push_back("printf " + kubeconfig_form(role_of(facts)) + " \"$cluster\" \"$token\" > " +
                     path);
  if (facts.unit && facts.unit->loaded) {
    commands = joined_commands(std::move(commands), give_to_service(facts, file.path));
  }
  return chained(joined_commands(std::move(commands), restart(facts)));
}

Commands renew_token(const DoctorFacts& facts) {
  const std::string file = facts.credentials ? facts.credentials->token_file : "";
  const std::string taken = "token=\"$(" + new_token(facts) + ")\" && ";
  if (!file.empty()) return {taken + "printf %s \"$token\" | " + into(facts, file)};
  if (!is_of_service(facts.kubeconfig)) return {};
  return joined_commands({taken + "kubectl config --kubeconfig=" + kubeconfig_of(facts) +
                          " set-credentials " + named_in(facts, "user") + " --token=\"$token\""},
                         restart(facts));
}

Commands renew_certificate(const DoctorFacts& facts, bool renew_key) {
  if (!facts.credentials) return {};
  const CredentialFacts& of = *facts.credentials;
  const bool has_files = !of.certificate_file.empty() && !of.key_file.empty();
  if (!has_files || !of.certificate) return make_kubeconfig(facts);
  const std::string role = role_of(facts);
  Commands commands;
  if (renew_key) {
    commands = {"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 | " +
                into(facts, of.key_file)};
  }
  commands = joined_commands(
      std::move(commands),
      {"kubectl delete csr " + role + " --ignore-not-found",
       "printf '{\"apiVersion\":\"certificates.k8s.io/v1\",\"kind\":\"CertificateSigningRequest\","
       "\"metadata\":{\"name\":\"" +
           role +
           "\"},\"spec\":{\"request\":\"%s\",\"usages\":[\"client auth\"],"
           "\"signerName\":\"kubernetes.io/kube-apiserver-client\"}}' \"$(" +
           request(of.certificate_file, of.key_file) + ")\" | kubectl create --validate=false -f -",
       "kubectl certificate approve " + role,
       "kubectl wait --timeout=60s --for='jsonpath={.status.certificate}' csr/" + role,
       "kubectl get csr " + role + " -o 'jsonpath={.status.certificate}' | base64 -d | " +
           into(facts, of.certificate_file)});
  return chained(joined_commands(std::move(commands), restart(facts)));
}

Commands renew_authority(const DoctorFacts& facts) {
  const std::string file = facts.credentials ? facts.credentials->authority_file : "";
  if (file.empty() && facts.kubeconfig.file.path.empty()) return {};
  const std::string into = file.empty() ? "kubectl config --kubeconfig=" + kubeconfig_of(facts) +
                                              " set-cluster " + named_in(facts, "cluster") +
                                              " --embed-certs --certificate-authority=/dev/stdin"
                                        : "install -m 0644 /dev/stdin " + shell_word(file);
  return joined_commands({"authority=\"$(" + std::string(kAuthority) +
                          ")\" && echo \"$authority\" | base64 -d | " + into},
                         restart(facts));
}

Commands renew_server(const DoctorFacts& facts) {
  if (facts.kubeconfig.file.path.empty()) return {};
  return joined_commands({"kubectl config --kubeconfig=" + kubeconfig_of(facts) + " set-cluster " +
                          named_in(facts, "cluster") +
                          " --server=\"$(kubectl config view --minify -o "
                          "'jsonpath={.clusters[0].cluster.server}')\""},
                         restart(facts));
}

}  // namespace elbowroom::cli
