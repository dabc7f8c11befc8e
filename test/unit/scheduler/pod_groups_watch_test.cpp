// Pod groups on the line to an API server: the version that is followed, by protobuf, and what is
// written about a group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "api/codec/protobuf_object.h"
#include "scheduler/wire.h"
#include "test/unit/api/loopback.h"
#include "test/wire_bytes.h"

namespace elbowroom::scheduler {
namespace {

using Seen = decltype(Observation::what);
using test::bytes;
using test::number;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kJson = "application/json";
const std::string kApis = "/apis/scheduling.k8s.io";
const Victim kGang{"ml", "gang", "u-1"};

// Serves one version of pod groups, the lists of everything else empty; keeps what is written.
class GroupServer {
 public:
  // "": no version.
  explicit GroupServer(std::string version) : version_(std::move(version)) {}

  void list(std::string body, std::string type) {
    list_ = std::move(body);
    list_type_ = std::move(type);
  }
  void watch(std::string body, std::string type) {
    watch_ = std::move(body);
    watch_type_ = std::move(type);
  }

  // Tells until `is_enough`.
  std::vector<Seen> run(const std::function<bool(const std::vector<Seen>&)>& is_enough,
                        const std::vector<Effect>& effects = {}) {
    std::vector<Seen> all;
    auto transport =
        std::make_unique<api::CurlTransport>(server_.access(), ApiWorker::transport_options());
    api::CurlTransport& turned = *transport;
    ApiWorker worker(std::move(transport), {.leader_elect = false}, api::Clock::now(),
                     [&](Seen seen) {
                       const bool is_ready = std::holds_alternative<PodGroupsListed>(seen);
                       all.push_back(std::move(seen));
                       if (is_ready) {
                         for (const Effect& each : effects) worker_->perform(each);
                       }
                     });
    worker_ = &worker;
    worker.start();
    EXPECT_TRUE(api::run_until(turned, [&] { return is_enough(all); }));
    return all;
  }

  [[nodiscard]] std::vector<std::string> written() {
    const std::lock_guard lock(mutex_);
    return written_;
  }
  [[nodiscard]] std::string accepted() {
    const std::lock_guard lock(mutex_);
    return accepted_;
  }

 private:
  void answer(const httplib::Request& in, httplib::Response& out) {
    const std::string collection = kApis + "/" + version_ + "/podgroups";
    if (in.path == kApis) {
      out.set_content(R"({"kind":"APIGroup","versions":[{"version":"v1"})" +
                          (version_.empty() ? "" : R"(,{"version":")" + version_ + "\"}") + "]}",
                      kJson);
    } else if (in.path == kApis + "/" + version_) {
      out.set_content(R"({"kind":"APIResourceList","resources":[{"name":"podgroups"}]})", kJson);
    } else if (in.path == collection && in.has_param("watch")) {
      if (!watch_.empty()) out.set_content(std::exchange(watch_, ""), watch_type_);
    } else if (in.path == collection) {
      const std::lock_guard lock(mutex_);
      accepted_ = in.get_header_value("Accept");
      out.set_content(list_, list_type_);
    } else if (in.path.find("/podgroups/") != std::string::npos) {
      out.set_content(R"({"kind":"PodGroup","metadata":{"name":"gang","namespace":"ml",)"
                      R"("uid":"u-1"},"spec":{"disruptionMode":"PodGroup"}})",
                      kJson);
    } else if (!in.has_param("watch")) {
      out.set_content(R"({"metadata":{"resourceVersion":"1"},"items":[]})", kJson);
    }
  }
  void write(const httplib::Request& in, httplib::Response& out) {
    const std::lock_guard lock(mutex_);
    written_.push_back(in.method + " " + in.path + " " + in.body);
    out.set_content("{}", kJson);
  }

  const std::string version_;
  std::string list_ = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
  std::string list_type_ = kJson;
  std::string watch_{};
  std::string watch_type_{};
  std::mutex mutex_;
  std::vector<std::string> written_{};
  std::string accepted_{};
  ApiWorker* worker_ = nullptr;
  api::Loopback server_{[this](httplib::Server& http) {
    http.Get(".*", [this](const auto& in, auto& out) { answer(in, out); });
    http.Patch(".*", [this](const auto& in, auto& out) { write(in, out); });
    http.Post(".*", [this](const auto& in, auto& out) { write(in, out); });
  }};
};

template <class What>
const What* find(const std::vector<Seen>& all) {
  for (const Seen& each : all) {
    if (const auto* found = std::get_if<What>(&each)) return found;
  }
  return nullptr;
}
template <class What>
bool has(const std::vector<Seen>& all) {
  return find<What>(all) != nullptr;
}

TEST(PodGroupsWatch, WithoutTheKindThereAreNone) {
  GroupServer server("");
  const auto all = server.run(has<PodGroupsListed>);
  EXPECT_EQ(*find<PodGroupsListed>(all), PodGroupsListed{});
  EXPECT_TRUE(std::ranges::none_of(all, [](const Seen& each) {
    const auto* lost = std::get_if<Lost>(&each);  // the other watches end at once here
    return lost != nullptr && lost->of == Collection::PodGroups;
  }));
}

std::string group_message(const std::string& name, const std::string& mode,
                          const std::string& version) {
  return bytes(1, bytes(1, name) + bytes(3, "ml") + bytes(5, "u-1") + bytes(6, version)) +
         bytes(2, bytes(2, bytes(2, number(1, 2))) + bytes(5, mode) + number(7, 9));
}

// The numbers of v1alpha2 are others than those of the later versions.
TEST(PodGroupsWatch, AnOlderVersionIsFollowedByProtobuf) {
  GroupServer server("v1alpha2");
  const std::string version = "scheduling.k8s.io/v1alpha2";
  server.list(
      test::envelope(version, "PodGroupList",
                     bytes(1, bytes(2, "7")) + bytes(2, group_message("gang", "PodGroup", "7"))),
      std::string(api::kProtobuf));
  const std::string event =
      bytes(1, "MODIFIED") +
      bytes(2, bytes(1, test::envelope(version, "PodGroup", group_message("gang", "Pod", "8"))));
  const auto size = static_cast<std::uint32_t>(event.size());
  std::string frame;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) frame.push_back(static_cast<char>(size >> shift));
  server.watch(frame + event, std::string(api::kProtobuf) + ";stream=watch");

  const auto all = server.run(has<PodGroupSeen>);
  EXPECT_THAT(server.accepted(), HasSubstr(api::kProtobuf));
  ASSERT_TRUE(has<PodGroupsListed>(all));
  const PodGroupsListed& listed = *find<PodGroupsListed>(all);
  ASSERT_EQ(listed.objects.size(), 1U);
  EXPECT_EQ(listed.objects[0].trouble, "");
  EXPECT_EQ(listed.objects[0].standing.mode, policy::DisruptionMode::All);
  EXPECT_EQ(listed.objects[0].standing.min_count, 2);
  EXPECT_EQ(listed.objects[0].standing.priority, 9);
  EXPECT_EQ(find<PodGroupSeen>(all)->object.standing.mode, policy::DisruptionMode::Single);
}

// One that is not understood concerns only its own members.
TEST(PodGroupsWatch, AGroupThatIsNotUnderstoodIsListedWithTheOthers) {
  GroupServer server("v1beta1");
  server.list(
      R"({"kind":"PodGroupList","metadata":{"resourceVersion":"7"},"items":[)"
      R"({"metadata":{"name":"odd","namespace":"ml"},"spec":{"disruptionMode":{"half":{}}}},)"
      R"({"metadata":{"name":"gang","namespace":"ml"},"spec":{"disruptionMode":{"all":{}}}},)"
      R"({"metadata":{"namespace":"ml","name":7}}]})",
      kJson);
  const auto all = server.run(has<PodGroupsListed>);
  const PodGroupsListed& listed = *find<PodGroupsListed>(all);
  ASSERT_EQ(listed.objects.size(), 2U);
  EXPECT_EQ(listed.objects[0].standing.obstacle, policy::GroupObstacle::NotUnderstood);
  EXPECT_EQ(listed.objects[1].standing.mode, policy::DisruptionMode::All);
  EXPECT_EQ(listed.unreadable.size(), 1U);
}

TEST(PodGroupsWatch, AGroupIsReadAndWrittenInTheVersionThatIsFollowed) {
  GroupServer server("v1alpha3");
  const policy::Condition condition{.type = "PodGroupInitiallyScheduled",
                                    .status = "True",
                                    .reason = "Scheduled",
                                    .last_transition = policy::Time{std::chrono::seconds(0)}};
  const std::chrono::milliseconds soon = std::chrono::hours(1);
  const auto all = server.run(
      [&](const std::vector<Seen>& seen) {
        return std::ranges::count_if(
                   seen, [](const Seen& each) { return std::holds_alternative<Done>(each); }) >=
                   2 &&
               server.written().size() >= 2;
      },
      {{.id = 1, .not_after = soon, .what = ConfirmGroup{kGang}},
       {.id = 2, .not_after = soon, .what = WriteGroupStatus{kGang, {condition}}},
       {.id = 3,
        .not_after = soon,
        .what = EmitEvent{
            .regarding = kGang,
            .reason = "Preempted",
            .action = "Preempting",
            .note = "n",
            .kind = control::Subject::PodGroup,
            .related = control::Related{control::Subject::PodGroup, {"ml", "other", "u-2"}}}}});
  ASSERT_TRUE(has<Done>(all));
  for (const Seen& each : all) {
    const auto* done = std::get_if<Done>(&each);
    if (done == nullptr) continue;
    EXPECT_EQ(done->group.has_value(), done->effect == 1);
    if (!done->group) continue;
    EXPECT_EQ(done->group->standing.mode, policy::DisruptionMode::All);
  }
  EXPECT_THAT(
      server.written(),
      testing::UnorderedElementsAre(
          AllOf(HasSubstr("PATCH " + kApis + "/v1alpha3/namespaces/ml/podgroups/gang/status"),
                HasSubstr(R"("uid":"u-1")"), HasSubstr("PodGroupInitiallyScheduled")),
          AllOf(HasSubstr("POST /apis/events.k8s.io/v1/namespaces/ml/events"),
                HasSubstr(R"("regarding":{"apiVersion":"scheduling.k8s.io/v1alpha3",)"
                          R"("kind":"PodGroup","name":"gang","namespace":"ml","uid":"u-1"})"),
                HasSubstr(R"("related":{"apiVersion":"scheduling.k8s.io/v1alpha3",)"
                          R"("kind":"PodGroup","name":"other","namespace":"ml","uid":"u-2"})"))));
}

TEST(PodGroupsWatch, WithoutTheKindWhatIsAskedAndWrittenFails) {
  GroupServer server("");
  const std::chrono::milliseconds soon = std::chrono::hours(1);
  const auto all = server.run(
      [](const std::vector<Seen>& seen) {
        return std::ranges::count_if(seen, [](const Seen& each) {
                 return std::holds_alternative<Failed>(each);
               }) >= 2;
      },
      {{.id = 1, .not_after = soon, .what = ConfirmGroup{kGang}},
       {.id = 2, .not_after = soon, .what = WriteGroupStatus{kGang, {}}}});
  EXPECT_EQ(find<Failed>(all)->error.code, Code::NotFound);
  EXPECT_THAT(server.written(), testing::IsEmpty());
}

}  // namespace
}  // namespace elbowroom::scheduler
