package action

import (
	"cmp"
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

	changes string // a ChangeKind, or something that is not the service's; "" for nothing
}

// ActionsOf returns the actions of the scopes, in the order of the scopes and then of
// the table. An action whose keys are all taken by an earlier scope is left out.
func ActionsOf(scopes ...Scope) []Action {
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
	slices.SortStableFunc(shown, func(a, b Action) int { return a.Footer - b.Footer })
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
var shortLabels = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "delete": "del"}

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
