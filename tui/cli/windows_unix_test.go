//go:build campaign && unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/xpty"

	"flightdesk/api"
	"flightdesk/tui/app/quoting"
)

// windows are two windows of the app on one profile, at a service on disk.
// Both are killed at random moments; what was seen in a draft's file, or on the
// service, must be in one of them afterwards, and once.
type windows struct {
	t      *testing.T
	places string
	vars   []string
	client *api.Client
	open   [2]*window
	sites  int               // numbers the survey files
	seen   map[string]string // sites that were in the file of a draft, or ordered, and where
	kills  int
}

// window is a program in a terminal, and what it was last typed.
type window struct {
	cmd  *exec.Cmd
	pty  *xpty.UnixPty
	done chan struct{}
}

func newWindows(t *testing.T) *windows {
	t.Helper()
	w := &windows{t: t, places: t.TempDir(), seen: map[string]string{}}
	serve := w.program("serve", "--demo", "--data", filepath.Join(w.places, "service"), "--addr", "127.0.0.1:0", "--output", "json")
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
	var ready struct {
		BaseURL, LegacyBaseURL string
		Accounts               []struct{ Key string }
	}
	if err := json.Unmarshal(line, &ready); err != nil || len(ready.Accounts) == 0 {
		t.Fatalf("%v: %s", err, line)
	}
	key := ready.Accounts[0].Key
	w.vars = []string{"FLIGHTDESK_BASE_URL=" + ready.BaseURL, "FLIGHTDESK_LEGACY_BASE_URL=" + ready.LegacyBaseURL, "FLIGHTDESK_API_KEY=" + key}
	if w.client, err = api.NewClient(ready.BaseURL, api.WithKey(key), api.WithLegacyURL(ready.LegacyBaseURL)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.kill(0); w.kill(1) })
	return w
}

// program is this program with arguments, in the places of the windows.
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
		buf, first := make([]byte, 32<<10), sync.OnceFunc(func() { close(drawn) })
		for {
			n, err := pty.Read(buf)
			if bytes.Contains(buf[:n], []byte("Home")) {
				first()
			}
			if err != nil {
				first()
				return
			}
		}
	}()
	go func() { _ = x.cmd.Wait(); close(x.done) }()
	select {
	case <-drawn:
	case <-time.After(20 * time.Second):
		w.t.Fatal("a window shows nothing")
	}
	w.open[n] = x
}

// kill ends a window as a power cut does.
func (w *windows) kill(n int) {
	if x := w.open[n]; x != nil {
		_ = x.cmd.Process.Kill()
		<-x.done
		_ = x.pty.Close()
		w.open[n] = nil
	}
}

// journey types a new order from a file of its own, a decision and a download,
// until the deadline comes. What a draft that is taken up again makes of the
// keys is as good.
func (w *windows) journey(n int, until time.Time) {
	w.sites++
	site := fmt.Sprintf("Mast%04dQ", w.sites)
	file := filepath.Join(w.places, site+".csv")
	text := fmt.Sprintf("name,country,lat,lng\n%s,Germany,%.4f,%.4f\n", site, 47.5+float64(w.sites%1000)/200, 8+float64(w.sites/1000)+rand.Float64()*4)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	// The file is pasted: typed on another page than that of the files, its letters
	// would be commands, and some of them remove sites.
	keys := []string{"\x1b", "2", "n", "\x1b[200~" + file + "\x1b[201~", "\r", "]", "\t\t\t\t\t", "wat", "\x13", "S", "\r"}
	keys = append(keys, "\x1b", "4", "\r", "X", "\r", "5", "F")
	for _, k := range keys {
		if pause := time.Until(until); pause <= 0 {
			return
		}
		if x := w.open[n]; x != nil {
			_, _ = x.pty.Write([]byte(k))
		}
		select {
		case <-time.After(min(time.Duration(40+rand.IntN(80))*time.Millisecond, time.Until(until))):
		case <-w.open[n].done:
			return
		}
	}
}

// A site's name is in the texts of a draft, too, where a path was typed into a
// field: only that of a site counts there.
var (
	siteNames  = regexp.MustCompile(`Mast\d{4}Q`)
	draftSites = regexp.MustCompile(`"Name":"Mast\d{4}Q"`)
)

// round has both windows work until one of them, or both, is killed.
func (w *windows) round() {
	w.t.Helper()
	for n := range w.open {
		if w.open[n] == nil {
			w.start(n)
		}
	}
	until := time.Now().Add(time.Duration(100+rand.IntN(1700)) * time.Millisecond)
	first := rand.IntN(2)
	w.journey(first, until)
	w.journey(1-first, time.Now().Add(time.Duration(rand.IntN(900))*time.Millisecond))
	w.kill(rand.IntN(2))
	w.kills++
	if rand.IntN(4) == 0 {
		w.kill(0)
		w.kill(1)
	}
	w.check()
}

// drafted are the sites in files of drafts, also of those put aside.
func (w *windows) drafted() map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(filepath.Join(w.places, "flightdesk", "drafts"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if data, err := os.ReadFile(path); err == nil {
			for _, name := range draftSites.FindAllString(string(data), -1) {
				found[siteNames.FindString(name)] = path + "\n" + string(data)
			}
		}
		return nil
	})
	return found
}

// ordered counts the orders that a site is in.
func (w *windows) ordered() map[string]int {
	w.t.Helper()
	found := map[string]int{}
	for o, err := range w.client.Orders.All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		if !siteNames.MatchString(o.OrderName) {
			continue
		}
		full, err := w.client.Orders.Get(w.t.Context(), o.OrderCode)
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range full.Missions {
			found[siteNames.FindString(full.Missions[i].MissionName)]++
		}
	}
	return found
}

// check compares the drafts on disk and the orders with what was seen before.
func (w *windows) check() {
	w.t.Helper()
	drafted, ordered := w.drafted(), w.ordered()
	for site, where := range w.seen {
		if drafted[site] == "" && ordered[site] == 0 {
			path, _, _ := strings.Cut(where, "\n")
			now, err := os.ReadFile(path)
			w.t.Errorf("kill %d: %s is in no draft and in no order; it was in %s\nwhich is now (%v) %s", w.kills, site, where, err, now)
			delete(w.seen, site)
		}
	}
	maps.Copy(w.seen, drafted)
	for site, n := range ordered {
		w.seen[site] = "an order"
		if n > 1 {
			w.t.Errorf("kill %d: %s was ordered %d times", w.kills, site, n)
		}
	}
}

// checkDecisions compares the log of decisions with the service.
func (w *windows) checkDecisions() (n int) {
	w.t.Helper()
	data, _ := os.ReadFile(filepath.Join(w.places, "flightdesk", "decisions.jsonl"))
	for line := range strings.Lines(string(data)) {
		var e quoting.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Errorf("the log of decisions has %q: %v", line, err)
			continue
		}
		record, err := w.client.Records.Get(w.t.Context(), e.OrderID)
		if err != nil {
			w.t.Fatal(err)
		}
		rejected := false
		for i := range record.RejectedQuotes {
			rejected = rejected || record.RejectedQuotes[i].QuoteID == e.QuoteID
		}
		if e.Confirmed() && e.Kind == quoting.Rejected && !rejected {
			w.t.Errorf("%s is said to be rejected and is not", e.QuoteName)
		}
		n++
	}
	return n
}

// checkFiles has what was downloaded checked against the service, in the
// windows' folder.
func (w *windows) checkFiles() (files int) {
	w.t.Helper()
	folder := filepath.Join(w.places, "deliveries")
	for _, code := range []string{"ORD-100235"} {
		if out, err := w.program("fetch", code, "--to", folder).CombinedOutput(); err != nil {
			w.t.Errorf("fetch after the kills: %v\n%s", err, out)
		}
	}
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(path, ".part") {
			files++
		}
		return nil
	})
	return files
}

func (w *windows) run(kills int) {
	w.t.Helper()
	for range kills {
		w.round()
	}
	w.kill(0)
	w.kill(1)
	w.check()
	decisions, files := w.checkDecisions(), w.checkFiles()
	n := len(w.ordered())
	w.t.Logf("%d kills: %d sites drafted or ordered, of these %d ordered, each once; %d decisions in the log, %d files", w.kills, len(w.seen), n, decisions, files)
}

// Both windows are killed a few times, in the middle of what they do. The
// campaign does it at 200 moments.
func TestKilledWindowsLoseNothing(t *testing.T) {
	newWindows(t).run(3)
}
