package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
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
	{"orders", 120, 36, steps("2 j j j j wait")}, // waits until the selected order is loaded
	{"order", 120, 36, steps("2 j j j j enter")},
	{"deliveries", 120, 36, steps("5 enter j space space")},
	{"quotes", 120, 28, steps("4 wait enter right right")}, // waits until the quotes of each order are loaded
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
	toReview   = toMissions + " ] =wat ctrl+s" // chooses the asset type by "wat"
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
	d := tuitest.New(stage{})
	service := &server.Server{Demo: true, Now: d.Now}
	if err := service.Start(context.Background()); err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, service.Close()) }()
	options, err := appOptions(d, service, themeName, folder)
	if err != nil {
		return nil, "", err
	}
	if err := s.openScreen(d, options); err != nil {
		return nil, "", err
	}
	th, err := namedTheme(themeName)
	if err != nil {
		return nil, "", err
	}
	img, err = paint(l, d.View(), s.w, s.h, shadeCounts[0], frameColour(th))
	return img, d.Screen(), err
}

// openScreen starts the app and opens the screen of the scene. A step of the scene that fails is an error.
func (s scene) openScreen(d *tuitest.Driver, options tui.Options) (err error) {
	defer func() {
		if failure := recover(); failure != nil {
			err = s.failureOf(failure)
		}
	}()
	geomap.PreloadPlaces() // the app does so a moment after its start
	d.Start(tui.New(options), s.w, s.h)
	s.open(d)
	return nil
}

// failureOf returns the error for the panic of a scene that failed. It passes on any other panic.
func (s scene) failureOf(failure any) error {
	message, isOfScene := failure.(sceneError)
	if !isOfScene {
		panic(failure)
	}
	return fmt.Errorf("%s: %s", s.name, string(message))
}

// appOptions returns the options of an app that uses the service and the clock of the driver. folder has
// the survey files.
func appOptions(d *tuitest.Driver, service *server.Server, themeName, folder string) (tui.Options, error) {
	client, err := service.Client()
	if err != nil {
		return tui.Options{}, err
	}
	ops, err := service.Ops()
	if err != nil {
		return tui.Options{}, err
	}
	return tui.Options{
		ProfileOptions: tui.ProfileOptions{
			Client:     client,
			Ops:        ops,
			Company:    service.Accounts()[0].CompanyName,
			Profile:    "demo",
			Host:       "127.0.0.1:8080",
			ServerMode: true,
		},
		Theme:  themeName,
		Folder: folder,
		Now:    d.Now,
		After:  d.After,
	}, nil
}

// namedTheme returns the theme with a name, dark or light.
func namedTheme(name string) (*theme.Theme, error) { return theme.NamedTheme(name, name == "dark") }

// frameColour returns the colour of the line along the edge of a picture.
func frameColour(th *theme.Theme) color.Color { return th.Rule.LipglossStyle().GetForeground() }

// stage lets the driver run outside of a test.
type stage struct{}

// sceneError is the panic of a step that fails, such as a text that is not on the screen. openScreen
// returns it as an error.
type sceneError string

// Helper does nothing. The driver of the tests calls it, because its interface is made for a [testing.T].
func (stage) Helper() {}

// Fatalf ends the scene with a panic.
func (stage) Fatalf(format string, args ...any) { panic(sceneError(fmt.Sprintf(format, args...))) }
