// `elbowroom lab kubelet`: how it ends when it cannot start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lab_api.h"

namespace elbowroom::cli {
namespace {

using ::testing::HasSubstr;

Outcome kubelet(const std::vector<std::string>& more) {
  std::vector<std::string> words = {"lab", "kubelet"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

TEST(LabKubelet, SaysByItsStatusWhatIsWrong) {
  LabApi api;
  const std::string socket = "unix://" + api.folder().path() + "/none.sock";
  const std::string kubeconfig = api.kubeconfig();
  struct Row {
    const char* what;
    std::string kubeconfig;
    std::string node;
    std::string endpoint;
    std::vector<std::string> more;
    int status;
    const char* text;
  };
  const Row rows[] = {
      {"a plain path", kubeconfig, "n", "/run/x.sock", {}, kExitUsage, "unix:///run/NAME.sock"},
      {"no socket at all", kubeconfig, "n", "tcp://a:1", {}, kExitUsage, "--runtime-endpoint"},
      {"no amount", kubeconfig, "n", socket, {"--cpu", "much"}, kExitUsage, "--cpu"},
      {"no address", kubeconfig, "n", socket, {"--healthz", "here"}, kExitUsage, "--healthz"},
      {"no kubeconfig", api.folder().path() + "/none", "n", socket, {}, kExitConfiguration, "none"},
      {"a name no node may have",
       kubeconfig,
       "Not_A_Name",
       socket,
       {},
       kExitUsage,
       "register node Not_A_Name"},
      {"an address of another machine",
       kubeconfig,
       "n",
       socket,
       {"--healthz", "192.0.2.1:1"},
       kExitUnreachable,
       "/healthz"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> words = {"--kubeconfig", row.kubeconfig,       "--node-name",
                                      row.node,       "--runtime-endpoint", row.endpoint};
    words.insert(words.end(), row.more.begin(), row.more.end());
    const Outcome outcome = kubelet(words);
    EXPECT_EQ(outcome.status, row.status) << row.what << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(row.text)) << row.what;
  }
}

}  // namespace
}  // namespace elbowroom::cli
