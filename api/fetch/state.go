package fetch

import (
	"encoding/json"
	"os"
)

// fileVersion tells one state of a file on the server from another.
type fileVersion struct {
	ETag     string `json:"etag,omitempty"`     // only a strong one
	Modified string `json:"modified,omitempty"` // only one that is older than its answer
}

// isKnown reports whether a range can be asked for on condition that the file is
// the same.
func (v fileVersion) isKnown() bool { return v != fileVersion{} }

// ifRange returns the value of If-Range.
func (v fileVersion) ifRange() string {
	if v.ETag != "" {
		return v.ETag
	}
	return v.Modified
}

// isSame reports whether another answer is of the same state of the file.
func (v fileVersion) isSame(other fileVersion) bool {
	if v.ETag != "" || other.ETag != "" {
		return v.ETag == other.ETag
	}
	return v.Modified == other.Modified
}

// partState is what is known of a file that is not whole yet. It is beside it
// as NAME.part.json.
type partState struct {
	ID     string       `json:"id"`
	Size   int64        `json:"size"` // -1 where it is not known
	Tag    fileVersion  `json:"validator"`
	Digest serverDigest `json:"digest"`
	Done   byteRanges   `json:"flushed"` // what is on the disk, also after a power cut
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
	if s.ID != id || !s.Tag.isKnown() || !s.Done.isValid(s.Size) {
		return partState{}
	}
	if n := len(s.Done); n > 0 && s.Done[n-1][1] > info.Size() {
		return partState{}
	}
	return s
}

func (s partState) writeTo(root *os.Root, name string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	// Not brought to disk: what is lost is downloaded again.
	if err := root.WriteFile(name+newEnding, data, 0o644); err != nil {
		return err
	}
	return root.Rename(name+newEnding, name+stateEnding)
}
