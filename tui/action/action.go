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

// ID identifies an action.
type ID string

// Scope is where an action is available: everywhere, for objects of a kind, or on a page.
// Keys of a narrower scope take precedence.
type Scope string

// Action is something that the user can do with a key.
type Action struct {
	ID     ID
	Scope  Scope
	Keys   []string // Bubble Tea names; the first one is displayed
	Title  string   // two words for the footer
	Help   string   // description in the help
	Footer int      // position in the footer from 1 on; 0 if it is not there

	changes string // a ChangeKind, ofDrafts or ofMachine; "" if it changes nothing
}

// ActionsOf returns the actions of the scopes, in the order of the scopes and the table.
// An action is left out if an earlier scope uses its first key.
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

// FindAction returns the action for a key in the first scope that has one.
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

// FooterActions returns the actions of the footer in order.
func FooterActions(scopes ...Scope) []Action {
	shown := slices.DeleteFunc(ActionsOf(scopes...), func(a Action) bool { return a.Footer == 0 })
	sort.SliceStable(shown, func(i, j int) bool { return shown[i].Footer < shown[j].Footer })
	return shown
}

// AllActions returns a copy of the table.
func AllActions() []Action { return slices.Clone(table) }

// AllScopes returns all scopes in the order of the table.
func AllScopes() []Scope {
	var scopes []Scope
	for _, a := range table {
		if !slices.Contains(scopes, a.Scope) {
			scopes = append(scopes, a.Scope)
		}
	}
	return scopes
}

// typingKeys are the keys that type no text, in addition to those with ctrl and alt.
var typingKeys = strings.Fields("esc tab shift+tab enter up down shift+up shift+down pgup pgdown home end f1")

// WorksWhileTyping reports whether a key types no text, so that it works while the user is
// typing.
func WorksWhileTyping(key string) bool {
	return slices.Contains(typingKeys, key) || strings.HasPrefix(key, "ctrl+") || strings.HasPrefix(key, "alt+")
}

// textless maps the names of keys without text to their codes.
var textless = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
	"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp,
	"pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1,
}

// KeyPress returns the key press for a name such as n, enter, ctrl+s or space, and whether
// the name is valid.
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

// ShownKey returns the key to display: the first key, or while typing the first key that
// works then, or "".
func (a Action) ShownKey(typing bool) string {
	for _, k := range a.Keys {
		if !typing || WorksWhileTyping(k) {
			return k
		}
	}
	return ""
}

// shortLabels are the labels of keys that differ from their names.
var shortLabels = map[string]string{
	"up":     "↑",
	"down":   "↓",
	"left":   "←",
	"right":  "→",
	"delete": "del",
}

// KeyLabel returns the label of a key.
func KeyLabel(key string) string { return cmp.Or(shortLabels[key], key) }

// KeyLabels returns the labels of all keys of the action.
func (a Action) KeyLabels() string {
	labels := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		labels[i] = KeyLabel(k)
	}
	return strings.Join(labels, " ")
}

// Binding assigns keys to an action in a scope.
type Binding struct {
	Scope  Scope
	Action ID
	Keys   []string // Bubble Tea names; at least one
	Line   int      // line in the configuration file
}

// BindFault is an error in a binding.
type BindFault struct {
	Binding Binding
	Problem string
}

// reserved keys always end or suspend the app.
var reserved = []string{"ctrl+c", "ctrl+z"}

// typed are the scopes in which the user types text.
var typed = []Scope{NewOrderFiles, NewOrderDetails, FilterLine, Account}

// BindKeys assigns keys to actions for the whole program. Call it before the app runs. If
// a binding is invalid, it changes nothing and returns all faults: an unknown action, a
// key with two actions, or a key that types text. Undo restores the keys.
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

// unknownName describes an unknown scope or action.
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

// findClash finds another action with one of the keys in the same scope, or in any scope
// if one of the actions works everywhere.
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
	// table has the actions with their current keys, in the order of the help.
	table  = readTable(rows)
	titles = map[Scope]string{}
	// earlierScopes and earlierActions map the names of earlier versions, which
	// configurations may still use, to the current ones.
	earlierScopes  = map[Scope]Scope{}
	earlierActions = map[ID]ID{}
)

// readTable parses actions.tsv and records titles and earlier names.
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

// ScopeTitle returns the title of a scope in help and documentation.
func (s Scope) ScopeTitle() string { return titles[s] }

// CurrentName converts a binding with names of earlier versions, and reports whether it
// had such names.
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

// ChangeKind is the kind of data on the service that an action changes.
type ChangeKind string

// The kinds of changes. A read-only profile has no action that changes data; a key without a scope
// has no actions that change orders or endpoints.
const (
	ChangesNothing    ChangeKind = ""
	ChangesOrders     ChangeKind = "orders" // and quotes
	ChangesEndpoints  ChangeKind = "endpoints"
	ChangesOperations ChangeKind = "operations" // by the operations API
)

// Changes of local data.
const (
	ofDrafts  = "drafts" // a draft becomes an order
	ofMachine = "this machine"
)

// ChangeKind returns which data on the service the action changes.
func (a Action) ChangeKind() ChangeKind {
	switch a.changes {
	case ofDrafts:
		return ChangesOrders
	case ofMachine:
		return ChangesNothing
	}
	return ChangeKind(a.changes)
}

// IsHarmful reports whether the action ends, deletes or sends something, so it must not be
// suggested before others.
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
