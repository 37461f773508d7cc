package glyph

import (
	"cmp"
	"runtime"
	"strings"
)

// The settings.
const (
	SettingAuto    = "auto"
	SettingUnicode = "unicode"
	SettingASCII   = "ascii"
)

// Terminal is what is known of the characters that a terminal shows.
type Terminal struct {
	Setting string // one of the settings; "" is auto
	Charset string // NAME=value of the environment that names another charset than UTF-8; "" for none
	Console bool   // Linux without a display
	cells   int    // that probed took, 0 where that is not known
}

// TerminalOf returns what the environment says.
func TerminalOf(setting string, getenv func(string) string) Terminal {
	return Terminal{Setting: setting, Charset: terminalCharset(getenv), Console: getenv("TERM") == "linux"}
}

func terminalCharset(getenv func(string) string) string {
	if runtime.GOOS == "windows" {
		return ""
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first one that is set counts
		value := getenv(name)
		if value == "" {
			continue
		}
		if upper := strings.ToUpper(
			value,
		); strings.Contains(upper, "UTF-8") ||
			strings.Contains(upper, "UTF8") {
			return ""
		}
		return name + "=" + value
	}
	return ""
}

const (
	// probed are two characters of two bytes each; the first one is two cells
	// wide where those of ambiguous width are.
	probed     = "°ñ"
	probeStart = 20 // column; with a small one the answer is like that to a key
)

// Probe has a terminal show two characters for a moment and tell the column
// after them, which is for [Terminal.Hear]. It is sent before anything is
// drawn, from the beginning of a line.
const Probe = "\x1b7\x1b[20G" + probed + "\x1b[6n\x1b[20G\x1b[K\x1b8"

// TakeColumn takes the column, counted from 0, that a terminal tells after a probe.
func (t *Terminal) TakeColumn(column int) {
	if cells := column + 1 - probeStart; cells >= 2 && cells <= 4 {
		t.cells = cells
	}
}

// IsWide reports whether characters of ambiguous width are two cells wide.
func (t Terminal) IsWide() bool { return t.cells == 3 }

// IsBytes reports whether the terminal shows each byte as a character, or may
// do so.
func (t Terminal) IsBytes() bool { return t.cells == 4 || t.cells == 0 && t.Charset != "" }

// GlyphSet returns the set of characters to draw with.
func (t Terminal) GlyphSet() Set {
	switch setting := cmp.Or(t.Setting, SettingAuto); {
	case setting == SettingUnicode:
		return Unicode
	case t.IsBytes():
		return Bytes
	case t.IsWide():
		return Narrow
	case setting == SettingASCII || t.Charset != "":
		return ASCII
	case t.Console:
		return Console
	default:
		return Unicode
	}
}
