// Checks of the configuration, the kubeconfig and its credentials.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/timestamp.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/doctor/repairs.h"

namespace elbowroom::cli {
namespace {

constexpr std::uint32_t kOthersWrite = 0022;  // group or others
constexpr std::uint32_t kEverybody = 0007;
constexpr std::chrono::days kSoon{7};

std::string octal(std::uint32_t mode) {
  std::string text = "0000";
  for (std::size_t i = 4; i-- > 0; mode >>= 3U) text[i] = static_cast<char>('0' + (mode & 7U));
  return text;
}

std::string day_of(policy::Time time) {
  return api::format_timestamp(std::chrono::floor<std::chrono::seconds>(time));
}

std::string apply_body(const DoctorFacts& facts) {
  return "/etc/elbowroom/" + config_file_of(facts.program);
}

// ---- the configuration ----

Verdict config_valid(const DoctorFacts& facts) {
  const ConfigFacts& config = facts.config;
  if (config.file.path.empty()) return pass("no configuration file: the defaults count");
  if (config.trouble.empty()) return pass(config.file.path + " is valid");
  if (!config.file.closed.empty() && config.file.kind != FileFacts::Kind::Missing) {
    return skip("you may not read " + config.file.path + ": run this as root");
  }
  Commands commands;
  if (!config.edit.empty()) {
    commands = {"sed -i " + shell_word(config.edit) + " " + shell_word(config.file.path)};
  }
  return fail(config.trouble,
              (config.advice.empty() ? "mend what is named" : config.advice) + "; " +
                  name_of(facts.program) + " --check-config --config " + config.file.path +
                  " looks again, docs/configuration.md lists the keys",
              std::move(commands));
}

// It configures a service, so only root may change it.
Verdict config_mode(const DoctorFacts& facts) {
  const FileFacts& file = facts.config.file;
  if (file.path.empty()) return skip("there is no configuration file");
  if (file.kind == FileFacts::Kind::Missing) return skip("there is no " + file.path);
  if ((file.mode & kOthersWrite) == 0) return pass("only its owner may change " + file.path);
  return fail(file.path + " has mode " + octal(file.mode) +
                  ": others than its owner may change what the service does",
              "let its owner alone change it", {"chmod 0644 " + shell_word(file.path)});
}

// ---- the kubeconfig ----

std::string why_no_kubeconfig(const DoctorFacts& facts) {
  const KubeconfigFacts& of = facts.kubeconfig;
  if (of.file.path.empty()) return of.trouble ? "there is no kubeconfig" : "";
  if (of.file.kind == FileFacts::Kind::Missing) return "there is no " + of.file.path;
  if (!of.file.closed.empty()) {
    return "you may not read " + of.file.path + ": run this as root";
  }
  return {};
}

bool is_service_here(const DoctorFacts& facts) { return facts.unit && facts.unit->loaded; }

// The one that the unit waits for, where it exists and another one is named; else a new one.
Commands missing_kubeconfig_commands(const DoctorFacts& facts) {
  const bool has_usual_one = is_service_here(facts) &&
                             facts.unit->awaited.kind == FileFacts::Kind::Regular &&
                             facts.kubeconfig.by == KubeconfigFacts::By::Config;
  return has_usual_one ? set_key(facts, "kubeconfig", facts.unit->awaited.path)
                       : make_kubeconfig(facts);
}

Verdict kubeconfig_found(const DoctorFacts& facts) {
  const KubeconfigFacts& of = facts.kubeconfig;
  if (of.by == KubeconfigFacts::By::Surroundings && is_service_here(facts)) {
    return fail(
        "the configuration names no kubeconfig, and the service looks for none elsewhere (" +
            of.origin + " counts for you alone)",
        "set kubeconfig: " + facts.unit->awaited.path + " in " + apply_body(facts) +
            ", and put one there (docs/install.md)",
        set_key(facts, "kubeconfig", facts.unit->awaited.path));
  }
  const bool is_missing = of.file.path.empty() ? of.trouble && of.trouble->code == Code::NotFound
                                               : of.file.kind == FileFacts::Kind::Missing;
  if (is_missing) {
    return fail(
        of.file.path.empty() ? of.trouble->message
                             : "there is no " + of.file.path + ", which is named by " + of.origin,
        "put a kubeconfig there (docs/install.md), or name another one with kubeconfig: in " +
            apply_body(facts) + " or with --kubeconfig",
        of.file.path.empty() ? Commands() : missing_kubeconfig_commands(facts));
  }
  if (of.file.path.empty()) return pass("found by " + of.origin);
  if (of.file.kind != FileFacts::Kind::Regular) {
    return fail(of.file.path + " is no file", "put a kubeconfig there: docs/install.md",
                make_kubeconfig(facts));
  }
  return pass(of.file.path + " is there, named by " + of.origin);
}

Verdict kubeconfig_valid(const DoctorFacts& facts) {
  const KubeconfigFacts& of = facts.kubeconfig;
  if (const std::string why = why_no_kubeconfig(facts); !why.empty()) return skip(why);
  if (!of.trouble) return pass("it says how to reach the API server, and who we are there");
  return fail(of.trouble->message,
              "mend the field that is named, or make it once more; docs/connect.md says what a "
              "kubeconfig may hold",
              make_kubeconfig(facts));
}

// It contains or names credentials.
Verdict kubeconfig_mode(const DoctorFacts& facts) {
  const FileFacts& file = facts.kubeconfig.file;
  if (file.path.empty() || file.kind != FileFacts::Kind::Regular) {
    return skip("there is no file to look at");
  }
  if ((file.mode & (kEverybody | kOthersWrite)) == 0) {
    return pass("nobody else may read or change " + file.path);
  }
  const bool is_ours = facts.kubeconfig.by == KubeconfigFacts::By::Config;
  return fail(file.path + " has mode " + octal(file.mode) + ": " +
                  ((file.mode & kEverybody) != 0 ? "everybody may use the credentials in it"
                                                 : "its group may change it"),
              "let those alone read it who need it",
              is_ours ? give_to_service(facts, file.path)
                      : Commands{"chmod 0600 " + shell_word(file.path)});
}

// "" if the kubeconfig is the one that the service reads; else why not.
std::string not_service_kubeconfig_reason(const DoctorFacts& facts) {
  if (!is_service_here(facts)) return "no service of ours is installed here";
  if (facts.kubeconfig.by == KubeconfigFacts::By::Config) return {};
  return "the service reads another one than " + facts.kubeconfig.origin + " names";
}

bool may_read(const UnitFacts& unit, const FileFacts& file) {
  if (file.owner == unit.user && (file.mode & 0400) != 0) return true;
  return (file.group == unit.user && (file.mode & 0040) != 0) || (file.mode & 0004) != 0;
}

bool may_enter(const UnitFacts& unit, const FileFacts& folder) {
  if (folder.owner == unit.user && (folder.mode & 0100) != 0) return true;
  return (folder.group == unit.user && (folder.mode & 0010) != 0) || (folder.mode & 0001) != 0;
}

// What keeps the service's user from opening a file: a parent folder, or the file itself.
const FileFacts* closed_at(const UnitFacts& unit, const FileFacts& file) {
  if (file.kind != FileFacts::Kind::Regular) return nullptr;
  for (const FileFacts& gate : file.gates) {
    if (!may_enter(unit, gate)) return &gate;
  }
  return may_read(unit, file) ? nullptr : &file;
}

// The kubeconfig and the files that it names, each with the field that names it.
std::vector<std::pair<std::string, const FileFacts*>> files_of(const DoctorFacts& facts) {
  std::vector<std::pair<std::string, const FileFacts*>> files = {
      {"kubeconfig", &facts.kubeconfig.file}};
  if (!facts.credentials) return files;
  for (const CredentialFile& each : facts.credentials->files) {
    files.emplace_back(each.field, &each.file);
  }
  return files;
}

// Folders that the units hide from the service. In authority mode it has a file system of its own,
// which contains little else than these.
bool is_hidden(bool authority, std::string_view path) {
  constexpr std::array kHidden = {"/etc/kubernetes/", "/var/lib/kubelet/",
                                  "/home/",           "/root/",
                                  "/run/user/",       "/tmp/",
                                  "/var/tmp/",        "/boot/",
                                  "/run/containerd/", "/run/crio/"};
  constexpr std::array kShown = {"/etc/elbowroom/", "/etc/ssl/certs/", "/usr/lib/",
                                 "/lib/",           "/lib64/",         "/var/lib/elbowroom/",
                                 "/run/elbowroom/"};
  const auto is_below = [path](std::string_view folder) { return path.starts_with(folder); };
  return authority ? std::ranges::none_of(kShown, is_below)
                   : std::ranges::any_of(kHidden, is_below);
}

const FileFacts* closed_to_service(const DoctorFacts& facts) {
  for (const auto& [field, file] : files_of(facts)) {
    if (is_hidden(facts.authority, file->path)) continue;  // a fault with its own check
    if (const FileFacts* at = closed_at(*facts.unit, *file)) return at;
  }
  return nullptr;
}

Verdict kubeconfig_for_service(const DoctorFacts& facts) {
  if (const std::string why = not_service_kubeconfig_reason(facts); !why.empty()) return skip(why);
  if (facts.kubeconfig.file.kind != FileFacts::Kind::Regular) {
    return skip("there is no file to look at");
  }
  if (facts.authority) return pass("the unit has the capability to read what it names");
  const FileFacts* file = closed_to_service(facts);
  if (file == nullptr) return pass("the user " + facts.unit->user + " may read what it names");
  const bool is_folder = file->kind == FileFacts::Kind::Folder;
  return fail("the service runs as " + facts.unit->user + ", who may not " +
                  (is_folder ? "enter " : "read ") + file->path + " (" + file->owner + ":" +
                  file->group + ", mode " + octal(file->mode) + ")",
              "let its group read it",
              {"chgrp " + shell_word(facts.unit->user) + " " + shell_word(file->path),
               (is_folder ? "chmod 0750 " : "chmod 0640 ") + shell_word(file->path)});
}

// A copy in /etc/elbowroom, named where the hidden file was named.
Commands move_to_sight(const DoctorFacts& facts, const std::string& field,
                       const std::string& path) {
  const bool is_kubeconfig = field == "kubeconfig";
  const std::string copy = is_kubeconfig
                               ? facts.unit->awaited.path
                               : "/etc/elbowroom/" + path.substr(path.find_last_of('/') + 1);
  const Commands first = {"install -m 0640 -g " + shell_word(facts.unit->user) + " " +
                          shell_word(path) + " " + shell_word(copy)};
  if (is_kubeconfig) return joined_commands(first, set_key(facts, "kubeconfig", copy));
  return joined_commands(
      joined_commands(first, {"sed -i " + shell_word("s|" + path + "|" + copy + "|") + " " +
                              shell_word(facts.kubeconfig.file.path)}),
      restart(facts));
}

Verdict kubeconfig_seen_by_service(const DoctorFacts& facts) {
  if (const std::string why = not_service_kubeconfig_reason(facts); !why.empty()) return skip(why);
  for (const auto& [field, file] : files_of(facts)) {
    if (file->path.empty() || !is_hidden(facts.authority, file->path)) continue;
    return fail(
        field + ": the unit does not let the service see " + file->path,
        "copy it to /etc/elbowroom and name it there" +
            std::string(field == "kubeconfig" ? "" : ", or put its content into the kubeconfig"),
        move_to_sight(facts, field, file->path));
  }
  return pass("nothing of it is in a folder that the unit hides");
}

// ---- credentials ----

Commands renew_file(const DoctorFacts& facts, const std::string& field) {
  if (field == "certificate-authority") return renew_authority(facts);
  if (field == "tokenFile") return renew_token(facts);
  return renew_certificate(facts, field == "client-key");
}

Verdict credential_files(const DoctorFacts& facts) {
  if (!facts.credentials) return skip(facts.credentials.why_not);
  for (const CredentialFile& each : facts.credentials->files) {
    if (!each.file.closed.empty() && each.file.kind != FileFacts::Kind::Missing) {
      return skip("you may not read " + each.file.path + ": run this as root");
    }
    if (each.trouble.empty()) continue;
    return fail(
        each.field + ": " + each.trouble,
        "put the right file there, or name another one as " + each.field + " in the kubeconfig",
        renew_file(facts, each.field));
  }
  return pass("the files that the kubeconfig names are there and hold what they should");
}

Verdict judge_dates(const DoctorFacts& facts, const std::optional<Dates>& dates,
                    const std::string& none, const std::string& remedy, const Commands& commands) {
  if (!facts.credentials) return skip(facts.credentials.why_not);
  return dates ? judge_dates(facts.now, *dates, remedy, commands) : skip(none);
}

Verdict certificate_dates(const DoctorFacts& facts) {
  return judge_dates(facts, facts.credentials ? facts.credentials->certificate : std::nullopt,
                     "no client certificate is used",
                     "have it issued again by the cluster's authority, and put it there: it is "
                     "read again within a minute",
                     renew_certificate(facts, false));
}

Verdict authority_dates(const DoctorFacts& facts) {
  return judge_dates(facts, facts.credentials ? facts.credentials->authority : std::nullopt,
                     "the kubeconfig names no authority",
                     "put the certificate of the cluster's authority there "
                     "(certificate-authority), as the control plane has it now",
                     renew_authority(facts));
}

Verdict certificate_key(const DoctorFacts& facts) {
  if (!facts.credentials) return skip(facts.credentials.why_not);
  const CredentialFacts& of = *facts.credentials;
  if (!of.certificate && of.key_pair_error.empty()) return skip("no client certificate is used");
  if (of.key_pair_error.empty()) return pass("the key belongs to the client certificate");
  return fail(of.key_pair_error,
              "put certificate and key of one and the same issue there (client-certificate, "
              "client-key)",
              renew_certificate(facts, false));
}

Verdict token_dates(const DoctorFacts& facts) {
  if (!facts.credentials) return skip(facts.credentials.why_not);
  const CredentialFacts& of = *facts.credentials;
  if (!of.token_until) return skip("no token that says when it ends");
  const std::string remedy =
      "give it a new one: kubectl create token --bound-object-kind=Node, or a tokenFile that "
      "somebody renews";
  if (facts.now >= *of.token_until) {
    return fail("the token has expired: it was good until " + day_of(*of.token_until), remedy,
                renew_token(facts));
  }
  if (of.static_token) {
    return warn("the token stands in the kubeconfig, so nobody renews it before it ends at " +
                    day_of(*of.token_until),
                remedy);
  }
  return pass("the token has not expired");
}

Verdict credential_program(const DoctorFacts& facts) {
  if (!facts.credentials) return skip(facts.credentials.why_not);
  const CredentialFacts& of = *facts.credentials;
  if (of.program.empty()) return skip("no credential program is used");
  if (of.program_error.empty()) return pass("the program " + of.program + " can be run");
  return fail("the program " + of.program + ": " + of.program_error,
              "install it, or name it with its whole path in the user's exec; a unit of ours runs "
              "it only with ExecPaths= in a drop-in (docs/install.md). Or use a token in its place",
              renew_token(facts));
}

constexpr std::array kChecks = {
    Check{"config.valid", Check::Of::All, config_valid},
    Check{"config.mode", Check::Of::All, config_mode},
    Check{"kubeconfig.found", Check::Of::All, kubeconfig_found},
    Check{"kubeconfig.valid", Check::Of::All, kubeconfig_valid},
    Check{"kubeconfig.mode", Check::Of::All, kubeconfig_mode},
    Check{"kubeconfig.for-service", Check::Of::All, kubeconfig_for_service},
    Check{"kubeconfig.hidden", Check::Of::All, kubeconfig_seen_by_service},
    Check{"credentials.files", Check::Of::All, credential_files},
    Check{"credentials.certificate", Check::Of::All, certificate_dates},
    Check{"credentials.key", Check::Of::All, certificate_key},
    Check{"credentials.authority", Check::Of::All, authority_dates},
    Check{"credentials.token", Check::Of::All, token_dates},
    Check{"credentials.program", Check::Of::All, credential_program},
};

}  // namespace

Verdict judge_dates(policy::Time now, const Dates& dates, const std::string& remedy,
                    const Commands& commands) {
  const api::Validity& valid = dates.validity;
  if (now >= valid.until) {
    return fail(dates.what + " has expired: it was good until " + day_of(valid.until), remedy,
                commands);
  }
  if (now < valid.from) {
    return fail(dates.what + " is not good before " + day_of(valid.from),
                "set this machine's clock if that is behind; else " + remedy, commands);
  }
  if (now + kSoon >= valid.until) {
    return warn(dates.what + " expires within a week, at " + day_of(valid.until), remedy, commands);
  }
  return pass(dates.what + " is good until " + day_of(valid.until));
}

std::span<const Check> credential_checks() { return kChecks; }

}  // namespace elbowroom::cli
