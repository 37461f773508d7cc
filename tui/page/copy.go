package page

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// CopiedMsg reports that text was copied.
type CopiedMsg struct {
	Text, What string
	Into       string // where it went; "" is the system's clipboard
	IsKnown    bool   // it arrived; else the terminal is asked, which does not confirm
	IsSecret   bool   // do not keep it for display
}

// CopyText copies text to the clipboard; what describes it.
func (f *FileAccess) CopyText(text, what string) tea.Cmd {
	return f.copyText(CopiedMsg{Text: text, What: what})
}

func (f *FileAccess) copyText(msg CopiedMsg) tea.Cmd {
	write := f.Clipboard
	return func() tea.Msg {
		if write != nil {
			into, err := write(msg.Text)
			msg.Into, msg.IsKnown = into, err == nil
		}
		return msg
	}
}

// KeepLook saves the table layouts in the background.
func (l *PageLook) KeepLook() tea.Cmd {
	return KeepInBackground(l.UIState.Flush, nil)
}

// KeepInBackground returns the command that runs write, and answers with done or a toast
// with the error.
func KeepInBackground(write func() error, done tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if err := write(); err != nil {
			return ToastMsg{theme.Bad, err.Error()}
		}
		return done
	}
}

// ShortPath abbreviates the user's folder to ~.
func (f *FileAccess) ShortPath(path string) string {
	if rest, ok := strings.CutPrefix(path, f.Home+string(filepath.Separator)); ok && f.Home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// FullPath expands ~ and resolves a relative path against the folder of the file
// picker.
func (f *FileAccess) FullPath(typed string) string {
	rest, ok := strings.CutPrefix(typed, "~")
	if ok && f.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(f.Home, rest)
	}
	if filepath.IsAbs(typed) {
		return filepath.Clean(typed)
	}
	return filepath.Join(f.Folder, typed)
}

// NotForGuests is said of what would use this machine's files, programs or network.
const NotForGuests = "not available to guests of this machine"

// Confine returns why a file or folder cannot be used, nil if it can. It follows links,
// so it must not be called in View and Update.
func (f *FileAccess) Confine(path string) error {
	if !f.Confined {
		return nil
	}
	full, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) { // a file to be written
		full, err = filepath.EvalSymlinks(filepath.Dir(path))
	}
	for _, folder := range []string{f.Folder, f.Samples} {
		root, failed := filepath.EvalSymlinks(folder)
		if err != nil || failed != nil {
			continue
		}
		if within, failed := filepath.Rel(root, full); failed == nil && filepath.IsLocal(within) {
			return nil
		}
	}
	return errors.New("outside your folder")
}

// RenderLink renders text as a web link if the terminal supports links. Signed
// links must not be passed: terminals show the target, and recordings keep it.
func RenderLink(look *PageLook, role theme.Role, text, target string) string {
	style := look.Theme.Style(role)
	if look.Links && format.IsLinkable(target) {
		style = style.Hyperlink(target)
	}
	return format.CleanText(style, text)
}

// FileLink renders text as a link to a local file or folder.
func FileLink(look *PageLook, role theme.Role, text, path string) string {
	path = filepath.ToSlash(path)
	if path != "" && path[0] != '/' {
		path = "/" + path // begins with a drive letter
	}
	return RenderLink(look, role, text, (&url.URL{Scheme: "file", Path: path}).String())
}

// SetQuoted sets the state of quotes by order ID once the orders with open quotes
// are listed; the public API does not report it. Call it in Update only.
func (e *Env) SetQuoted(ids map[string]format.QuoteCounts) { e.quoted = ids }

// QuotesOf returns what is known of an order's quotes.
func (e *Env) QuotesOf(id string) format.QuoteCounts {
	if known, ok := e.quoted[id]; ok || e.quoted == nil {
		return known
	}
	return format.QuotesNone
}

// RenderProblem describes a failed read in lines: the fault, what is still shown
// (kept, may be ""), and the key that tries again.
func RenderProblem(th *theme.Theme, err error, kept, again string, w int) []string {
	what, advice := format.ExplainError(err)
	if errors.Is(err, api.ErrNoLegacy) {
		advice, again = "Its address is missing in the profile: alt+e adds it.", "" // trying again cannot help
	}
	lines := th.PaintLines(theme.Bad, "   ", what, w-4)
	if len(lines) > 0 {
		lines[0] = th.PaintRole(theme.Bad, " ! ") + lines[0][3:]
	}
	if advice != "" {
		lines = append(lines, th.PaintLines(theme.Text, "   ", advice, w-4)...)
	}
	if kept != "" {
		lines = append(lines, th.PaintMuted("   "+kept))
	}
	if again != "" {
		lines = append(lines, "   "+th.PaintHint(again, "retry"))
	}
	return lines
}

// TextIf returns a text where it applies, as why something is off, else "".
func TextIf(applies bool, text string) string {
	if applies {
		return text
	}
	return ""
}

// AskFirst asks before something is done, and returns nil.
func AskFirst(env *Env, title, yes string, onYes func() tea.Cmd, lines ...string) tea.Cmd {
	env.Overlay(
		&widget.Question{Title: title, Lines: lines, Yes: yes, No: "back", OnYes: onYes},
	)
	return nil
}

// AskValue asks for the value of a field, with a value to begin with; yes "" is save. It
// returns nil.
func AskValue(
	env *Env, title, yes string, limit int, field *widget.Field, value string, save func(typed string) tea.Cmd,
) tea.Cmd {
	f := widget.NewForm(limit, env.Now, field)
	field.Set(value)
	env.Overlay(&widget.FormDialog{
		Title: title, Yes: yes, Form: f,
		OnSave: func() tea.Cmd { return save(field.Value()) },
	})
	return nil
}

// ShowFacts shows facts in a dialog, their labels in so many cells, and returns nil.
func ShowFacts(env *Env, title string, label int, facts ...widget.Fact) tea.Cmd {
	env.Overlay(&widget.TextDialog{Title: title, Text: func(w int) []string {
		return widget.BoxFacts(env.Theme, label, w, facts...)
	}})
	return nil
}

// SecretDialog is the dialog that shows a new secret, once.
type SecretDialog struct {
	Title   string
	What    string // noun for messages, as "the key"
	Secret  string
	Warning string
	Kept    ToastMsg // whether it is stored, nothing if empty

	env *Env
}

// ShowSecret opens the dialog. It opens on its own, so it ignores keys at first.
func ShowSecret(env *Env, s *SecretDialog) {
	s.env = env
	env.Interrupt(s)
}

// Update copies the secret, or closes the dialog and forgets it.
func (s *SecretDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, false
	}
	switch key.String() {
	case "c", "y", "enter":
		return s.env.copyText(CopiedMsg{Text: s.Secret, What: s.What, IsSecret: true}), false
	case "esc", "q":
		return nil, true
	}
	return nil, false
}

// SelectsText lets the user select the secret with the mouse.
func (s *SecretDialog) SelectsText() {}

// BlocksProfileSwitch returns why the profile cannot be switched while the secret is
// shown.
func (s *SecretDialog) BlocksProfileSwitch() string {
	return "copy " + s.What + " first; it is not shown again"
}

// View renders the dialog.
func (s *SecretDialog) View(th *theme.Theme, w, _ int) string {
	w = min(w, 72)
	var lines []string
	parts := []ToastMsg{{theme.Good, s.Secret}, {}, {theme.Text, s.Warning}}
	if s.Kept.Text != "" {
		parts = append(parts, s.Kept)
	}
	for _, part := range parts {
		lines = append(lines, th.RaiseLines(part.Role, w-4, part.Text)...) // never cut
	}
	return widget.DrawDialog(th, s.Title, "c copy  esc close", lines, w)
}
