package session_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"flightdesk/tui/app/session"
)

type look struct{ Width int }

func TestValuesAreReadAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "views", "prod.json")
	s := session.OpenUIState(path)
	var got look
	if s.Get("orders", &got) {
		t.Error("there is a value before one was put")
	}
	s.Put("orders", look{12})
	s.Put("missions", look{3})
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	again := session.OpenUIState(path)
	if !again.Get("orders", &got) || got.Width != 12 {
		t.Errorf("read again: %+v", got)
	}
	var wrong []string
	if again.Get("orders", &wrong) {
		t.Error("a value of another type is taken")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("the folder has %d files", len(entries))
	}
}

func TestADamagedFileIsReplaced(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "no JSON": "{", "null": "null", "another type": "[1]"} {
		path := filepath.Join(t.TempDir(), "views.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := session.OpenUIState(path)
		s.Put("orders", look{7})
		if err := s.Flush(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got look
		if !session.OpenUIState(path).Get("orders", &got) || got.Width != 7 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAnUnwritableFolderIsReported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := session.OpenUIState(filepath.Join(file, "views.json"))
	s.Put("orders", look{1})
	if err := s.Flush(); err == nil {
		t.Error("a file was written below a file")
	}
	memory := session.OpenUIState("")
	memory.Put("orders", look{1})
	if err := memory.Flush(); err != nil {
		t.Error(err)
	}
}

func TestTwoWindowsKeepEachOthersValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "views.json")
	a, b := session.OpenUIState(path), session.OpenUIState(path)
	a.Put("orders", look{1})
	b.Put("missions", look{2})
	for _, s := range []*session.UIState{a, b} {
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	var orders, missions look
	if s := session.OpenUIState(path); !s.Get("orders", &orders) || !s.Get("missions", &missions) || orders.Width != 1 || missions.Width != 2 {
		t.Errorf("orders %+v, missions %+v", orders, missions)
	}
}

func TestConcurrentWrites(t *testing.T) {
	s := session.OpenUIState(filepath.Join(t.TempDir(), "views.json"))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			s.Put("orders", look{i})
			var got look
			s.Get("orders", &got)
			if err := s.Flush(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
