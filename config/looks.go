package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// UserTheme is a custom theme: a built-in theme with some colours replaced.
type UserTheme struct {
	Name    string            `json:"name"`
	Base    string            `json:"base"`    // Dark, Light or HighContrast; Dark if unset
	Colours map[string]string `json:"colours"` // token → #rrggbb
	Lines   map[string]int    `json:"-"`       // token → line in the file
}

// Tokens lists the names of a theme's colours.
var Tokens = strings.Fields(`page raised selected selected_area rule text muted accent pending attention in_progress good bad
	band_text band_live band_test band_demo`)

// formerTokens are the names of tokens in earlier versions.
var formerTokens = map[string]string{
	"selected_area": "chosen",
	"pending":       "wait",
	"attention":     "you",
	"in_progress":   "moving",
}

// KeyBinding assigns keys to an action of the app. The app checks that the action
// exists and that keys do not collide.
type KeyBinding struct {
	Scope  string   `json:"scope"`
	Action string   `json:"action"`
	Keys   []string `json:"keys"`
	Line   int      `json:"-"` // line in the file
}

// readThemes reads the tables [themes.NAME].
func (t *tomlTable) readThemes() (themes []UserTheme) {
	for name, sub := range t.readTables("themes") {
		if slices.Contains(Themes, name) || !isProfileName(name) {
			sub.addFault("", "not a valid theme name; use up to 40 letters, digits, '.', '_' and '-', and no built-in name")
		}
		theme := UserTheme{Name: name, Base: Dark, Colours: map[string]string{}, Lines: map[string]int{}}
		sub.readText("base", &theme.Base, oneOf("base", []string{Dark, Light, HighContrast}))
		for _, token := range Tokens {
			for _, name := range []string{formerTokens[token], token} {
				colour := ""
				sub.readText(name, &colour, checkColour)
				if colour != "" {
					theme.Colours[token] = colour
					theme.Lines[token] = sub.lineOf(name)
				}
			}
		}
		sub.addUnknownKeys()
		themes = append(themes, theme)
	}
	return themes
}

// readBindings reads the tables [keys.SCOPE], which assign a key or a list of keys to
// an action.
func (t *tomlTable) readBindings() (bindings []KeyBinding) {
	for scope, sub := range t.readTables("keys") {
		for _, action := range sub.fileKeys() {
			if keys := sub.keyNames(action); len(keys) > 0 {
				bindings = append(bindings, KeyBinding{scope, action, keys, sub.lineOf(action)})
			}
		}
	}
	return bindings
}

// keyNames reads the names of one key or of a list of keys.
func (t *tomlTable) keyNames(key string) []string {
	v, _ := readValue[any](t, key, "")
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	var names []string
	for _, item := range items {
		name, problem := keyName(item)
		if slices.Contains(names, name) {
			problem = name + " is listed twice"
		}
		if problem != "" {
			t.addFault(key, "%s", problem)
			return nil
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		t.addFault(key, "empty list; add a key or remove the entry")
	}
	return names
}

// keyName returns the name of a key in the file. problem is what is wrong with the name, or "".
func keyName(item any) (name, problem string) {
	name, isText := item.(string)
	if !isText {
		return "", `expected a key such as "ctrl+r" or a list of keys, not ` + typeName(item)
	}
	return name, checkKey(name)
}

// namedKey matches the names of keys that are not characters.
var namedKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(enter|esc|tab|space|backspace|delete|insert|up|down|left|right|home|end|pgup|pgdown|f[1-9]|f1[0-9]|f20)$`,
	)
})

// checkKey returns what is wrong with the name of a key, or "".
func checkKey(s string) string {
	modifiers, key := cutModifiers(s)
	if namedKey().MatchString(key) {
		return ""
	}
	letters := []rune(key)
	isCharacter := len(letters) == 1 && unicode.IsPrint(letters[0]) && !unicode.IsSpace(letters[0])
	if !isCharacter {
		return fmt.Sprintf(
			"%q is not a key; use a letter, one of enter, esc, tab, space, backspace, delete, insert, up, down, left, right, "+
				"home, end, pgup, pgdown, or f1 to f20, optionally after ctrl+, alt+, shift+ or super+",
			s,
		)
	}
	if modifiers != "" && unicode.IsUpper(letters[0]) {
		return fmt.Sprintf("use %s: letters after ctrl, alt or shift are lower-case", strings.ToLower(s))
	}
	hasShiftFirst := strings.HasPrefix(modifiers, "shift+") // after ctrl or alt, shift has to be written
	if hasShiftFirst {
		return fmt.Sprintf("use %s: the capital letter implies shift", strings.ToUpper(key))
	}
	return ""
}

// cutModifiers splits the name of a key after its modifiers, such as "ctrl+shift+" and "a".
func cutModifiers(s string) (modifiers, key string) {
	key = s
	for _, modifier := range []string{"ctrl+", "alt+", "shift+", "super+"} {
		rest, ok := strings.CutPrefix(key, modifier)
		if ok && rest != "" {
			modifiers += modifier
			key = rest
		}
	}
	return modifiers, key
}
