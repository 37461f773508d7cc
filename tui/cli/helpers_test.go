package cli

import (
	"os"
	"path/filepath"
	"testing"

	"flightdesk/api/server"
	"flightdesk/config"
)

// listen starts a service with sample data that listens on a free port until the test ends.
func listen(t *testing.T, s *server.Server) *server.Server {
	t.Helper()
	s.Demo = true
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	return s
}

// environment returns an environment with the given variables, an empty keyring and new folders.
func environment(t *testing.T, variables map[string]string) config.Env {
	t.Helper()
	folder := t.TempDir()
	return config.Env{
		Lookup: func(name string) (string, bool) {
			value, isSet := variables[name]
			return value, isSet
		},
		Keyring: ring{keys: map[string]string{}}.keyring(),
		Dirs:    config.Dirs{Config: folder, State: filepath.Join(folder, "state"), Home: folder},
	}
}

// writeTestFile writes a file into a new folder and returns its path.
func writeTestFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
