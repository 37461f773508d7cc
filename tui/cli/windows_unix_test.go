//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/xpty"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// windows are two windows of the app with the same profile, on a service on disk. Both are killed at
// random moments. Afterwards everything that was in the file of a draft or at the service must still
// be in one of them, and only once.
type windows struct {
	t      *testing.T
	places string
	vars   []string
	client *api.Client
	ops    *ops.Client
	open   [2]*window
	sites  int               // numbers the survey files
	seen   map[string]string // sites that were in the file of a draft, or ordered, and where
	demos  map[string]bool   // codes of the orders that were there from the start
	before map[string]bool   // quotes that were rejected by others
	heard  map[string]bool   // events that were acknowledged and found kept
	kills  int
}

// window is a program in a terminal, with the last typed keys.
type window struct {
	cmd  *exec.Cmd
	pty  *xpty.UnixPty
	done chan struct{}
}

func newWindows(t *testing.T) *windows {
	t.Helper()
	w := &windows{t: t, places: t.TempDir(), seen: map[string]string{}, heard: map[string]bool{}, before: map[string]bool{}, demos: map[string]bool{}}
	serve := w.program("serve", "--demo", "--data", filepath.Join(w.places, "service"), "--addr", "127.0.0.1:0", "--output", "json",
		"--webhook-allow", "127.0.0.0/8")
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Kill()
		_ = serve.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	var ready server.ReadyLine
	if err := json.Unmarshal(line, &ready); err != nil || len(ready.Accounts) == 0 {
		t.Fatalf("%v: %s", err, line)
	}
	key := ready.Accounts[0].Key
	w.vars = []string{
		"FLIGHTDESK_BASE_URL=" + ready.BaseURL, "FLIGHTDESK_LEGACY_BASE_URL=" + ready.LegacyBaseURL, "FLIGHTDESK_API_KEY=" + key,
		"FLIGHTDESK_OPS_URL=" + ready.OpsURL, "FLIGHTDESK_OPS_KEY=" + ready.OpsKey,
	}
	if w.client, err = api.NewClient(ready.BaseURL, api.WithKey(key), api.WithLegacyURL(ready.LegacyBaseURL)); err != nil {
		t.Fatal(err)
	}
	if w.ops, err = ops.NewClient(ready.OpsURL, ready.OpsKey); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.kill(0); w.kill(1) })
	w.fetchAll("reference")
	return w
}

// program returns this program with arguments, in the folders of the windows.
func (w *windows) program(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	env := append([]string{
		"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "HOME=" + w.places, "XDG_CONFIG_HOME=" + w.places, "XDG_STATE_HOME=" + w.places, "TMPDIR=" + w.places,
	}, w.vars...)
	return &exec.Cmd{Path: self, Args: append([]string{"flightdesk"}, args...), Env: env, Dir: w.places}
}

// start opens a window.
func (w *windows) start(n int) {
	w.t.Helper()
	pty, err := xpty.NewUnixPty(120, 35)
	if err != nil {
		w.t.Fatal(err)
	}
	x := &window{cmd: w.program(), pty: pty, done: make(chan struct{})}
	if err := pty.Start(x.cmd); err != nil {
		w.t.Fatal(err)
	}
	drawn := make(chan struct{})
	go func() {
		title := []byte("Home")
		first := sync.OnceFunc(func() { close(drawn) })
		defer first()
		buf := make([]byte, 32<<10)
		var output []byte // with the end of the last read, because the title can be in two parts
		for {
			n, err := pty.Read(buf)
			output = append(output[max(0, len(output)-len(title)):], buf[:n]...)
			if bytes.Contains(output, title) {
				first()
			}
			if err != nil {
				return
			}
		}
	}()
	go func() { _ = x.cmd.Wait(); close(x.done) }()
	select {
	case <-drawn:
	case <-time.After(patience):
		w.t.Fatal("a window shows nothing")
	}
	w.open[n] = x
}

// kill ends a window like a power failure.
func (w *windows) kill(n int) {
	if x := w.open[n]; x != nil {
		_ = x.cmd.Process.Kill()
		<-x.done
		_ = x.pty.Close()
		w.open[n] = nil
	}
}

// journey types what a user does, in any order, until a deadline: compose an order from a new file,
// download everything, start or stop listening for events, and decide a quote at the end of the
// window. If a draft is restored, it may handle the keys differently.
func (w *windows) journey(n int, until time.Time) {
	w.sites++
	site := fmt.Sprintf("Mast%04dQ", w.sites)
	file := filepath.Join(w.places, site+".csv")
	text := fmt.Sprintf("name,country,lat,lng\n%s,Germany,%.4f,%.4f\n", site, 47.5+float64(w.sites%1000)/200, 8+float64(w.sites/1000)+rand.Float64()*4)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	// The name of the file is pasted. If it were typed and the app showed another page, the letters would be
	// commands, and some of them remove sites.
	parts := [][]string{
		{"2", "n", "\x1b[200~" + file + "\x1b[201~", "\r", "]", "\t\t\t\t\t", "wat", "\x13", "S", "\r"},
		{"5", "F"},
		{"7", "L", "L"},
	}
	rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	if rand.IntN(4) == 0 {
		parts = [][]string{{"4", "\r", "X", "\x1b[200~reject\x1b[201~", "\r", "q", "\r"}}
	}
	for _, part := range parts {
		for _, k := range append([]string{"\x1b", "\x1b"}, part...) {
			x := w.open[n]
			if x == nil || time.Until(until) <= 0 {
				return
			}
			_, _ = x.pty.Write([]byte(k))
			pause := 20
			if k == "\x1b" {
				pause = 60 // otherwise the next key belongs to the sequence
			}
			select {
			case <-time.After(min(time.Duration(pause+rand.IntN(60))*time.Millisecond, time.Until(until))):
			case <-x.done:
				return
			}
		}
	}
}

// round lets both windows work until one or both are killed.
func (w *windows) round() {
	w.t.Helper()
	for n := range w.open {
		if x := w.open[n]; x != nil {
			select {
			case <-x.done: // the user quit the window
				w.kill(n)
			default:
			}
		}
		if w.open[n] == nil {
			w.start(n)
		}
	}
	w.quote()
	ringing, quiet := context.WithCancel(w.t.Context())
	rung := make(chan struct{})
	go func() {
		defer close(rung)
		w.ring(ringing)
	}()
	until := time.Now().Add(time.Duration(300+rand.IntN(2200)) * time.Millisecond)
	first := rand.IntN(2)
	w.journey(first, until)
	w.journey(1-first, time.Now().Add(time.Duration(rand.IntN(1500))*time.Millisecond))
	w.kill(rand.IntN(2))
	w.kills++
	if rand.IntN(4) == 0 {
		w.kill(0)
		w.kill(1)
	}
	quiet()
	<-rung
	w.check()
}

func (w *windows) run(kills int) {
	w.t.Helper()
	for range kills {
		w.round()
	}
	w.kill(0)
	w.kill(1)
	w.check()
	before := w.downloaded()
	files := w.checkAllFiles()
	n := len(w.ordered())
	w.t.Logf("%d kills: %d sites drafted or ordered, of these %d ordered, each once; %d decisions in the log; %d events acknowledged, each kept once; %d files downloaded, %d with those fetched afterwards",
		w.kills, len(w.seen), n, w.checkDecisions(), len(w.heard), before, files)
}

// Both windows are killed a few times while they work. The campaign kills them 200 times.
func TestKilledWindowsLoseNothing(t *testing.T) {
	t.Parallel()
	newWindows(t).run(2)
}
