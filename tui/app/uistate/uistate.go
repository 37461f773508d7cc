package uistate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Store keeps values by name. It may be used from several goroutines.
type Store struct {
	path string

	mu      sync.Mutex
	values  map[string]jsontext.Value
	version int
	written int // version on disk

	writing sync.Mutex
}

// Open reads the values of a file, which need not be there; with an empty path
// they are kept in memory. What cannot be read is begun anew: it is only about
// looks.
func Open(path string) *Store {
	s := &Store{path: path, values: map[string]jsontext.Value{}}
	if data, err := os.ReadFile(path); err == nil && path != "" {
		if json.Unmarshal(data, &s.values) != nil || s.values == nil {
			s.values = map[string]jsontext.Value{}
		}
	}
	return s
}

// Get reads a value and reports whether there is one of its type.
func (s *Store) Get(name string, into any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.values[name]
	return ok && json.Unmarshal(value, into) == nil
}

// Put replaces a value in memory; Flush brings it to disk.
func (s *Store) Put(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		return // no value that is kept is of such a type
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = data
	s.version++
}

// Flush brings the file up to date.
func (s *Store) Flush() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	version := s.version
	data, err := json.Marshal(s.values, json.Deterministic(true), jsontext.WithIndent("\t"))
	s.mu.Unlock()
	if s.path == "" || version == s.written || err != nil {
		return err
	}
	if err := write(s.path, append(data, '\n')); err != nil {
		return fmt.Errorf("keep how the tables look: %w", err)
	}
	s.written = version
	return nil
}

// write replaces a file at once or not at all.
func write(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
