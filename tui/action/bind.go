package action

import (
	"fmt"
	"slices"
	"strings"
)

// Binding gives an action of a scope other keys.
type Binding struct {
	Scope  Scope
	Action ID
	Keys   []string // as Bubble Tea names them; at least one
}

// BindFault is something wrong with one binding.
type BindFault struct {
	Binding Binding
	Problem string
}

// Error returns scope.action: problem.
func (f BindFault) Error() string {
	return fmt.Sprintf("%s.%s: %s", f.Binding.Scope, f.Binding.Action, f.Problem)
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
			faults = append(
				faults,
				BindFault{
					given,
					fmt.Sprintf("%s is %s.%s already; give that another key", key, with.Scope, with.ID),
				},
			)
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
