package main

import (
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
	drawn, err := drawAll(home)
	if err != nil {
		t.Fatal(err)
	}
	if err := drawn.update(io.Discard, ".", true); err != nil {
		t.Error(err)
	}
}

func TestWhatIsStaleIsFoundAndMended(t *testing.T) {
	drawn := pictures{"orders-dark.png": []byte("dark"), "tour-dark.gif": []byte("film"), "orders.txt": []byte("Orders\n")}
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
	mend("orders-dark.png", "orders.txt", "tour-dark.gif", "gone-dark.png")
	mend()

	drawn["orders.txt"] = []byte("Orders.\n")
	if err := os.WriteFile(filepath.Join(dir, "orders-dark.png"), []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	mend("orders-dark.png", "orders.txt")
	mend()
}

func TestASceneThatDoesNotFindItsTextIsAnError(t *testing.T) {
	l, err := newLetters()
	if err != nil {
		t.Fatal(err)
	}
	s := scene{"lost", 80, 24, func(d *tuitest.Driver) { d.RequireText("a page that is not there") }}
	if _, _, err := s.play(l, "dark", t.TempDir()); err == nil || !strings.HasPrefix(err.Error(), `lost: "a page that is not there" is not on the screen`) {
		t.Errorf("error %v", err)
	}
}
