package apptest_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui"
	"flightdesk/tui/action"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// rebindAll assigns a Chinese character to each action, or alt with a Chinese character in scopes in which
// the user types text. It returns the actions by their character, and the labels of the keys before.
func rebindAll(t *testing.T) (actions map[string]action.Action, earlier map[string]bool) {
	t.Helper()
	typing := map[action.Scope]bool{}
	for _, scope := range []action.Scope{
		action.NewOrderFiles, action.NewOrderDetails, action.FilterLine, action.Account,
	} {
		typing[scope] = true
	}
	var bindings []action.Binding
	actions = map[string]action.Action{}
	earlier = map[string]bool{}
	for i, act := range action.AllActions() {
		earlier[action.KeyLabel(act.Keys[0])] = true
		key := string(rune(0x4e00 + i))
		actions[key] = act
		if typing[act.Scope] || act.ID == action.Back || act.ID == action.NextStep {
			key = "alt+" + key
		}
		bindings = append(bindings, action.Binding{Scope: act.Scope, Action: act.ID, Keys: []string{key}})
	}
	undo, faults := action.BindKeys(bindings)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	t.Cleanup(undo)
	return actions, earlier
}

// perform presses the key of an action.
func perform(d *apptest.Session, id action.ID, scopes ...action.Scope) {
	d.T.Helper()
	act, ok := action.ByID(id, scopes...)
	if !ok {
		d.T.Fatalf("no action %s", id)
	}
	d.Press(act.Keys[0])
}

// visitPages calls check on each page of the walk: the first page of each section, the page that opens from
// it, and the new order page.
func visitPages(d *apptest.Session, check func()) {
	for _, section := range []struct {
		open action.ID
		page action.Scope
	}{
		{action.GoHome, action.HomePage},
		{action.GoOrders, action.Orders},
		{action.GoMissions, action.MissionList},
		{action.GoQuotes, action.QuoteInbox},
		{action.GoDeliveries, action.Deliveries},
		{action.GoLibrary, action.Library},
		{action.GoWebhooks, action.Webhooks},
		{action.GoInspect, action.Inspect},
		{action.GoOps, action.OpsQueue},
	} {
		perform(d, section.open, action.Everywhere)
		check()
		perform(d, action.Open, section.page)
		check()
		perform(d, action.Back, action.Everywhere)
	}
	perform(d, action.GoOrders, action.Everywhere)
	perform(d, action.ShowTimeline, action.Orders)
	check()
	perform(d, action.Back, action.Everywhere)
	perform(d, action.NewOrder, action.Orders)
	check()
	perform(d, action.Back, action.Everywhere)
	check()
}

// defaultKey matches a text that advises the user to press a key with a Latin name.
var defaultKey = regexp.MustCompile(`(?i)(?:press|[·;,]) (?:[a-z/}!]|enter|esc|tab|space|(?:ctrl|alt|shift)\+\S+) ` +
	`(?:in|to|opens|shows|hides|lists|retries|continues|checks|adds|downloads|stops|asks|copies|next|calendar)\b`)

func TestNoTextNamesAKeyThatTheUserHasReplaced(t *testing.T) {
	services := map[string]func(t *testing.T) *apptest.Session{
		"demo":       func(t *testing.T) *apptest.Session { return apptest.Open(t, 180, 50, apptest.AtHome) },
		"operations": func(t *testing.T) *apptest.Session { d, _ := apptest.OpenOperations(t, 180, 50); return d },
		"empty": func(t *testing.T) *apptest.Session {
			return apptest.OpenAgainst(t, apptest.AnswerNothing)
		},
		"broken": func(t *testing.T) *apptest.Session {
			return apptest.OpenAgainst(t, apptest.AnswerBroken)
		},
	}
	for name, open := range services {
		t.Run(name, func(t *testing.T) {
			_, earlier := rebindAll(t)
			d := open(t)
			keyStyle, _, _ := strings.Cut(tuitest.LoadTheme(t, "dark").Key.Render("k"), "k")
			visitPages(d, func() {
				t.Helper()
				screen := d.Screen()
				if found := defaultKey.FindString(screen); found != "" {
					t.Errorf("%q on the screen:\n%s", found, screen)
				}
				for _, part := range strings.Split(d.View().Content, keyStyle)[1:] {
					key, _, _ := strings.Cut(ansi.Strip(strings.SplitN(part, "\x1b", 2)[0]), " ")
					if earlier[key] {
						t.Errorf("the key %q is on the screen:\n%s", key, screen)
					}
				}
			})
		})
	}
}

func TestNoTextNamesTheKeyOfAnActionThatAReadOnlyProfileCannotPerform(t *testing.T) {
	readOnly := func(o *tui.Options) { o.ReadOnly = true }
	services := map[string]func(t *testing.T) *apptest.Session{
		"demo": func(t *testing.T) *apptest.Session { return apptest.Open(t, 180, 50, apptest.AtHome, readOnly) },
		"operations": func(t *testing.T) *apptest.Session {
			d, _ := apptest.OpenOperations(t, 180, 50, readOnly)
			return d
		},
		"empty": func(t *testing.T) *apptest.Session {
			return apptest.OpenAgainst(t, apptest.AnswerNothing, readOnly)
		},
	}
	for name, open := range services {
		t.Run(name, func(t *testing.T) {
			actions, _ := rebindAll(t)
			d := open(t)
			visitPages(d, func() {
				t.Helper()
				screen := d.Screen()
				for key, act := range actions {
					if act.ChangeKind() != action.ChangesNothing && strings.Contains(screen, key) {
						t.Errorf("the key of %s.%s is on the screen:\n%s", act.Scope, act.ID, screen)
					}
				}
			})
		})
	}
}
