package cli

import "testing"

func TestTheFirstBrokenRuleOfFlagsIsReported(t *testing.T) {
	rules := flagRules{{false, "c"}, {true, "b"}, {true, "a"}}
	if err := rules.check(); err == nil || err.Error() != "b" {
		t.Errorf("reported %v", err)
	}
	if err := (flagRules{{false, "a"}}).check(); err != nil {
		t.Errorf("reported %v although no rule is broken", err)
	}
}
