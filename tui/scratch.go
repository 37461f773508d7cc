package tui

import (
	"os"
	"sync"
)

// scratch is a folder of the run's own, for what other programs are handed. It
// may be used from several goroutines.
type scratch struct {
	mu   sync.Mutex
	path string
}

// folder makes the folder, which only its owner can read, when it is first
// asked for.
func (s *scratch) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" {
		path, err := os.MkdirTemp("", "flightdesk-*")
		if err != nil {
			return "", err
		}
		s.path = path
	}
	return s.path, nil
}

// remove ends it with all that it holds.
func (s *scratch) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" {
		return nil
	}
	return os.RemoveAll(s.path)
}
