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

// printText prints a line without glyphs. It skips a line that has nothing else.
func (p *plainMode) printText(line string) {
	if text := linearize(line); text != "" {
		p.writeOutput(text + "\n")
	}
}

// writeOutput writes text with private paths removed. An error ends the loop.
func (p *plainMode) writeOutput(text string) {
	_, err := io.WriteString(p.out, p.app.ws.env.Files.HidePaths(text))
	if err == nil {
		return
	}
	if p.err == nil {
		p.err = err
	}
	p.end()
}

func (p *plainMode) prompt() { p.writeOutput("> ") }

// printPage prints the page or the open dialog, and its keys.
func (p *plainMode) printPage() {
	p.form = p.openForm()
	toast := &p.app.ws.status.toast // the result of background work, if any
	if toast.Text != "" {
		p.printText("-- " + toast.Text)
		toast.Text = ""
	}
	if d := p.app.ws.dialogs.top(); d != nil {
		p.printDialog(d)
	} else {
		p.writeOutput("\n")
		p.printHeading()
		for _, line := range p.pageLines() {
			p.printText(line)
		}
		p.printBackground()
		p.printKeys()
	}
	p.printFocus()
}

// printDialog prints a dialog and the lines that it accepts.
func (p *plainMode) printDialog(d widget.Dialog) {
	lines, footer := p.dialogLines(d)
	for _, line := range lines {
		p.printText(line)
	}
	p.printText(describeAnswers(d, footer))
}

// printHeading prints the breadcrumbs, the corner text and the lead of the page.
func (p *plainMode) printHeading() {
	var titles []string
	for _, opened := range p.app.ws.pages.pages() {
		titles = append(titles, format.Clean(opened.Title()))
	}
	top := p.app.ws.pages.top()
	lead := ""
	if leader, ok := top.(page.Leader); ok {
		lead = leader.LeadOf().Text
	}
	parts := nonEmpty(strings.Join(titles, " > "), ansi.Strip(top.CornerText()), lead)
	p.printText("== " + strings.Join(parts, " - ") + " ==")
}

// printBackground prints the countdown of the next held change and the progress of downloads.
func (p *plainMode) printBackground() {
	env := p.app.ws.env
	if len(p.app.ws.held.waiting) > 0 {
		countdown := p.app.ws.held.countdown(env.Clock.Now(), plainLine)
		p.printText("-- " + countdown + "; wait to continue then")
	}
	if env.Profile.Downloads.Busy() {
		progress := strings.TrimPrefix(env.Profile.Downloads.Line(), "↓ ")
		p.printText("-- downloading " + progress + "; wait to continue then")
	}
}

// printKeys prints the keys of the page.
func (p *plainMode) printKeys() {
	isTyping := p.app.ws.pages.top().IsTyping()
	var keys []string
	for _, act := range p.app.footerActions() {
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

// dialogLines returns the lines of a dialog, and its footer.
func (p *plainMode) dialogLines(d widget.Dialog) (lines []string, footer string) {
	view := d.View(p.app.ws.env.Look.Theme, plainLine, plainHeight)
	lines = strings.Split(ansi.Strip(view), "\n")
	last := len(lines) - 1
	return lines[:last], lines[last]
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

// pageLines returns the lines of the page.
func (p *plainMode) pageLines() []string {
	return strings.Split(ansi.Strip(p.app.ws.pages.top().View(plainLine, plainHeight)), "\n")
}

// printSelection prints the selected row after a move in a list.
func (p *plainMode) printSelection() {
	for _, line := range p.pageLines() {
		if strings.Contains(line, theme.Selected) {
			p.printText(line)
		}
	}
	p.prompt()
}

// printHelp prints every available action.
func (p *plainMode) printHelp() {
	for _, act := range action.ActionsOf(p.app.activeScopes()...) {
		if slices.Contains(screenActions, act.ID) {
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

// linearize returns a line without glyphs. Columns are separated by commas, or by the punctuation
// at the end of the first column.
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
