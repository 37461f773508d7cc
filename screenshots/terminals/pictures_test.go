//go:build terminals

package terminals

import (
	"bytes"
	"flag"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	pictures = flag.String("pictures", "", "folder of the pictures; a temporary one if absent")
	only     = flag.String("only", "", "a part of the names of the pictures to take; all if absent")
)

// palettes are how a terminal says how many colours it has.
var palettes = []struct {
	name string
	vars []string
}{
	{"16", []string{"TERM=xterm", "COLORTERM="}},
	{"256", []string{"TERM=xterm-256color", "COLORTERM="}},
	{"all", []string{"TERM=xterm-256color", "COLORTERM=truecolor"}},
}

// views are what is looked at, and the keys that lead there from the one before.
var views = []struct{ name, keys string }{
	{"home", "1"},
	{"orders", "2"},
	{"sites", "n Return Return"},
	{"quotes", "Escape Escape Escape Escape 4 Return"},
	{"deliveries", "5"},
	{"map", "3 v"},
	{"help", "question"},
}

func TestPicturesOfTerminals(t *testing.T) {
	dir := *pictures
	if dir == "" {
		dir = t.TempDir()
	}
	program := filepath.Join(t.TempDir(), "flightdesk")
	if out, err := exec.Command("go", "build", "-o", program, "flightdesk").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"xterm", "kitty", "VTE"} {
		for _, p := range palettes {
			for _, ground := range []string{"dark", "light"} {
				prefix := strings.Join([]string{name, p.name, ground}, "-")
				if strings.Contains(prefix, *only) {
					t.Run(prefix, func(t *testing.T) {
						tour(t, find(name), filepath.Join(dir, prefix), ground == "light", p.vars, program)
					})
				}
			}
		}
	}
}

func find(name string) *emulator {
	for i := range emulators {
		if emulators[i].name == name {
			return &emulators[i]
		}
	}
	return nil
}

// tour takes pictures of the views in a terminal of its own display.
func tour(t *testing.T, e *emulator, prefix string, light bool, vars []string, program string) {
	on := display(t)
	command := append(append([]string{"env"}, vars...), program, "demo", "--simulate", "0")
	e.start(t, on, light, nil, command...)
	x := screen{t, on}
	eventually(t, "a window", func() bool { return x.run("xdotool", "search", "--onlyvisible", "--name", ".") == nil })
	eventually(t, "the app", func() bool { return x.colours() > 3 })
	_ = x.run("xdotool", "search", "--onlyvisible", "--name", ".", "windowfocus")
	for _, v := range views {
		for key := range strings.FieldsSeq(v.keys) {
			if err := x.run("xdotool", "key", "--clearmodifiers", key); err != nil {
				t.Fatal(err)
			}
			x.rest()
		}
		if err := os.WriteFile(prefix+"-"+v.name+".png", x.rest(), 0o600); err != nil {
			t.Fatal(err)
		}
		if n := x.colours(); n < 4 {
			t.Errorf("%s has %d colours", v.name, n)
		}
	}
}

// screen is a display with a terminal.
type screen struct {
	t  *testing.T
	on string
}

func (x screen) run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+x.on)
	return cmd.Run()
}

// picture is what is shown, without the empty display around the window.
func (x screen) picture() []byte {
	cmd := exec.Command("import", "-window", "root", "-trim", "+repage", "png:-")
	cmd.Env = append(os.Environ(), "DISPLAY="+x.on)
	out, err := cmd.Output()
	if err != nil {
		x.t.Fatal(err)
	}
	return out
}

// rest is the picture once it has stopped changing.
func (x screen) rest() []byte {
	x.t.Helper()
	before := x.picture()
	for range 40 {
		time.Sleep(150 * time.Millisecond)
		now := x.picture()
		if bytes.Equal(pixels(before), pixels(now)) {
			return now
		}
		before = now
	}
	return before
}

// pixels are those of a picture without its file's notes, such as the time.
func pixels(file []byte) []byte {
	img, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	switch img := img.(type) {
	case *image.RGBA:
		return img.Pix
	case *image.NRGBA:
		return img.Pix
	case *image.Paletted:
		return img.Pix
	case *image.RGBA64:
		return img.Pix
	}
	return file
}

// colours counts those of the picture, up to a few.
func (x screen) colours() int {
	img, _, err := image.Decode(bytes.NewReader(x.picture()))
	if err != nil {
		return 0
	}
	seen := map[any]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 3 {
		for i := img.Bounds().Min.X; i < img.Bounds().Max.X && len(seen) < 8; i++ {
			seen[img.At(i, y)] = true
		}
	}
	return len(seen)
}
