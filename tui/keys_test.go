package tui_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/charmbracelet/x/exp/golden" // for -update

	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
)

// The reference in the documentation is generated from the table of actions.
func TestTheKeyReferenceIsUpToDate(t *testing.T) {
	const file = "KEYS.md"
	want := keyReference()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != want {
		t.Errorf("tui/%s is stale (%v); go test ./tui -update writes it", file, err)
	}
}

// Footer, help and palette show the same actions of a page.
func TestHelpPaletteAndFooterAgree(t *testing.T) {
	d := apptest.Open(t, 200, 100)
	scopes := []action.Scope{action.Orders, action.List, action.Table, action.Everywhere}
	footer := strings.Split(d.Screen(), "\n")[99]
	for _, act := range action.FooterActions(scopes...) {
		shown := strings.Contains(footer, action.KeyLabel(act.Keys[0])+" "+act.Title)
		isPointless := act.ID == action.Back || // there is nothing to go back to
			act.ID == action.ShowQuotes || act.ID == action.ShowData // the selected order has none
		if want := !isPointless; shown != want {
			t.Errorf("footer: %s is shown %v in %q", act.ID, shown, footer)
		}
	}
	d.Press("?")
	for _, act := range action.ActionsOf(scopes...) {
		d.RequireText(act.KeyLabels(), act.Title)
	}
	d.Press("esc", ":")
	for _, act := range action.ActionsOf(scopes...) {
		if act.Scope == action.List || act.ID == action.Palette {
			continue
		}
		d.Type(act.Help)
		d.RequireText(act.Help)
		switch act.ID { // why it is off takes the place of its keys
		case action.Profiles, action.LastProfile:
			d.RequireText("– only one profile")
		case action.AddAccount:
			d.RequireText("– this app was not started with")
		case action.EditProfile:
			d.RequireText("– only profiles of config.toml")
		case action.Copied:
			d.RequireText("– nothing copied yet")
		default:
			d.RequireText(act.KeyLabels())
		}
		d.Press("ctrl+u")
	}
}

func TestHelpListsThePageFirstAndCanBeSearched(t *testing.T) {
	d := apptest.Open(t, 100, 40)
	d.Press("?")
	d.RequireText("Keys: Orders", "type to search", "esc back")
	if screen := d.Screen(); strings.Index(screen, "Open the order") > strings.Index(screen, "Next row") {
		t.Errorf("the page's own keys are not first:\n%s", screen)
	}
	d.Type("filter words")
	d.RequireText("Filter the orders by words or column:value")
	d.SeesNot("Open the order")
	d.Press("ctrl+u")
	d.Type("/filter words") // as a filter begins elsewhere
	d.RequireText("Filter the orders by words or column:value")
	d.Press("ctrl+u")
	d.Type("nosuchthing")
	d.RequireText("No matching keys or places")
	d.Press("?")
	d.SeesNot("Keys: Orders")
	d.Press("/")
	d.Type("zzz")
	d.Press("enter", "?")
	d.Type("open")
	d.RequireText("unavailable: no order selected")
}

func TestTheHelpFindsWhatOtherPagesAndThePaletteHave(t *testing.T) {
	d := apptest.Open(t, 100, 40)
	d.Press("?")
	d.SeesNot("not on this page")
	d.Type("month")
	d.RequireText("Missions of all orders  not on this page", "Switch between list, map and month")
	d.RequireText("Palette  press : and type the name", "Flights, deadlines and expiries by day")
	d.Press("ctrl+u")
	d.Type("key of an account") // a page that needs an operations key
	d.SeesNot("Operations")
}

// codeOfKeys formats keys as Markdown code in the cell of a table.
func codeOfKeys(keys []string) string {
	codes := make([]string, len(keys))
	for i, key := range keys {
		opening, closing := "`", "`"
		if key == "`" {
			opening, closing = "`` ", " ``"
		}
		codes[i] = opening + strings.ReplaceAll(key, "|", `\|`) + closing
	}
	return strings.Join(codes, " ")
}

// keyReference formats the table of actions as a page of documentation.
func keyReference() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nGenerated from the table of actions. In the app, `?` lists the keys of the current page. While you type, only keys that\n" +
		"produce no text work. The last column is the name of the action in `[keys]` of config.toml: `orders.refresh` is\n" +
		"`refresh` in `[keys.orders]`.\n")
	for _, scope := range action.AllScopes() {
		fmt.Fprintf(&b, "\n## %s\n\n| Keys | Action | Name |\n|---|---|---|\n", scope.ScopeTitle())
		for _, a := range action.AllActions() {
			if a.Scope == scope {
				fmt.Fprintf(&b, "| %s | %s | `%s.%s` |\n", codeOfKeys(a.Keys), a.Help, a.Scope, a.ID)
			}
		}
	}
	return b.String()
}

func TestTheFooterOfAnOpenedPageAlwaysHasTheKeyBack(t *testing.T) {
	for _, w := range []int{60, 80, 120} {
		d := apptest.Open(t, w, 24)
		d.SeesNot("esc back")
		d.Press("enter")
		rightmost := "esc back  ? help  q quit"
		if w >= 100 {
			rightmost = "esc back  : palette  ? help  q quit"
		}
		d.RequireText(rightmost)
		d.Press("5", "f", "2", "s")
		d.RequireText(rightmost)
		d.Press("2", "n")
		d.RequireText("esc back", "f1 help")
	}
}

func TestTheFooterNamesTheKeyThatEndsTheFilter(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.Press("/")
	d.RequireText("enter apply", "esc back")
	d.Press("esc")
	d.SeesNot("esc back")
}

func TestANarrowWindowHasShortNamesForAllSections(t *testing.T) {
	d := apptest.Open(t, 80, 24)
	d.RequireText("1 Home [2 Ord] 3 Mis  4 Quo (2)  5 Del  6 Lib  7 Web  8 Ins")
}
