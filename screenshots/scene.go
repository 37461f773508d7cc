package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
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
	{"desk", 120, 36, func(*tuitest.Driver) {}},
	{"missions", 120, 36, func(d *tuitest.Driver) {
		d.Press("3", "v", "v", "right", "right", "right", "right", "right")
	}},
	{"mission", 120, 36, func(d *tuitest.Driver) {
		d.Press("3", "/")
		d.Type("Block A")
		d.Press("enter", "enter")
	}},
	{"orders", 120, 36, func(d *tuitest.Driver) {
		d.Press("2", "j", "j", "j", "j")
		d.Advance(time.Second) // the selection rests, and its order is read
	}},
	{"order", 120, 36, func(d *tuitest.Driver) {
		d.Press("2", "j", "j", "j", "j", "enter")
	}},
	{"deliveries", 120, 36, func(d *tuitest.Driver) { d.Press("5", "j", "space", "space") }},
	{"quotes", 120, 28, func(d *tuitest.Driver) {
		d.Press("4")
		d.Advance(time.Second) // the quotes of each order are read
		d.Press("enter", "right", "right")
	}},
	{"operations", 120, 36, func(d *tuitest.Driver) {
		d.Press("9", "/")
		d.Type("client:nordlicht")
		d.Press("enter", "G", "k", "k", "k", "k", "k")
	}},
	{"both-ends", 140, 36, func(d *tuitest.Driver) {
		toMissions(d)
		d.Press("]", "tab", "tab", "tab", "tab", "tab") // to the asset type
		d.Type("wat")
		d.Press("ctrl+s", "S", "enter", "9", "v")
		d.Press("G", "k", "k", "/")
		d.Type("elbe")
		d.Press("enter", "i", "tab", "tab", "tab", "ctrl+u")
		d.Type("5")
		d.Press("enter", "esc")
		d.Advance(time.Second)
	}},
	{"webhooks", 120, 32, func(d *tuitest.Driver) {
		d.Press("7", "j", "j", "enter")
		d.Advance(time.Second)
	}},
	{"account", 120, 36, func(d *tuitest.Driver) { d.Press("8", "j", "j", "j", "j", "j") }},
	{"story", 120, 36, func(d *tuitest.Driver) { d.Press("8", "enter", "g", "j", "j", "j", "j", "j", "j") }},
	{"new-missions", 120, 36, toMissions},
	{"new-review", 120, 36, func(d *tuitest.Driver) {
		toMissions(d)
		d.Press("]", "tab", "tab", "tab", "tab", "tab") // to the asset type
		d.Type("wat")
		d.Press("ctrl+s")
	}},
}

func toMissions(d *tuitest.Driver) {
	d.Press("2", "n")
	d.Type("elbe")
	d.Press("enter")
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
			Client: client, Ops: ops, Account: service.Accounts()[0].CompanyName, Profile: "demo", Host: "127.0.0.1:8080", ServerMode: true,
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
