package action

import (
	_ "embed"
	"strconv"
	"strings"
)

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
			a := Action{ID(field[0]), scope, strings.Fields(field[1]), field[3], field[4], 0, field[5]}
			a.Footer, _ = strconv.Atoi(field[2])
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
