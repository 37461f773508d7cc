package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/widget"
)

// readLines sends the lines of the input to the channel, and closes it at the end of the input.
// Lines can have any length, and the last one need not end with a newline.
func readLines(ctx context.Context, in io.Reader, lines chan<- string) error {
	defer close(lines)
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			select {
			case lines <- line:
			case <-ctx.Done():
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lineKind is what an input line asks for.
type lineKind int

const (
	lineRefused lineKind = iota // nothing, for a reason
	lineKeys                    // sends keys to the dialog or the page
	lineAction                  // performs action
	lineName                    // goes to the section, action or place with a name
	lineHelp                    // prints all actions
	lineWait                    // waits until nothing is pending
	linePage                    // prints the page again
)

// inputLine is an input line with its meaning.
type inputLine struct {
	kind   lineKind
	reason string        // for lineRefused: why the line has no effect
	keys   []tea.Msg     // for lineKeys: key presses and pastes
	action action.Action // for lineAction
	name   string        // for lineName: of a section, an action, an order or another place
}

// refusedLine returns a line that has no effect.
func refusedLine(reason string) inputLine { return inputLine{kind: lineRefused, reason: reason} }

// parseLine returns the meaning of an input line: an answer to a dialog, text for a field, or a
// command. A colon before a name makes it a command even while text is typed.
func parseLine(line string, screen *plainScreen) inputLine {
	if screen.dialog != nil {
		return parseAnswer(line, screen)
	}
	name, hasColon := strings.CutPrefix(line, ":")
	if screen.top().IsTyping() && !hasColon {
		return inputLine{kind: lineKeys, keys: append(fillKeys(screen.form(), line), enterKey)}
	}
	switch name {
	case "?", "help":
		return inputLine{kind: lineHelp}
	case "wait":
		return inputLine{kind: lineWait}
	case "":
		if hasColon {
			return refusedLine("type : and a name: an order, a mission, a section, an action")
		}
		return inputLine{kind: linePage}
	}
	if hasColon {
		return inputLine{kind: lineName, name: name}
	}
	act, ok := findPlainAction(name, screen.scopes)
	if !ok {
		reason := fmt.Sprintf("no action %q on this page; type ? for the list, or :%s to search all", line, line)
		return refusedLine(reason)
	}
	return inputLine{kind: lineAction, action: act}
}

// screenActions are the actions that only make sense on a screen.
var screenActions = []action.ID{
	action.Palette,
	action.Jump,
	action.Profiles,
	action.LastProfile,
	action.Mouse,
	action.Suspend,
	action.FocusMap,
}

// findPlainAction returns the action in the scopes that has this key or title. If there is none, it returns the
// first action whose title begins with name.
func findPlainAction(name string, scopes []action.Scope) (action.Action, bool) {
	if act, ok := action.FindAction(name, scopes...); ok {
		return act, true
	}
	if len(name) < 2 {
		return action.Action{}, false
	}
	for _, act := range action.ActionsOf(scopes...) {
		if strings.HasPrefix(strings.ToLower(act.Title), strings.ToLower(name)) {
			return act, true
		}
	}
	return action.Action{}, false
}

// questionKeys are the keys of the answers to a question.
var questionKeys = map[string]string{
	"y":   "enter",
	"yes": "enter",
	"n":   "esc",
	"no":  "esc",
}

// dialogKeys are the keys that the user can type by name in every dialog.
var dialogKeys = []string{"esc", "tab", "down", "up", "space", "enter"}

// Keys that follow the text of an input line.
var (
	enterKey = tea.KeyPressMsg{Code: tea.KeyEnter}
	tabKey   = tea.KeyPressMsg{Code: tea.KeyTab}
)

// parseAnswer returns the meaning of an input line while a dialog is open. The line is the name of a key or
// the text for the focused field. After a text, the returned keys also press tab to go to the next field, or
// enter in the last field.
func parseAnswer(line string, screen *plainScreen) inputLine {
	_, footer := screen.dialogLines()
	if key, ok := keyOfAnswer(line, screen.dialog, footer); ok {
		return inputLine{kind: lineKeys, keys: []tea.Msg{key}}
	}
	if _, isQuestion := screen.dialog.(*widget.Question); isQuestion {
		return refusedLine("answer y or n")
	}
	form := screen.form()
	next := tabKey
	if form == nil || form.IsLast() {
		next = enterKey
	}
	return inputLine{kind: lineKeys, keys: append(fillKeys(form, line), next)}
}

// keyOfAnswer returns the key that an input line names in a dialog: the answer to a question, one
// of dialogKeys, or a key in the dialog's footer.
func keyOfAnswer(line string, d widget.Dialog, footer string) (tea.KeyPressMsg, bool) {
	word := strings.ToLower(line)
	if _, isQuestion := d.(*widget.Question); isQuestion && questionKeys[word] != "" {
		word = questionKeys[word]
	}
	if slices.Contains(dialogKeys, word) {
		return action.KeyPress(word)
	}
	if line == "" {
		return tea.KeyPressMsg{}, false
	}
	for _, hint := range splitHints(footer) {
		name, does, _ := strings.Cut(hint, " ")
		if name == line {
			return keyOfHint(name, does)
		}
	}
	return tea.KeyPressMsg{}, false
}

// splitHints returns the key hints of a dialog's footer.
func splitHints(footer string) []string {
	parts := strings.Split(footer, "  ")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return nonEmpty(parts...)
}

// fillKeys returns the keys that fill a text into the focused field. If the field has options, the text is
// the name of the option to select. Otherwise the text replaces the text of the field. An empty text changes
// nothing. form is nil for a page that has a single field.
func fillKeys(form *widget.Form, text string) []tea.Msg {
	if text == "" {
		return nil
	}
	paste := tea.PasteMsg{Content: text}
	hasOptions := form != nil && len(form.Focused().Options) > 0
	if hasOptions {
		return []tea.Msg{paste}
	}
	toEnd := tea.KeyPressMsg{Code: 'e', Mod: tea.ModCtrl}
	deleteToStart := tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl}
	return []tea.Msg{toEnd, deleteToStart, paste}
}
