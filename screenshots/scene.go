package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"time"

	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/theme"
	"flightdesk/tui/tuitest"
	"flightdesk/tui/widget/geomap"
)

// scene is a way through the app to a screen worth a picture.
type scene struct {
	name string
	w, h int // cells
	way  func(d *tuitest.Driver)
}

var scenes = []scene{
	{"desk", 120, 36, keys("")},
	{"missions", 120, 36, keys("3 v v right right right right right")},
	{"mission", 120, 36, keys("3 / =Block_A enter enter")},
	{"orders", 120, 36, keys("2 j j j j wait")}, // the selection rests, and its order is read
	{"order", 120, 36, keys("2 j j j j enter")},
	{"deliveries", 120, 36, keys("5 j space space")},
	{"quotes", 120, 28, keys("4 wait enter right right")}, // the quotes of each order are read
	{"operations", 120, 36, keys("9 / =client:nordlicht enter G k k k k k")},
	{
		"both-ends",
		140,
		36,
		keys(toReview + " S enter 9 v G k k / =elbe enter i tab tab tab ctrl+u =5 enter esc wait"),
	},
	{"webhooks", 120, 32, keys("7 j j enter wait")},
	{"account", 120, 25, keys("8 j j j j j")},
	{"story", 120, 36, keys("8 enter g j j j j j j")},
	{"new-missions", 120, 36, keys(toMissions)},
	{"new-review", 120, 36, keys(toReview)},
}

const (
	toMissions = "2 n =elbe enter"
	toReview   = toMissions + " ] =wat ctrl+s" // by the asset type
)

// walker goes a way through the app.
type walker interface {
	Press(keys ...string)
	Type(text string)
	Advance(time.Duration)
}

// keys returns the way that consists of steps.
func keys(steps string) func(*tuitest.Driver) { return func(d *tuitest.Driver) { follow(d, steps) } }

// follow takes steps: keys by their names, "wait" for a second, and a text to type behind
// a '=', with '_' for its blanks.
func follow(w walker, steps string) {
	for _, step := range strings.Fields(steps) {
		if text, isText := strings.CutPrefix(step, "="); isText {
			w.Type(strings.ReplaceAll(text, "_", " "))
		} else if step == "wait" {
			w.Advance(time.Second)
		} else {
			w.Press(step)
		}
	}
}

// themes are those that every scene is drawn in.
var themes = []string{"dark", "light"}

// environment returns the variables that make the scenes look the same on
// every machine. home is the folder that they call ~.
func environment(home string) map[string]string {
	return map[string]string{"HOME": home, "USERPROFILE": home, "NO_COLOR": ""}
}

// surveys puts the sample survey files into a folder of home, three hours old.
func surveys(home string) (folder string, err error) {
	folder = filepath.Join(home, "surveys")
	if err := os.CopyFS(folder, server.DemoSurveys()); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		path, modified := filepath.Join(folder, e.Name()), tuitest.Clock.Add(-3*time.Hour)
		if err := os.Chtimes(path, time.Time{}, modified); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// play goes the scene's way through the app, on a service of its own, and
// returns the picture and the text of the last screen.
func (s scene) play(l *letters, themeName, folder string) (img *image.Paletted, text string, err error) {
	defer func() {
		switch lost := recover().(type) {
		case nil:
		case lostWay:
			err = fmt.Errorf("%s: %s", s.name, string(lost))
		default:
			panic(lost)
		}
	}()
	d := tuitest.New(stage{})
	service := &server.Server{Demo: true, Now: d.Now}
	if err := service.Start(context.Background()); err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, service.Close()) }()
	client, err := service.Client()
	if err != nil {
		return nil, "", err
	}
	ops, err := service.Ops()
	if err != nil {
		return nil, "", err
	}
	th, err := theme.NamedTheme(themeName, themeName == "dark")
	if err != nil {
		return nil, "", err
	}
	geomap.PreloadPlaces() // the app does so a moment after its start
	d.Start(tui.New(tui.Options{
		ProfileOptions: tui.ProfileOptions{
			Client:     client,
			Ops:        ops,
			Company:    service.Accounts()[0].CompanyName,
			Profile:    "demo",
			Host:       "127.0.0.1:8080",
			ServerMode: true,
		},
		Theme: themeName, Folder: folder, Now: d.Now, After: d.After,
	}), s.w, s.h)
	s.way(d)
	img, err = paint(l, d.View(), s.w, s.h, steps[0], th.Rule.LipglossStyle().GetForeground())
	return img, d.Screen(), err
}

// stage lets the driver run outside of a test.
type stage struct{}

// lostWay ends a scene that cannot go on.
type lostWay string

// Helper does nothing; tests have it.
func (stage) Helper() {}

// Fatalf ends the scene.
func (stage) Fatalf(format string, args ...any) { panic(lostWay(fmt.Sprintf(format, args...))) }
