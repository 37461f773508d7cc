package tui_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// names are the JSON fields that people or other systems fill in.
var names = regexp.MustCompile(`"(\w*[nN]ame|city|country|locationLabel|description|note|title|message|currency|rejectionReason|archiveReason|url|location|deliveryBy|authority|categories|sdgGoals|fileType)":("(?:[^"\\]|\\.)*")`)

// oddly responds like the service, but with strange texts. It has its own random source because it
// handles several requests at once.
func oddly(h http.Handler, r *rand.Rand) http.Handler {
	var mu sync.Mutex
	odd := func(field []byte) []byte {
		mu.Lock()
		defer mu.Unlock()
		at := bytes.IndexByte(field, ':')
		text, err := json.Marshal(tuitest.OddText(r, 12))
		if err != nil || r.IntN(3) == 0 {
			return field
		}
		return append(append([]byte{}, field[:at+1]...), text...)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		got := httptest.NewRecorder()
		h.ServeHTTP(got, req)
		body := got.Body.Bytes()
		if strings.Contains(got.Header().Get("Content-Type"), "json") {
			body = names.ReplaceAllFunc(body, odd)
		}
		for name, values := range got.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(got.Code)
		_, _ = w.Write(body)
	})
}

// walker sends random keys, clicks, wheel turns, pastes and window sizes.
type walker struct {
	*apptest.Session
	r    *rand.Rand
	keys []string
	w, h int
}

func (k *walker) step() {
	x, y := k.r.IntN(k.w+1), k.r.IntN(k.h+1)
	switch k.r.IntN(20) {
	case 0:
		k.w, k.h = k.r.IntN(210), k.r.IntN(64)
		k.Resize(k.w, k.h)
	case 1, 2:
		k.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	case 3:
		k.Send(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
	case 4:
		k.Send(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft})
		k.Send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	case 5:
		k.Paste(tuitest.OddText(k.r, 9))
	case 6:
		k.Advance(time.Duration(k.r.IntN(70)) * time.Second)
	case 7:
		k.Press(strconv.Itoa(1 + k.r.IntN(9)))
	case 8:
		k.Press("enter")
	default:
		k.Press(k.keys[k.r.IntN(len(k.keys))])
	}
}

// With any texts of the service, any input and any window size, each page fills its rectangle, only
// styles and links reach the terminal, and nothing panics.
func TestRandomInputStaysOnTheScreen(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	d := tuitest.New(t)
	s := &server.Server{Demo: true, Now: d.Now}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(oddly(s.Handler(), rand.New(rand.NewPCG(13, 14))))
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	app := apptest.OpenOn(
		t, d, web.URL+server.PublicPath, s.Accounts()[0].Key, tuitest.OddText(r, 9), 100, 30,
		func(o *tui.Options) { o.Begin = "" },
	)
	k := &walker{Session: app, r: r, keys: apptest.AllKeys(), w: 100, h: 30}
	for step := range 300 {
		k.step()
		if c := k.App.Crashed(); c != nil {
			t.Fatalf("step %d: %v\n%s", step, c, c.Stack)
		}
		view := k.View()
		if k.w < 60 || k.h < 18 {
			continue // only a note is there
		}
		tuitest.RequireExact(t, "step "+strconv.Itoa(step), view.Content, k.w, k.h)
		if c := view.Cursor; c != nil && (c.X < 0 || c.X >= k.w || c.Y < 0 || c.Y >= k.h) {
			t.Fatalf("step %d: the cursor is at %d,%d of %dx%d:\n%s", step, c.X, c.Y, k.w, k.h, k.Screen())
		}
	}
}
