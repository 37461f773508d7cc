package page

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/format"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget"
)

// CopiedMsg reports that the user copied a text.
type CopiedMsg struct {
	Text        string
	What        string // description of the text
	Into        string // name of the clipboard; "" is the system's clipboard
	IsConfirmed bool   // the text is certainly in the clipboard; if false, the app asks the terminal to copy it
	IsSecret    bool   // the text must not be kept in memory
}

// CopyText copies a text to the clipboard. what describes the text in messages.
func (f *FileAccess) CopyText(text, what string) tea.Cmd {
	return f.copyText(CopiedMsg{Text: text, What: what})
}

// copyText copies the text of a message in the background, and sends the message with the result.
func (f *FileAccess) copyText(msg CopiedMsg) tea.Cmd {
	write := f.Clipboard
	return func() tea.Msg {
		if write == nil {
			return msg
		}
		into, err := write(msg.Text)
		msg.Into = into
		msg.IsConfirmed = err == nil
		return msg
	}
}

// SaveUIState saves the UI state in the background, for example after a change of a table's columns.
func (l *PageLook) SaveUIState() tea.Cmd {
	return DoInBackground(l.UIState.Flush, nil)
}

// DoInBackground returns a command that calls do in the background. If do succeeds, the command sends the message
// done, which may be nil. Otherwise it shows the error as a toast.
func DoInBackground(do func() error, done tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if err := do(); err != nil {
			return ToastMsg{theme.Bad, err.Error()}
		}
		return done
	}
}

// ShortPath abbreviates the user's home folder to ~. Guests, who use the app over the network, do not see any folder
// of this machine: for them ShortPath returns the result of HidePaths.
func (f *FileAccess) ShortPath(path string) string {
	if f.Confined {
		return f.HidePaths(path)
	}
	if f.Home == "" {
		return path
	}
	rest, isInHome := strings.CutPrefix(path, f.Home+slash)
	if !isInHome {
		return path
	}
	return filepath.Join("~", rest)
}

// FullPath returns the absolute path for a short path: it is the inverse of ShortPath. A relative path such as
// "sites.kml" is completed with FileAccess.Folder.
func (f *FileAccess) FullPath(short string) string {
	if f.Confined && f.Samples != "" {
		if rest, ok := cutFolder(short, samplesName); ok {
			return filepath.Join(f.Samples, rest)
		}
	}
	if f.Home != "" {
		if rest, ok := cutFolder(short, "~"); ok {
			return filepath.Join(f.Home, rest)
		}
	}
	if filepath.IsAbs(short) {
		return filepath.Clean(short)
	}
	return filepath.Join(f.Folder, short)
}

// cutFolder removes a folder from the beginning of a path. ok is false if the path is not in the folder.
func cutFolder(path, folder string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, folder)
	isInFolder := ok && (rest == "" || os.IsPathSeparator(rest[0]))
	return rest, isInFolder
}

// samplesName is the name of the folder of sample files that guests see.
const samplesName = "sample files"

// HidePaths removes the folders of this machine from a text for a guest. The guest's folder becomes ~, and the folder
// of sample files becomes its name. The parent of the guest's folder, and the two folders above the parent, become "…".
func (f *FileAccess) HidePaths(text string) string {
	if !f.Confined || f.Folder == "" {
		return text
	}
	replacements := []string{f.Folder, "~"}
	if f.Samples != "" {
		replacements = append(replacements, f.Samples, samplesName)
	}
	home := filepath.Dir(f.Folder)
	users := filepath.Dir(home)
	root := filepath.Dir(users)
	replacements = append(replacements, home, "…", users, "…", root, "…")
	return strings.NewReplacer(replacements...).Replace(text)
}

// NotForGuests is the reason for disabling actions that use this machine's files, programs or
// network.
const NotForGuests = "not available to guests of this machine"

// Confine returns an error if a guest must not use a file or folder. It follows symbolic links and reads the disk,
// so it must not be called in View and Update.
func (f *FileAccess) Confine(path string) error {
	if !f.Confined {
		return nil
	}
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) { // a new file; its folder must exist
		target, err = filepath.EvalSymlinks(filepath.Dir(path))
	}
	if err == nil && (isWithin(target, f.Folder) || isWithin(target, f.Samples)) {
		return nil
	}
	return errors.New("outside your folder")
}

// isWithin reports whether path is the folder, or in it. It resolves symbolic links in folder; path must
// not have any.
func isWithin(path, folder string) bool {
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	relative, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(relative)
}

// limitToFree returns a writer to a file in folder. The writer fails if the file would exceed the space that
// FileAccess.Free allows.
func (f *FileAccess) limitToFree(to io.Writer, folder string) (io.Writer, error) {
	if f.Free == nil {
		return to, nil
	}
	free, err := f.Free(folder)
	if err != nil {
		return nil, err
	}
	return &limitedWriter{to, free}, nil
}

// limitedWriter is a writer with a limit: a write that would exceed the limit fails.
type limitedWriter struct {
	to   io.Writer
	left int64 // number of bytes that can still be written
}

// Write writes all of p, or nothing if there is not enough space.
func (w *limitedWriter) Write(p []byte) (int, error) {
	w.left -= int64(len(p))
	if w.left < 0 {
		return 0, errors.New("not enough space for this file")
	}
	return w.to.Write(p)
}

// RenderLink renders text as a web link if the terminal supports links. The target must not be a signed URL:
// terminals show the target, and recordings of the terminal contain it.
func (l *PageLook) RenderLink(role theme.Role, text, target string) string {
	style := l.Theme.Style(role)
	if l.Links && format.IsLinkable(target) {
		style = style.Hyperlink(target)
	}
	return format.CleanText(style, text)
}

// FileLink renders text as a link to a file or folder of this machine, unless the terminal is on
// another machine.
func (l *PageLook) FileLink(role theme.Role, text, path string) string {
	if l.Remote {
		return format.CleanText(l.Theme.Style(role), text)
	}
	path = filepath.ToSlash(path)
	if path != "" && path[0] != '/' {
		path = "/" + path // a Windows path begins with a drive letter
	}
	target := url.URL{Scheme: "file", Path: path}
	return l.RenderLink(role, text, target.String())
}

// SetQuoted stores the state of the quotes of each order, by order ID. The page of the quotes calls it when it has
// listed the orders with open quotes, because the public API does not report these states. Call it only in Update.
func (e *Env) SetQuoted(states map[string]format.QuoteState) {
	isFirst := e.Profile.quoted == nil
	if isFirst || !maps.Equal(e.Profile.quoted, states) {
		e.Profile.quotedVersion++
	}
	e.Profile.quoted = states
}

// QuotedVersion returns a number that changes whenever the states of SetQuoted change, so that pages know when to
// draw them again.
func (e *Env) QuotedVersion() int { return e.Profile.quotedVersion }

// QuotesOf returns the state of an order's quotes, or [format.QuotesUnread] if no states were set yet.
func (e *Env) QuotesOf(orderID string) format.QuoteState {
	if e.Profile.quoted == nil {
		return format.QuotesUnread
	}
	state, ok := e.Profile.quoted[orderID]
	if !ok {
		return format.QuotesNone
	}
	return state
}

// StateOf returns the label for a mission's status. The label also depends on the status of the mission's order and on
// the order's quotes.
func (e *Env) StateOf(m *cache.Mission) format.StatusLabel {
	return format.MissionState(m.Status, m.Order.Status, e.QuotesOf(m.Order.UUID))
}

// RenderProblem renders the error of a failed read, and the key that reads the data again: the key of the action
// Refresh in the given scopes. kept describes the data that is still shown, or is "" if no data is shown.
func (l *PageLook) RenderProblem(err error, kept string, w int, scopes ...action.Scope) []string {
	return l.RenderFault(err, kept, action.KeyOf(action.Refresh, scopes...), w)
}

// RenderFault renders an error in lines of w cells, with advice if there is any. kept describes the data that is
// still shown, or is "". retryKey is the key that tries again, or "" if there is no such key.
func (l *PageLook) RenderFault(err error, kept, retryKey string, w int) []string {
	const indent = "   "
	th := l.Theme
	room := w - len(indent) - 1 // with a blank cell at the right
	explanation, advice := format.ExplainError(err)
	canRetry := retryKey != ""
	editKey := action.KeyOf(action.EditProfile, action.Everywhere)
	if errors.Is(err, api.ErrNoLegacy) {
		advice = "Its address is missing in the profile."
		if l.CanEdit {
			advice = "Its address is missing in the profile: " + editKey + " adds it."
		}
		canRetry = false // another try would fail as well
	}
	lines := th.PaintLines(theme.Bad, indent, explanation, room)
	if len(lines) > 0 {
		lines[0] = th.PaintRole(theme.Bad, " ! ") + strings.TrimPrefix(lines[0], indent)
	}
	if advice != "" {
		lines = append(lines, th.PaintLines(theme.Text, indent, advice, room)...)
	}
	if kept != "" {
		lines = append(lines, th.PaintMuted(indent+kept))
	}
	if !canRetry {
		return lines
	}
	keys := indent + th.PaintHint(retryKey, "retry")
	if api.IsStatus(err, http.StatusUnauthorized) && l.CanEdit { // the key or the address is wrong
		keys += "  " + th.PaintHint(editKey, "edit profile")
	}
	return append(lines, keys)
}

// TextIf returns the text if the condition is true, otherwise "". It shortens functions that return
// why an action is disabled.
func TextIf(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// Confirm opens a dialog with a question, and calls onYes if the user confirms. verb is the text next to the key
// that confirms, for example "delete". Confirm always returns nil, so that an action can return its result.
func (e *Env) Confirm(title, verb string, onYes func() tea.Cmd, lines ...string) tea.Cmd {
	e.Nav.Overlay(&widget.Question{
		Title: title,
		Lines: lines,
		Yes:   verb,
		No:    "back",
		OnYes: onYes,
	})
	return nil
}

// PromptValue opens a dialog with a single field, and calls save with the typed value. The field initially contains
// initial, and accepts at most limit characters. verb is the text next to the enter key; if it is "", the text is
// "save". PromptValue always returns nil, so that an action can return its result.
func (e *Env) PromptValue(
	title, verb string, limit int, field *widget.Field, initial string, save func(typed string) tea.Cmd,
) tea.Cmd {
	form := widget.NewForm(limit, e.Clock.Now, field)
	field.Set(initial)
	e.Nav.Overlay(&widget.FormDialog{
		Title:  title,
		Yes:    verb,
		Form:   form,
		OnSave: func() tea.Cmd { return save(field.Value()) },
	})
	return nil
}

// ShowFacts opens a dialog with facts, which are labels with values. labelWidth is the width of the labels in cells.
// ShowFacts always returns nil, so that an action can return its result.
func (e *Env) ShowFacts(title string, labelWidth int, facts ...widget.Fact) tea.Cmd {
	e.Nav.Overlay(&widget.TextDialog{
		Title: title,
		Text: func(w int) []string {
			return widget.DialogFacts(e.Look.Theme, labelWidth, w, facts...)
		},
	})
	return nil
}

// SecretDialog shows a new secret, such as an API key. The user can copy the secret, but cannot see it again later.
type SecretDialog struct {
	Title   string
	What    string // noun for messages, for example "the key"
	Secret  string
	Warning string
	Kept    ToastMsg // tells whether the secret is stored; the zero value shows nothing

	env *Env
}

// ShowSecret opens the dialog. The dialog ignores keys for a moment, because the user did not ask for the dialog and
// may be typing keys for the page below.
func (e *Env) ShowSecret(s *SecretDialog) {
	s.env = e
	e.Nav.Interrupt(s)
}

// Update copies the secret on c, y or enter. On esc or q it returns true, which closes the dialog.
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

// SelectsText marks the dialog as one whose text the user can select with the mouse.
func (s *SecretDialog) SelectsText() {}

// BlocksProfileSwitch returns why the profile cannot be switched while the secret is shown.
func (s *SecretDialog) BlocksProfileSwitch() string {
	return "copy " + s.What + " first; it is not shown again"
}

// View renders the dialog. It wraps long texts but never cuts them.
func (s *SecretDialog) View(th *theme.Theme, w, _ int) string {
	w = min(w, 72)
	var lines []string
	lines = append(lines, th.RaiseLines(theme.Good, w-4, s.Secret)...)
	lines = append(lines, th.RaiseLines(theme.Text, w-4, "")...)
	lines = append(lines, th.RaiseLines(theme.Text, w-4, s.Warning)...)
	if s.Kept.Text != "" {
		lines = append(lines, th.RaiseLines(s.Kept.Role, w-4, s.Kept.Text)...)
	}
	return widget.DrawDialog(th, s.Title, "c copy   esc back", lines, w)
}

// SafeName makes a name usable as a part of a file name. It replaces all characters except ASCII
// letters, digits, "-" and "_" by "_".
func SafeName(name string) string {
	isSafe := func(r rune) bool {
		isLetter := 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
		isDigit := '0' <= r && r <= '9'
		return isLetter || isDigit || r == '-' || r == '_'
	}
	return strings.Map(func(r rune) rune {
		if isSafe(r) {
			return r
		}
		return '_'
	}, name)
}

// CopiedText is a page with a text that the user can select with the mouse.
type CopiedText struct {
	Base
	text   string
	what   string // description of the text
	scroll widget.Scroll
}

// NewCopiedText returns the page of a text with a description.
func NewCopiedText(env *Env, text, what string) *CopiedText {
	return &CopiedText{Base: NewBase(env), text: text, what: what}
}

// Title returns the page's name.
func (p *CopiedText) Title() string { return "Copied text" }

// CornerText returns the description of the text.
func (p *CopiedText) CornerText() string { return p.what }

// SelectsText marks the page as one whose text the user can select with the mouse.
func (p *CopiedText) SelectsText() {}

// ActionScopes returns the scope of lists: the keys that move through a list scroll the text.
func (p *CopiedText) ActionScopes() []action.Scope { return []action.Scope{action.List} }

// DisabledReason disables the action Open, because the page has nothing to open.
func (p *CopiedText) DisabledReason(id action.ID) string {
	return TextIf(id == action.Open, "nothing to open")
}

// Update does nothing.
func (p *CopiedText) Update(tea.Msg) tea.Cmd { return nil }

// HandleAction scrolls the text.
func (p *CopiedText) HandleAction(id action.ID) tea.Cmd {
	MoveList(&p.scroll, id)
	return nil
}

// View draws the text, and a hint below it.
func (p *CopiedText) View(w, h int) string {
	var lines []string
	for line := range strings.Lines(strings.TrimRight(p.text, "\n")) {
		lines = append(lines, format.Wrap(strings.TrimRight(line, "\r\n"), w)...)
	}
	muted := p.Env.Look.Theme.Style(theme.Muted)
	textHeight := max(0, h-2)
	text := format.FitBox(p.scroll.View(lines, textHeight, muted), w, textHeight)
	hint := ""
	if !p.Env.Look.Theme.Linear {
		hint = format.CleanText(muted, "Select the text with the mouse to copy it in your terminal.")
	}
	return text + "\n" + format.FitBox([]string{"", hint}, w, min(h, 2))
}
