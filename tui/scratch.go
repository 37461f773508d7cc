package tui

import (
	"sync"

	"flightdesk/config/atomicfile"
)

// scratch is a folder of the run's own, for what other programs are handed. It
// may be used from several goroutines.
type scratch struct {
	mu   sync.Mutex
	made *atomicfile.TempFolder
}

// folder makes the folder, which only its owner can read, when it is first
// asked for.
func (s *scratch) folder() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		atomicfile.RemoveAbandoned()
		made, err := atomicfile.NewTempFolder("")
		if err != nil {
			return "", err
		}
		s.made = made
	}
	return s.made.Path, nil
}

// remove ends it with all that it holds.
func (s *scratch) remove() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		return nil
	}
	return s.made.Remove()
}
