package tui

import (
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

// printText prints a line without glyphs. It prints nothing for a line that only has glyphs.
func (p *plainMode) printText(line string) {
	if text := linearize(line); text != "" {
		p.writeOutput(text + "\n")
	}
}

// writeOutput writes text with private paths removed. An error ends the loop.
func (p *plainMode) writeOutput(text string) {
	if _, err := io.WriteString(p.out, p.hidePaths(text)); err != nil {
		p.fail(err)
		p.loop.end()
	}
}

func (p *plainMode) prompt() { p.writeOutput("> ") }

// printPage prints the page or the dialog, and its keys.
func (p *plainMode) printPage(screen *plainScreen) {
	p.form = screen.form()
	if screen.dialog != nil {
		p.printDialog(screen)
	} else {
		p.writeOutput("\n")
		p.printHeading(screen)
		for _, line := range screen.pageLines() {
			p.printText(line)
		}
		p.printBackground(screen)
		p.printKeys(screen)
	}
	p.printFocus()
}

// printDialog prints the dialog and the lines that it accepts.
func (p *plainMode) printDialog(screen *plainScreen) {
	lines, footer := screen.dialogLines()
	for _, line := range lines {
		p.printText(line)
	}
	p.printText(describeAnswers(screen.dialog, footer))
}

// printHeading prints the breadcrumbs, the corner text and the lead of the page.
func (p *plainMode) printHeading(screen *plainScreen) {
	var titles []string
	for _, title := range page.BreadcrumbTitles(screen.pages) {
		titles = append(titles, format.Clean(title))
	}
	lead := ""
	if leader, ok := screen.top().(page.Leader); ok {
		lead = leader.LeadOf().Text
	}
	parts := nonEmpty(strings.Join(titles, " > "), ansi.Strip(screen.top().CornerText()), lead)
	p.printText("== " + strings.Join(parts, " - ") + " ==")
}

// printBackground prints the countdown of the next held change and the progress of downloads.
func (p *plainMode) printBackground(screen *plainScreen) {
	if screen.countdown != "" {
		p.printText("-- " + screen.countdown + "; wait to continue then")
	}
	if screen.downloads != "" {
		p.printText("-- downloading " + screen.downloads + "; wait to continue then")
	}
}

// printKeys prints the keys of the page.
func (p *plainMode) printKeys(screen *plainScreen) {
	isTyping := screen.top().IsTyping()
	var keys []string
	for _, act := range screen.footer {
		keys = append(keys, act.ShownKey(isTyping)+" "+act.Title)
	}
	label := "Keys: "
	if isTyping {
		label = "Type text, or : and a key: "
	}
	p.printText(label + strings.Join(keys, ", "))
}

// printFocus prints the focused field of the open form, if any, and the prompt.
func (p *plainMode) printFocus() {
	if p.form != nil {
		p.printField(p.form)
		return
	}
	p.prompt()
}

// printField prints the errors of the other fields of a form, its focused field, and the prompt.
func (p *plainMode) printField(form *widget.Form) {
	focused := form.Focused()
	for _, field := range form.Fields {
		if field.Error != "" && field != focused {
			p.printText("-- " + field.Label + ": " + field.Error)
		}
	}
	p.printText(describeField(focused))
	p.prompt()
}

// describeField describes a field: label, value, error, help and options.
func describeField(field *widget.Field) string {
	parts := []string{
		field.Label + ": " + fieldValue(field),
		field.Error,
		strings.TrimSuffix(field.Help, "."),
	}
	if len(field.Options) > 0 {
		parts = append(parts, describeOptions(field))
	}
	return strings.Join(nonEmpty(parts...), ". ")
}

// describeOptions lists the options of a field.
func describeOptions(field *widget.Field) string {
	labels := make([]string, len(field.Options))
	for i, option := range field.Options {
		labels[i] = option.Label
	}
	list := strings.Join(labels, ", ")
	if field.Kind == widget.MultiField {
		return "Any of, with commas between: " + list
	}
	return "One of: " + list
}

// fieldValue returns the value of a field as text. It does not reveal a secret.
func fieldValue(field *widget.Field) string {
	value := field.Value()
	hasOptions := len(field.Options) > 0
	if value == "" || hasOptions && len(field.Values()) == 0 {
		return "empty"
	}
	if field.Secret {
		return "typed, not shown"
	}
	if hasOptions {
		return field.TickedSummary()
	}
	return value
}

// describeAnswers describes the lines that a dialog accepts.
func describeAnswers(d widget.Dialog, footer string) string {
	keys := "Keys: " + strings.Join(splitHints(footer), ", ")
	switch d := d.(type) {
	case *widget.Question:
		return fmt.Sprintf("Answer y or enter: %s; n or esc: %s.", d.Yes, d.No)
	case *widget.FormDialog:
		return "Each line fills a field and goes to the next; an empty line keeps its value. " + keys
	}
	return keys
}

// printSelection prints the selected row after a move in a list.
func (p *plainMode) printSelection(screen *plainScreen) {
	for _, line := range screen.pageLines() {
		if strings.Contains(line, theme.Selected) {
			p.printText(line)
		}
	}
	p.prompt()
}

// printHelp prints every action that an input line can name.
func (p *plainMode) printHelp(screen *plainScreen) {
	for _, act := range action.ActionsOf(screen.scopes...) {
		if slices.Contains(screenActions, act.ID) {
			continue
		}
		line := fmt.Sprintf("%s: %s - %s", strings.Join(act.Keys, " "), act.Title, act.Help)
		if reason := screen.disabledReason(act); reason != "" {
			line += " (unavailable: " + reason + ")"
		}
		p.printText(line)
	}
	p.printText(": and a name: go to an order, a mission or a section, or search all actions")
	p.printText("wait: until pending actions are sent and downloads are done")
}

// maxMatches is the number of matches that are listed for an ambiguous name.
const maxMatches = 8

// listMatches lists the entries that an ambiguous name can mean.
func (p *plainMode) listMatches(found paletteEntries) {
	p.printText("-- several match; type : and more of the name:")
	for _, e := range found[:min(len(found), maxMatches)] {
		p.printText(strings.Join(nonEmpty(e.label, e.hint), "  "))
	}
}

// glyphWords replaces glyphs by words or ASCII characters.
var glyphWords = strings.NewReplacer(
	"←→", "left and right",
	"↑↓", "up and down",
	"↓ ↑", "up and down",
	"↑", "up",
	"↓", "down",
	"←", "left",
	"→", "to",
	"…", "...",
	"⋯", "...",
	"–", "-",
	"−", "-",
	"›", ">",
	"‹", "<",
	" · ", ", ",
	"· ", "",
	"·", ",",
	"×", "x",
)

// shape matches a glyph that means nothing in text (an arrow, a line, a block or a dot) with the
// blank after it.
var shape = regexp.MustCompile("[\u2190-\u23FF\u2500-\u28FF] ?")

// columnGap matches the blanks between two columns, and the punctuation before them.
var columnGap = regexp.MustCompile(`([.,:;]?) {2,}`)

// linearize returns a line without glyphs. It puts a comma between columns, unless the left column
// ends with punctuation.
func linearize(line string) string {
	line = shape.ReplaceAllString(glyphWords.Replace(line), "")
	line = strings.TrimSpace(strings.TrimLeft(line, ", "))
	return columnGap.ReplaceAllStringFunc(line, func(gap string) string {
		punctuation := strings.TrimRight(gap, " ")
		if punctuation == "" {
			return ", "
		}
		return punctuation + " "
	})
}
