//go:build tools

// Package programs names the command that is built from here, so that `go mod tidy` keeps what
// it needs.
package programs

import (
	_ "sigs.k8s.io/krew/cmd/krew"
)
