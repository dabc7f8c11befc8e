// One TLS connection to the API server that speaks HTTP/2, for single requests: what is asked for
// in one round is sent by one write. It is only opened to a server that libcurl has just reached in
// the same way, and libcurl stays the way for everything else: why is in docs/decisions/0048. It
// never blocks; all of it belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace elbowroom::api {

// Takes one answer, as it comes. None of it may call the connection.
class Http2Sink {
 public:
  virtual void on_status(int status) = 0;  // of the final head
  virtual void on_field(std::string_view name, std::string_view value) = 0;
  virtual void on_head_end() = 0;
  [[nodiscard]] virtual bool on_bytes(
      std::string_view bytes) = 0;  // false: no more of it is wanted

 protected:
  ~Http2Sink() = default;
};

struct Http2Peer {
  std::string address{};  // numeric, as libcurl says it
  std::uint16_t port = 0;
  std::string name{};         // that the certificate must have; an address is one, too
  std::string authorities{};  // PEM
  bool skip_verification = false;
  std::string certificate{};  // PEM of the client's chain and key; "": none
  std::string key{};
};

class Http2Connection {
 public:
  using Number = std::int32_t;
  using Fields = std::vector<std::pair<std::string, std::string>>;  // names in lower case

  enum class End : std::uint8_t {
    Answered,
    Stopped,    // the sink wanted no more
    Untouched,  // the server says that it did nothing
    Lost,       // unknown: the connection broke, or the server ended the answer
  };
  struct Finished {
    Number number = 0;
    End end = End::Lost;
  };

  // Begins to connect.
  explicit Http2Connection(const Http2Peer& peer);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  // Open as long as this object lives; -1: there never was one.
  [[nodiscard]] int socket() const;
  // Whether it waits until the socket takes more.
  [[nodiscard]] bool wants_write() const;
  // The handshakes are not over.
  [[nodiscard]] bool is_connecting() const;
  // Takes requests.
  [[nodiscard]] bool is_open() const;
  // Nothing more comes of it.
  [[nodiscard]] bool is_over() const;
  // Takes no more requests; it is over when those under way are.
  void retire();

  // Queues a request until flush(); -1 where it cannot be taken. `body` and `sink` must live until
  // the request is finished or cancelled.
  [[nodiscard]] Number submit(const Fields& head, std::string_view body, Http2Sink& sink);
  void cancel(Number number);

  // Reads what came, and sends what can be.
  void act();
  // Sends what is queued.
  void flush();

  // The requests that ended since the last call.
  [[nodiscard]] std::vector<Finished> take_finished();

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace elbowroom::api
