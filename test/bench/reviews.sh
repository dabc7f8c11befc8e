#!/usr/bin/env bash
# How fast elbowroom-rescheduler answers reviews: `reviews.sh BUILD`. The driver explains each figure.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=reviews \
  -addext subjectAltName=IP:127.0.0.1 -keyout "$folder/tls.key" -out "$folder/tls.crt" 2>"$folder/openssl.log" ||
  { cat "$folder/openssl.log" >&2; exit 1; }
"$1/bin/review_driver" "$folder" "$1/bin/elbowroom-rescheduler"
