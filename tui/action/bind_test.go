package action_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"flightdesk/tui/action"
)

func TestBindGivesActionsOtherKeys(t *testing.T) {
	undo, faults := action.BindKeys([]action.Binding{
		{Scope: action.Orders, Action: action.Refresh, Keys: []string{"f5", "R"}},
		{Scope: action.Table, Action: action.SortReverse, Keys: []string{"alt+r"}},
		{Scope: action.NewOrderDetails, Action: action.Submit, Keys: []string{"alt+enter"}},
	})
	defer undo()
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for key, want := range map[string]action.ID{"f5": action.Refresh, "R": action.Refresh, "alt+r": action.SortReverse} {
		if a, ok := action.FindAction(key, action.Orders, action.Table); !ok || a.ID != want {
			t.Errorf("%s is %+v", key, a)
		}
	}
	if _, ok := action.FindAction("r", action.Orders); ok {
		t.Error("the old key still acts")
	}
	undo()
	if a, ok := action.FindAction("r", action.Orders); !ok || a.ID != action.Refresh {
		t.Error("the old key is not back")
	}
}

func TestBindNamesWhatDoesNotHold(t *testing.T) {
	before := action.AllActions()
	for name, tt := range map[string]struct {
		bindings []action.Binding
		want     string
	}{
		"scope":            {[]action.Binding{{"order-list", "refresh", []string{"x"}, 0}}, "unknown scope; use"},
		"action":           {[]action.Binding{{action.Orders, "reload", []string{"x"}, 0}}, "unknown action; use open"},
		"taken":            {[]action.Binding{{action.Orders, action.Refresh, []string{"n"}, 0}}, "n is orders.new-order already"},
		"taken everywhere": {[]action.Binding{{action.Orders, action.Refresh, []string{"q"}, 0}}, "q is everywhere.quit already"},
		"takes everywhere": {[]action.Binding{{action.Everywhere, action.Undo, []string{"n"}, 0}}, "n is orders.new-order already"},
		"reserved":         {[]action.Binding{{action.Orders, action.Refresh, []string{"ctrl+c"}, 0}}, "always leave and suspend"},
		"types text":       {[]action.Binding{{action.NewOrderDetails, action.Submit, []string{"s"}, 0}}, "a letter types text there"},
		"two of them": {[]action.Binding{
			{action.Orders, action.Refresh, []string{"f5"}, 0}, {action.Orders, action.Open, []string{"f5"}, 0},
		}, "f5 is orders.open already"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := action.BindKeys(tt.bindings)
			if len(faults) == 0 || !strings.Contains(fmt.Sprintf("%s.%s: %s", faults[0].Binding.Scope, faults[0].Binding.Action, faults[0].Problem), tt.want) {
				t.Errorf("%v", faults)
			}
			if !slices.EqualFunc(before, action.AllActions(), func(x, y action.Action) bool { return slices.Equal(x.Keys, y.Keys) }) {
				t.Error("the keys have changed all the same")
			}
		})
	}
	// Two actions can exchange their keys.
	undo, faults := action.BindKeys([]action.Binding{
		{action.Orders, action.Refresh, []string{"n"}, 0}, {action.Orders, action.NewOrder, []string{"r"}, 0},
	})
	defer undo()
	if len(faults) > 0 {
		t.Error(faults)
	}
}

// Configurations of earlier versions keep their keys.
func TestEarlierNamesOfActionsStillWork(t *testing.T) {
	old := action.Binding{Scope: "fleet", Action: "story", Keys: []string{"f9"}}
	undo, faults := action.BindKeys([]action.Binding{old})
	defer undo()
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if a, ok := action.FindAction("f9", action.MissionList); !ok || a.ID != action.ShowTimeline {
		t.Errorf("f9 is %+v", a)
	}
	if now, renamed := action.UpdateNames(old); !renamed || now.Scope != "mission-list" || now.Action != "timeline" {
		t.Errorf("the name of today is %s.%s, renamed: %v", now.Scope, now.Action, renamed)
	}
	if _, renamed := action.UpdateNames(action.Binding{Scope: action.Orders, Action: action.Refresh}); renamed {
		t.Error("a name of today counts as an earlier one")
	}
}

// Every earlier name leads to a scope and an action that there are.
func TestEarlierNamesLeadSomewhere(t *testing.T) {
	scopes, ids := map[action.Scope]bool{}, map[action.ID]bool{}
	for _, a := range action.AllActions() {
		scopes[a.Scope], ids[a.ID] = true, true
	}
	for scope := range scopes {
		if now, renamed := action.UpdateNames(action.Binding{Scope: scope, Action: action.Refresh}); renamed {
			t.Errorf("%s has become %s, and is there", scope, now.Scope)
		}
	}
	for id := range ids {
		if now, renamed := action.UpdateNames(action.Binding{Scope: action.Orders, Action: id}); renamed {
			t.Errorf("%s has become %s, and is there", id, now.Action)
		}
	}
}
