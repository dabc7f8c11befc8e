#include "cli/scenario/timeline_picture.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/text.h"
#include "cli/output/svg.h"
#include "cli/scenario/pod_lives.h"
#include "cli/scenario/time_axis.h"
#include "policy/model/natural_order.h"

namespace elbowroom::cli {
namespace {

using std::chrono::milliseconds;
using svg::escaped;
using svg::pixels;

// Until after the last moment.
constexpr milliseconds kOpen = milliseconds::max();

constexpr std::size_t kMostRows = 60;
constexpr std::size_t kMostBudgets = 8;
constexpr std::size_t kMostName = 27;  // letters of a name beside its bar
constexpr double kLeft = 200;          // pixels; where the bars begin
constexpr double kWidth = 600;
constexpr double kTail = 80;  // what is there at the end, beyond the last moment
constexpr double kAll = 900;
constexpr double kRow = 28;
constexpr double kBar = 18;
constexpr double kLetter = 6.3;
constexpr double kTick = 44;

constexpr std::string_view kStyle =
    "<style>text{font:12px sans-serif;fill:#222}.head{font-weight:bold}.in{font-size:11px}"
    ".small{font-size:11px;fill:#667}.name{text-anchor:end}.tick{text-anchor:middle;font-size:11px}"
    ".band{fill:#8895a8;fill-opacity:.1}.grid{stroke:#8895a8;stroke-opacity:.35}"
    ".runs{fill:#a9c1dd}.pending{fill:none;stroke:#7a8797;stroke-dasharray:3 3}"
    ".waits{fill:#f2d27a}.leaves{fill:#f3c6b8;stroke:#b4411f;stroke-dasharray:4 2}"
    ".grown{fill:#9ccfa8}.room{fill:none;stroke:#b4411f;stroke-width:1.6}.tip{fill:#b4411f}"
    ".some{fill:#cfe6d3}.none{fill:#f3c6b8}"
    "@media(prefers-color-scheme:dark){text{fill:#e6e8eb}.small{fill:#a5adb8}.runs{fill:#3d5878}"
    ".waits{fill:#7a5f14}.leaves{fill:#6b3324;stroke:#e0714d}.grown{fill:#2f6b42}"
    ".room{stroke:#e0714d}.tip{fill:#e0714d}.some{fill:#274a33}.none{fill:#6b3324}}</style>\n"
    "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"6\" refY=\"4\" "
    "orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n";

// "cpu 1 → 2".
std::string with_arrows(std::string words) {
  for (std::size_t at = 0; (at = words.find("->", at)) != std::string::npos;) {
    words.replace(at, 2, "→");
  }
  return words;
}

double width_of(std::string_view words) {
  const auto letters = std::ranges::count_if(
      words, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return static_cast<double>(letters) * kLetter;
}

// The lives of one pod on one node, in one row.
struct Row {
  std::string node{};
  std::string pod{};
  std::vector<std::size_t> lives{};
  milliseconds from{0};
  bool has_story = false;
};

class Picture {
 public:
  explicit Picture(const Timeline& timeline)
      : timeline_(timeline),
        all_(lives_of(timeline)),
        axis_(moments(), kLeft, kWidth),
        prefix_(common_namespace()) {}

  std::string document() {
    const std::vector<Row> rows = chosen_rows();
    draw_nodes(rows);
    draw_room();
    draw_budgets();
    const double bottom = y_;
    draw_axis(bottom);
    draw_legend();
    const std::string height = pixels(y_ + 6);
    const std::string title = escaped("scenario " + timeline_.scenario);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + pixels(kAll) +
           " " + height + "\" width=\"" + pixels(kAll) + "\" height=\"" + height + "\">\n<title>" +
           title + "</title>\n" + std::string(kStyle) + bands_ + grid_ + body_ + arrows_ +
           "</svg>\n";
  }

 private:
  [[nodiscard]] std::vector<milliseconds> moments() const {
    std::vector<milliseconds> all = {timeline_.ended};
    for (const TimelineEvent& each : timeline_.events) all.push_back(each.at);
    return all;
  }

  // "default/" where all pods are of one namespace, which is then not repeated in every row.
  [[nodiscard]] std::string common_namespace() const {
    std::string common;
    for (const PodLife& each : all_.lives) {
      const std::string own = each.pod.substr(0, each.pod.find('/') + 1);
      if (!common.empty() && own != common) return "";
      common = own;
    }
    return common;
  }
  [[nodiscard]] std::string short_name(const std::string& pod) const {
    return pod.starts_with(prefix_) ? pod.substr(prefix_.size()) : pod;
  }

  [[nodiscard]] std::vector<Row> all_rows() const {
    std::map<std::pair<std::string, std::string>, Row> rows;
    for (std::size_t i = 0; i < all_.lives.size(); ++i) {
      const PodLife& life = all_.lives[i];
      const auto [at, is_new] = rows.try_emplace({life.node, life.pod});
      Row& row = at->second;
      if (is_new) row = {.node = life.node, .pod = life.pod, .from = life.from};
      row.lives.push_back(i);
      row.has_story = row.has_story || life.has_story();
    }
    std::vector<Row> all;
    for (auto& [key, row] : rows) all.push_back(std::move(row));
    return all;
  }

  // Those with a story first; then in the order in which they are drawn.
  std::vector<Row> chosen_rows() {
    std::vector<Row> rows = all_rows();
    if (rows.size() > kMostRows) {
      std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::has_story);
      left_out_ = rows.size() - kMostRows;
      rows.resize(kMostRows);
    }
    std::ranges::sort(rows, [](const Row& one, const Row& other) {
      if (one.node != other.node) {
        if (one.node.empty() || other.node.empty()) return other.node.empty();
        return policy::natural_less(one.node, other.node);
      }
      if (one.from != other.from) return one.from < other.from;
      return policy::natural_less(one.pod, other.pod);
    });
    return rows;
  }

  void draw_nodes(const std::vector<Row>& rows) {
    for (std::size_t begin = 0; begin < rows.size();) {
      std::size_t end = begin;
      const double top = y_;
      heading(rows[begin].node.empty() ? "no node" : rows[begin].node);
      for (; end < rows.size() && rows[end].node == rows[begin].node; ++end) draw_row(rows[end]);
      close_band(top);
      begin = end;
    }
    if (left_out_ > 0) more("pods", left_out_);
  }

  void more(std::string_view what, std::size_t number) {
    body_ += "<text class=\"small\" x=\"8\" y=\"" + pixels(y_ + 10) + "\">and " +
             std::to_string(number) + " more " + std::string(what) + "</text>\n";
    y_ += 20;
  }

  void heading(const std::string& words) {
    body_ += "<text class=\"head\" x=\"8\" y=\"" + pixels(y_ + 16) + "\">" +
             escaped(clipped(words, 60)) + "</text>\n";
    y_ += 20;
  }

  void close_band(double top) {
    bands_ += "<rect class=\"band\" x=\"0\" y=\"" + pixels(top) + "\" width=\"" + pixels(kAll) +
              "\" height=\"" + pixels(y_ - top + 4) + "\" rx=\"4\"/>\n";
    y_ += 12;
  }

  void name(const std::string& words, const std::string& full) {
    body_ += "<g><title>" + escaped(full) + "</title><text class=\"name\" x=\"" +
             pixels(kLeft - 8) + "\" y=\"" + pixels(y_ + kBar - 5) + "\">" +
             escaped(clipped(words, kMostName)) + "</text></g>\n";
  }

  void draw_row(const Row& row) {
    name(short_name(row.pod), row.pod);
    for (const std::size_t life : row.lives) {
      places_[life] = y_;
      draw_life(all_.lives[life]);
    }
    y_ += kRow;
  }

  void draw_life(const PodLife& life) {
    const milliseconds end = life.ended ? life.to : kOpen;
    const milliseconds bound = life.bound.value_or(end);
    const milliseconds runs_to = std::max(bound, std::min(life.leaves.value_or(end), end));
    if (bound > life.from) bar("pending", life.from, bound, "pending", "waits for a node");
    const milliseconds first_to = life.sizes.empty() ? runs_to : life.sizes.front().at;
    bar("runs", bound, std::min(first_to, runs_to), "", "runs");
    for (std::size_t i = 0; i < life.sizes.size(); ++i) {
      const milliseconds to = i + 1 < life.sizes.size() ? life.sizes[i + 1].at : runs_to;
      const std::string words = with_arrows(life.sizes[i].words);
      bar("grown", life.sizes[i].at, to, words, "has its new size: " + words);
    }
    for (const PodLife::Wait& each : life.waits) {
      const std::string words = with_arrows(each.words);
      bar("waits", each.from, each.to.value_or(end),
          words.empty() ? "Deferred" : "Deferred: " + words, "its resize is Deferred: " + words);
    }
    if (life.leaves) bar("leaves", *life.leaves, end, leaving(life), "leaves: " + leaving(life));
  }

  [[nodiscard]] std::string leaving(const PodLife& life) const {
    for (const RoomMade& each : all_.room) {
      if (&all_.lives[each.victim] == &life) {
        return "for " + short_name(all_.lives[each.preemptor].pod);
      }
    }
    return life.why.empty() ? "leaves" : life.why;
  }

  // `words` are inside the bar, where they fit.
  void bar(std::string_view kind, milliseconds from, milliseconds to, const std::string& words,
           const std::string& title) {
    if (to < from || (to == from && kind != "leaves")) return;
    const double x = axis_.at(from);
    const double end = to == kOpen ? kLeft + kWidth + kTail : axis_.at(to);
    const double width = std::max(end - x, 2.0);
    const std::string until = to == kOpen ? " on" : " to " + format_duration(to);
    body_ += "<g><title>" +
             escaped(title + ", " + (to == kOpen ? "from " : "") + format_duration(from) + until) +
             "</title><rect class=\"" + std::string(kind) + "\" x=\"" + pixels(x) + "\" y=\"" +
             pixels(y_) + "\" width=\"" + pixels(width) + "\" height=\"" + pixels(kBar) +
             "\" rx=\"2\"/>";
    if (!words.empty() && width_of(words) + 8 <= width) {
      body_ += "<text class=\"in\" x=\"" + pixels(x + 5) + "\" y=\"" + pixels(y_ + kBar - 5) +
               "\">" + escaped(words) + "</text>";
    }
    body_ += "</g>\n";
  }

  // From the bar of each victim, where it ends, to the pod that gets the room.
  void draw_room() {
    std::map<std::size_t, double> shifted;  // by preemptor, so that lines do not hide each other
    for (const RoomMade& each : all_.room) {
      const auto from = places_.find(each.victim);
      const auto to = places_.find(each.preemptor);
      if (from == places_.end() || to == places_.end()) continue;
      const auto shift = shifted.try_emplace(each.preemptor, static_cast<double>(shifted.size()));
      const PodLife& victim = all_.lives[each.victim];
      const double x = axis_.at(victim.to) - 3 - 4 * std::min(shift.first->second, 5.0);
      const bool is_down = to->second > from->second;
      const double y1 = is_down ? from->second + kBar : from->second;
      const double y2 = is_down ? to->second - 1 : to->second + kBar + 1;
      arrows_ += "<g><title>" +
                 escaped(victim.pod + " makes room for " + all_.lives[each.preemptor].pod) +
                 "</title><path class=\"room\" marker-end=\"url(#tip)\" d=\"M" + pixels(x) + " " +
                 pixels(y1) + "V" + pixels(y2) + "\"/></g>\n";
    }
  }

  void draw_budgets() {
    if (timeline_.budgets.empty()) return;
    const double top = y_;
    heading("budgets: how many disruptions each allows");
    for (std::size_t i = 0; i < std::min(timeline_.budgets.size(), kMostBudgets); ++i) {
      draw_budget(timeline_.budgets[i]);
    }
    if (timeline_.budgets.size() > kMostBudgets) {
      more("budgets", timeline_.budgets.size() - kMostBudgets);
    }
    close_band(top);
  }

  void draw_budget(const BudgetLine& budget) {
    const std::size_t space = budget.budget.find(' ');
    name(short_name(budget.budget.substr(space + 1)) + (budget.hard ? " (hard)" : ""),
         budget.budget);
    for (std::size_t i = 0; i < budget.allowed.size(); ++i) {
      if (budget.allowed[i].since > timeline_.ended) break;  // the world went on for a while
      const bool is_last =
          i + 1 == budget.allowed.size() || budget.allowed[i + 1].since > timeline_.ended;
      const milliseconds to = is_last ? kOpen : budget.allowed[i + 1].since;
      const std::int64_t many = budget.allowed[i].disruptions;
      const std::string words =
          many == std::numeric_limits<std::int64_t>::max() ? "any" : std::to_string(many);
      bar(many > 0 ? "some" : "none", budget.allowed[i].since, to, words, "allows " + words);
    }
    y_ += kRow;
  }

  void draw_axis(double bottom) {
    for (const milliseconds each : axis_.ticks(kTick)) {
      const std::string x = pixels(axis_.at(each));
      grid_ += "<line class=\"grid\" x1=\"" + x + "\" x2=\"" + x + "\" y1=\"22\" y2=\"" +
               pixels(bottom - 8) + "\"/><text class=\"tick\" x=\"" + x + "\" y=\"16\">" +
               escaped(format_duration(each)) + "</text>\n";
    }
  }

  void draw_legend() {
    constexpr std::pair<std::string_view, std::string_view> kKinds[] = {
        {"runs", "runs"},          {"pending", "pending"}, {"waits", "resize Deferred"},
        {"grown", "has new size"}, {"leaves", "leaves"},
    };
    double x = 8;
    for (const auto& [kind, words] : kKinds) {
      if (body_.find("class=\"" + std::string(kind) + "\"") == std::string::npos) continue;
      legend_ += "<rect class=\"" + std::string(kind) + "\" x=\"" + pixels(x) + "\" y=\"" +
                 pixels(y_) + "\" width=\"18\" height=\"12\" rx=\"2\"/><text class=\"small\" x=\"" +
                 pixels(x + 24) + "\" y=\"" + pixels(y_ + 10) + "\">" + std::string(words) +
                 "</text>\n";
      x += 24 + width_of(words) + 22;
    }
    const std::string arrow = arrows_.empty() ? "" : "→ the room goes to; ";
    body_ += legend_ + "<text class=\"small\" x=\"" + pixels(x) + "\" y=\"" + pixels(y_ + 10) +
             "\">" + arrow + "time to the right, long waits shortened</text>\n";
    y_ += 16;
  }

  const Timeline& timeline_;
  PodLives all_;
  TimeAxis axis_;
  std::string prefix_;
  std::size_t left_out_ = 0;
  std::map<std::size_t, double> places_{};  // the top of each drawn life's bar
  std::string bands_{};
  std::string grid_{};
  std::string body_{};
  std::string arrows_{};
  std::string legend_{};
  double y_ = 28;
};

}  // namespace

std::string timeline_picture(const Timeline& timeline) { return Picture(timeline).document(); }

}  // namespace elbowroom::cli
