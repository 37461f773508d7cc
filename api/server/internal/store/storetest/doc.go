// Package storetest opens stores for tests. A store is embedded or, with the build tag postgres, on
// a PostgreSQL server that the tests start from the programs installed on the machine.
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
