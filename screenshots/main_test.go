package main

import (
	"image"
	"image/color"
	"image/gif"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flightdesk/tui/tuitest"
)

func TestThePicturesAreCurrent(t *testing.T) {
	home := t.TempDir()
	for name, value := range environment(home) {
		t.Setenv(name, value)
	}
	drawn, err := draw(home)
	if err != nil {
		t.Fatal(err)
	}
	if err := drawn.update(io.Discard, ".", true); err != nil {
		t.Error(err)
	}
	if len(drawn.boxes) > 0 {
		t.Errorf("no font has %q; fonts/README.md says how to add them", drawn.boxes)
	}
}

func TestWhatIsStaleIsFoundAndMended(t *testing.T) {
	tiny := func() *image.Paletted {
		return image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.NRGBA{}, color.White, color.Black})
	}
	drawn := pictures{
		images: map[string]*image.Paletted{"orders-dark.png": tiny(), "orders-light.png": tiny()},
		films:  map[string]*gif.GIF{"tour-dark.gif": {Image: []*image.Paletted{tiny(), tiny()}, Delay: []int{10, 20}, Config: image.Config{Width: 4, Height: 4}}},
		texts:  map[string]string{"orders.txt": "Orders\n"},
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "gone-dark.png"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	mend := func(want ...string) {
		t.Helper()
		err := drawn.update(io.Discard, dir, true)
		if len(want) == 0 {
			if err != nil {
				t.Errorf("still %v", err)
			}
			return
		}
		if err == nil || !strings.Contains(err.Error(), ": "+strings.Join(want, ", ")+"; ") {
			t.Errorf("the check says %v, want it to name %q", err, want)
		}
		var list strings.Builder
		if err := drawn.update(&list, dir, false); err != nil {
			t.Error(err)
		}
		if got := strings.Count(list.String(), "\n"); got != len(want) {
			t.Errorf("wrote\n%swant %q", list.String(), want)
		}
	}
	mend(append(drawn.names(), "gone-dark.png")...)
	mend()

	drawn.images["orders-dark.png"].Pix[5]++
	drawn.texts["orders.txt"] += "."
	mend("orders-dark.png", "orders.txt")

	drawn.films["tour-dark.gif"].Delay[1]++
	mend("tour-dark.gif")
	drawn.films["tour-dark.gif"].Image[1].Pix[3]++
	mend("tour-dark.gif")
	mend()

	drawn.images["orders-dark.png"].Palette[1] = color.NRGBA{1, 2, 3, 255}
	if err := os.WriteFile(filepath.Join(dir, "orders-light.png"), []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	mend("orders-dark.png", "orders-light.png")
	mend()
}

func TestASceneThatLosesItsWayIsAnError(t *testing.T) {
	l, err := newLetters()
	if err != nil {
		t.Fatal(err)
	}
	s := scene{"lost", 80, 24, func(d *tuitest.Driver) { d.RequireText("a page that is not there") }}
	if _, _, err := s.play(l, "dark", t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), `lost: "a page that is not there" is not on the screen`) {
		t.Errorf("error %v", err)
	}
}
