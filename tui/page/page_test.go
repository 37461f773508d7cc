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

// deliver has a question's answer taken as the program's loop does.
func deliver(t *testing.T, base page.Base, cmd tea.Cmd) {
	t.Helper()
	msg, ok := cmd().(page.ToPage)
	if !ok || msg.Life != base.PageLifetime() {
		t.Fatalf("the answer is not for the page: %#v", msg)
	}
	msg.Do()
}

func TestALateAnswerIsDropped(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Question
	taken := 0
	ask := func(n int) tea.Cmd {
		read := func(context.Context) (int, error) { return n, nil }
		return page.AskInBackground(base, &q, read, func(n int, _ error) tea.Cmd {
			taken = n
			return nil
		})
	}
	first, second := ask(1), ask(2)
	if !q.IsOpen() {
		t.Error("the question is not open")
	}
	if deliver(t, base, first); taken != 0 {
		t.Error("the answer to the first asking is taken after the second")
	}
	if !q.IsOpen() {
		t.Error("a late answer closes the question")
	}
	if deliver(t, base, second); taken != 2 || q.IsOpen() {
		t.Errorf("the second answer is %d, open %v", taken, q.IsOpen())
	}
	third := ask(3)
	q.DropAnswer()
	if deliver(t, base, third); q.IsOpen() || taken != 2 {
		t.Error("a dropped answer is taken")
	}
}

func TestALifesEndCancelsItsQuestions(t *testing.T) {
	base := page.NewBase(&page.Env{})
	var q page.Question
	var got error
	read := func(ctx context.Context) (int, error) { return 0, ctx.Err() }
	cmd := page.AskInBackground(base, &q, read, func(_ int, err error) tea.Cmd {
		got = err
		return nil
	})
	base.PageLifetime().End()
	if deliver(t, base, cmd); !errors.Is(got, context.Canceled) {
		t.Errorf("the answer's error is %v", got)
	}
}

func TestWhatIsTypedBeforeTheFolderIsKnownIsTypedInIt(t *testing.T) {
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

// A guest reads and writes in two folders, whatever path is typed and wherever links lead.
func TestAGuestIsConfinedToTwoFolders(t *testing.T) {
	top := t.TempDir()
	own, samples, other := filepath.Join(top, "own"), filepath.Join(top, "samples"), filepath.Join(top, "own-other")
	for _, folder := range []string{own, samples, other} {
		if err := os.MkdirAll(filepath.Join(folder, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(other, filepath.Join(own, "link")), os.Symlink("/", filepath.Join(own, "root"))); err != nil {
		t.Fatal(err)
	}
	files := page.FileAccess{Folder: own, Samples: samples, Confined: true}
	for path, want := range map[string]bool{
		own: true, samples: true, own + "/sub": true, own + "/new.csv": true, own + "/sub/new.csv": true,
		top: false, other: false, own + "/..": false, own + "/../own-other/new.csv": false, "/etc/passwd": false, "": false,
		own + "/link": false, own + "/link/new.csv": false, own + "/root/etc/passwd": false, own + "/none/new.csv": false,
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
		t.Error("a guest without a folder has this one")
	}
}
