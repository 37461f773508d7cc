package tui

import (
	"regexp"
	"strconv"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
)

// latinKeys maps each letter of the Russian and Ukrainian keyboard layouts to the key in the same position on
// a US keyboard.
var latinKeys = makeLatinKeys(
	"йцукенгшщзхъфывапролджэячсмитьбюёіїє",
	"qwertyuiop[]asdfghjkl;'zxcvbnm,.`s]'",
)

// makeLatinKeys maps each letter, and its upper case, to the key at the same index.
func makeLatinKeys(letters, keys string) map[rune]rune {
	latin := make(map[rune]rune)
	keyRunes := []rune(keys)
	for i, letter := range []rune(letters) {
		key := keyRunes[i]
		latin[letter] = key
		latin[unicode.ToUpper(letter)] = unicode.ToUpper(key)
	}
	return latin
}

// findAction returns the action of a key. If the key has no action and types no Latin letter, for example on
// a Russian keyboard, it returns the action of the key in the same position on a US keyboard.
func findAction(key tea.KeyPressMsg, scopes ...action.Scope) (action.Action, bool) {
	if act, ok := action.FindAction(key.String(), scopes...); ok {
		return act, true
	}
	latin := latinKeyOf(key)
	if latin == 0 || latin > unicode.MaxASCII {
		return action.Action{}, false
	}
	usKey := tea.KeyPressMsg{Code: latin, Mod: key.Mod}
	if key.Text != "" {
		usKey.Text = string(latin)
		usKey.Mod &^= tea.ModShift
	}
	return action.FindAction(usKey.String(), scopes...)
}

// latinKeyOf returns the character that a US keyboard has in the position of a key, or 0 if the
// position is unknown. Some terminals report that character as BaseCode.
func latinKeyOf(key tea.KeyPressMsg) rune {
	if letters := []rune(key.Text); len(letters) == 1 && latinKeys[letters[0]] != 0 {
		return latinKeys[letters[0]]
	}
	if key.BaseCode != 0 {
		return key.BaseCode
	}
	return latinKeys[key.Code]
}

// keyInPaste matches a key that a terminal or multiplexer has encoded inside a paste, in either
// of the two forms that exist. Its groups are the code of the key.
var keyInPaste = regexp.MustCompile(`\x1b\[(?:(\d+)(?:;1)?u|27;1;(\d+)~)`)

// decodePaste replaces encoded keys inside a paste by their characters. For example, tmux can
// encode a line break as "ESC [13;1u".
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

// keyOf returns the label of the key of an action that works everywhere, or "" for other actions.
func keyOf(id action.ID) string { return action.KeyOf(id, action.Everywhere) }
