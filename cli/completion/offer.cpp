#include "cli/completion/offer.h"

#include <optional>
#include <string_view>
#include <utility>

namespace elbowroom::cli {
namespace {

using Words = std::vector<std::string>;

bool is_flag(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }
bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

const CLI::Option* option_of(const CLI::App& at, std::string_view word) {
  const std::string name(word.substr(0, word.find('=')));
  return at.get_option_no_throw(name);
}

// Where the words before the last one lead.
struct Place {
  const CLI::App* at = nullptr;
  const CLI::Option* open = nullptr;  // its value comes next
  std::size_t positionals = 0;        // given already
  std::vector<std::pair<const CLI::Option*, std::string>> values{};
};

void take(const std::string& word, Place& place) {
  if (place.open != nullptr) {
    place.values.emplace_back(std::exchange(place.open, nullptr), word);
    return;
  }
  if (is_flag(word)) {
    const CLI::Option* option = option_of(*place.at, word);
    if (option == nullptr) return;
    const std::size_t equals = word.find('=');
    if (takes_value(*option) && equals == std::string::npos) {
      place.open = option;
    } else {
      place.values.emplace_back(option, equals == std::string::npos ? "" : word.substr(equals + 1));
    }
    return;
  }
  for (const CLI::App* below : shown_verbs(*place.at)) {
    if (below->get_name() != word) continue;
    place = {.at = below};
    return;
  }
  ++place.positionals;
}

Place place_of(const CLI::App& app, const Words& words) {
  Place place{.at = &app};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) take(words[i], place);
  return place;
}

const CLI::Option* positional_at(const Place& place) {
  std::size_t number = 0;
  for (const CLI::Option* each : place.at->get_options()) {
    if (!each->get_positional()) continue;
    const bool repeats = each->get_allow_extra_args();
    if (number++ == place.positionals || (repeats && place.positionals >= number)) return each;
  }
  return nullptr;
}

// "FORMAT:{json,yaml,table}": the values in braces.
Words choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  Words choices;
  if (begin == std::string::npos || end == std::string::npos) return choices;
  std::string_view rest = std::string_view(type).substr(begin + 1, end - begin - 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    choices.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return choices;
}

bool names_files(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.contains("FILE") || type.contains("DIR") || type.contains("SCENARIO")) return true;
  for (const char* flag : {"--filename", "--kubeconfig-out", "--runtime-dir"}) {
    if (option.check_name(flag)) return true;
  }
  return false;
}

std::optional<Lookup> lookup_of(const CLI::Option& option) {
  if (option.check_name("--namespace")) return Lookup::Namespaces;
  if (option.check_name("--context")) return Lookup::Contexts;
  if (option.check_name("--node")) return Lookup::Nodes;
  if (option.check_name("--group")) return Lookup::PodGroups;
  if (!option.get_positional()) return std::nullopt;
  if (option.check_name("pod")) return Lookup::Pods;
  if (option.check_name("group")) return Lookup::PodGroups;
  return std::nullopt;
}

std::string value_in(const Place& place, std::string_view flag) {
  std::string value;
  for (const auto& [option, given] : place.values) {
    if (option->check_name(std::string(flag))) value = given;
  }
  return value;
}

// Whether the verb would ask the cluster, not files or a daemon.
bool asks_cluster(const Place& place, Lookup what) {
  if (what == Lookup::Contexts) return true;
  const auto is_given = [&](const char* flag) {
    for (const auto& [option, value] : place.values) {
      if (option->check_name(flag)) return true;
    }
    return false;
  };
  if (is_given("--filename") || is_given("--server")) return false;
  return place.at->get_option_no_throw("--from-cluster") == nullptr || is_given("--from-cluster");
}

class Offering {
 public:
  Offering(std::string before, std::string word)
      : before_(std::move(before)), word_(std::move(word)) {}

  void add(const std::string& word, const std::string& told = "") {
    if (word.starts_with(word_)) offer_.candidates.push_back({before_ + word, told});
  }
  void add_value_of(const CLI::Option& option, const Place& place, const FindNames& find) {
    if (names_files(option)) offer_.files = true;
    for (const std::string& each : choices_of(option)) add(each);
    const std::optional<Lookup> what = lookup_of(option);
    if (!what || !asks_cluster(place, *what)) return;
    const Question question{.what = *what,
                            .kubeconfig = value_in(place, "--kubeconfig"),
                            .context = value_in(place, "--context"),
                            .ns = value_in(place, "--namespace"),
                            .word = word_};
    for (const std::string& each : find(question)) add(each);
  }
  void add_verbs(const CLI::App& at) {
    for (const CLI::App* each : shown_verbs(at)) add(each->get_name(), each->get_description());
  }
  void add_flags(const CLI::App& at) {
    for (const CLI::Option* each : at.get_options()) {
      if (each->get_group().empty()) continue;
      for (const std::string& name : each->get_snames()) add("-" + name, each->get_description());
      for (const std::string& name : each->get_lnames()) add("--" + name, each->get_description());
    }
  }
  [[nodiscard]] Offer done() { return std::move(offer_); }

 private:
  std::string before_;  // "--rules=", which is typed and stays
  std::string word_;
  Offer offer_;
};

}  // namespace

Offer offer_for(const CLI::App& app, const Words& words, const FindNames& find) {
  const std::string last = words.empty() ? "" : words.back();
  const Place place = place_of(app, words);
  Offering offering("", last);
  if (place.open != nullptr) {
    offering.add_value_of(*place.open, place, find);
    return offering.done();
  }
  if (last.starts_with('-')) {
    const std::size_t equals = last.find('=');
    const CLI::Option* option = option_of(*place.at, last);
    if (equals != std::string::npos && option != nullptr) {
      Offering values(last.substr(0, equals + 1), last.substr(equals + 1));
      values.add_value_of(*option, place, find);
      return values.done();
    }
    offering.add_flags(*place.at);
    return offering.done();
  }
  offering.add_verbs(*place.at);
  if (const CLI::Option* next = positional_at(place)) {
    offering.add_value_of(*next, place, find);
  } else {
    offering.add_flags(*place.at);
  }
  return offering.done();
}

}  // namespace elbowroom::cli
