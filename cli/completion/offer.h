// What may follow the words of a command line, by the program's own tree of verbs and options.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command_names.h"

namespace elbowroom::cli {

struct Candidate {
  std::string word{};
  std::string told{};  // what it is; "": nothing to say
};

// Names that the program does not know by itself.
enum class Lookup : std::uint8_t { Pods, PodGroups, Namespaces, Nodes, Contexts };

// What the words before say of the cluster.
struct Question {
  Lookup what = Lookup::Pods;
  std::string kubeconfig{};  // "": as without the flag
  std::string context{};
  std::string ns{};    // "": the context's
  std::string word{};  // as far as it is typed
};
using FindNames = std::function<Names(const Question&)>;

struct Offer {
  std::vector<Candidate> candidates{};  // all begin with the last word
  bool files = false;                   // and names of files
};

// `words`: without the program's name; the last one, which may be "", is to be completed. `find`:
// names of a cluster or a kubeconfig.
[[nodiscard]] Offer offer_for(const CLI::App& app, const std::vector<std::string>& words,
                              const FindNames& find);

}  // namespace elbowroom::cli
