package action_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"flightdesk/tui/action"
)

func TestEveryActionIsWhole(t *testing.T) {
	for _, a := range action.AllActions() {
		if a.ID == "" || a.Scope == "" || len(a.Keys) == 0 || a.Title == "" || a.Help == "" {
			t.Errorf("%+v has an empty part", a)
		}
	}
}

// A key that is misspelt in the table would never be pressed.
func TestEveryKeyOfTheTableIsOneThatATerminalSends(t *testing.T) {
	for _, a := range action.AllActions() {
		for _, k := range a.Keys {
			if got, _ := action.KeyPress(k); got.String() != k {
				t.Errorf("%s: %q arrives as %q", a.ID, k, got)
			}
		}
	}
}

// The names in the table are those that pages use, each with one kind of change.
func TestTheTableHasEveryNamedAction(t *testing.T) {
	inTable, changes := map[string]bool{}, map[action.ID]action.ChangeKind{}
	for _, a := range action.AllActions() {
		inTable["Scope "+string(a.Scope)], inTable["ID "+string(a.ID)] = true, true
		if before, known := changes[a.ID]; known && before != a.ChangeKind() {
			t.Errorf("%s.%s changes %q, elsewhere %q", a.Scope, a.ID, a.ChangeKind(), before)
		}
		changes[a.ID] = a.ChangeKind()
	}
	source, err := os.ReadFile("ids.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`\s(Scope|ID) += "(.+)"`).FindAllStringSubmatch(string(source), -1) {
		name := found[1] + " " + found[2]
		if !inTable[name] {
			t.Errorf("the table has no %s", name)
		}
		delete(inTable, name)
	}
	for name := range inTable {
		t.Errorf("ids.go has no %s", name)
	}
}

func TestAKeyHasOneSenseInAScope(t *testing.T) {
	for _, scope := range action.AllScopes() {
		senses := map[string]action.ID{}
		for _, a := range action.ActionsOf(scope) {
			for _, k := range a.Keys {
				if other, taken := senses[k]; taken {
					t.Errorf("%s: %q is %s and %s", scope, k, other, a.ID)
				}
				senses[k] = a.ID
			}
		}
	}
}

// What works everywhere must not mean something else on a page.
func TestNoPageTakesAKeyThatWorksEverywhere(t *testing.T) {
	for _, scope := range action.AllScopes() {
		if scope == action.Everywhere {
			continue
		}
		for _, a := range action.ActionsOf(scope) {
			for _, k := range a.Keys {
				if global, ok := action.FindAction(k, action.Everywhere); ok {
					t.Errorf("%s: %q is %s, but %s everywhere", scope, k, a.ID, global.ID)
				}
			}
		}
	}
}

func TestTheNarrowerScopeWins(t *testing.T) {
	a, ok := action.FindAction("j", action.Map, action.List)
	if !ok || a.ID != action.MapDown {
		t.Errorf("j is %+v", a)
	}
	for _, a := range action.ActionsOf(action.Map, action.List) {
		if a.ID == action.Down {
			t.Error("the list's down is offered although the map has taken its key")
		}
	}
}

func TestFooterIsInItsOrder(t *testing.T) {
	var ids []action.ID
	places := []int{}
	for _, a := range action.FooterActions(action.Orders, action.List, action.Everywhere) {
		ids, places = append(ids, a.ID), append(places, a.Footer)
	}
	if !slices.IsSorted(places) {
		t.Errorf("%v stand at %v", ids, places)
	}
	if ids[0] != action.Open || ids[len(ids)-1] != action.Quit || slices.Contains(ids, action.Down) {
		t.Errorf("got %v", ids)
	}
}

func TestOnlyKeysThatNoTextIsMadeOfWorkWhileTyping(t *testing.T) {
	for key, want := range map[string]bool{"esc": true, "tab": true, "ctrl+s": true, "enter": true, "q": false, "?": false, "space": false, "S": false} {
		if got := action.WorksWhileTyping(key); got != want {
			t.Errorf("Works(%q) = %v", key, got)
		}
	}
}

func TestWhileTypingTheFooterShowsAKeyThatWorks(t *testing.T) {
	help, _ := action.FindAction("?", action.Everywhere)
	if help.ShownKey(false) != "?" || help.ShownKey(true) != "f1" {
		t.Errorf("help is shown as %q and %q", help.ShownKey(false), help.ShownKey(true))
	}
	if fix, _ := action.FindAction("f", action.NewOrderSites); fix.ShownKey(true) != "" {
		t.Errorf("f is shown while typing")
	}
}

func TestEveryScopeHasATitle(t *testing.T) {
	for _, scope := range action.AllScopes() {
		if title := scope.ScopeTitle(); title == "" || title[0] < 'A' || title[0] > 'Z' {
			t.Errorf("the scope %s is called %q", scope, title)
		}
	}
}

// harmless are the actions of keys for danger, or with more to be asked, that
// change nothing at the service, and why.
var harmless = map[action.ID]string{
	action.Clear: "drops a site of a draft", action.StopFetch: "stops a download", action.Bandwidth: "is about downloads", action.FetchTo: "is about downloads",
	action.Templates: "are on this machine", action.Drafts: "are on this machine", action.DeleteDraft: "is on this machine",
	action.CalendarFile: "writes a file", action.Permit: "writes a file", action.Export: "writes a file",
	action.Columns: "is how a table is shown", action.CloseEntry: "is on this machine", action.TestEvent: "goes to an address of this machine",
	action.EditProfile: "changes the configuration", action.AddAccount: "changes the configuration", action.ChooseColumns: "is how a file is read",
	action.MakeShape: "changes a draft", action.EditCorners: "changes a draft",
	action.SendNote: "is shown on a screen", action.NoteToAll: "is shown on screens",
}

// Whatever opens a question, or has a key that is kept for danger, is known to
// change the service or known not to.
func TestWhatChangesTheServiceIsKnown(t *testing.T) {
	danger := []string{"A", "C", "S", "X", "Z", "delete"}
	for _, a := range action.AllActions() {
		asks := strings.HasSuffix(a.Title, "…") || slices.ContainsFunc(a.Keys, func(k string) bool { return slices.Contains(danger, k) })
		if asks && a.ChangeKind() == action.ChangesNothing && harmless[a.ID] == "" {
			t.Errorf("%s.%s (%s, %s) is neither known to change the service nor not to", a.Scope, a.ID, a.Keys[0], a.Title)
		}
		if a.ChangeKind() != action.ChangesNothing && harmless[a.ID] != "" {
			t.Errorf("%s is both", a.ID)
		}
	}
}

// Titles stand in footers, and help in a column beside the keys.
func TestTitlesAndHelpFollowTheStandard(t *testing.T) {
	banned := regexp.MustCompile(`(?i)\b(anew|of its own|as it is|what was|what moved|is told|are told|takes|stands|leaves|goes on|by hand|by itself|turn down|put away|so that|desk|fetch|workbench|live feed|both ends|trials|wire)\b`)
	for _, a := range action.AllActions() {
		if n := utf8.RuneCountInString(strings.TrimSuffix(a.Title, "…")); n > 14 || a.Title != strings.TrimSpace(a.Title) || strings.HasSuffix(a.Title, ".") {
			t.Errorf("%s.%s has the title %q of %d characters", a.Scope, a.ID, a.Title, n)
		}
		if n := utf8.RuneCountInString(a.Help); n > 60 || a.Help[0] < 'A' || a.Help[0] > 'Z' || strings.HasSuffix(a.Help, ".") {
			t.Errorf("%s.%s has the help %q of %d characters", a.Scope, a.ID, a.Help, n)
		}
		if found := banned.FindString(a.Title + " " + a.Help); found != "" {
			t.Errorf("%s.%s uses %q: %s, %s", a.Scope, a.ID, found, a.Title, a.Help)
		}
	}
}
