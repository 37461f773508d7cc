package sshserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/ssh"

	"flightdesk/api"
	"flightdesk/tui"
	"flightdesk/tui/app/clipboard"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/app/session"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/picture"
)

// guest is somebody who has the app open.
type guest struct {
	session.Visit              // without its place
	place         atomic.Value // title of the page shown
	events        chan tea.Msg
	end           context.CancelFunc
}

// refuse ends a session with the reason.
func refuse(sess ssh.Session, why string) {
	fmt.Fprint(sess.Stderr(), why+"\r\n")
	_ = sess.Exit(1)
}

// showApp shows the app until its user leaves or the connection ends. Copies of files are a subsystem, also those of
// scp since OpenSSH 9.
func (s *Server) showApp(sess ssh.Session) {
	if sess.RawCommand() != "" {
		refuse(sess, "no commands run here; log in without one, or copy files with sftp, or scp of OpenSSH 9 or later")
		return
	}
	ctx, end := context.WithCancel(sess.Context())
	defer end()
	log := s.Log.With("user", sess.User(), "remote", sess.RemoteAddr().String())
	opts, err := s.optionsOf(ctx, sess)
	if err != nil {
		log.Error("the app cannot be opened", "error", err)
		refuse(sess, "the app cannot be opened; ask whoever runs this service")
		return
	}
	opts.OnRequest = func(x api.Exchange) { logChange(log, x) }
	g := s.welcome(sess, &opts, end)
	defer s.bidFarewell(g)
	log.Info("session opened", "account", opts.Account)
	err = g.runApp(ctx, sess, opts)
	log.Info("session closed", "after", time.Since(g.Since.Time).Round(time.Second).String())
	switch {
	case ctx.Err() != nil:
		fmt.Fprint(sess.Stderr(), "this session was ended; connect again\r\n")
	case err != nil:
		log.Error("the app has ended", "error", err)
		refuse(sess, "the app has ended unexpectedly; connect again")
	}
}

// runApp runs the app, as lines of text where the terminal has no screen.
func (g *guest) runApp(ctx context.Context, sess ssh.Session, opts tui.Options) error {
	in := &guestInput{Reader: sess}
	opts.Terminal.In, opts.Terminal.Out = in, sess
	pty, sizes, isTerminal := sess.Pty()
	switch {
	case !isTerminal:
		return tui.RunPlain(ctx, opts, in, sess)
	case termName(pty.Term) == "dumb":
		return tui.RunPlain(ctx, opts, &lineInput{in: in, echo: sess}, sess)
	}
	in.end = g.end
	opts.Terminal.Size = sizeOf(pty.Window)
	guard.Go(func() error {
		for size := range sizes {
			select {
			case g.events <- sizeOf(size):
			case <-ctx.Done():
			}
		}
		return nil
	})
	return tui.Run(ctx, opts)
}

// The largest terminal: each cell of it is drawn, and any size may be claimed.
const maxWidth, maxHeight = 500, 200

// sizeOf returns a terminal's size; where it has none, the usual one.
func sizeOf(w ssh.Window) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{
		Width:  min(cmp.Or(max(w.Width, 0), 80), maxWidth),
		Height: min(cmp.Or(max(w.Height, 0), 24), maxHeight),
	}
}

// optionsOf returns what the app works on for a session.
func (s *Server) optionsOf(ctx context.Context, sess ssh.Session) (tui.Options, error) {
	opts, err := s.Open(ctx, sess.User())
	if err != nil {
		return opts, err
	}
	files, err := s.userFolder(sess.User(), "files")
	state, noState := s.userFolder(sess.User(), "state")
	if err := errors.Join(err, noState); err != nil {
		return opts, err
	}
	opts.Folder, opts.Samples, opts.Fetch.Dir = files, s.Samples, filepath.Join(files, "deliveries")
	opts.KeepIn(state, "")
	opts.Setup, opts.Profiles, opts.Switch, opts.Secrets = nil, nil, nil, nil
	pty, _, _ := sess.Pty()
	opts.Terminal = &tui.Terminal{Environ: environOf(sess.Environ(), pty.Term)}
	getenv := opts.Terminal.Getenv
	if name := getenv("TZ"); name != "" {
		opts.Terminal.Zone, _ = time.LoadLocation(name)
	}
	way := clipboard.WayOf(getenv, nil)
	opts.Clipboard, opts.CopySequence, opts.Graphics = way.Write, way.Sequence, picture.MayHave(getenv)
	return opts, nil
}

// term is what a terminal may be called: libraries look for a file of the name.
var term = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$`)

func termName(name string) string {
	if !term.MatchString(name) {
		return "dumb"
	}
	return name
}

// environOf returns what a client says of its terminal, and nothing that has programs of
// this machine run.
func environOf(variables []string, term string) []string {
	told := []string{"LANG", "LC_ALL", "LC_CTYPE", "TZ", "COLORTERM", "NO_COLOR", "TERM_PROGRAM"}
	return append(slices.DeleteFunc(variables, func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return !slices.Contains(told, name) || len(value) > 128
	}), "TERM="+termName(term))
}

// welcome notes a guest.
func (s *Server) welcome(sess ssh.Session, opts *tui.Options, end context.CancelFunc) *guest {
	g := &guest{events: make(chan tea.Msg, 16), end: end, Visit: session.Visit{
		User: sess.User(), Account: opts.Account, From: hostOf(sess.RemoteAddr()), Since: api.TimeOf(time.Now()),
	}}
	opts.Terminal.Events = g.events
	opts.Terminal.OnPlace = func(title string) { g.place.Store(title) }
	if other := s.tell(alsoWorks(g.User), g.shares); other != nil {
		g.events <- alsoWorks(other.User)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	g.Number = s.last
	s.guests[g.Number] = g
	return g
}

func alsoWorks(user string) tea.Msg {
	return page.ToastMsg{Role: theme.Attention, Text: user + " also works on this account"}
}

// shares reports whether another guest works on the same account.
func (g *guest) shares(other *guest) bool { return g.Account == other.Account }

func (s *Server) bidFarewell(g *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.guests, g.Number)
}

// Visits lists who has the app open, in the order in which they came.
func (s *Server) Visits() (all []session.Visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.guests {
		v := g.Visit
		v.Place, _ = g.place.Load().(string)
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b session.Visit) int { return a.Number - b.Number })
	return all
}

// Tell shows a note to one guest, or to all with 0. A guest whose terminal does not take
// anything any more misses it.
func (s *Server) Tell(number int, text string) {
	s.tell(
		page.NoteMsg{Title: "Note from the trainer", Text: text},
		func(g *guest) bool { return number == 0 || g.Number == number },
	)
}

// End ends the sessions of a user.
func (s *Server) End(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.guests {
		if g.User == user {
			g.end()
		}
	}
}

// tell sends a message to guests, and returns one of them.
func (s *Server) tell(msg tea.Msg, to func(*guest) bool) (one *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.guests {
		if !to(g) {
			continue
		}
		one = g
		select {
		case g.events <- msg:
		default:
		}
	}
	return one
}

// logChange logs a request that may have changed something, without what is in it.
func logChange(log *slog.Logger, x api.Exchange) {
	at, err := url.Parse(x.URL)
	if err != nil || x.Method == http.MethodGet || strings.Contains(at.Path, "/v2/get") {
		return
	}
	log.Info("change", "method", x.Method, "path", at.Path, "status", x.Status)
}

// inputRate is how many bytes a second are read of what somebody types: enough for pastes, and not for a flood.
const inputRate = 64 << 10

// guestInput is what a guest types.
type guestInput struct {
	io.Reader
	end func()    // is called at its end; nil for nothing
	due time.Time // when more is read
}

// Read waits while too much comes.
func (r *guestInput) Read(p []byte) (int, error) {
	<-time.After(time.Until(r.due))
	n, err := r.Reader.Read(p)
	r.due = time.Now().Add(time.Duration(n) * time.Second / inputRate)
	if err != nil && r.end != nil {
		r.end()
	}
	return n, err
}

// maxLine is the longest line that is typed.
const maxLine = 4096

// lineInput edits lines as a terminal does by itself, which is in raw mode here.
type lineInput struct {
	in   io.Reader
	echo io.Writer
	line []byte // typed, without an end yet
	done []byte // to be read
}

// Read returns whole lines.
func (l *lineInput) Read(p []byte) (int, error) {
	for len(l.done) == 0 {
		n, err := l.in.Read(p)
		for _, b := range p[:n] {
			l.takeByte(b)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.done)
	l.done = l.done[n:]
	return n, nil
}

func (l *lineInput) takeByte(b byte) {
	_, last := utf8.DecodeLastRune(l.line)
	switch {
	case b == '\r' || b == '\n':
		l.done, l.line = append(append(l.done, l.line...), '\n'), nil
		fmt.Fprint(l.echo, "\n")
	case b == 3 || b == 4 && last == 0: // ctrl+c, ctrl+d
		l.in = io.MultiReader() // at its end
	case (b == 8 || b == 127) && last > 0:
		l.line = l.line[:len(l.line)-last]
		fmt.Fprint(l.echo, "\b \b")
	case b >= ' ' && b != 127 && len(l.line) < maxLine:
		l.line = append(l.line, b)
		fmt.Fprintf(l.echo, "%s", l.line[len(l.line)-1:])
	}
}
