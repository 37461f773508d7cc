package cli

import "testing"

func TestTheFirstFaultOfFlagsIsReported(t *testing.T) {
	faults := flagFaults{{false, "c"}, {true, "b"}, {true, "a"}}
	if err := faults.check(); err == nil || err.Error() != "b" {
		t.Errorf("reported %v", err)
	}
	if err := (flagFaults{{false, "a"}}).check(); err != nil {
		t.Errorf("reported %v without a fault", err)
	}
}
