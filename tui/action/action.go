package action

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// ID identifies an action.
type ID string

// Scope is where an action is available: everywhere, on the pages that show a kind of object such as an
// order, or on a single page. Keys of a narrower scope take precedence.
type Scope string

// Action is something that the user can do with a key.
type Action struct {
	ID     ID
	Scope  Scope
	Keys   []string // Bubble Tea names; the first one is displayed
	Title  string   // two words for the footer
	Help   string   // description in the help
	Footer int      // position in the footer from 1 on; 0 if it is not there

	changes string // what the action changes: a ChangeKind, ofDrafts, ofMachine, or ""
}

// ActionsOf returns the actions of the first scope, then the actions of the next scope, and so on. The
// actions of a scope are in the order of actions.tsv. An action is left out if an earlier scope uses its
// first key.
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

// ByID returns the action with the given ID in the first scope that has it.
func ByID(id ID, scopes ...Scope) (act Action, ok bool) {
	for _, scope := range scopes {
		for _, a := range table {
			if a.Scope == scope && a.ID == id {
				return a, true
			}
		}
	}
	return Action{}, false
}

// KeyOf returns the label of an action's key in the first scope that has the action. It returns "" if no
// scope has it. Texts that name a key need KeyOf, because the user can assign other keys.
func KeyOf(id ID, scopes ...Scope) string {
	a, ok := ByID(id, scopes...)
	if !ok {
		return ""
	}
	return KeyLabel(a.Keys[0])
}

// FooterActions returns the actions that the footer shows, sorted by their position in the footer.
func FooterActions(scopes ...Scope) []Action {
	shown := slices.DeleteFunc(ActionsOf(scopes...), func(a Action) bool { return a.Footer == 0 })
	slices.SortStableFunc(shown, func(a, b Action) int { return a.Footer - b.Footer })
	return shown
}

// AllActions returns all actions, with their current keys, in the order of actions.tsv.
func AllActions() []Action { return slices.Clone(table) }

// AllScopes returns all scopes that have actions, in the order of actions.tsv.
func AllScopes() []Scope {
	var scopes []Scope
	for _, a := range table {
		if !slices.Contains(scopes, a.Scope) {
			scopes = append(scopes, a.Scope)
		}
	}
	return scopes
}

// typingKeys are keys that work while the user is typing, because they type no text. Keys with ctrl or alt
// work, too.
var typingKeys = strings.Fields("esc tab shift+tab enter up down shift+up shift+down pgup pgdown home end f1")

// WorksWhileTyping reports whether a key works while the user is typing, because it types no text.
func WorksWhileTyping(key string) bool {
	return slices.Contains(typingKeys, key) || strings.HasPrefix(key, "ctrl+") || strings.HasPrefix(key, "alt+")
}

// textlessKeys maps the names of keys without text to their codes.
var textlessKeys = map[string]rune{
	"enter":     tea.KeyEnter,
	"esc":       tea.KeyEscape,
	"tab":       tea.KeyTab,
	"up":        tea.KeyUp,
	"down":      tea.KeyDown,
	"left":      tea.KeyLeft,
	"right":     tea.KeyRight,
	"home":      tea.KeyHome,
	"end":       tea.KeyEnd,
	"pgup":      tea.KeyPgUp,
	"pgdown":    tea.KeyPgDown,
	"backspace": tea.KeyBackspace,
	"delete":    tea.KeyDelete,
	"f1":        tea.KeyF1,
}

// KeyPress returns the key press for a name such as n, enter, ctrl+s or space. known is false if
// the name is not valid.
func KeyPress(name string) (key tea.KeyPressMsg, known bool) {
	name, mod := cutModifiers(name)
	key.Mod = mod
	if name == "space" {
		name = " "
	}
	if letters := []rune(name); len(letters) == 1 {
		key.Code = letters[0]
		if mod == 0 {
			key.Text = name
		}
		return key, true
	}
	key.Code, known = textlessKeys[name]
	return key, known
}

// cutModifiers removes the modifiers from the name of a key. Their order is ctrl, shift, alt.
func cutModifiers(name string) (string, tea.KeyMod) {
	mod := tea.KeyMod(0)
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		name = rest
		mod |= tea.ModCtrl
	}
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		name = rest
		mod |= tea.ModShift
	}
	if rest, ok := strings.CutPrefix(name, "alt+"); ok {
		name = rest
		mod |= tea.ModAlt
	}
	return name, mod
}

// ShownKey returns the key to display: the first key of the action, or the first key that types no text if
// typing is true. It returns "" if the action has no such key.
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

// reserved are the keys that always end or suspend the app.
var reserved = []string{"ctrl+c", "ctrl+z"}

// typed are the scopes in which the user types text.
var typed = []Scope{NewOrderFiles, NewOrderDetails, FilterLine, Account}

// BindKeys assigns keys to actions for the whole program. Call it before the app runs. If any binding is
// invalid, it changes nothing and returns all faults, such as unknown actions, keys that already have another
// action, and keys that type text. undo restores the keys that the actions had before.
func BindKeys(bindings []Binding) (undo func(), faults []BindFault) {
	bound := slices.Clone(table)
	for _, given := range bindings {
		b, _ := UpdateNames(given)
		if problem := checkBinding(b); problem != "" {
			faults = append(faults, BindFault{given, problem})
			continue
		}
		setKeys(bound, b)
	}
	// A later binding can take a key away from an action, so clashes are checked at the end.
	for _, given := range bindings {
		b, _ := UpdateNames(given)
		if other, key, ok := findClash(bound, b); ok {
			problem := fmt.Sprintf("%s is %s.%s already; give that another key", key, other.Scope, other.ID)
			faults = append(faults, BindFault{given, problem})
		}
	}
	if len(faults) > 0 {
		return func() {}, faults
	}
	before := table
	table = bound
	return func() { table = before }, nil
}

// isFor reports whether the binding assigns keys to an action.
func (b Binding) isFor(a Action) bool { return a.Scope == b.Scope && a.ID == b.Action }

// setKeys gives the binding's keys to its action.
func setKeys(actions []Action, b Binding) {
	for i := range actions {
		if b.isFor(actions[i]) {
			actions[i].Keys = b.Keys
		}
	}
}

// checkBinding returns why a binding is invalid by itself, or "".
func checkBinding(b Binding) string {
	if !slices.ContainsFunc(table, b.isFor) {
		return unknownName(b)
	}
	isReserved := func(key string) bool { return slices.Contains(reserved, key) }
	canUseReserved := b.Action == Quit || b.Action == Suspend
	if !canUseReserved && slices.ContainsFunc(b.Keys, isReserved) {
		return strings.Join(reserved, " and ") + " always leave and suspend the app"
	}
	typesText := func(key string) bool { return !WorksWhileTyping(key) }
	if slices.Contains(typed, b.Scope) && slices.ContainsFunc(b.Keys, typesText) {
		return "a letter types text there; take enter, esc, tab, an arrow, or a key with ctrl or alt"
	}
	return ""
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

// findClash returns another action that has one of the binding's keys and can be available at the
// same time: both actions have the same scope, or one of them works everywhere.
func findClash(bound []Action, b Binding) (other Action, key string, ok bool) {
	for _, a := range bound {
		canClash := a.Scope == b.Scope || a.Scope == Everywhere || b.Scope == Everywhere
		if b.isFor(a) || !canClash {
			continue
		}
		for _, k := range b.Keys {
			if slices.Contains(a.Keys, k) {
				return a, k, true
			}
		}
	}
	return Action{}, "", false
}

//go:embed actions.tsv
var rows string

var (
	// table has all actions with their current keys. The help lists the actions in the same order.
	table  = readTable(rows)
	titles = map[Scope]string{}
	// earlierScopes and earlierActions map old names to the current names. Earlier versions used the old
	// names, and configuration files can still contain them.
	earlierScopes  = map[Scope]Scope{}
	earlierActions = map[ID]ID{}
)

// tableRow has the columns of a row of actions.tsv. A missing column is "".
type tableRow []string

// column returns the i-th column.
func (r tableRow) column(i int) string {
	if i >= len(r) {
		return ""
	}
	return r[i]
}

// isScope reports whether the row describes a scope and not an action. The fifth column has the description
// of an action, and is empty for a scope.
func (r tableRow) isScope() bool { return r.column(4) == "" }

// readTable parses actions.tsv. The row of a scope is followed by the rows of its actions.
func readTable(text string) []Action {
	var actions []Action
	scope := Scope("")
	for line := range strings.Lines(text) {
		row := tableRow(strings.Split(strings.TrimSpace(line), "\t"))
		if row.column(0) == "" || strings.HasPrefix(row.column(0), "#") {
			continue
		}
		if row.isScope() {
			scope = readScope(row)
		} else {
			actions = append(actions, readAction(row, scope))
		}
	}
	return actions
}

// readScope parses the row of a scope. It also records the title and the earlier name of the scope, in titles
// and earlierScopes.
func readScope(row tableRow) Scope {
	scope := Scope(row.column(0))
	titles[scope] = row.column(1)
	if earlier := row.column(2); earlier != "" {
		earlierScopes[Scope(earlier)] = scope
	}
	return scope
}

// readAction parses the row of an action. It also records the earlier name of the action in earlierActions.
func readAction(row tableRow, scope Scope) Action {
	id := ID(row.column(0))
	if earlier := row.column(6); earlier != "" {
		earlierActions[ID(earlier)] = id
	}
	footer, _ := strconv.Atoi(row.column(2))
	return Action{
		ID:      id,
		Scope:   scope,
		Keys:    strings.Fields(row.column(1)),
		Title:   row.column(3),
		Help:    row.column(4),
		Footer:  footer,
		changes: row.column(5),
	}
}

// ScopeTitle returns the title of a scope in help and documentation.
func (s Scope) ScopeTitle() string { return titles[s] }

// IsOperations reports whether the scope is for pages of the section Operations.
func (s Scope) IsOperations() bool { return strings.HasPrefix(s.ScopeTitle(), titles[Ops]) }

// UpdateNames returns a binding with the names of earlier versions replaced by the current names.
// renamed reports whether a name was replaced.
func UpdateNames(b Binding) (current Binding, renamed bool) {
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

// The kinds of local data that an action changes.
const (
	ofDrafts  = "drafts" // a draft becomes an order
	ofMachine = "this machine"
)

// ChangeKind returns the kind of data on the service that the action changes.
func (a Action) ChangeKind() ChangeKind {
	switch a.changes {
	case ofDrafts:
		return ChangesOrders
	case ofMachine:
		return ChangesNothing
	default:
		return ChangeKind(a.changes)
	}
}

// IsHarmful reports whether the action changes or deletes data on the service or on this machine. An action
// that only begins a draft is not harmful. Harmless actions are suggested before harmful ones.
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
