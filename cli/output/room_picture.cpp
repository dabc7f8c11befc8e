#include "cli/output/room_picture.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/quantity.h"
#include "base/text.h"
#include "cli/output/svg.h"

namespace elbowroom::cli {
namespace {

using svg::escaped;
using svg::pixels;

constexpr std::size_t kMostParts = 200;
constexpr double kLeft = 70;  // pixels; names of bars stand to the left
constexpr double kWidth = 720;
constexpr double kBar = 34;
constexpr double kRow = 48;
constexpr double kLetter = 6.6;

constexpr std::string_view kStyle =
    "<style>text{font:12px sans-serif;fill:#222}.head{font-weight:bold}"
    ".stays{fill:#c9d4e2;stroke:#fff}.goes{fill:#f3c6b8;stroke:#b4411f;stroke-dasharray:4 2}"
    ".own{fill:#7fb08a;stroke:#fff}.grows{fill:#cfe6d3;stroke:#3d7d4c;stroke-dasharray:4 2}"
    ".most{stroke:#b4411f;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#eee}.stays{fill:#4a5a70}.goes{fill:#7d3b28}"
    ".own{fill:#35704a}.grows{fill:#274a33}}</style>\n";

struct Part {
  std::string name{};
  std::string kind{};  // a class of the style
  std::int64_t amount = 0;
};

const Value* at(const Value& of, std::initializer_list<std::string_view> path) {
  const Value* found = &of;
  for (const std::string_view key : path) {
    found = found == nullptr ? nullptr : found->find(key);
  }
  return found;
}

std::string text_at(const Value& of, std::initializer_list<std::string_view> path) {
  const Value* found = at(of, path);
  return found == nullptr ? "" : found->text;
}

std::int64_t amount_at(const Value* amounts, std::string_view resource) {
  const Value* found = amounts == nullptr ? nullptr : amounts->find(resource);
  if (found == nullptr) return 0;
  const auto amount = api::parse_quantity(found->text, api::unit_of(resource));
  return amount ? *amount : 0;
}

// Draws one node's bars, one resource after the other.
class Drawing {
 public:
  explicit Drawing(const Value& decision) : decision_(decision) {
    const Value* victims = at(decision, {"preemption", "victims"});
    if (victims == nullptr) return;
    for (const Value& each : victims->items) goes_.insert(text_at(each, {"uid"}));
  }

  std::string document() {
    for (const std::string_view resource : {"cpu", "memory"}) draw(resource);
    draw_legend();
    const std::string height = pixels(y_ + 8);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " +
           pixels(kLeft + kWidth + 80) + " " + height + "\" width=\"" +
           pixels(kLeft + kWidth + 80) + "\" height=\"" + height + "\">\n<title>" + heading() +
           "</title>\n" + std::string(kStyle) + "<text class=\"head\" x=\"8\" y=\"18\">" +
           heading() + "</text>\n" + body_ + "</svg>\n";
  }

 private:
  [[nodiscard]] std::string heading() const {
    return escaped("pod " + text_at(decision_, {"pod"}) + " on node " +
                   text_at(decision_, {"node"}) + ": " + text_at(decision_, {"verdict"}));
  }

  [[nodiscard]] std::vector<Part> others(std::string_view resource, bool then) const {
    std::vector<Part> parts;
    const Value* holders = at(decision_, {"room", "holders"});
    if (holders == nullptr) return parts;
    for (const Value& each : holders->items) {
      const bool goes = goes_.contains(text_at(each, {"uid"}));
      const std::int64_t held = amount_at(each.find("held"), resource);
      if (held == 0 || (goes && then)) continue;
      parts.push_back({text_at(each, {"pod"}), goes ? "goes" : "stays", held});
    }
    std::ranges::stable_sort(parts, std::ranges::greater{}, &Part::amount);
    if (parts.size() > kMostParts) {
      Part rest{.name = std::to_string(parts.size() - kMostParts) + " more pods", .kind = "stays"};
      for (std::size_t i = kMostParts; i < parts.size(); ++i) rest.amount += parts[i].amount;
      parts.resize(kMostParts);
      parts.push_back(std::move(rest));
    }
    return parts;
  }

  void draw(std::string_view resource) {
    const std::int64_t most = amount_at(at(decision_, {"room", "allocatable"}), resource);
    const auto own = [&](std::string_view which) {
      return amount_at(at(decision_, {"requests", which}), resource);
    };
    const std::int64_t held = std::max(own("allocated"), own("actual"));
    const std::string pod = text_at(decision_, {"pod"});
    std::vector<Part> now = others(resource, false);
    std::vector<Part> then = others(resource, true);
    now.push_back({pod, "own", held});
    then.push_back({pod, "own", std::min(held, own("desired"))});
    if (own("desired") > held) then.push_back({pod + " grows", "grows", own("desired") - held});
    double widest = static_cast<double>(most);
    for (const auto* bar : {&now, &then}) {
      double sum = 0;
      for (const Part& each : *bar) sum += static_cast<double>(each.amount);
      widest = std::max(widest, sum);
    }
    if (widest <= 0) return;
    body_ += "<text class=\"head\" x=\"8\" y=\"" + pixels(y_) + "\">" + std::string(resource) +
             ", of " + api::format_quantity(resource, most) + "</text>\n";
    y_ += 8;
    bar("now", now, resource, widest, most);
    bar("then", then, resource, widest, most);
    y_ += 20;
  }

  void bar(const std::string& moment, const std::vector<Part>& parts, std::string_view resource,
           double widest, std::int64_t most) {
    const std::string middle = pixels(y_ + kBar / 2 + 4);
    body_ += "<text x=\"8\" y=\"" + middle + "\">" + moment + "</text>\n";
    double x = kLeft;
    for (const Part& each : parts) {
      const double width = static_cast<double>(each.amount) / widest * kWidth;
      const std::string name = escaped(each.name);
      body_ += "<g><title>" + name + ": " + api::format_quantity(resource, each.amount) +
               "</title><rect class=\"" + each.kind + "\" x=\"" + pixels(x) + "\" y=\"" +
               pixels(y_) + "\" width=\"" + pixels(width) + "\" height=\"" + pixels(kBar) + "\"/>";
      if (static_cast<double>(each.name.size()) * kLetter + 8 < width) {
        body_ += "<text x=\"" + pixels(x + 4) + "\" y=\"" + middle + "\">" + name + "</text>";
      }
      body_ += "</g>\n";
      x += width;
    }
    const std::string line = pixels(kLeft + static_cast<double>(most) / widest * kWidth);
    body_ += "<line class=\"most\" x1=\"" + line + "\" x2=\"" + line + "\" y1=\"" + pixels(y_ - 4) +
             "\" y2=\"" + pixels(y_ + kBar + 4) + "\"/>\n";
    y_ += kRow;
  }

  // The kinds that are drawn, and the names of the pods that go: their bars may be narrow.
  void draw_legend() {
    const std::pair<std::string_view, std::string> kinds[] = {
        {"stays", "stays"},
        {"goes", "goes: " + names_of_victims()},
        {"own", "the pod"},
        {"grows", "grows"}};
    double x = 8;
    for (const auto& [kind, words] : kinds) {
      if (body_.find("<rect class=\"" + std::string(kind) + "\"") == std::string::npos) continue;
      body_ += "<rect class=\"" + std::string(kind) + "\" x=\"" + pixels(x) + "\" y=\"" +
               pixels(y_ - 24) + "\" width=\"18\" height=\"12\"/><text x=\"" + pixels(x + 24) +
               "\" y=\"" + pixels(y_ - 14) + "\">" + escaped(words) + "</text>\n";
      x += 24 + static_cast<double>(words.size()) * kLetter + 22;
    }
    body_ += "<line class=\"most\" x1=\"" + pixels(x) + "\" x2=\"" + pixels(x) + "\" y1=\"" +
             pixels(y_ - 26) + "\" y2=\"" + pixels(y_ - 10) + "\"/><text x=\"" + pixels(x + 8) +
             "\" y=\"" + pixels(y_ - 14) + "\">allocatable</text>\n";
  }

  [[nodiscard]] std::string names_of_victims() const {
    constexpr std::size_t kNamed = 2;
    constexpr std::size_t kMostName = 40;
    const Value* victims = at(decision_, {"preemption", "victims"});
    if (victims == nullptr) return "";
    std::string names;
    for (const Value& each :
         std::span(victims->items).first(std::min(kNamed, victims->items.size()))) {
      names += (names.empty() ? "" : ", ") + clipped(text_at(each, {"pod"}), kMostName);
    }
    if (victims->items.size() > kNamed) {
      names += " and " + std::to_string(victims->items.size() - kNamed) + " more";
    }
    return names;
  }

  const Value& decision_;
  std::set<std::string> goes_{};
  std::string body_{};
  double y_ = 44;
};

}  // namespace

std::string room_picture(const Value& decision) { return Drawing(decision).document(); }

}  // namespace elbowroom::cli
