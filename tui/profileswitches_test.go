package tui

import "testing"

func TestALaterRequestReplacesAProfileSwitch(t *testing.T) {
	var switches profileSwitches
	first := switches.request("live", false)
	second := switches.request("test", false)
	if !switches.isReplaced(first) || switches.isReplaced(second) {
		t.Error("the first request counts, or the second does not")
	}
}
