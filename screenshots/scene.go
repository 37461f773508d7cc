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

// scene is a screen of the app to draw.
type scene struct {
	name string
	w, h int                     // cells
	open func(d *tuitest.Driver) // opens the screen after the start of the app
}

var scenes = []scene{
	{"desk", 120, 36, steps("")},
	{"missions", 120, 36, steps("3 v v right right right right right")},
	{"mission", 120, 36, steps("3 / =Block_A enter enter")},
	{"orders", 120, 36, steps("2 j j j j wait")}, // the selection rests, and its order is read
	{"order", 120, 36, steps("2 j j j j enter")},
	{"deliveries", 120, 36, steps("5 j space space")},
	{"quotes", 120, 28, steps("4 wait enter right right")}, // the quotes of each order are read
	{"operations", 120, 36, steps("9 / =client:nordlicht enter G k k k k k")},
	{
		"both-ends",
		140,
		36,
		steps(toReview + " S enter 9 v G k k / =elbe enter i tab tab tab ctrl+u =5 enter esc wait"),
	},
	{"webhooks", 120, 32, steps("7 j j enter wait")},
	{"account", 120, 25, steps("8 j j j j j")},
	{"story", 120, 36, steps("8 enter g j j j j j j")},
	{"new-missions", 120, 36, steps(toMissions)},
	{"new-review", 120, 36, steps(toReview)},
}

const (
	toMissions = "2 n =elbe enter"
	toReview   = toMissions + " ] =wat ctrl+s" // by the asset type
)

// controls operates the app.
type controls interface {
	Press(keys ...string)
	Type(text string)
	Advance(time.Duration)
}

// steps returns a function that carries out steps; see [runSteps].
func steps(text string) func(*tuitest.Driver) { return func(d *tuitest.Driver) { runSteps(d, text) } }

// runSteps carries out steps, which are separated by spaces. A step is the name of a key to
// press, "wait" to wait for a second, or '=' and a text to type. In the text, '_' stands for a
// space.
func runSteps(c controls, steps string) {
	for _, step := range strings.Fields(steps) {
		if text, isText := strings.CutPrefix(step, "="); isText {
			c.Type(strings.ReplaceAll(text, "_", " "))
		} else if step == "wait" {
			c.Advance(time.Second)
		} else {
			c.Press(step)
		}
	}
}

// themes are the themes in which every scene is drawn.
var themes = []string{"dark", "light"}

// environment returns the environment variables that make the scenes look the same on
// every machine. home is the home folder, which the scenes show as ~.
func environment(home string) map[string]string {
	return map[string]string{"HOME": home, "USERPROFILE": home, "NO_COLOR": ""}
}

// surveys copies the sample survey files into a folder in home, and returns the folder. The
// files get a modification time three hours before the time of the scenes.
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
		path := filepath.Join(folder, e.Name())
		modified := tuitest.Clock.Add(-3 * time.Hour)
		if err := os.Chtimes(path, time.Time{}, modified); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// play starts a service and the app, opens the screen of the scene, and returns the picture
// and the text of the screen.
func (s scene) play(l *letters, themeName, folder string) (img *image.Paletted, text string, err error) {
	defer func() {
		switch lost := recover().(type) {
		case nil:
		case sceneError:
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
	s.open(d)
	img, err = paint(l, d.View(), s.w, s.h, shadeCounts[0], th.Rule.LipglossStyle().GetForeground())
	if err != nil {
		return nil, "", err
	}
	return img, d.Screen(), nil
}

// stage lets the driver run outside of a test.
type stage struct{}

// sceneError is the panic that ends a scene; play returns it as an error.
type sceneError string

// Helper does nothing. The driver calls it, because in tests its stage is a [testing.T].
func (stage) Helper() {}

// Fatalf ends the scene.
func (stage) Fatalf(format string, args ...any) { panic(sceneError(fmt.Sprintf(format, args...))) }
