#!/usr/bin/env bash
# How fast victims are entered in the ledgers of budgets: `debits.sh BUILD`. The driver explains each figure.
set -eu
exec "$1/bin/debit_driver"
