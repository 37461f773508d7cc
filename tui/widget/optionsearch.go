package widget

import (
	"maps"
	"strings"
	"time"

	"flightdesk/tui/format"
)

// optionSearch is the state of a search for an option by typing. If no option matches, the field gets back the
// cursor and the ticks that it had before the search.
type optionSearch struct {
	text         string    // typed text
	lastKey      time.Time // when the last letter was typed
	cursorBefore int       // option under the cursor before the search
	tickedBefore map[string]bool
}

// seekPause is the pause between two letters after which a new search starts.
const seekPause = 2 * time.Second

// extendSearch adds typed text to the search. After a pause it starts a new search.
func (fl *Field) extendSearch(typed string) {
	isOver := fl.now().Sub(fl.seek.lastKey) > seekPause
	if isOver {
		fl.seek = optionSearch{}
	}
	fl.findOption(fl.seek.text + typed)
}

// shortenSearch removes the last character of the search.
func (fl *Field) shortenSearch() {
	typed := []rune(fl.seek.text)
	if len(typed) > 0 {
		fl.findOption(string(typed[:len(typed)-1]))
	}
}

// findOption searches for a text and selects the option that matches it best. If no option matches, it restores the
// selection from before the search.
func (fl *Field) findOption(text string) {
	isFirst := fl.seek.text == ""
	if isFirst {
		fl.seek.cursorBefore = fl.cursor
		fl.seek.tickedBefore = maps.Clone(fl.ticked)
	}
	fl.seek.text = text
	fl.seek.lastKey = fl.now()
	best := fl.bestMatch(text, fl.seek.cursorBefore)
	if best >= 0 {
		fl.chooseOption(best)
	} else {
		fl.restoreSelection()
	}
}

// restoreSelection restores the selection from before the search.
func (fl *Field) restoreSelection() {
	fl.cursor = fl.seek.cursorBefore
	if fl.Kind == ChoiceField {
		fl.ticked = maps.Clone(fl.seek.tickedBefore)
	}
}

// bestMatch returns the index of the option that matches a text best, or -1. If several options
// match equally well, it returns the first of them, searching from the index start on and wrapping
// around.
func (fl *Field) bestMatch(text string, start int) int {
	text = format.Fold(strings.TrimSpace(text))
	best := -1
	bestRank := 0
	for i := range fl.Options {
		k := (start + i) % len(fl.Options)
		rank := matchRank(&fl.Options[k], text)
		if rank > bestRank {
			best = k
			bestRank = rank
		}
	}
	return best
}

// matchRank returns how well an option matches a text: 5 if the label begins with the text, 4 if a word of the
// label begins with it, 3 if the label contains it, 2 if the value contains it, 1 if the help contains it,
// otherwise 0.
func matchRank(o *Option, text string) int {
	label := format.Fold(o.Label)
	switch {
	case text == "":
		return 0
	case strings.HasPrefix(label, text):
		return 5
	case strings.Contains(" "+label, " "+text):
		return 4
	case strings.Contains(label, text):
		return 3
	case !o.Quiet && strings.Contains(format.Fold(o.Value), text):
		return 2
	case strings.Contains(format.Fold(o.Help), text):
		return 1
	}
	return 0
}

// tickNamed ticks the option that a text names. The text can also name several options, separated by commas.
// tickNamed reports whether the value changed. If a name matches no option, nothing changes.
func (fl *Field) tickNamed(text string) bool {
	names := []string{text}
	if fl.Kind == MultiField {
		names = strings.Split(text, ",")
	}
	var values []string
	for _, name := range names {
		best := fl.bestMatch(name, 0)
		if best < 0 {
			fl.seek = optionSearch{text: strings.TrimSpace(name)}
			return false
		}
		values = append(values, fl.Options[best].Value)
	}
	before := fl.Value()
	fl.Set(values...)
	return fl.Value() != before
}
