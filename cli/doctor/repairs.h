// The commands that repair what `elbowroom doctor` finds: lines for root's shell on that machine.
// Where one uses kubectl without --kubeconfig, kubectl is that of the cluster's administrator.
#pragma once

#include <string>
#include <string_view>

#include "cli/doctor/doctor_facts.h"
#include "cli/doctor/finding.h"

namespace elbowroom::cli {

// The text as one word of a shell.
[[nodiscard]] std::string shell_word(std::string_view text);

// `first`, then `then`.
[[nodiscard]] Commands joined_commands(Commands first, const Commands& then);

// Restarts the service that is installed here and is to run; empty: none is.
[[nodiscard]] Commands restart(const DoctorFacts& facts);

// Sets a key in the configuration file, and restarts the service.
[[nodiscard]] Commands set_key(const DoctorFacts& facts, const std::string& key,
                               const std::string& value);

// Makes a kubeconfig of the administrator's cluster entry and a token of the program's service
// account, an agent's bound to its Node, and moves what was at its path away. It is one line: where
// a command fails, no later one runs. Empty: the kubeconfig is that of the doctor's caller.
[[nodiscard]] Commands make_kubeconfig(const DoctorFacts& facts);

// Makes the file readable for the service, and for nobody else.
[[nodiscard]] Commands give_to_service(const DoctorFacts& facts, const std::string& path);

// A token of the program's service account, in the token file or else in the kubeconfig, unless
// that is the one of the doctor's caller.
[[nodiscard]] Commands renew_token(const DoctorFacts& facts);

// Has the client certificate's file issued for the present key and name, in one line; with
// `renew_key` for another key. Without such files, or a certificate to take the name from, it makes
// a kubeconfig: a certificate is bound to no Node, so an agent's guard would refuse its writes.
[[nodiscard]] Commands renew_certificate(const DoctorFacts& facts, bool renew_key);

// The administrator's authority, in the file or else in the kubeconfig.
[[nodiscard]] Commands renew_authority(const DoctorFacts& facts);

// The API server's address as the administrator's kubeconfig has it.
[[nodiscard]] Commands renew_server(const DoctorFacts& facts);

}  // namespace elbowroom::cli
