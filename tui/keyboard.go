package tui

import (
	"regexp"
	"strconv"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
)

// latinKeys are the keys of a US keyboard by the letters that the Russian and the Ukrainian
// layout have in their place.
var latinKeys = makeLatinKeys(
	"йцукенгшщзхъфывапролджэячсмитьбюёіїє",
	"qwertyuiop[]asdfghjkl;'zxcvbnm,.`s]'",
)

func makeLatinKeys(letters, keys string) map[rune]rune {
	latin := make(map[rune]rune)
	for i, letter := range []rune(letters) {
		key := []rune(keys)[i]
		latin[letter] = key
		latin[unicode.ToUpper(letter)] = unicode.ToUpper(key)
	}
	return latin
}

// findAction returns the action of a key. If a key of a layout without Latin letters has none,
// the action of the key at the same place of a US keyboard is returned: the terminal reports
// that key for some presses; for plain letters it is looked up.
func findAction(key tea.KeyPressMsg, scopes ...action.Scope) (action.Action, bool) {
	if act, ok := action.FindAction(key.String(), scopes...); ok {
		return act, true
	}
	latin := key.BaseCode
	if latin == 0 {
		latin = latinKeys[key.Code]
	}
	if letters := []rune(key.Text); len(letters) == 1 && latinKeys[letters[0]] != 0 {
		latin = latinKeys[letters[0]]
	}
	if latin == 0 || latin > unicode.MaxASCII {
		return action.Action{}, false
	}
	same := tea.KeyPressMsg{Code: latin, Mod: key.Mod}
	if key.Text != "" {
		same.Text = string(latin)
		same.Mod &^= tea.ModShift
	}
	return action.FindAction(same.String(), scopes...)
}

// keyInPaste matches a key that a terminal or multiplexer has encoded inside a paste: its code
// and modifiers, in the two forms that are in use.
var keyInPaste = regexp.MustCompile(`\x1b\[(?:(\d+)(?:;1)?u|27;1;(\d+)~)`)

// decodePaste replaces encoded keys inside a paste, such as a line break that tmux sends as
// "ESC [13;1u", by the characters that they stand for.
func decodePaste(text string) string {
	return keyInPaste.ReplaceAllStringFunc(text, func(encoded string) string {
		m := keyInPaste.FindStringSubmatch(encoded)
		code, err := strconv.Atoi(m[1] + m[2])
		if err != nil || code > unicode.MaxRune {
			return ""
		}
		if code == '\r' {
			return "\n"
		}
		return string(rune(code))
	})
}

// keyOf returns the key of an action that works everywhere, or "".
func keyOf(id action.ID) string {
	for _, act := range action.ActionsOf(action.Everywhere) {
		if act.ID == id {
			return action.KeyLabel(act.Keys[0])
		}
	}
	return ""
}
