package tui

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// memo is a page with a text, which may have a form.
type memo struct {
	leaf

	text     string
	isTyping bool
	form     *widget.Form
}

func (m *memo) View(w, h int) string           { return format.FitBox([]string{m.text}, w, h) }
func (m *memo) IsTyping() bool                 { return m.isTyping }
func (m *memo) EditedForm() *widget.Form       { return m.form }
func (m *memo) ActionScopes() []action.Scope   { return []action.Scope{action.Orders} }
func (m *memo) HandleAction(action.ID) tea.Cmd { return nil }

// memoScreen returns the screen of a page with a text.
func memoScreen(text string) (*memo, *plainScreen) {
	m := &memo{leaf: leaf{Base: page.NewBase(&page.Env{}), title: "Memo"}, text: text}
	screen := &plainScreen{
		theme:  theme.LinearTheme(),
		pages:  []page.Page{m},
		scopes: []action.Scope{action.Orders, action.Everywhere},
		disabledReason: func(act action.Action) string {
			return page.TextIf(act.ID == action.Quit, "not now")
		},
	}
	return m, screen
}

// respondText returns what plain mode prints for a response.
func respondText(t *testing.T, p *plainMode, response plainResponse, screen *plainScreen) string {
	t.Helper()
	var out bytes.Buffer
	p.out = &out
	p.respond(response, screen)
	return out.String()
}

// keyTexts returns the names of key presses and the texts of pastes.
func keyTexts(keys []tea.Msg) []string {
	var texts []string
	for _, key := range keys {
		switch key := key.(type) {
		case tea.KeyPressMsg:
			texts = append(texts, key.String())
		case tea.PasteMsg:
			texts = append(texts, "paste "+key.Content)
		}
	}
	return texts
}

func TestInputLineNamesAnActionOrAPlace(t *testing.T) {
	_, screen := memoScreen("")
	for line, want := range map[string]lineKind{
		"?":           lineHelp,
		"wait":        lineWait,
		"":            linePage,
		":":           lineRefused,
		":ORD-100231": lineName,
		"quit":        lineAction,
		"qui":         lineAction,
		"dance":       lineRefused,
	} {
		if got := parseLine(line, screen); got.kind != want {
			t.Errorf("%q is of kind %d, not %d", line, got.kind, want)
		}
	}
	if got := parseLine("qui", screen); got.action.ID != action.Quit {
		t.Errorf("the beginning of a title names the action %s", got.action.ID)
	}
	if got := parseLine(":ORD-100231", screen); got.name != "ORD-100231" {
		t.Errorf("the name is %q", got.name)
	}
}

func TestInputLineIsTextWhileTheUserTypes(t *testing.T) {
	m, screen := memoScreen("")
	m.isTyping = true
	got := keyTexts(parseLine("quit", screen).keys)
	if want := []string{"ctrl+e", "ctrl+u", "paste quit", "enter"}; !slices.Equal(got, want) {
		t.Errorf("the keys are %q", got)
	}
	if got := parseLine(":quit", screen); got.kind != lineName {
		t.Errorf("with a colon the line is of kind %d", got.kind)
	}
}

func TestInputLineAnswersAQuestion(t *testing.T) {
	_, screen := memoScreen("")
	screen.dialog = &widget.Question{Title: "Delete", Yes: "delete", No: "back"}
	for line, want := range map[string]string{"y": "enter", "No": "esc", "esc": "esc"} {
		if got := keyTexts(parseLine(line, screen).keys); !slices.Equal(got, []string{want}) {
			t.Errorf("%q presses %q", line, got)
		}
	}
	if got := parseLine("perhaps", screen); got.kind != lineRefused || got.reason != "answer y or n" {
		t.Errorf("another text is of kind %d: %q", got.kind, got.reason)
	}
}

func TestInputLineFillsAFieldAndGoesToTheNext(t *testing.T) {
	_, screen := memoScreen("")
	form := widget.NewForm(100, time.Now,
		&widget.Field{Label: "Name"},
		&widget.Field{
			Label:   "Product",
			Kind:    widget.ChoiceField,
			Options: []widget.Option{{Value: "jpg", Label: "Photos"}},
		},
	)
	screen.dialog = &widget.FormDialog{Title: "Order", Form: form}
	got := keyTexts(parseLine("Levee", screen).keys)
	if want := []string{"ctrl+e", "ctrl+u", "paste Levee", "tab"}; !slices.Equal(got, want) {
		t.Errorf("the keys for the first field are %q", got)
	}
	if got = keyTexts(parseLine("", screen).keys); !slices.Equal(got, []string{"tab"}) {
		t.Errorf("the keys of an empty line are %q", got)
	}
	form.MoveFocus(1)
	got = keyTexts(parseLine("Photos", screen).keys)
	if want := []string{"paste Photos", "enter"}; !slices.Equal(got, want) {
		t.Errorf("the keys for the last field are %q", got)
	}
}

func TestPlainPrintsAFormOnceAndThenItsFields(t *testing.T) {
	m, screen := memoScreen("The form of an order")
	m.form = widget.NewForm(100, time.Now, &widget.Field{Label: "Name"}, &widget.Field{Label: "Site"})
	p := newPlainMode(t.Context(), strings.NewReader(""), nil)
	first := respondText(t, p, respondPage, screen)
	if !strings.Contains(first, "The form of an order") || !strings.HasSuffix(first, "Name: empty\n> ") {
		t.Errorf("first it prints\n%s", first)
	}
	m.form.MoveFocus(1)
	if next := respondText(t, p, respondPage, screen); next != "Site: empty\n> " {
		t.Errorf("then it prints\n%s", next)
	}
}

func TestPlainPrintsResultsAndProgressOfBackgroundWork(t *testing.T) {
	_, screen := memoScreen("Two orders")
	screen.toast = "Accepted Standard"
	screen.countdown = "Cancelling ORD-1 in 8 s"
	screen.downloads = "2 of 9 files"
	p := newPlainMode(t.Context(), strings.NewReader(""), nil)
	text := respondText(t, p, respondPage, screen)
	for _, want := range []string{
		"-- Accepted Standard\n", "== Memo ==\n", "Two orders\n",
		"-- Cancelling ORD-1 in 8 s; wait to continue then\n",
		"-- downloading 2 of 9 files; wait to continue then\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text = respondText(t, p, respondNothing, screen); text != "-- Accepted Standard\n> " {
		t.Errorf("without a page it prints\n%s", text)
	}
}

func TestPlainHelpExplainsDisabledActions(t *testing.T) {
	_, screen := memoScreen("")
	var out bytes.Buffer
	p := newPlainMode(t.Context(), strings.NewReader(""), &out)
	p.printHelp(screen)
	text := out.String()
	if !strings.Contains(text, "(unavailable: not now)") {
		t.Errorf("the reason is not in\n%s", text)
	}
	if strings.Contains(text, "ctrl+p") {
		t.Errorf("an action that needs a screen is in\n%s", text)
	}
}

// brokenWriter is an output that always fails.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestPlainEndsItsLoopIfTheOutputFails(t *testing.T) {
	p := newPlainMode(t.Context(), strings.NewReader(""), brokenWriter{})
	p.printText("text")
	if p.loop.ctx.Err() == nil || p.err == nil || p.err.Error() != "no space left" {
		t.Errorf("the error is %v, the loop has ended: %v", p.err, p.loop.ctx.Err() != nil)
	}
}
