package page_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// deliver runs a command and handles its answer like the program's loop.
func deliver(t *testing.T, base page.Base, cmd tea.Cmd) {
	t.Helper()
	msg, ok := cmd().(page.ToPage)
	if !ok || msg.Life != base.PageLifetime() {
		t.Fatalf("the answer is not for the page: %#v", msg)
	}
	msg.Do()
}

func TestLateAnswerIsIgnored(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Request
	handled := 0
	ask := func(n int) tea.Cmd {
		read := func(context.Context) (int, error) { return n, nil }
		return page.RunInBackground(base, &q, read, func(n int, _ error) tea.Cmd {
			handled = n
			return nil
		})
	}
	first := ask(1)
	second := ask(2)
	if !q.IsRunning() {
		t.Error("the question is not open")
	}
	deliver(t, base, first)
	if handled != 0 {
		t.Error("the answer to the first request is handled after the second request")
	}
	if !q.IsRunning() {
		t.Error("a late answer closes the question")
	}
	deliver(t, base, second)
	if handled != 2 || q.IsRunning() {
		t.Errorf("the second answer is %d, open %v", handled, q.IsRunning())
	}
	third := ask(3)
	q.Cancel()
	deliver(t, base, third)
	if q.IsRunning() || handled != 2 {
		t.Error("a dropped answer is handled")
	}
}

func TestClosingAPageCancelsItsRequests(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Request
	var got error
	read := func(ctx context.Context) (int, error) { return 0, ctx.Err() }
	cmd := page.RunInBackground(base, &q, read, func(_ int, err error) tea.Cmd {
		got = err
		return nil
	})
	base.PageLifetime().End()
	deliver(t, base, cmd)
	if !errors.Is(got, context.Canceled) {
		t.Errorf("the error of the answer is %v", got)
	}
}

func TestTextTypedEarlyIsAppendedToTheFirstFolder(t *testing.T) {
	env := &page.Env{}
	env.Files.Folder = t.TempDir()
	p := page.NewFilePicker(page.NewBase(env), page.FilePickerOptions{})
	p.Update(tea.PasteMsg{Content: "a/"})
	p.Update(tea.PasteMsg{Content: "b.kml"})
	p.ShowFolder()
	if want := filepath.Join(env.Files.Folder, "a", "b.kml"); p.TypedPath() != want {
		t.Errorf("the path is %s, want %s", p.TypedPath(), want)
	}
}

// A guest can read and write only in two folders, even through links.
func TestGuestIsConfinedToTwoFolders(t *testing.T) {
	top := t.TempDir()
	own := filepath.Join(top, "own")
	samples := filepath.Join(top, "samples")
	other := filepath.Join(top, "own-other")
	for _, folder := range []string{own, samples, other} {
		if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link": other, "root": "/"} {
		if err := os.Symlink(target, filepath.Join(own, name)); err != nil {
			t.Fatal(err)
		}
	}
	files := page.FileAccess{Folder: own, Samples: samples, Confined: true}
	for path, want := range map[string]bool{
		own:                  true,
		samples:              true,
		own + "/sub":         true,
		own + "/new.csv":     true,
		own + "/sub/new.csv": true,

		top:                             false,
		other:                           false,
		own + "/..":                     false,
		own + "/../own-other/new.csv":   false,
		"/etc/passwd":                   false,
		"":                              false,
		own + "/link":                   false,
		own + "/link/new.csv":           false,
		own + "/root/etc/passwd":        false,
		own + "/missing-folder/new.csv": false,
	} {
		if err := files.Confine(path); (err == nil) != want {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, free := range []page.FileAccess{{}, {Folder: own}} {
		if err := free.Confine("/etc"); err != nil {
			t.Error(err)
		}
	}
	if err := (&page.FileAccess{Confined: true}).Confine(top); err == nil {
		t.Error("a guest without a folder can use another one")
	}
}
