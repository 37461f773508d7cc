package tui_test

import (
	"encoding/base64"
	"image/color"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/apptest"
	"flightdesk/tui/page"
)

func TestUnreadableFileShowsTheReason(t *testing.T) {
	kml := func(body string) string {
		return `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>` + body + `</Document></kml>`
	}
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, content, says string }{
		"empty":        {"empty.kml", "", "empty.kml: "},
		"binary":       {"picture.kml", string(png), "picture.kml: "},
		"truncated":    {"cut.kml", kml("<Placemark><name>A</name>")[:60], "cut.kml: "},
		"no placemark": {"none.kml", kml("<Folder><name>A</name></Folder>"), "none.kml: "},
		"no geometry":  {"bare.kml", kml("<Placemark><name>Pond</name></Placemark>"), "Pond"},
		"broken XML":   {"broken.kml", kml("<Placemark><name>A</Placemark>"), "broken.kml: 1:"},
		"header only":  {"header.csv", "name,lat,lng\n", "header.csv: "},
	} {
		t.Run(name, func(t *testing.T) {
			d := apptest.Open(t, 100, 30)
			path := d.WriteFile(c.file, c.content)
			d.Press("n")
			d.Paste(path)
			d.Press("enter")
			d.RequireText("[1 Files]", "! "+c.file+": ", c.says, "surveys/"+c.file)
		})
	}
}

func TestTableWithoutCoordinatesAsksForColumns(t *testing.T) {
	for file, content := range map[string]string{
		"people.csv": "name,age\nAnna,34\n",
		"bad.csv":    "name,lat,lng\nMast,here,there\n",
	} {
		d := apptest.Open(t, 100, 30)
		path := d.WriteFile(file, content)
		d.Press("n")
		d.Paste(path)
		d.Press("enter")
		d.RequireText("Import "+file, "! ")
		d.Press("esc")
		d.RequireText("[1 Files]", "surveys/"+file)
	}
}

// Only a profile of the configuration can be edited.
func TestARejectedKeyOffersToEditTheProfile(t *testing.T) {
	rejected := func(w http.ResponseWriter, _ *http.Request) {
		apptest.WriteAnswer(w, 401, `{"success":false,"message":"the key was revoked","data":{"code":"unauthenticated"}}`)
	}
	d := apptest.OpenAgainst(t, rejected)
	d.RequireText("the key was revoked", "r retry")
	d.SeesNot("alt+e")
	d = apptest.OpenAgainst(t, rejected, func(o *tui.Options) { o.Setup = &session.AccountSetup{} })
	d.RequireText("the key was revoked", "r retry", "alt+e edit profile")
}

func TestServiceErrorsAreShownAndRetried(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   []string
	}{
		"key not taken": {func(w http.ResponseWriter, _ *http.Request) {
			apptest.WriteAnswer(w, 401, `{"success":false,"message":"the key was revoked","data":{"code":"unauthenticated"}}`)
		}, []string{"The service does not accept this key", "the key was revoked"}},
		"login page of a proxy": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte("<html>Log in</html>"))
		}, []string{"a web page answered instead of the service", "base_url and the key", "! not the service"}},
		"scope missing": {func(w http.ResponseWriter, _ *http.Request) {
			apptest.WriteAnswer(w, 403, `{"success":false,"message":"orders:read is needed","data":{"code":"missing_scope"}}`)
		}, []string{"Not permitted: orders:read is needed"}},
		"HTML": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>Log in</html>"))
		}, []string{"Unexpected response", "base_url"}},
		"nothing": {
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			[]string{"The connection to 127.0.0.1", "broke before the response ended"},
		},
		"too late": {
			func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // the server notices a lost client only after the body
				<-r.Context().Done()
			},
			[]string{"127.0.0.1", "did not respond in time"},
		},
		"its own fault": {func(w http.ResponseWriter, _ *http.Request) {
			apptest.WriteAnswer(
				w, 500,
				`{"success":false,"message":"something broke","data":{"code":"internal","requestId":"r-9"}}`,
			)
		}, []string{"Something broke (HTTP 500)", "Request ID for support: r-9"}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "too late" {
				patience := apptest.Patience
				apptest.Patience = 3 * time.Second
				defer func() { apptest.Patience = patience }()
			}
			var healthy atomic.Bool
			d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
				if !healthy.Load() {
					c.answer(w, r)
					return
				}
				apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"u1","orderCode":"ORD-1","orderName":"Levee"`))
			})
			d.RequireText(append(c.says, "r retry")...)
			healthy.Store(true)
			d.Press("r")
			d.RequireText("▸ ORD-1", "Levee")
			healthy.Store(false)
			d.Press("r")
			d.RequireText(append(c.says, "Showing 1 order, loaded just now", "ORD-1")...)
		})
	}
}

func TestRejectedOrderKeepsItsDraft(t *testing.T) {
	var healthy atomic.Bool
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/ORD-8"):
			apptest.WriteAnswer(
				w, 200,
				`{"success":true,"message":"","data":{"uuid":"u8","orderCode":"ORD-8","orderName":"elbe levee"}}`,
			)
		case r.Method == http.MethodGet:
			apptest.WriteAnswer(w, 200, apptest.OrderList())
		case healthy.Load():
			apptest.WriteAnswer(
				w, 201,
				`{"success":true,"message":"","data":{"uuid":"u8","orderCode":"ORD-8","orderName":"elbe levee","status":"biddingWithQuote"}}`,
			)
		default:
			apptest.WriteAnswer(w, 403, `{"success":false,"message":"orders:write is needed","data":{"code":"missing_scope"}}`)
		}
	}, func(o *tui.Options) { o.Drafts = t.TempDir() })
	d.ToReview("elbe")
	d.Press("S", "enter")
	d.RequireText("Not permitted: orders:write", "4 missions", "r retry")
	healthy.Store(true)
	d.Press("r")
	d.RequireText("Orders › ORD-8", "Order ORD-8 placed")
}

func TestTextOfTheServiceCannotSendEscapeCodes(t *testing.T) {
	evil := `\u001b]0;owned\u0007\u001b[2J\u202egnp\u0000`
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		order := `"uuid":"u1","orderCode":"ORD-1","orderName":"` + evil + `","companyName":"` + evil + `","status":"` + evil +
			`","rejectionReason":"` + evil + `","deadline":"` + evil + `","sensors":["` + evil + `"]`
		switch {
		case strings.HasSuffix(r.URL.Path, "/ORD-1"):
			apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+order+`,"missions":[{"uuid":"m1","missionCode":"`+evil+
				`","missionName":"`+evil+`","status":"`+evil+`","country":"`+evil+`","locationMap":[{"lat":1,"lng":2}]}]}}`)
		case r.URL.Query().Get("cursor") == "" && r.URL.Path == "/orders":
			apptest.WriteAnswer(w, 200, apptest.OrderList(order))
		default:
			apptest.WriteAnswer(w, 500, `{"success":false,"message":"`+evil+`","data":{"requestId":"`+evil+`"}}`)
		}
	})
	harmless := func() {
		t.Helper()
		for _, bad := range []string{"\x1b]", "\x1b[2J", "\x07", "\u202e", "\x00"} {
			if strings.Contains(d.View().Content, bad) {
				t.Fatalf("%q reaches the terminal in\n%q", bad, d.View().Content)
			}
		}
	}
	harmless()
	d.Press("enter")
	d.RequireText("␛]0;owned␇")
	harmless()
	d.Resize(140, 40)
	harmless()
	d.Press("?")
	harmless()
}

func TestTooSmallWindowShowsItsSize(t *testing.T) {
	d := apptest.Open(t, 58, 16)
	d.RequireText("Window too small", "58x16, needs 60x18")
	d.Resize(60, 18)
	d.RequireText("Orders", "▸ ORD-")
	d.Resize(1, 1)
	d.Resize(0, 0)
	d.Resize(80, 24)
	d.RequireText("▸ ORD-")
}

func TestThemeFollowsTheTerminal(t *testing.T) {
	auto := func(o *tui.Options) { o.Theme = "auto" }
	d := apptest.OpenAgainst(t, apptest.AnswerNothing, auto)
	if got := d.Screen(); strings.TrimSpace(got) != "" {
		t.Errorf("before the background is known, this is drawn:\n%s", got)
	}
	d.Send(tea.BackgroundColorMsg{Color: color.White})
	light := d.View()
	d.RequireText("No orders yet.")
	if light.BackgroundColor != nil {
		t.Error("the terminal's background is changed")
	}
	d.Send(tea.BackgroundColorMsg{Color: color.Black})
	if d.View().Content == light.Content {
		t.Error("a change of the background changes nothing")
	}

	dark := d.View()
	d.Send(uv.LightColorSchemeEvent{}) // the terminal has gone over by itself
	if got := d.View().Content; got == dark.Content || got != light.Content {
		t.Error("a change of the terminal's colour scheme is not followed")
	}
	d.Send(uv.DarkColorSchemeEvent{})
	if d.View().Content != dark.Content {
		t.Error("a change of the terminal's colour scheme is not followed back")
	}

	silent := apptest.OpenAgainst(t, apptest.AnswerNothing, auto)
	silent.Advance(50 * time.Millisecond)
	silent.RequireText("No orders yet.")
}

func TestPanicKeepsTypedText(t *testing.T) {
	drafts := t.TempDir()
	keep := func(o *tui.Options) { o.Drafts = drafts }
	d := apptest.Open(t, 100, 30, keep)
	d.Press("n")
	d.Type("elbe")
	d.Press("enter", "]", "shift+tab", "shift+tab", "shift+tab", "shift+tab", "ctrl+u")
	d.Type("Before the crash")
	d.Send(page.CrashMsg{Reason: "out of air", Stack: []byte("here")})
	if !d.Quit {
		t.Fatal("the app goes on")
	}
	d.Close()
	again := apptest.Open(t, 100, 30, keep)
	again.Press("n")
	again.RequireText("Before the crash")
}

// The band shows the result of the last request.
func TestBandShowsTheConnection(t *testing.T) {
	status := http.StatusServiceUnavailable
	d := apptest.OpenAgainst(t, func(w http.ResponseWriter, r *http.Request) {
		if status != http.StatusOK {
			apptest.WriteAnswer(w, status, `{"success":false,"message":"no","data":{"code":"internal"}}`)
			return
		}
		apptest.WriteAnswer(
			w, http.StatusOK,
			apptest.OrderList(`"uuid":"x","orderCode":"ORD-77","companyName":"Somebody's client"`),
		)
	}, func(o *tui.Options) { o.Company, o.Profile = "", "acme" })
	d.Resize(140, 40)
	d.RequireText("! service error 503")
	status = http.StatusUnauthorized
	d.Press("r")
	d.RequireText("✗ key rejected")
	d.SeesNot("● connected")
	status = http.StatusOK
	d.Press("r")
	d.RequireText(" acme  ", "● connected", "ORD-77") // what the key may do is not known yet
	d.Advance(time.Minute)
	d.RequireText(" acme · read+write")
	d.SeesNot("client · acme") // an order's company is not the account's name
}
