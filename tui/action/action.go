package action

import (
	"slices"
	"strings"
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
}

// In returns the actions of the scopes, in the order of the scopes and then of
// the table. An action whose keys are all taken by an earlier scope is left out.
func In(scopes ...Scope) []Action {
	var found []Action
	taken := map[string]bool{}
	for _, scope := range scopes {
		for _, a := range table {
			if a.Scope != scope || taken[a.Keys[0]] {
				continue
			}
			found = append(found, a)
		}
		for _, a := range found {
			for _, k := range a.Keys {
				taken[k] = true
			}
		}
	}
	return found
}

// Find returns the action of a key in the first scope that has one.
func Find(key string, scopes ...Scope) (Action, bool) {
	for _, scope := range scopes {
		for _, a := range table {
			if a.Scope == scope && slices.Contains(a.Keys, key) {
				return a, true
			}
		}
	}
	return Action{}, false
}

// Footer returns the actions that the footer shows, in its order.
func Footer(scopes ...Scope) []Action {
	shown := slices.DeleteFunc(In(scopes...), func(a Action) bool { return a.Footer == 0 })
	slices.SortStableFunc(shown, func(a, b Action) int { return a.Footer - b.Footer })
	return shown
}

// All returns the whole table.
func All() []Action { return slices.Clone(table) }

// Scopes returns every scope, in the table's order.
func Scopes() []Scope {
	var scopes []Scope
	for _, a := range table {
		if !slices.Contains(scopes, a.Scope) {
			scopes = append(scopes, a.Scope)
		}
	}
	return scopes
}

// Works reports whether a key acts while text is being typed: only those that
// no text is made of.
func Works(key string) bool {
	switch key {
	case "esc", "tab", "shift+tab", "enter", "up", "down", "shift+up", "shift+down", "pgup", "pgdown", "home", "end", "f1":
		return true
	}
	return strings.HasPrefix(key, "ctrl+") || strings.HasPrefix(key, "alt+")
}

// Shown is the key that the footer shows: the first one, or while text is being
// typed the first that works then; "" for none.
func (a Action) Shown(typing bool) string {
	for _, k := range a.Keys {
		if !typing || Works(k) {
			return k
		}
	}
	return ""
}

// Label is how a key is shown.
func Label(key string) string {
	switch key {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "delete":
		return "del"
	default:
		return key
	}
}

// KeyLabels shows all keys of the action.
func (a Action) KeyLabels() string {
	labels := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		labels[i] = Label(k)
	}
	return strings.Join(labels, " ")
}
