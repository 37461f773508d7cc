package action

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// ID names an action; pages switch on it.
type ID string

// Scope is where an action holds: everywhere, on anything of a kind, or on one
// page. Keys of a narrower scope win over those of a wider one.
type Scope string

// Action is one thing that can be done.
type Action struct {
	ID     ID
	Scope  Scope
	Keys   []string // as Bubble Tea names them; the first one is shown
	Title  string   // two words for the footer
	Help   string   // what it does, as the help says it
	Footer int      // place in the footer from 1 on; 0 is not shown there

	changes string // a ChangeKind, or something that is not the service's; "" for nothing
}

// ActionsOf returns the actions of the scopes, in the order of the scopes and then of
// the table. An action whose keys are all taken by an earlier scope is left out.
func ActionsOf(scopes ...Scope) []Action {
	var found []Action
	taken := map[string]bool{}
	for _, scope := range scopes {
		for _, a := range table {
			if a.Scope == scope && !taken[a.Keys[0]] {
				found = append(found, a)
			}
		}
		for _, a := range found {
			for _, k := range a.Keys {
				taken[k] = true
			}
		}
	}
	return found
}

// FindAction returns the action of a key in the first scope that has one.
func FindAction(key string, scopes ...Scope) (Action, bool) {
	for _, scope := range scopes {
		for _, a := range table {
			if a.Scope == scope && slices.Contains(a.Keys, key) {
				return a, true
			}
		}
	}
	return Action{}, false
}

// FooterActions returns the actions that the footer shows, in its order.
func FooterActions(scopes ...Scope) []Action {
	shown := slices.DeleteFunc(ActionsOf(scopes...), func(a Action) bool { return a.Footer == 0 })
	sort.SliceStable(shown, func(i, j int) bool { return shown[i].Footer < shown[j].Footer })
	return shown
}

// AllActions returns the whole table.
func AllActions() []Action { return slices.Clone(table) }

// AllScopes returns every scope, in the table's order.
func AllScopes() []Scope {
	var scopes []Scope
	for _, a := range table {
		if !slices.Contains(scopes, a.Scope) {
			scopes = append(scopes, a.Scope)
		}
	}
	return scopes
}

// typingKeys are the keys besides those with ctrl and alt that no text is made of.
var typingKeys = strings.Fields("esc tab shift+tab enter up down shift+up shift+down pgup pgdown home end f1")

// WorksWhileTyping reports whether a key acts while text is being typed: only those that
// no text is made of.
func WorksWhileTyping(key string) bool {
	return slices.Contains(typingKeys, key) || strings.HasPrefix(key, "ctrl+") || strings.HasPrefix(key, "alt+")
}

// textless are the keys that type no text, by name.
var textless = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp,
	"pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1,
}

// KeyPress returns the press of a key by its name, and whether there is one: n, enter,
// ctrl+s, space.
func KeyPress(name string) (key tea.KeyPressMsg, known bool) {
	for _, m := range []struct {
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"shift+", tea.ModShift}, {"alt+", tea.ModAlt}} {
		if rest, has := strings.CutPrefix(name, m.prefix); has {
			name, key.Mod = rest, key.Mod|m.mod
		}
	}
	if name == "space" {
		name = " "
	}
	key.Code, known = textless[name]
	if letters := []rune(name); len(letters) == 1 {
		key.Code, known = letters[0], true
		if key.Mod == 0 {
			key.Text = name
		}
	}
	return key, known
}

// ShownKey returns the key that the footer shows: the first one, or while text is being
// typed the first that works then; "" for none.
func (a Action) ShownKey(typing bool) string {
	for _, k := range a.Keys {
		if !typing || WorksWhileTyping(k) {
			return k
		}
	}
	return ""
}

// shortLabels are the keys that are shown otherwise than they are named.
var shortLabels = map[string]string{
	"up":     "↑",
	"down":   "↓",
	"left":   "←",
	"right":  "→",
	"delete": "del",
}

// KeyLabel returns how a key is shown.
func KeyLabel(key string) string { return cmp.Or(shortLabels[key], key) }

// KeyLabels shows all keys of the action.
func (a Action) KeyLabels() string {
	labels := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		labels[i] = KeyLabel(k)
	}
	return strings.Join(labels, " ")
}

// Binding gives an action of a scope other keys.
type Binding struct {
	Scope  Scope
	Action ID
	Keys   []string // as Bubble Tea names them; at least one
	Line   int      // of the file that has it
}

// BindFault is something wrong with one binding.
type BindFault struct {
	Binding Binding
	Problem string
}

// reserved keys always end or suspend the app, whatever it shows.
var reserved = []string{"ctrl+c", "ctrl+z"}

// typed are the scopes in which text is typed.
var typed = []Scope{NewOrderFiles, NewOrderDetails, FilterLine, Account}

// BindKeys gives actions other keys, from now on and for the whole program; it is
// called before the app runs. Where something is wrong it changes nothing and
// returns every fault: an action that is not known, a key that two actions
// would share, one that would type text. Undo puts the keys back.
func BindKeys(bindings []Binding) (undo func(), faults []BindFault) {
	before := table
	bound := slices.Clone(table)
	for _, given := range bindings {
		b, _ := CurrentName(given)
		i := slices.IndexFunc(bound, func(a Action) bool { return a.Scope == b.Scope && a.ID == b.Action })
		problem := ""
		switch {
		case i < 0:
			problem = unknownName(b)
		case slices.ContainsFunc(b.Keys, func(k string) bool { return slices.Contains(reserved, k) }) && b.Action != Quit && b.Action != Suspend:
			problem = strings.Join(reserved, " and ") + " always leave and suspend the app"
		case slices.Contains(typed, b.Scope) && slices.ContainsFunc(b.Keys, func(k string) bool { return !WorksWhileTyping(k) }):
			problem = "a letter types text there; take enter, esc, tab, an arrow, or a key with ctrl or alt"
		}
		if problem != "" {
			faults = append(faults, BindFault{given, problem})
			continue
		}
		bound[i].Keys = b.Keys
	}
	for _, given := range bindings {
		b, _ := CurrentName(given)
		if with, key, ok := findClash(bound, b); ok {
			problem := fmt.Sprintf("%s is %s.%s already; give that another key", key, with.Scope, with.ID)
			faults = append(faults, BindFault{given, problem})
		}
	}
	if len(faults) > 0 {
		return func() {}, faults
	}
	table = bound
	return func() { table = before }, nil
}

// unknownName says what is wrong with a name.
func unknownName(b Binding) string {
	var known []string
	for _, a := range table {
		if a.Scope == b.Scope {
			known = append(known, string(a.ID))
		}
	}
	if len(known) == 0 {
		var scopes []string
		for _, s := range AllScopes() {
			scopes = append(scopes, string(s))
		}
		return "unknown scope; use " + strings.Join(scopes, ", ")
	}
	return "unknown action; use " + strings.Join(known, ", ")
}

// findClash finds another action that one of the keys would be as well: in the same
// scope, or where one of the two works everywhere.
func findClash(bound []Action, b Binding) (with Action, key string, ok bool) {
	for _, a := range bound {
		same := a.Scope == b.Scope && a.ID == b.Action
		if same || a.Scope != b.Scope && a.Scope != Everywhere && b.Scope != Everywhere {
			continue
		}
		for _, k := range b.Keys {
			if slices.Contains(a.Keys, k) {
				return a, k, true
			}
		}
	}
	return with, "", false
}

//go:embed actions.tsv
var rows string

var (
	// table has the actions with the keys that hold now, in the order of the help.
	table  = readTable(rows)
	titles = map[Scope]string{}
	// earlierScopes and earlierActions have the names of today by those of earlier
	// versions, in which configurations may be written.
	earlierScopes  = map[Scope]Scope{}
	earlierActions = map[ID]ID{}
)

// readTable reads the lines of actions.tsv, and notes titles and earlier names.
func readTable(text string) (all []Action) {
	scope := Scope("")
	for line := range strings.Lines(text) {
		field := append(strings.Split(strings.TrimSpace(line), "\t"), make([]string, 7)...)
		switch {
		case field[0] == "" || field[0][0] == '#':
		case field[4] == "":
			scope = Scope(field[0])
			titles[scope], earlierScopes[Scope(field[2])] = field[1], scope
		default:
			place, _ := strconv.Atoi(field[2])
			a := Action{ID(field[0]), scope, strings.Fields(field[1]), field[3], field[4], place, field[5]}
			all, earlierActions[ID(field[6])] = append(all, a), a.ID
		}
	}
	delete(earlierScopes, "")
	delete(earlierActions, "")
	return all
}

// ScopeTitle returns how help and documentation call a scope.
func (s Scope) ScopeTitle() string { return titles[s] }

// CurrentName returns a binding by the names of today, and whether it used
// earlier ones.
func CurrentName(b Binding) (current Binding, renamed bool) {
	current = b
	if scope, ok := earlierScopes[b.Scope]; ok {
		current.Scope = scope
	}
	if id, ok := earlierActions[b.Action]; ok {
		current.Action = id
	}
	return current, current.Scope != b.Scope || current.Action != b.Action
}

// ChangeKind is what of the service an action changes, or composes a change of.
type ChangeKind string

// The changes. A read-only profile has none of them, on whatever page; a key
// that lacks a scope takes away those of orders or of endpoints.
const (
	ChangesNothing    ChangeKind = ""
	ChangesOrders     ChangeKind = "orders" // and quotes
	ChangesEndpoints  ChangeKind = "endpoints"
	ChangesOperations ChangeKind = "operations" // by the operations API
)

// Changes of things that are not the service's.
const (
	ofDrafts  = "drafts" // which compose a change of orders
	ofMachine = "this machine"
)

// ChangeKind returns what the action changes at the service.
func (a Action) ChangeKind() ChangeKind {
	switch a.changes {
	case ofDrafts:
		return ChangesOrders
	case ofMachine:
		return ChangesNothing
	}
	return ChangeKind(a.changes)
}

// IsHarmful reports whether the action ends, deletes or sends something, so that it
// is not to be found before others.
func (a Action) IsHarmful() bool { return a.changes != "" && a.changes != ofDrafts }

// IsAdministration reports whether an action changes accounts, keys, users or the service
// itself, which needs the role admin of the operations API.
func (a Action) IsAdministration() bool {
	if a.ChangeKind() != ChangesOperations || a.ID == PlayRequest {
		return false
	}
	switch a.Scope {
	case OpsAccounts, OpsRequests, OpsKeys, OpsOperators, TestControls, Ops:
		return true
	default:
		return false
	}
}
