//go:build tools

// Package programs names the commands that are built from here, so that `go mod tidy` keeps what
// they need.
package programs

import (
	_ "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/admission-controller"
	_ "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/recommender"
	_ "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/updater"
)
