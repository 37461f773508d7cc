package ordering

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"flightdesk/config/atomicfile"
)

// draftStore keeps files by name: in a folder, or in memory where folder is "". What
// a folder cannot take stays in memory, so that it is not lost while the
// program runs.
type draftStore struct {
	folder string

	mu     sync.Mutex
	memory map[string][]byte
}

func newDraftStore(folder string) *draftStore {
	return &draftStore{folder: folder, memory: map[string][]byte{}}
}

// writeFile replaces a file at once or not at all.
func (s *draftStore) writeFile(name string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder == "" {
		s.memory[name] = data
		return nil
	}
	if err := atomicfile.ReplacePrivate(filepath.Join(s.folder, name), data); err != nil {
		s.memory[name] = data
		return err
	}
	delete(s.memory, name)
	return nil
}

// updateFile replaces a file by what change makes of it, nil for no file, while no
// other window changes it.
func (s *draftStore) updateFile(name string, change func([]byte) ([]byte, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder == "" {
		data, err := change(s.memory[name])
		if err == nil {
			s.memory[name] = data
		}
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return atomicfile.UpdateFile(ctx, filepath.Join(s.folder, name), change)
}

// readFile returns a file; the error is [fs.ErrNotExist] where there is none.
func (s *draftStore) readFile(name string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if data, ok := s.memory[name]; ok {
		return data, nil
	}
	if s.folder == "" {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(filepath.Join(s.folder, name))
}

// removeFile takes a file away; one that is not there is no error.
func (s *draftStore) removeFile(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.memory, name)
	if s.folder == "" {
		return nil
	}
	if err := os.Remove(filepath.Join(s.folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// fileTimes lists the files with when they were written, zero for those in memory.
func (s *draftStore) fileTimes() (map[string]time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[string]time.Time{}
	for name := range maps.Keys(s.memory) {
		found[name] = time.Time{}
	}
	if s.folder == "" {
		return found, nil
	}
	entries, err := os.ReadDir(s.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return found, err
	}
	for _, e := range slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.Type().IsRegular() }) {
		if info, err := e.Info(); err == nil {
			found[e.Name()] = info.ModTime()
		}
	}
	return found, nil
}
