#include "page/bar.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/quantity.h"
#include "page/amount.h"
#include "page/parts.h"

namespace elbowroom::page {
namespace {

using policy::amount_of;
using policy::NodeOverview;

constexpr std::int64_t kWidth = 1000;  // of a picture, in its own units

enum class Part { Pod, OtherPod, Leaving, Rest, Promised };

Markup class_of(Part part) {
  switch (part) {
    case Part::Pod:
      return "<rect class=\"pod\"";
    case Part::OtherPod:
      return "<rect class=\"pod other\"";
    case Part::Leaving:
      return "<rect class=\"leaving\"";
    case Part::Rest:
      return "<rect class=\"rest\"";
    case Part::Promised:
      return "<rect class=\"promised\"";
  }
  return "<rect";
}

// One resource of one node.
class Bar {
 public:
  Bar(Html& html, const NodeOverview& node, std::string_view resource)
      : html_(html),
        resource_(resource),
        allocatable_(amount_of(node.allocatable, resource)),
        held_(amount_of(node.held, resource)),
        promised_(amount_of(node.promised, resource)),
        whole_(std::max(allocatable_, policy::saturating_add(held_, promised_))) {}

  void write(std::span<const Holder> holders) {
    html_.put("<div class=\"bar\"><span class=\"what\">").text(resource_).put("</span>");
    html_.put("<svg viewBox=\"0 0 1000 16\" preserveAspectRatio=\"none\" role=\"img\"><title>");
    html_.text(resource_ + ": " + sums()).put("</title>");
    html_.put("<rect class=\"free\" width=\"1000\" height=\"16\"/>");
    bool other = false;
    for (const Holder& each : holders.first(std::min(holders.size(), kMostHolders))) {
      const Part part = each.leaves ? Part::Leaving : other ? Part::OtherPod : Part::Pod;
      if (add(part, amount_of(each.held, resource_), each.pod)) other = !other;
    }
    add(Part::Rest, std::max<std::int64_t>(held_ - drawn_, 0), "other pods");
    add(Part::Promised, promised_, "promised to resizes that wait");
    mark_end();
    html_.put("</svg><span class=\"sum\">").text(sums()).put("</span></div>\n");
  }

 private:
  [[nodiscard]] std::string sums() const {
    std::string text =
        amount_text(resource_, held_) + " of " + amount_text(resource_, allocatable_);
    if (promised_ > 0) text += ", " + amount_text(resource_, promised_) + " promised";
    return text;
  }

  // What is too narrow to be seen is drawn with the rest.
  bool add(Part part, std::int64_t amount, std::string_view what) {
    const std::int64_t to = thousandths(policy::saturating_add(drawn_, amount), whole_);
    if (amount <= 0 || to <= at_) return false;
    html_.put(class_of(part)).put(" x=\"").number(at_).put("\" width=\"");
    html_.number(to - at_).put("\" height=\"16\"><title>").text(what).put(": ");
    html_.text(std::string(resource_) + " " + api::format_quantity(resource_, amount));
    html_.put("</title></rect>");
    drawn_ = policy::saturating_add(drawn_, amount);
    at_ = to;
    return true;
  }

  // Where more is held or promised than the node has.
  void mark_end() {
    if (whole_ == allocatable_) return;
    const std::int64_t end = std::min(thousandths(allocatable_, whole_), kWidth - 4);
    html_.put("<rect class=\"end\" x=\"").number(end).put("\" width=\"4\" height=\"16\"><title>");
    html_.put("what the node has</title></rect>");
  }

  Html& html_;
  std::string resource_;
  std::int64_t allocatable_;
  std::int64_t held_;
  std::int64_t promised_;
  std::int64_t whole_;
  std::int64_t drawn_ = 0;
  std::int64_t at_ = 0;
};

std::vector<std::string> resources_of(const NodeOverview& node, bool only_usual) {
  std::vector<std::string> names = {std::string(policy::kCpu), std::string(policy::kMemory)};
  policy::for_each_amount(policy::sum(node.allocatable, node.held),
                          [&](std::string_view name, std::int64_t) {
                            if (std::ranges::find(names, name) != names.end()) return;
                            if (only_usual && amount_of(node.held, name) == 0) return;
                            names.emplace_back(name);
                          });
  constexpr std::size_t kMost = 16;
  constexpr std::size_t kMostUsual = 4;
  if (names.size() > (only_usual ? kMostUsual : kMost)) {
    names.resize(only_usual ? kMostUsual : kMost);
  }
  return names;
}

}  // namespace

void write_bars(Html& html, const NodeOverview& node, std::span<const Holder> holders,
                bool only_usual) {
  for (const std::string& each : resources_of(node, only_usual)) {
    Bar(html, node, each).write(holders);
  }
}

}  // namespace elbowroom::page
