package sshserver

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	gossh "golang.org/x/crypto/ssh"

	"flightdesk/tui"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

// guest is a session of a user on an SSH connection, with its terminal.
type guest struct {
	gossh.Channel
	session.Visit              // its Place is not set; see place
	place         atomic.Value // title of the page that is shown
	client        *client
	log           *slog.Logger
	ctx           context.Context // ends with the session
	end           context.CancelFunc
	patience      time.Duration // see Options.Patience

	startTimer  *time.Timer       // ends a session that starts nothing
	hasStarted  bool              // whether the app or sftp has started; after that, the terminal can only be resized
	environ     []string          // environment variables of the terminal, as NAME=value
	initialSize tea.WindowSizeMsg // size of the terminal at the start; zero without a terminal
	events      chan tea.Msg      // messages for the app

	// newSize has the last size that the client has sent, until passSizes sends it to the app.
	newSize chan tea.WindowSizeMsg
	// size is the size in which the app is drawn. Before the program starts, only the goroutine that reads
	// requests may use it. After that, only passSizes may use it.
	size tea.WindowSizeMsg
}

// acceptedVariables are the environment variables that a client can set. None of them makes
// programs of this machine run.
var acceptedVariables = []string{"LANG", "LC_ALL", "LC_CTYPE", "TZ", "COLORTERM", "NO_COLOR", "TERM_PROGRAM"}

// maxTerminalType is the maximum length of the name of a terminal type.
const maxTerminalType = 64

// terminalType matches valid names of a terminal type, of any length. Libraries open a file with that name.
var terminalType = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]*$`)

// isTerminalType reports whether a text is a valid name of a terminal type.
func isTerminalType(name string) bool {
	return len(name) <= maxTerminalType && terminalType.MatchString(name)
}

// windowChange is the request for another size of the terminal.
const windowChange = "window-change"

// sizeOf parses the size of a terminal in a request. A missing width is 80, a missing height 24.
func sizeOf(payload []byte) tea.WindowSizeMsg {
	var size struct {
		Columns, Rows uint32
		Rest          []byte `ssh:"rest"`
	}
	_ = gossh.Unmarshal(payload, &size)
	return tea.WindowSizeMsg{
		Width:  int(min(cmp.Or(size.Columns, 80), maxWidth)),
		Height: int(min(cmp.Or(size.Rows, 24), maxHeight)),
	}
}

// resize changes the size in which the app is drawn to the size of the terminal, within the limits of
// the server. It returns the new size.
func (g *guest) resize(want tea.WindowSizeMsg) tea.WindowSizeMsg {
	g.size = g.client.server.connections.fitSize(g.client.person, g.size, want)
	return g.size
}

// replaceNewSize sets the size that passSizes sends next.
func (g *guest) replaceNewSize(size tea.WindowSizeMsg) {
	select {
	case <-g.newSize:
	default:
	}
	g.newSize <- size
}

// passSizes sends the sizes of the terminal to the app until the session ends. The app draws
// everything again for each size, so the sizes are rate-limited, and only the newest one is sent.
func (g *guest) passSizes() {
	for g.ctx.Err() == nil {
		var size tea.WindowSizeMsg
		select {
		case size = <-g.newSize:
		case <-g.ctx.Done():
			return
		}
		_ = g.client.person.resizes.Wait(g.ctx) // fails when the session ends
		select {
		case size = <-g.newSize: // a newer size arrived during the wait
		default:
		}
		select {
		case g.events <- g.resize(size):
		case <-g.ctx.Done():
		}
	}
}

// wireText decodes the first text of an SSH request. Rest has the bytes after that text.
type wireText struct {
	Text string
	Rest []byte `ssh:"rest"`
}

// handleTerminalRequest handles a request about the guest's terminal, and reports whether it accepts
// the request. Before the program starts, it accepts the terminal type and environment variables.
// After the start, it only accepts a new size.
func (g *guest) handleTerminalRequest(req *gossh.Request) bool {
	if g.hasStarted {
		hasTerminal := g.initialSize.Width > 0
		if req.Type != windowChange || !hasTerminal {
			return false
		}
		g.replaceNewSize(sizeOf(req.Payload))
		return true
	}
	if len(g.environ) == maxVariables {
		return false
	}
	var name wireText
	_ = gossh.Unmarshal(req.Payload, &name) // the text of an invalid request is empty
	switch req.Type {
	case "pty-req":
		return g.setTerminal(name.Text, sizeOf(name.Rest))
	case "env":
		return g.setVariable(name.Text, name.Rest)
	default:
		return false
	}
}

// setTerminal sets the type and the size of the terminal. It refuses a second terminal, and the type
// dumb, which cannot move its cursor. A client without a terminal sends complete lines, which the app
// reads in plain mode.
func (g *guest) setTerminal(name string, size tea.WindowSizeMsg) bool {
	hasTerminal := g.size.Width > 0
	if hasTerminal || name == "dumb" || !isTerminalType(name) {
		return false
	}
	g.environ = append(g.environ, "TTY_FORCE=1", "TERM="+name)
	g.resize(size)
	return true
}

// setVariable sets an environment variable. rest has the encoded value. It returns false if clients may not
// set the variable, or if the value is too long or has control characters.
func (g *guest) setVariable(name string, rest []byte) bool {
	if !slices.Contains(acceptedVariables, name) || len(rest) >= 128 {
		return false
	}
	var value wireText
	_ = gossh.Unmarshal(rest, &value) // an invalid value is empty
	if strings.ContainsFunc(value.Text, unicode.IsControl) {
		return false
	}
	g.environ = append(g.environ, name+"="+value.Text)
	return true
}

// Write writes to the client. It closes the connection of a client that has stopped reading.
func (g *guest) Write(p []byte) (int, error) {
	defer time.AfterFunc(g.patience, g.client.cut).Stop()
	return g.Channel.Write(p)
}

// showReason shows the user why the session ends.
func (g *guest) showReason(reason string) { fmt.Fprint(g.Stderr(), reason+"\r\n") }

// refuse shows the user why the session ends, and returns the exit status of a failed program.
func (g *guest) refuse(reason string) uint32 {
	g.showReason(reason)
	return 1
}

func refuseCommand(g *guest) uint32 {
	return g.refuse("no commands run here; log in without one, or copy files with sftp, or scp of OpenSSH 9 or later")
}

// showApp runs the app until the user quits or the connection ends. Without a terminal it runs the
// app in plain mode. It returns the exit status.
func (s *Server) showApp(g *guest) uint32 {
	files, err := s.disk.openFolder(g.User)
	if err != nil {
		g.log.Error("the folder cannot be opened", "error", err)
		return g.refuse("your folder cannot be opened; ask whoever runs this service")
	}
	defer files.close()
	if files.count().isExcessive() {
		return g.refuse("your files take too much space; remove some with sftp and connect again")
	}
	opts, err := s.appOptions(g, files)
	if err != nil {
		g.log.Error("the app cannot be opened", "error", err)
		return g.refuse("the app cannot be opened; ask whoever runs this service")
	}
	g.Account = opts.Company
	s.addGuest(g)
	defer s.removeGuest(g)
	err = g.runApp(opts)
	if g.ctx.Err() != nil { // the session was ended; the app's error only says so
		g.showReason("this session was ended; connect again")
		return 0
	}
	if err != nil {
		g.log.Error("the app has ended", "error", err)
		return g.refuse("the app has ended unexpectedly; connect again")
	}
	return 0
}

// runApp runs the app on the guest's terminal, or in plain mode if the guest has no terminal. It logs when
// the app starts and ends.
func (g *guest) runApp(opts tui.Options) error {
	g.log.Info("session opened", "account", g.Account)
	defer func() {
		duration := time.Since(g.Since.Time).Round(time.Second)
		g.log.Info("session closed", "after", duration.String())
	}()
	hasTerminal := g.initialSize.Width > 0
	if hasTerminal {
		return tui.Run(g.ctx, opts)
	}
	return tui.RunPlain(g.ctx, opts, g, g)
}

// appOptions returns the app's options for a session.
func (s *Server) appOptions(g *guest, files *userFiles) (tui.Options, error) {
	opts, err := s.Open(g.ctx, g.client.login)
	if err != nil {
		return opts, err
	}
	// The app works with files in the user's folder only.
	opts.Folder = files.path()
	opts.Samples = s.Samples
	opts.Fetch.Dir = "" // the app then downloads to the folder "deliveries" in opts.Folder
	opts.Fetch.Free = func(string) (int64, error) { return files.free(), nil }
	opts.Surveys = g.surveyReader()
	opts.SetPaths(filepath.Join(s.Dir, g.User, "state"), "")
	// The configuration, the other profiles and the keyring belong to whoever runs the server.
	opts.Setup = nil
	opts.Profiles = nil
	opts.Switch = nil
	opts.Secrets = nil
	opts.OnRequest = g.logChange
	opts.Terminal = g.terminal()
	getenv := opts.Terminal.Getenv
	clipboards := session.ClipboardsOf(getenv, nil)
	opts.Clipboard = clipboards.Write
	opts.CopySequence = clipboards.Sequence
	opts.Graphics = picture.MayHave(getenv)
	return opts, nil
}

// terminal returns the terminal of the session for the app. It limits the processor time of the app.
func (g *guest) terminal() *tui.Terminal {
	return &tui.Terminal{
		In:      g,
		Out:     g,
		Environ: g.environ,
		Size:    g.initialSize,
		Events:  g.events,
		OnPlace: func(title string) { g.place.Store(title) },
		Work:    func(work func()) { g.client.person.work.do(g.ctx, work) },
	}
}

// surveyReader returns the reader of survey files for the session, with the limits of the server.
func (g *guest) surveyReader() ordering.FileReader {
	return ordering.FileReader{
		MaxBytes:  maxSurveyBytes,
		MaxSites:  maxSites,
		MaxPoints: maxPoints,
		Wait:      g.waitToRead,
	}
}

// waitToRead waits until neither the person nor the server reads too many survey files at once. The
// caller must call done after it has read its file.
func (g *guest) waitToRead(ctx context.Context) (done func(), err error) {
	personReads := g.client.person.readings
	serverReads := g.client.server.readings
	if err := waitForRoom(ctx, personReads); err != nil {
		return nil, err
	}
	if err := waitForRoom(ctx, serverReads); err != nil {
		<-personReads
		return nil, err
	}
	return func() {
		<-serverReads
		<-personReads
	}, nil
}

// waitForRoom waits until a channel has room, and adds an element to it.
func waitForRoom(ctx context.Context, turns chan struct{}) error {
	select {
	case turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// addGuest adds a guest to the list of guests. If others already work on the same account, the guest
// and the others see a message.
func (s *Server) addGuest(g *guest) {
	for _, other := range s.listGuests() {
		if other.Account == g.Account {
			other.notify(alsoWorksToast(g.User))
			g.notify(alsoWorksToast(other.User))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	g.Number = s.last
	s.guests = append(s.guests, g)
}

func alsoWorksToast(user string) tea.Msg {
	return page.ToastMsg{Role: theme.Attention, Text: user + " also works on this account"}
}

// removeGuest removes a guest from the list of guests.
func (s *Server) removeGuest(g *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guests = slices.DeleteFunc(s.guests, func(other *guest) bool { return other == g })
}

// listGuests returns the guests with an open app, in the order in which they connected.
func (s *Server) listGuests() []*guest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.guests)
}

// Visits returns the sessions with an open app, in the order in which they were opened.
func (s *Server) Visits() []session.Visit {
	var visits []session.Visit
	for _, g := range s.listGuests() {
		visit := g.Visit
		visit.Place, _ = g.place.Load().(string)
		visits = append(visits, visit)
	}
	return visits
}

// Tell shows a note to the guest with the given number. Number 0 shows it to all guests except operations
// users, who send the notes. It returns the number of guests whose app received the note.
func (s *Server) Tell(number int, text string) (reached int) {
	note := page.NoteMsg{Title: "Note from the trainer", Text: text}
	for _, g := range s.listGuests() {
		isRecipient := g.Number == number || number == 0 && g.User != Operations
		if isRecipient && g.notify(note) {
			reached++
		}
	}
	return reached
}

// End ends all sessions in which the user has the app open.
func (s *Server) End(user string) {
	for _, g := range s.listGuests() {
		if g.User == user {
			g.end()
		}
	}
}

// notify sends a message to the guest's app. It returns false if the app does not accept messages, for
// example because the guest's terminal has stopped reading.
func (g *guest) notify(msg tea.Msg) bool {
	select {
	case g.events <- msg:
		return true
	default:
		return false
	}
}

// logChange logs that a request may have changed something. It does not log the content of the request.
func (g *guest) logChange(x *session.Exchange) {
	url, _, _ := strings.Cut(x.URL, "?")
	isRead := x.Method == http.MethodGet || strings.Contains(url, "/v2/get")
	if isRead {
		return
	}
	g.log.Info("change", "method", x.Method, "path", x.Path, "status", x.Status)
}

// Read reads typed text, at the rate at which a person can type. A paste may take a moment, and a flood
// of keys slows down only its sender.
func (g *guest) Read(p []byte) (int, error) {
	n, err := g.Channel.Read(p[:min(len(p), keyBurst)])
	_ = g.client.person.keys.WaitN(g.ctx, n) // fails when the session ends
	return n, err
}
