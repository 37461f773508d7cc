package tuitest

import (
	"testing"

	"flightdesk/tui/action"
)

// A key that is misspelt in the table would never be pressed.
func TestEveryKeyOfTheTableIsOneThatATerminalSends(t *testing.T) {
	for _, a := range action.AllActions() {
		for _, k := range a.Keys {
			if got := keyNamed(k).String(); got != k {
				t.Errorf("%s: %q arrives as %q", a.ID, k, got)
			}
		}
	}
}
