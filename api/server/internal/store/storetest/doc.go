// Package storetest opens stores for tests: the embedded one, or, with the build tag
// postgres, a store on a PostgreSQL server that is started for the tests from the
// programs installed on the machine.
package storetest

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// RunTests runs the tests of a package, checks for leaked goroutines, and stops the server of
// SharedCluster.
func RunTests(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		stopShared()
		os.Exit(code)
	}))
}
