package ordering

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/paulmach/orb"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
)

// window returns a window that has read the drafts in a folder.
func window(t *testing.T, folder string) (*Drafts, error) {
	t.Helper()
	k := NewDrafts(folder)
	d, err := k.ReadDraft(t.Context())
	if d == nil {
		d = NewDraft()
	}
	k.Current = d
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k, err
}

func addSite(d *Draft, name string) {
	s := &Site{ID: d.nextID(), Name: name, Country: "Germany"}
	s.MoveTo(orb.Point{11.7, 48.4})
	d.Sites = append(d.Sites, s)
	d.Fields["orderName"] = []string{name}
}

func save(t *testing.T, k *Drafts) {
	t.Helper()
	if err := k.Save(k.Current)(); err != nil {
		t.Fatal(err)
	}
}

func TestASecondWindowStartsAnotherDraft(t *testing.T) {
	folder := t.TempDir()
	first, err := window(t, folder)
	if err != nil {
		t.Fatal(err)
	}
	addSite(first.Current, "first")
	save(t, first)
	second, err := window(t, folder)
	if !strings.Contains(err.Error(), "open in another window (process "+strconv.Itoa(os.Getpid())) {
		t.Errorf("the second window says %v", err)
	}
	addSite(second.Current, "second")
	save(t, second)
	save(t, first)

	list, err := second.StoredDrafts(t.Context())
	if err != nil || len(list) != 1 || list[0].Title != "first" || list[0].Elsewhere == nil {
		t.Fatalf("%+v, %v", list, err)
	}
	var elsewhere *OpenElsewhereError
	if _, err := second.OpenStored(list[0].Name); !errors.As(err, &elsewhere) {
		t.Errorf("the draft of the first window is taken up: %v", err)
	}
	if _, err := second.RemoveStored(list[0].Name); !errors.As(err, &elsewhere) {
		t.Errorf("the draft of the first window is deleted: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if d, err := second.OpenStored(list[0].Name); err != nil || d.Sites[0].Name != "first" {
		t.Fatalf("%+v, %v", d, err)
	} else if err := second.BeginDraft(d)(); err != nil {
		t.Fatal(err)
	}
	third, err := window(t, folder)
	if list, _ := third.StoredDrafts(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestAStaleWriteOverwritesNothing(t *testing.T) {
	folder := t.TempDir()
	k, _ := window(t, folder)
	addSite(k.Current, "mine")
	save(t, k)
	other := NewDraft()
	addSite(other, "theirs")
	data, err := encodeDraft(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, draftName(0)), data, 0o600); err != nil { // a window that saw no lock
		t.Fatal(err)
	}
	save(t, k)
	if err := k.RemoveCurrent()(); err != nil {
		t.Fatal(err)
	}
	next, _ := window(t, folder)
	if d := next.Current; len(d.Sites) != 1 || d.Sites[0].Name != "theirs" {
		t.Errorf("on disk is %+v", d)
	}
}

// The child process is another window: it creates a draft and waits.
func TestMain(m *testing.M) {
	if folder := os.Getenv("DRAFTS_OF_CHILD"); folder != "" {
		k := NewDrafts(folder)
		d, _ := k.ReadDraft(context.Background())
		if d == nil {
			d = NewDraft()
		}
		addSite(d, "child")
		k.Current = d
		if err := errors.Join(k.Save(d)(), k.SaveTemplate(OrderTemplate{Name: "child"})); err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString("ready\n")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		return
	}
	os.Exit(m.Run())
}

func TestTwoProcessesKeepTwoDrafts(t *testing.T) {
	folder := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), "DRAFTS_OF_CHILD="+folder)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	k, err := window(t, folder)
	if err == nil || !strings.Contains(err.Error(), "open in another window (process "+strconv.Itoa(cmd.Process.Pid)) {
		t.Errorf("it says %v", err)
	}
	addSite(k.Current, "parent")
	save(t, k)
	if err := k.SaveTemplate(OrderTemplate{Name: "parent"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(cmd.Process.Kill(), in.Close()); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	next, err := window(t, folder)
	if err != nil || len(next.Current.Sites) != 1 || next.Current.Sites[0].Name != "child" {
		t.Errorf("%+v, %v", next.Current, err)
	}
	if list, err := next.StoredDrafts(t.Context()); err != nil || len(list) != 1 || list[0].Title != "parent" {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := next.LoadTemplates(t.Context()); err != nil || len(list) != 2 {
		t.Errorf("templates are %+v, %v", list, err)
	}
}

func TestNothingIsSentIfASimilarOrderExists(t *testing.T) {
	d := NewDraft()
	addSite(d, "levee")
	client, err := api.NewClient("http://127.0.0.1:1/api/v1/public", api.WithKey("k"), api.WithBackoff(time.Millisecond)) // nobody listens
	if err != nil {
		t.Fatal(err)
	}
	k := NewDrafts("")
	_, err = k.SaveAndPlace(d, d.PrepareOrders(now)[0], &Placer{Client: client, Changes: changes.OpenLog("")}, false)(context.Background())
	var alike *SimilarError
	if !errors.As(err, &alike) || alike.Err == nil {
		t.Errorf("without a list of orders it says %v", err)
	}
}

var now = time.Date(2026, 11, 24, 9, 42, 0, 0, time.FixedZone("CET", 3600))
