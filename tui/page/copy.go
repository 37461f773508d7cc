package page

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
	"flightdesk/tui/action"
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
	if f.Confined {
		return f.HidePaths(path)
	}
	if rest, ok := strings.CutPrefix(path, f.Home+string(filepath.Separator)); ok && f.Home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

// FullPath expands ~ and resolves a relative path against the folder of the file
// picker.
func (f *FileAccess) FullPath(typed string) string {
	inSamples, isSample := strings.CutPrefix(typed, samplesName)
	if f.Confined && f.Samples != "" && isSample && (inSamples == "" || os.IsPathSeparator(inSamples[0])) {
		return filepath.Join(f.Samples, inSamples)
	}
	rest, ok := strings.CutPrefix(typed, "~")
	if ok && f.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(f.Home, rest)
	}
	if filepath.IsAbs(typed) {
		return filepath.Clean(typed)
	}
	return filepath.Join(f.Folder, typed)
}

// samplesName is the name of the folder of sample files for guests.
const samplesName = "sample files"

// HidePaths shortens the paths of this machine in a text that a guest sees: of the guest's
// folder, of the sample files, and of the folders around both.
func (f *FileAccess) HidePaths(text string) string {
	if !f.Confined || f.Folder == "" {
		return text
	}
	home := filepath.Dir(f.Folder)
	users := filepath.Dir(home)
	shorten := []string{f.Folder, "~"}
	if f.Samples != "" {
		shorten = append(shorten, f.Samples, samplesName)
	}
	return strings.NewReplacer(append(shorten, home, "…", users, "…", filepath.Dir(users), "…")...).Replace(text)
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

// limitToFree returns a writer that fails once more was written than the folder has space
// for.
func (f *FileAccess) limitToFree(to io.Writer, folder string) (io.Writer, error) {
	if f.Free == nil {
		return to, nil
	}
	free, err := f.Free(folder)
	return &limitedWriter{to, free}, err
}

// limitedWriter writes up to a number of bytes.
type limitedWriter struct {
	to   io.Writer
	left int64
}

// Write writes if there is space for all of it.
func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= int64(len(p)); w.left < 0 {
		return 0, errors.New("your folder is full; remove files from it")
	}
	return w.to.Write(p)
}

// RenderLink renders text as a web link if the terminal supports links. Signed
// links must not be passed: terminals show the target, and recordings keep it.
func (l *PageLook) RenderLink(role theme.Role, text, target string) string {
	style := l.Theme.Style(role)
	if l.Links && format.IsLinkable(target) {
		style = style.Hyperlink(target)
	}
	return format.CleanText(style, text)
}

// FileLink renders text as a link to a local file or folder, unless the terminal is on
// another machine.
func (l *PageLook) FileLink(role theme.Role, text, path string) string {
	if l.Remote {
		return format.CleanText(l.Theme.Style(role), text)
	}
	path = filepath.ToSlash(path)
	if path != "" && path[0] != '/' {
		path = "/" + path // begins with a drive letter
	}
	return l.RenderLink(role, text, (&url.URL{Scheme: "file", Path: path}).String())
}

// SetQuoted sets the state of quotes by order ID once the orders with open quotes
// are listed; the public API does not report it. Call it in Update only.
func (e *Env) SetQuoted(ids map[string]format.QuoteCounts) { e.Profile.quoted = ids }

// QuotesOf returns what is known of an order's quotes.
func (e *Env) QuotesOf(id string) format.QuoteCounts {
	if known, ok := e.Profile.quoted[id]; ok || e.Profile.quoted == nil {
		return known
	}
	return format.QuotesNone
}

// RenderProblem describes a failed read that r tries again, as RenderFault does.
func (l *PageLook) RenderProblem(err error, kept string, w int) []string {
	return l.RenderFault(err, kept, "r", w)
}

// RenderFault describes a fault in lines: what happened, what is still shown or kept
// (kept, may be ""), and the key that tries again, "" for none.
func (l *PageLook) RenderFault(err error, kept, again string, w int) []string {
	th := l.Theme
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
	if again == "" {
		return lines
	}
	keys := "   " + th.PaintHint(again, "retry")
	if isKeyRejected(err) && again == "r" {
		keys += "  " + th.PaintHint("alt+e", "edit profile")
	}
	return append(lines, keys)
}

// isKeyRejected reports whether an error is the refusal of an API key.
func isKeyRejected(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Status == http.StatusUnauthorized
}

// TextIf returns a text where it applies, as why something is off, else "".
func TextIf(applies bool, text string) string {
	if applies {
		return text
	}
	return ""
}

// AskFirst asks before something is done, and returns nil.
func (e *Env) AskFirst(title, yes string, onYes func() tea.Cmd, lines ...string) tea.Cmd {
	e.Nav.Overlay(&widget.Question{
		Title: title,
		Lines: lines,
		Yes:   yes,
		No:    "back",
		OnYes: onYes,
	})
	return nil
}

// AskValue asks for the value of a field, with a value to begin with; yes "" is save. It
// returns nil.
func (e *Env) AskValue(
	title, yes string, limit int, field *widget.Field, value string, save func(typed string) tea.Cmd,
) tea.Cmd {
	f := widget.NewForm(limit, e.Clock.Now, field)
	field.Set(value)
	e.Nav.Overlay(&widget.FormDialog{
		Title: title, Yes: yes, Form: f,
		OnSave: func() tea.Cmd { return save(field.Value()) },
	})
	return nil
}

// ShowFacts shows facts in a dialog, their labels in so many cells, and returns nil.
func (e *Env) ShowFacts(title string, label int, facts ...widget.Fact) tea.Cmd {
	e.Nav.Overlay(&widget.TextDialog{Title: title, Text: func(w int) []string {
		return widget.DialogFacts(e.Look.Theme, label, w, facts...)
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
func (e *Env) ShowSecret(s *SecretDialog) {
	s.env = e
	e.Nav.Interrupt(s)
}

// Update copies the secret, or closes the dialog and forgets it.
func (s *SecretDialog) Update(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.KeyName(msg) {
	case "c", "y", "enter":
		return s.env.Files.copyText(CopiedMsg{
			Text:     s.Secret,
			What:     s.What,
			IsSecret: true,
		}), false
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

// ExportJob is a file that is to be written.
type ExportJob struct {
	Title string // of the dialog: Export orders
	Help  string // what it holds, and which endings there are
	Says  string // what is in it, as in "wrote 12 rows to ..."
	// Write writes the content for the ending of the file's name, ".csv", as it
	// was typed. It runs in the background, on what does not change meanwhile.
	Write func(to io.Writer, ending string) error
	// WriteRaw writes the content for programs, with the names and values of the service.
	// The dialog offers the choice; nil for none.
	WriteRaw func(to io.Writer, ending string) error

	isRaw bool // WriteRaw was chosen
}

// AskForFile opens the dialog that asks a page's user for a file and writes it, with a name
// to begin with, in the folder where files are chosen.
func (b Base) AskForFile(j ExportJob, name string) {
	b.askForPath(j, b.Env.Files.ShortPath(filepath.Join(b.Env.Files.Folder, name)), "")
}

// askForPath opens the dialog, with what was wrong with the path before.
func (b Base) askForPath(j ExportJob, typed, fault string) {
	file := &widget.Field{
		Label:  "File",
		Help:   j.Help,
		Error:  fault,
		TypeOn: true,
	}
	fields := []*widget.Field{file}
	content := &widget.Field{
		Label:   "CSV with",
		Kind:    widget.ChoiceField,
		Help:    "JSON always has the names of the service",
		Options: []widget.Option{{Value: "labels", Label: "Words of the screen"}, {Value: "raw", Label: "Names of the service"}},
	}
	if j.WriteRaw != nil {
		fields = append(fields, content)
	}
	form := widget.NewForm(4096, b.Env.Clock.Now, fields...)
	file.Set(typed)
	if j.isRaw {
		content.Set("raw")
	}
	b.Env.Nav.Overlay(&widget.FormDialog{Title: j.Title, Form: form, OnSave: func() tea.Cmd {
		typed := file.Value()
		if typed == "" {
			file.Error = "file name required"
			return nil
		}
		j.isRaw = content.Value() == "raw"
		return b.writeFile(j, typed, false)
	}})
}

// writeFile writes the file in the background, and tells what came of it.
func (b Base) writeFile(j ExportJob, typed string, replace bool) tea.Cmd {
	path := b.Env.Files.FullPath(typed)
	write := func(context.Context) (size int64, err error) {
		if err = b.Env.Files.Confine(path); err != nil {
			return 0, err
		}
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return 0, errors.New("this is a folder")
		}
		fill := func(to io.Writer) error {
			limited, err := b.Env.Files.limitToFree(to, filepath.Dir(path))
			if err != nil {
				return err
			}
			if j.isRaw {
				return j.WriteRaw(limited, filepath.Ext(path))
			}
			return j.Write(limited, filepath.Ext(path))
		}
		if err = atomicfile.WriteFile(path, replace, fill); err != nil {
			return 0, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	return AskInBackground(b, &Question{}, write, func(size int64, err error) tea.Cmd {
		switch {
		case errors.Is(err, fs.ErrExist):
			b.Env.Nav.Interrupt(&widget.Question{
				Title: "Replace file",
				Lines: []string{typed + " exists. Replace it?"},
				Yes:   "replace", No: "choose another name",
				OnYes: func() tea.Cmd { return b.writeFile(j, typed, true) },
				OnNo: func() tea.Cmd {
					b.askForPath(j, typed, "")
					return nil
				},
			})
		case err != nil:
			b.askForPath(j, typed, format.DescribeFileFault(err)+"; use another path")
		default:
			return ShowToast(theme.Good, "Exported "+j.Says+" to "+typed+" ("+format.Bytes(size)+")")
		}
		return nil
	})
}

// SafeName returns a name from outside as part of a file's name.
func SafeName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// CopiedText shows a text without anything beside it. The mouse is the terminal's.
type CopiedText struct {
	Base
	text, what string
	scroll     widget.Scroll
}

// NewCopiedText returns the page of a text.
func NewCopiedText(env *Env, text, what string) *CopiedText {
	return &CopiedText{Base: NewBase(env), text: text, what: what}
}

// Title returns the page's.
func (p *CopiedText) Title() string { return "Copied text" }

// CornerText says what the text is.
func (p *CopiedText) CornerText() string { return p.what }

// SelectsText gives the mouse to the terminal.
func (p *CopiedText) SelectsText() {}

// ActionScopes returns those of a list: its keys scroll.
func (p *CopiedText) ActionScopes() []action.Scope { return []action.Scope{action.List} }

// DisabledReason says that nothing can be opened.
func (p *CopiedText) DisabledReason(id action.ID) string {
	return TextIf(id == action.Open, "nothing to open")
}

// Update does nothing.
func (p *CopiedText) Update(tea.Msg) tea.Cmd { return nil }

// HandleAction scrolls.
func (p *CopiedText) HandleAction(id action.ID) tea.Cmd {
	MoveList(&p.scroll, id)
	return nil
}

// View draws the text, and below it how to take it.
func (p *CopiedText) View(w, h int) string {
	var lines []string
	for line := range strings.Lines(strings.TrimRight(p.text, "\n")) {
		lines = append(lines, format.Wrap(strings.TrimRight(line, "\r\n"), w)...)
	}
	muted := p.Env.Look.Theme.Style(theme.Muted)
	shown := format.FitBox(p.scroll.View(lines, max(0, h-2), muted), w, max(0, h-2))
	return shown + "\n" + format.FitBox(
		[]string{"", format.CleanText(muted, "Select the text with the mouse to copy it in your terminal.")},
		w,
		min(h, 2),
	)
}
