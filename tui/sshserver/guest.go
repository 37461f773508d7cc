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

// guest is a session of a user.
type guest struct {
	gossh.Channel
	session.Visit              // without its place
	place         atomic.Value // title of the page shown
	client        *client
	log           *slog.Logger
	ctx           context.Context
	end           context.CancelFunc
	patience      time.Duration

	begun   bool              // it is no more only what the client says of its terminal
	environ []string          // as NAME=value
	opening tea.WindowSizeMsg // size when the session has begun; zero without a terminal
	events  chan tea.Msg

	newSize chan tea.WindowSizeMsg // has the newest size that the client has sent, until it is passed on
	size    tea.WindowSizeMsg      // that is drawn; only for the goroutine that reads requests, then for passSizes
}

// What a client says of its terminal, and nothing that has programs of this machine run.
var told = []string{"LANG", "LC_ALL", "LC_CTYPE", "TZ", "COLORTERM", "NO_COLOR", "TERM_PROGRAM"}

// term is what a terminal may be called: libraries look for a file of the name.
var term = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$`)

// windowChange is the request that tells another size of the terminal.
const windowChange = "window-change"

// sizeOf reads the size of a terminal from the wire; without one it is 80x24.
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

// resize changes the size that is drawn of the terminal.
func (g *guest) resize(want tea.WindowSizeMsg) tea.WindowSizeMsg {
	g.size = g.client.server.connections.fitSize(g.client.person, g.size, want)
	return g.size
}

// replaceNewSize replaces the size that waits to be passed on, if there is one.
func (g *guest) replaceNewSize(size tea.WindowSizeMsg) {
	select {
	case <-g.newSize:
	default:
	}
	g.newSize <- size
}

// passSizes passes the sizes of the terminal to the app until the session ends. The app
// draws everything anew for a size, so it gets only the newest one, from time to time.
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
		case size = <-g.newSize:
		default:
		}
		select {
		case g.events <- g.resize(size):
		case <-g.ctx.Done():
		}
	}
}

// takeFact takes what a client says of its terminal, and reports whether it counts. A terminal without a screen is
// refused: its client edits lines itself then, which the app gets.
func (g *guest) takeFact(req *gossh.Request) bool {
	var name, value struct {
		Text string
		Rest []byte `ssh:"rest"`
	}
	_ = gossh.Unmarshal(req.Payload, &name) // of other requests it is nothing that is known
	switch {
	case req.Type == windowChange && g.begun && g.opening.Width > 0:
		g.replaceNewSize(sizeOf(req.Payload))
	case g.begun || len(g.environ) == maxTold:
		return false
	case req.Type == "pty-req" && g.size.Width == 0 && name.Text != "dumb" && term.MatchString(name.Text):
		g.environ = append(g.environ, "TTY_FORCE=1", "TERM="+name.Text)
		g.resize(sizeOf(name.Rest))
	case req.Type == "env" && slices.Contains(told, name.Text) && len(name.Rest) < 128:
		_ = gossh.Unmarshal(name.Rest, &value) // no text is empty
		if strings.ContainsFunc(value.Text, unicode.IsControl) {
			return false
		}
		g.environ = append(g.environ, name.Text+"="+value.Text)
	default:
		return false
	}
	return true
}

// Write writes, and cuts a client that does not read any more.
func (g *guest) Write(p []byte) (int, error) {
	defer time.AfterFunc(g.patience, g.client.cut).Stop()
	return g.Channel.Write(p)
}

// refuse says why a session ends, and returns its status.
func (g *guest) refuse(why string) uint32 {
	fmt.Fprint(g.Stderr(), why+"\r\n")
	return 1
}

func refuseCommand(g *guest) uint32 {
	return g.refuse("no commands run here; log in without one, or copy files with sftp, or scp of OpenSSH 9 or later")
}

// showApp shows the app until its user leaves or the connection ends, as lines of text where there is no terminal.
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
	opts, err := s.optionsOf(g, files)
	if err != nil {
		g.log.Error("the app cannot be opened", "error", err)
		return g.refuse("the app cannot be opened; ask whoever runs this service")
	}
	s.welcome(g)
	defer s.bidFarewell(g)
	g.log.Info("session opened", "account", g.Account)
	if g.opening.Width > 0 {
		err = tui.Run(g.ctx, opts)
	} else {
		err = tui.RunPlain(g.ctx, opts, g, g)
	}
	g.log.Info(
		"session closed",
		"after",
		time.Since(g.Since.Time).Round(time.Second).String(),
	)
	switch {
	case g.ctx.Err() != nil:
		g.refuse("this session was ended; connect again")
	case err != nil:
		g.log.Error("the app has ended", "error", err)
		return g.refuse("the app has ended unexpectedly; connect again")
	}
	return 0
}

// optionsOf returns what the app works on for a session.
func (s *Server) optionsOf(g *guest, files *userFiles) (tui.Options, error) {
	opts, err := s.Open(g.ctx, g.client.login)
	if err != nil {
		return opts, err
	}
	g.Account = opts.Company
	opts.Folder, opts.Samples, opts.Fetch.Dir = files.path(), s.Samples, ""
	opts.Fetch.Free = func(string) (int64, error) { return files.free(), nil }
	opts.Surveys = g.surveyReader()
	opts.KeepIn(filepath.Join(s.Dir, g.User, "state"), "")
	opts.Setup, opts.Profiles, opts.Switch, opts.Secrets = nil, nil, nil, nil
	opts.OnRequest = g.logChange
	opts.Terminal = &tui.Terminal{
		In: g, Out: g, Environ: g.environ, Size: g.opening, Events: g.events,
		OnPlace: func(title string) { g.place.Store(title) },
		Work:    func(work func()) { g.client.person.work.do(g.ctx, work) },
	}
	getenv := opts.Terminal.Getenv
	way := session.ClipboardsOf(getenv, nil)
	opts.Clipboard, opts.CopySequence, opts.Graphics = way.Write, way.Sequence, picture.MayHave(getenv)
	return opts, nil
}

// surveyReader returns what reads survey files for the session.
func (g *guest) surveyReader() ordering.FileReader {
	return ordering.FileReader{
		MaxBytes: maxSurveyBytes, MaxSites: maxSites, MaxPoints: maxPoints, Wait: g.waitToRead,
	}
}

// waitToRead waits until the person and the server read few enough survey files, and
// returns the function that says that a file was read.
func (g *guest) waitToRead(ctx context.Context) (done func(), err error) {
	ofPerson, ofServer := g.client.person.readings, g.client.server.readings
	if err := takeTurn(ctx, ofPerson); err != nil {
		return nil, err
	}
	if err := takeTurn(ctx, ofServer); err != nil {
		<-ofPerson
		return nil, err
	}
	return func() {
		<-ofServer
		<-ofPerson
	}, nil
}

// takeTurn waits until a channel has room, and adds an element to it.
func takeTurn(ctx context.Context, turns chan struct{}) error {
	select {
	case turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// welcome notes a guest, and tells those who work on the same account of each other.
func (s *Server) welcome(g *guest) {
	for _, other := range s.present() {
		if other.Account == g.Account {
			other.tell(alsoWorks(g.User))
			g.tell(alsoWorks(other.User))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	g.Number = s.last
	s.guests = append(s.guests, g)
}

func alsoWorks(user string) tea.Msg {
	return page.ToastMsg{Role: theme.Attention, Text: user + " also works on this account"}
}

func (s *Server) bidFarewell(g *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guests = slices.DeleteFunc(s.guests, func(other *guest) bool { return other == g })
}

// present lists who has the app open, in the order in which they came.
func (s *Server) present() []*guest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.guests)
}

// Visits lists who has the app open, in the order in which they came.
func (s *Server) Visits() (all []session.Visit) {
	for _, g := range s.present() {
		v := g.Visit
		v.Place, _ = g.place.Load().(string)
		all = append(all, v)
	}
	return all
}

// Tell shows a note to one guest, or with 0 to all but those who send them.
func (s *Server) Tell(number int, text string) {
	for _, g := range s.present() {
		if g.Number == number || number == 0 && g.User != Operations {
			g.tell(page.NoteMsg{Title: "Note from the trainer", Text: text})
		}
	}
}

// End ends the sessions of a user that have the app open.
func (s *Server) End(user string) {
	for _, g := range s.present() {
		if g.User == user {
			g.end()
		}
	}
}

// tell sends a message to a guest. One whose terminal does not take anything any more
// misses it.
func (g *guest) tell(msg tea.Msg) {
	select {
	case g.events <- msg:
	default:
	}
}

// logChange logs a request that may have changed something, without what is in it.
func (g *guest) logChange(x *session.Exchange) {
	url, _, _ := strings.Cut(x.URL, "?")
	if x.Method != http.MethodGet && !strings.Contains(url, "/v2/get") {
		g.log.Info("change", "method", x.Method, "path", x.Path, "status", x.Status)
	}
}

// Read reads what is typed, and waits until somebody could have typed so much: pastes take
// a moment, and a flood slows nobody else.
func (g *guest) Read(p []byte) (int, error) {
	n, err := g.Channel.Read(p[:min(len(p), keyBurst)])
	_ = g.client.person.keys.WaitN(g.ctx, n) // fails when the session ends
	return n, err
}
