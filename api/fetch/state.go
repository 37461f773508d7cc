package fetch

import (
	"encoding/json"
	"errors"
	"os"
	"sync"

	"flightdesk/config/atomicfile"
)

// validator tells one state of a file on the server from another.
type validator struct {
	ETag     string `json:"etag,omitempty"`     // only a strong one
	Modified string `json:"modified,omitempty"` // only one that is older than its answer
}

// known reports whether a range can be asked for on condition that the file is
// the same.
func (v validator) known() bool { return v != validator{} }

// condition is the value of If-Range.
func (v validator) condition() string {
	if v.ETag != "" {
		return v.ETag
	}
	return v.Modified
}

// same reports whether another answer is of the same state of the file.
func (v validator) same(other validator) bool {
	if v.ETag != "" || other.ETag != "" {
		return v.ETag == other.ETag
	}
	return v.Modified == other.Modified
}

// partState is what is known of a file that is not whole yet. It is beside it
// as NAME.part.json.
type partState struct {
	ID      string    `json:"id"`
	Size    int64     `json:"size"` // -1 where it is not known
	Tag     validator `json:"validator"`
	Digest  digest    `json:"digest"`
	Done    ranges    `json:"done"`    // written
	Flushed ranges    `json:"flushed"` // and forced to the disk
	Boot    string    `json:"boot"`    // of the system when it was written
}

var thisBoot = sync.OnceValue(bootID)

// usable returns what of a part can be gone on with.
func (s partState) usable() ranges {
	if s.Boot != "" && s.Boot == thisBoot() {
		return s.Done
	}
	return s.Flushed
}

// readState returns the state of a file's part; the zero state where there is
// none that holds.
func readState(root *os.Root, name, id string) (s partState) {
	info, err := root.Lstat(name + partEnding)
	if err != nil || !info.Mode().IsRegular() {
		return partState{}
	}
	data, err := root.ReadFile(name + stateEnding)
	if err != nil || json.Unmarshal(data, &s) != nil {
		return partState{}
	}
	if s.ID != id || !s.Tag.known() || !s.Done.valid(s.Size) || !s.Flushed.valid(s.Size) {
		return partState{}
	}
	if done := s.usable(); len(done) > 0 && done[len(done)-1][1] > info.Size() {
		return partState{}
	}
	return s
}

func (s partState) write(root *os.Root, name string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	f, err := atomicfile.CreateIn(root, name+stateEnding, name+newEnding, 0o644)
	if err != nil {
		return err
	}
	f.Fast = true // what is lost is downloaded again
	if _, err := f.Write(data); err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Commit()
}
