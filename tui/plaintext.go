package tui

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// printText prints a line without glyphs, unless nothing is left of it.
func (p *plainMode) printText(line string) {
	if text := linearize(line); text != "" {
		p.writeOutput(text + "\n")
	}
}

// writeOutput writes text, unless an earlier write failed.
func (p *plainMode) writeOutput(text string) {
	if _, err := io.WriteString(p.out, p.app.ws.env.Files.HidePaths(text)); err != nil {
		p.failed = cmp.Or(p.failed, err)
		p.end()
	}
}

func (p *plainMode) prompt() { p.writeOutput("> ") }

// printPage prints the page or the open dialog, and its keys.
func (p *plainMode) printPage() {
	p.form = p.filledIn()
	if said := &p.app.ws.status.toast; said.Text != "" { // the result of background work
		p.printText("-- " + said.Text)
		said.Text = ""
	}
	if d := p.app.ws.dialogs.top(); d != nil {
		lines, hint := p.dialogLines(d)
		for _, l := range lines {
			p.printText(l)
		}
		p.printText(describeAnswers(d, hint))
		p.printFocus()
		return
	}
	var titles []string
	for _, on := range p.app.ws.pages.pages() {
		titles = append(titles, format.Clean(on.Title()))
	}
	p.writeOutput("\n")
	heading := nonEmpty(strings.Join(titles, " > "), ansi.Strip(p.app.ws.pages.top().CornerText()))
	if leader, ok := p.app.ws.pages.top().(page.Leader); ok {
		heading = append(heading, nonEmpty(leader.LeadOf().Text)...)
	}
	p.printText("== " + strings.Join(heading, " - ") + " ==")
	for _, l := range p.pageLines() {
		p.printText(l)
	}
	if len(p.app.ws.held.waiting) > 0 {
		p.printText("-- " + p.app.ws.held.countdown(p.app.ws.env.Clock.Now(), plainLine) + "; wait to continue then")
	}
	if p.app.ws.env.Profile.Downloads.Busy() {
		p.printText("-- downloading " + strings.TrimPrefix(p.app.ws.env.Profile.Downloads.Line(), "↓ ") + "; wait to continue then")
	}
	var keys []string
	for _, act := range p.app.footerActions() {
		keys = append(keys, act.ShownKey(p.app.ws.pages.top().IsTyping())+" "+act.Title)
	}
	before := "Keys: "
	if p.app.ws.pages.top().IsTyping() {
		before = "Type text, or : and a key: "
	}
	p.printText(before + strings.Join(keys, ", "))
	p.printFocus()
}

// printFocus prints the focused field of a form, and prompts.
func (p *plainMode) printFocus() {
	if p.form != nil {
		p.printField(p.form)
		return
	}
	p.prompt()
}

// printField prints the faults of a form and its focused field, and prompts.
func (p *plainMode) printField(f *widget.Form) {
	for _, fl := range f.Fields {
		if fl.Error != "" && fl != f.Focused() {
			p.printText("-- " + fl.Label + ": " + fl.Error)
		}
	}
	p.printText(describeField(f.Focused()))
	p.prompt()
}

// describeField describes a field: label, value, fault, help and options.
func describeField(fl *widget.Field) string {
	parts := []string{fl.Label + ": " + fieldValue(fl)}
	if fl.Error != "" {
		parts = append(parts, fl.Error)
	}
	if help := strings.TrimSuffix(fl.Help, "."); help != "" {
		parts = append(parts, help)
	}
	if len(fl.Options) > 0 {
		labels := make([]string, len(fl.Options))
		for i, o := range fl.Options {
			labels[i] = o.Label
		}
		one := "One of: "
		if fl.Kind == widget.MultiField {
			one = "Any of, with commas between: "
		}
		parts = append(parts, one+strings.Join(labels, ", "))
	}
	return strings.Join(parts, ". ")
}

func fieldValue(fl *widget.Field) string {
	switch value := fl.Value(); {
	case value == "" || len(fl.Options) > 0 && len(fl.Values()) == 0:
		return "empty"
	case fl.Secret:
		return "typed, not shown"
	case len(fl.Options) > 0:
		return fl.TickedSummary()
	default:
		return value
	}
}

// dialogLines returns the lines of a dialog and its footer.
func (p *plainMode) dialogLines(d widget.Dialog) (lines []string, hint string) {
	lines = strings.Split(ansi.Strip(d.View(p.app.ws.env.Look.Theme, plainLine, plainHeight)), "\n")
	last := len(lines) - 1
	return lines[:last], lines[last]
}

// describeAnswers describes which lines a dialog accepts.
func describeAnswers(d widget.Dialog, hint string) string {
	keys := "Keys: " + strings.Join(footKeys(hint), ", ")
	switch d := d.(type) {
	case *widget.Question:
		return fmt.Sprintf("Answer y or enter: %s; n or esc: %s.", d.Yes, d.No)
	case *widget.FormDialog:
		return "Each line fills a field and goes to the next; an empty line keeps its value. " + keys
	}
	return keys
}

// pageLines returns the lines of the page.
func (p *plainMode) pageLines() []string {
	return strings.Split(ansi.Strip(p.app.ws.pages.top().View(plainLine, plainHeight)), "\n")
}

// printSelection prints the selected row after a move in a list.
func (p *plainMode) printSelection() {
	for _, l := range p.pageLines() {
		if strings.Contains(l, theme.Selected) {
			p.printText(l)
		}
	}
	p.prompt()
}

// printHelp prints every available action.
func (p *plainMode) printHelp() {
	for _, act := range action.ActionsOf(p.app.activeScopes()...) {
		if slices.Contains(ofScreen, act.ID) {
			continue
		}
		line := fmt.Sprintf("%s: %s - %s", strings.Join(act.Keys, " "), act.Title, act.Help)
		if why := p.app.disabledReason(act); why != "" {
			line += " (unavailable: " + why + ")"
		}
		p.printText(line)
	}
	p.printText(": and a name: go to an order, a mission or a section, or search all actions")
	p.printText("wait: until pending actions are sent and downloads are done")
}

// spoken replaces glyphs by words.
var spoken = strings.NewReplacer(strings.Split("←→|left and right|↑↓|up and down|↓ ↑|up and down|"+
	"↑|up|↓|down|←|left|→|to|…|...|⋯|...|–|-|−|-|›|>|‹|<| · |, |· ||·|,|×|x", "|")...)

// shape matches glyphs without a meaning in text (arrows, boxes, blocks, dots)
// and the blank that follows.
var shape = regexp.MustCompile("[\u2190-\u23FF\u2500-\u28FF] ?")

// gap matches the space between columns.
var gap = regexp.MustCompile(`([.,:;]?) {2,}`)

// linearize returns a line without glyphs, with commas between columns.
func linearize(s string) string {
	s = strings.TrimLeft(shape.ReplaceAllString(spoken.Replace(s), ""), ", ")
	return gap.ReplaceAllStringFunc(strings.TrimSpace(s), func(at string) string {
		if before := strings.TrimRight(at, " "); before != "" {
			return before + " "
		}
		return ", "
	})
}
