// Package storetest opens stores for tests: the embedded one, or with the tag
// postgres one on a PostgreSQL server that runs for the tests alone, from the
// programs installed on the machine.
package storetest

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// StopAfter runs the tests of a program, looks for goroutines that were left behind,
// and stops the server that the tests shared.
func StopAfter(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		stopShared()
		os.Exit(code)
	}))
}
