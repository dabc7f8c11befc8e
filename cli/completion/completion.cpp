// `elbowroom completion SHELL`, and the hidden verb `__complete` that its scripts run.
#include "cli/completion/completion.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/completion/found_names.h"
#include "cli/completion/offer.h"
#include "cli/completion/scripts.h"
#include "cli/simulate_options.h"
#include "cli/verbs.h"

namespace elbowroom::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{800};

// Ends the process after a second, whatever a call waits for: nobody waits longer after a tab.
class Bounded {
 public:
  Bounded() : before_(std::signal(SIGALRM, [](int) { ::_exit(kExitFailure); })) { ::alarm(1); }
  ~Bounded() {
    ::alarm(0);
    std::signal(SIGALRM, before_);
  }
  Bounded(const Bounded&) = delete;
  Bounded& operator=(const Bounded&) = delete;

 private:
  void (*before_)(int);
};

// Bash splits --rules=up into three words.
std::vector<std::string> joined_words(std::vector<std::string> words) {
  const bool ends_there = !words.empty() && words.back() == "=";
  std::erase(words, "=");
  if (ends_there) words.emplace_back();
  return words;
}

void print_offer(const Offer& offer) {
  std::string out;
  for (const Candidate& each : offer.candidates) {
    out += sanitize_line(each.word);
    if (!each.told.empty()) out += "\t" + sanitize_line(each.told);
    out += "\n";
  }
  print(out + (offer.files ? ":0\n" : ":4\n"));
}

void complete(const CLI::App& app, const CLI::App& verb) {
  const Bounded bounded;
  print_offer(offer_for(app, joined_words(values_of(verb, "word")),
                        [](const Question& question) { return found_names(question, kPatience); }));
}

void add_script(CLI::App& completion, const std::string& shell, const std::string& told,
                std::string_view script) {
  completion.add_subcommand(shell, told)->callback([script] { print(std::string(script)); });
}

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("completion", "print the completion of a shell");
  verb->require_subcommand(1);
  add_script(*verb, "bash", "for bash: source <(elbowroom completion bash)", kBashCompletion);
  add_script(*verb, "zsh", "for zsh: source <(elbowroom completion zsh)", kZshCompletion);
  add_script(*verb, "fish", "for fish: elbowroom completion fish | source", kFishCompletion);
  add_script(*verb, "kubectl", "the program kubectl_complete-elbowroom, for kubectl's plugin",
             kKubectlCompletion);
  verb->footer(
      "Packages install all of them. Words come from this program, and names of pods, groups,\n"
      "namespaces, nodes and contexts from the cluster: at most 1000, within a second.");

  CLI::App* asked = app.add_subcommand("__complete", "what may follow these words")->group("");
  add_valued(*asked, "word", "the words; the last is to be completed")
      ->expected(-1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  asked->callback([&app, asked] { complete(app, *asked); });
}

}  // namespace elbowroom::cli
