#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/transport/curl_transport.h"
#include "loopback.h"

namespace elbowroom::api {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Request get(std::string path) {
  Request request;
  request.path = std::move(path);
  return request;
}

// The answer to one request.
Result<Response> answer(Transport& transport, Request request) {
  std::optional<Result<Response>> outcome;
  transport.send(std::move(request), [&](Result<Response> came) { outcome = std::move(came); });
  if (!run_until(transport, [&] { return outcome.has_value(); })) {
    return failure(Code::Internal, "no answer in the test's time");
  }
  return *outcome;
}

TEST(Transport, SendsMethodHeadersAndBodyAndGetsTheAnswer) {
  std::string seen;
  const Loopback server([&](httplib::Server& http) {
    http.Patch("/prefix/api/v1/x", [&](const httplib::Request& in, httplib::Response& out) {
      seen = in.method + " " + in.get_param_value("a") + " " + in.get_header_value("Content-Type") +
             " " + in.get_header_value("User-Agent") + " [" +
             in.get_header_value("Accept-Encoding") + "] " + in.get_header_value("Accept") + " " +
             in.body;
      out.status = 201;
      out.set_header("Retry-After", "7");
      out.set_content("{\"ok\":true}", "application/json; charset=utf-8");
    });
  });
  Access access = server.access();
  access.server.prefix = "/prefix";
  CurlTransport transport(access, {.user_agent = "elbowroomd/1"});
  Request request = get("/api/v1/x");
  request.method = Method::Patch;
  request.query = {{"a", "b c&d=é"}};
  request.content_type = kMergePatch;
  request.body = "{}";
  const auto response = answer(transport, request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(seen, "PATCH b c&d=é application/merge-patch+json elbowroomd/1 [] application/json {}");
  request.accept = "text/plain, application/json";
  ASSERT_TRUE(answer(transport, request));
  EXPECT_THAT(seen, HasSubstr(" application/merge-patch+json elbowroomd/1 [] text/plain, "));
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "{\"ok\":true}");
  EXPECT_EQ(response->content_type, "application/json");
  EXPECT_EQ(response->retry_after, 7s);
}

TEST(Transport, EveryMethodReachesTheServer) {
  std::string seen;
  const auto note = [&](const httplib::Request& in, httplib::Response&) {
    seen += in.method + "(" + in.body + ") ";
  };
  const Loopback server([&](httplib::Server& http) {
    http.Get("/x", note);
    http.Post("/x", note);
    http.Put("/x", note);
    http.Patch("/x", note);
    http.Delete("/x", note);
  });
  CurlTransport transport(server.access(), {});
  for (const Method method :
       {Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete, Method::Get}) {
    Request request = get("/x");
    request.method = method;
    if (method != Method::Get) request.body = "b";
    ASSERT_TRUE(answer(transport, request));
  }
  EXPECT_EQ(seen, "GET() POST(b) PUT(b) PATCH(b) DELETE(b) GET() ");
}

TEST(Transport, NeverFollowsARedirect) {
  std::atomic<int> hits = 0;
  const Loopback server([&](httplib::Server& http) {
    http.Get("/from", [](const auto&, httplib::Response& out) { out.set_redirect("/to"); });
    http.Get("/to", [&](const auto&, httplib::Response&) { ++hits; });
  });
  CurlTransport transport(server.access(), {});
  const auto response = answer(transport, get("/from"));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(hits, 0);
}

TEST(Transport, AnAnswerThatIsTooLargeIsExhausted) {
  const Loopback server([](httplib::Server& http) {
    http.Get("/big", [](const auto&, httplib::Response& out) {
      out.set_content(std::string(5000, 'x'), "text/plain");
    });
  });
  CurlTransport transport(server.access(), {});
  Request request = get("/big");
  request.max_body = 4999;
  const auto response = answer(transport, request);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::Exhausted);
  EXPECT_THAT(response.error().message, HasSubstr("GET /big: the answer is larger than 4999"));
  request.max_body = 5000;
  EXPECT_TRUE(answer(transport, request));
}

TEST(Transport, ALateAnswerIsUnavailable) {
  std::atomic<bool> go = false;
  const Loopback server([&](httplib::Server& http) {
    http.Get("/slow", [&](const auto&, httplib::Response&) { go.wait(false); });
  });
  CurlTransport transport(server.access(), {});
  Request request = get("/slow");
  request.deadline = 50ms;
  const auto response = answer(transport, request);
  go = true;
  go.notify_all();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::Unavailable);
  EXPECT_THAT(response.error().message, HasSubstr("deadline 50 ms"));
}

TEST(Transport, NobodyListeningIsUnavailable) {
  std::uint16_t port = 0;
  {
    port = Loopback([](httplib::Server&) {}).port();
  }
  Access access;
  access.server = {"http", "127.0.0.1", port, ""};
  CurlTransport transport(access, {});
  const auto response = answer(transport, get("/x"));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::Unavailable);
}

TEST(Transport, NoTokenIsShownWithoutTls) {
  std::string seen = "?";
  const Loopback server([&](httplib::Server& http) {
    http.Get("/x", [&](const httplib::Request& in, httplib::Response&) {
      seen = in.get_header_value("Authorization");
    });
  });
  Access access = server.access();
  access.token = "secret";
  CurlTransport transport(access, {});
  ASSERT_TRUE(answer(transport, get("/x")));
  EXPECT_EQ(seen, "");
}

TEST(Transport, StreamsASuccessAsItComes) {
  std::atomic<int> allowed = 1;
  const Loopback server([&](httplib::Server& http) {
    http.Get("/stream", [&](const auto&, httplib::Response& out) {
      out.set_chunked_content_provider("application/json",
                                       [&, sent = 0](std::size_t, httplib::DataSink& sink) mutable {
                                         if (sent == 2) {
                                           sink.done();
                                           return true;
                                         }
                                         allowed.wait(sent);
                                         ++sent;
                                         return sink.write("x\n", 2);
                                       });
    });
  });
  CurlTransport transport(server.access(), {});
  std::string seen;
  std::optional<Result<Response>> outcome;
  const Ticket ticket = transport.stream(
      get("/stream"),
      {.opened = [&](const Response& head) { seen += std::to_string(head.status) + ":"; },
       .chunk = [&](std::string_view chunk) { seen += chunk; },
       .done = [&](Result<Response> came) { outcome = std::move(came); }});
  ASSERT_TRUE(run_until(transport, [&] { return seen == "200:x\n"; })) << seen;
  EXPECT_FALSE(outcome);
  allowed = 2;
  allowed.notify_all();
  ASSERT_TRUE(run_until(transport, [&] { return outcome.has_value(); }));
  EXPECT_EQ(seen, "200:x\nx\n");
  ASSERT_TRUE(*outcome);
  EXPECT_EQ((*outcome)->body, "");
}

TEST(Transport, AStreamThatFailsHasItsBodyInTheResponse) {
  const Loopback server([](httplib::Server& http) {
    http.Get("/gone", [](const auto&, httplib::Response& out) {
      out.status = 410;
      out.set_content("gone", "text/plain");
    });
  });
  CurlTransport transport(server.access(), {});
  std::optional<Result<Response>> outcome;
  const Ticket ticket = transport.stream(
      get("/gone"), {.opened = [](const Response&) { FAIL(); },
                     .chunk = [](std::string_view) { FAIL(); },
                     .done = [&](Result<Response> came) { outcome = std::move(came); }});
  ASSERT_TRUE(run_until(transport, [&] { return outcome.has_value(); }));
  ASSERT_TRUE(*outcome);
  EXPECT_EQ((*outcome)->status, 410);
  EXPECT_EQ((*outcome)->body, "gone");
}

TEST(Transport, ACancelledStreamSaysNothingMoreEvenFromItsOwnCallback) {
  const Loopback server([](httplib::Server& http) {
    http.Get("/x", [](const auto&, httplib::Response& out) { out.set_content("abc", "a/b"); });
  });
  CurlTransport transport(server.access(), {});
  Ticket ticket;
  int calls = 0;
  ticket = transport.stream(get("/x"), {.opened =
                                            [&](const Response&) {
                                              ++calls;
                                              ticket.cancel();
                                            },
                                        .chunk = [&](std::string_view) { ++calls; },
                                        .done = [&](const Result<Response>&) { ++calls; }});
  ASSERT_TRUE(run_until(transport, [&] { return calls > 0; }));
  ASSERT_TRUE(answer(transport, get("/x")));
  EXPECT_EQ(calls, 1);
}

TEST(Transport, ASilentStreamEndsAtItsIdleLimit) {
  std::atomic<bool> go = false;
  const Loopback server([&](httplib::Server& http) {
    http.Get("/silent", [&](const auto&, httplib::Response& out) {
      out.set_chunked_content_provider("a/b", [&](std::size_t, httplib::DataSink& sink) {
        go.wait(false);
        sink.done();
        return true;
      });
    });
  });
  CurlTransport transport(server.access(), {});
  Request request = get("/silent");
  request.idle_limit = 100ms;
  std::optional<Result<Response>> outcome;
  const Ticket ticket = transport.stream(
      request, {.done = [&](Result<Response> came) { outcome = std::move(came); }});
  const bool ended = run_until(transport, [&] { return outcome.has_value(); });
  go = true;
  go.notify_all();
  ASSERT_TRUE(ended);
  ASSERT_FALSE(*outcome);
  EXPECT_THAT(outcome->error().message, HasSubstr("nothing came for 100 ms"));
}

TEST(Transport, LanesHaveTheirOwnRates) {
  const Loopback server(
      [](httplib::Server& http) { http.Get("/x", [](const auto&, httplib::Response&) {}); });
  CurlTransport transport(server.access(), {.calls = {1h, 2}, .events = {1h, 1}});
  int calls = 0;
  int events = 0;
  int unlimited = 0;
  for (int i = 0; i < 5; ++i) {
    Request request = get("/x");
    transport.send(request, [&](const Result<Response>&) { ++calls; });
    request.lane = Lane::Events;
    transport.send(request, [&](const Result<Response>&) { ++events; });
    request.lane = Lane::Unlimited;
    transport.send(request, [&](const Result<Response>&) { ++unlimited; });
  }
  ASSERT_TRUE(run_until(transport, [&] { return unlimited == 5 && calls >= 2 && events >= 1; }));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(events, 1);
}

// Requests that the server answers slowly do not delay others.
TEST(Transport, NoMoreThanSoManyAreUnderWayButThoseThatTakeLong) {
  std::atomic<bool> is_held = true;
  const Loopback server([&](httplib::Server& http) {
    http.Get("/slow", [&](const auto&, httplib::Response&) { is_held.wait(true); });
  });
  CurlTransport transport(server.access(), {});
  int answered = 0;
  for (int i = 0; i < 30; ++i) {
    Request request = get("/slow");
    request.lane = Lane::Unlimited;
    transport.send(std::move(request), [&](const Result<Response>&) { ++answered; });
  }
  transport.run_once(0ms);
  EXPECT_EQ(transport.busy(), 24U);
  EXPECT_TRUE(run_until(transport, [&] { return transport.busy() <= 6; }));
  EXPECT_EQ(answered, 0);
  is_held = false;
  is_held.notify_all();
  EXPECT_TRUE(run_until(transport, [&] { return answered == 30; }));
  EXPECT_EQ(transport.busy(), 0U);
}

// Each round costs; a single call is not delayed.
TEST(Transport, WhileCallsWaitForTheirTurnRoundsAreFew) {
  const Loopback server(
      [](httplib::Server& http) { http.Get("/x", [](const auto&, httplib::Response&) {}); });
  int rounds = 0;
  CurlTransport transport(server.access(),
                          {.calls = {1ms, 1}, .worked = [&](Clock::duration) { ++rounds; }});
  int answered = 0;
  for (int i = 0; i < 100; ++i) {
    transport.send(get("/x"), [&](const Result<Response>&) { ++answered; });
  }
  const Clock::time_point began = Clock::now();
  ASSERT_TRUE(run_until(transport, [&] { return answered == 100; }));
  EXPECT_LE(rounds, (Clock::now() - began) / 2ms + 20);
}

TEST(Transport, TooManyWaitingAreRefusedAtOnce) {
  const Loopback server(
      [](httplib::Server& http) { http.Get("/x", [](const auto&, httplib::Response&) {}); });
  CurlTransport transport(server.access(), {.calls = {1h, 1}, .max_waiting = 2});
  std::vector<Code> refused;
  for (int i = 0; i < 4; ++i) {
    transport.send(get("/x"), [&](const Result<Response>& came) {
      if (!came) refused.push_back(came.error().code);
    });
  }
  EXPECT_TRUE(refused.empty()) << "never from inside the call";
  ASSERT_TRUE(run_until(transport, [&] { return refused.size() == 2; }));
  EXPECT_EQ(refused, (std::vector{Code::Exhausted, Code::Exhausted}));
}

TEST(Transport, TimersFireInOrderAndNotOnceCancelled) {
  CurlTransport transport(Access{}, {});
  std::string order;
  const Ticket second = transport.after(20ms, [&] { order += "2"; });
  const Ticket first = transport.after(1ms, [&] { order += "1"; });
  {
    const Ticket never = transport.after(5ms, [&] { order += "x"; });
  }
  EXPECT_EQ(order, "");
  ASSERT_TRUE(run_until(transport, [&] { return order.size() >= 2; }));
  EXPECT_EQ(order, "12");
}

TEST(Transport, OtherThreadsPostAndStopARunningTransport) {
  CurlTransport transport(Access{}, {});
  std::atomic<int> ran = 0;
  std::jthread loop([&](const std::stop_token& stop) { transport.run(stop); });
  for (int i = 0; i < 100; ++i) transport.post([&] { ++ran; });
  transport.post([&] {
    ++ran;
    ran.notify_all();
  });
  const auto begin = Clock::now();
  for (int seen = ran; seen < 101; seen = ran) ran.wait(seen);
  loop.request_stop();
  loop.join();
  EXPECT_LT(Clock::now() - begin, 5s) << "woken, not timed out";
}

}  // namespace
}  // namespace elbowroom::api
