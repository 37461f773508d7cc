package form

import (
	"maps"
	"strings"
	"time"

	"flightdesk/tui/format"
)

// optionSearch is an option being looked for by typing.
type optionSearch struct {
	text   string // what was typed
	missed bool   // no option has it
	last   time.Time

	at     int // what was chosen before
	ticked map[string]bool
}

// seekPause is how long after a letter the next one begins anew.
const seekPause = 2 * time.Second

// findOption chooses the option that fits what is typed best. What fits none leaves
// the choice as it was before the typing.
func (fl *Field) findOption(text string) {
	now := fl.now()
	if fl.seek.text != "" && now.Sub(fl.seek.last) > seekPause && len(text) > len(fl.seek.text) {
		text = strings.TrimPrefix(text, fl.seek.text)
		fl.seek = optionSearch{}
	}
	if fl.seek.text == "" {
		fl.seek.at, fl.seek.ticked = fl.at, maps.Clone(fl.ticked)
	}
	fl.seek.text, fl.seek.last, fl.seek.missed = text, now, false
	if best := fl.bestMatch(text, fl.seek.at); best >= 0 {
		fl.chooseOption(best)
		return
	}
	fl.seek.missed = text != ""
	fl.at = fl.seek.at
	if fl.Kind == Choice {
		fl.ticked = maps.Clone(fl.seek.ticked)
	}
}

// bestMatch returns the option that fits a text best, the first one from an option on; -1
// for none.
func (fl *Field) bestMatch(text string, from int) int {
	best, rank := -1, 0
	for i := range fl.Options {
		k := (from + i) % len(fl.Options)
		if r := fl.Options[k].matchRank(format.Fold(strings.TrimSpace(text))); r > rank {
			best, rank = k, r
		}
	}
	return best
}

// matchRank ranks where an option has a text: at the beginning of its label, of a
// word of it, anywhere in it, in its value, in its help; 0 for nowhere.
func (o Option) matchRank(text string) int {
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

// tickNamed ticks the options that a text names, one of them or with commas between
// several, and reports whether that has changed anything. Where a name fits none,
// all stays as it is.
func (fl *Field) tickNamed(text string) bool {
	names := []string{text}
	if fl.Kind == Multi {
		names = strings.Split(text, ",")
	}
	var values []string
	for _, name := range names {
		best := fl.bestMatch(name, 0)
		if best < 0 {
			fl.seek = optionSearch{text: strings.TrimSpace(name), missed: true}
			return false
		}
		values = append(values, fl.Options[best].Value)
	}
	before := fl.Value()
	fl.Set(values...)
	return fl.Value() != before
}
