package demodata

import (
	"slices"
	"testing"

	"github.com/BurntSushi/toml"

	"flightdesk/api"
)

// Misspelt keys and words in the tables would otherwise be ignored.
func TestTablesHaveNoUnknownKeysOrWords(t *testing.T) {
	var tables demoTables
	found, err := toml.Decode(worldText, &tables)
	if err != nil || len(found.Undecoded()) > 0 {
		t.Fatalf("%v: %v", found.Undecoded(), err)
	}
	for _, a := range tables.Account {
		for _, e := range a.Endpoints {
			if !slices.Contains([]failurePattern{failsSeldom, failsOften, failsAlways}, e.Failures) {
				t.Errorf("%s fails %q", e.URL, e.Failures)
			}
		}
		for _, o := range append(a.Orders, a.Recorded...) {
			if !slices.Contains([]bidState{bidsAwaited, bidsOpen, bidsMixed, bidsPassed, bidsTurnedDown}, o.Bids) {
				t.Errorf("the quotes of %s are %q", o.Name, o.Bids)
			}
			if !slices.Contains([]noticeState{noticesOff, noticesTaken, noticesFailed}, o.Notice) {
				t.Errorf("the notices of %s are %q", o.Name, o.Notice)
			}
			if !o.Status.IsKnown() || !slices.Contains(api.MissionObjectives(), o.Objective) || !slices.Contains(api.IndustryAssetTypes(), o.Asset) {
				t.Errorf("%s is %s, %s, %s", o.Name, o.Status, o.Objective, o.Asset)
			}
			for _, s := range o.Sites {
				if len(s.Masts) == 0 && s.Area == nil && s.Corridor == nil && s.Row == nil {
					t.Errorf("%s has no place", s.Name)
				}
				if tables.Authorities[s.Country] == "" && o.orderStage().HasAcceptedQuote() {
					t.Errorf("nobody permits flights in %s", s.Country)
				}
			}
		}
	}
}
