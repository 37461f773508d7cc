package session

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/config/atomicfile"
)

// UIState stores how the pages of a profile look, for instance the sorting of a list, as small values by
// name. Several windows may write to its file. A nil UIState stores nothing. It is safe for concurrent
// use.
type UIState struct {
	path string

	mu      sync.Mutex
	values  map[string]jsontext.Value
	changed map[string]jsontext.Value // since the last Flush
	merges  map[string]MergeFunc

	writing sync.Mutex
}

// MergeFunc merges the value in the file, written by another window, with the value to write. It is called from the
// goroutine that calls Flush.
type MergeFunc func(stored, own jsontext.Value) jsontext.Value

// UIStatePath returns the file with the UI state of a profile.
func UIStatePath(stateDir, profile string) string {
	return filepath.Join(stateDir, "views", profile) + ".json"
}

// OpenUIState reads the values of a file, which need not exist. If path is "", values are kept in memory
// only. An unreadable file is replaced, because nothing important is lost.
func OpenUIState(path string) *UIState {
	data, _ := os.ReadFile(path) // an unreadable file has no values
	return &UIState{
		path:    path,
		values:  decodeState(data),
		changed: map[string]jsontext.Value{},
		merges:  map[string]MergeFunc{},
	}
}

func decodeState(data []byte) map[string]jsontext.Value {
	var values map[string]jsontext.Value
	if json.Unmarshal(data, &values) != nil || values == nil {
		return map[string]jsontext.Value{}
	}
	return values
}

// Get decodes the value with the given name to the variable that into points to. It returns false if there
// is no such value or it has another type.
func (s *UIState) Get(name string, into any) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.values[name]
	return ok && json.Unmarshal(value, into) == nil
}

// Put sets a value in memory. Flush writes it to disk.
func (s *UIState) Put(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil || s == nil {
		return // cannot happen for the types in use
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = data
	s.changed[name] = data
}

// SetMerge sets the function with which Flush merges a value with the value in the file, which another
// window may have written. Values without such a function replace the value in the file.
func (s *UIState) SetMerge(name string, merge MergeFunc) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.merges[name] = merge
}

// Reload reads a value from the file again, because another window may have written it. If this window has
// changed the value since the last Flush, the two values are merged. Without a [MergeFunc], the value of
// this window stays.
func (s *UIState) Reload(name string) {
	if s == nil || s.path == "" {
		return
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		return
	}
	stored, ok := decodeState(data)[name]
	if !ok {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own, isChanged := s.changed[name]
	merge := s.merges[name]
	if !isChanged {
		s.values[name] = stored
	} else if merge != nil {
		s.values[name] = merge(stored, own)
	}
}

// lockTimeout is how long to wait while another window writes the file.
const lockTimeout = 5 * time.Second

// Flush writes the changed values to the file. It keeps values that another window wrote
// meanwhile, and merges values that have a [MergeFunc].
func (s *UIState) Flush() error {
	if s == nil || s.path == "" { // the values are only kept in memory
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	changed, merges := s.popChanged()
	if len(changed) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	err := atomicfile.UpdateFile(ctx, s.path, func(old []byte) ([]byte, error) {
		values := decodeState(old)
		for name, value := range changed {
			stored, isStored := values[name]
			if merge := merges[name]; merge != nil && isStored {
				value = merge(stored, value)
			}
			values[name] = value
		}
		data, err := json.Marshal(values, json.Deterministic(true), jsontext.WithIndent("\t"))
		if err != nil {
			return nil, err
		}
		return append(data, '\n'), nil
	})
	if err != nil {
		s.restoreChanged(changed) // the next Flush tries again
		return fmt.Errorf("save table layout: %w", err)
	}
	return nil
}

// popChanged returns the values that changed since the last Flush, and the functions that merge values. The
// caller must write the values to the file or call restoreChanged, because popChanged removes them from the
// changed values.
func (s *UIState) popChanged() (changed map[string]jsontext.Value, merges map[string]MergeFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = s.changed
	s.changed = map[string]jsontext.Value{}
	return changed, maps.Clone(s.merges)
}

// restoreChanged adds values that could not be written to the changed values again. If a value has changed meanwhile,
// the newer value stays.
func (s *UIState) restoreChanged(changed map[string]jsontext.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(changed, s.changed)
	s.changed = changed
}
