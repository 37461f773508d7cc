package fetch

import (
	"encoding/json"
	"os"
)

// fileVersion identifies a version of a file on the server: it changes if the content of the file
// changes.
type fileVersion struct {
	ETag     string `json:"etag,omitempty"`     // strong ETags only
	Modified string `json:"modified,omitempty"` // Last-Modified, only if it identifies a version; see validatorOf
}

// isKnown reports whether the version is known. Only then can a request ask for a range on the
// condition that the file has not changed.
func (v fileVersion) isKnown() bool { return v != fileVersion{} }

// ifRange returns the value of the If-Range header.
func (v fileVersion) ifRange() string {
	if v.ETag != "" {
		return v.ETag
	}
	return v.Modified
}

// isSame reports whether both versions are equal.
func (v fileVersion) isSame(other fileVersion) bool {
	if v.ETag != "" || other.ETag != "" {
		return v.ETag == other.ETag
	}
	return v.Modified == other.Modified
}

// partState is the state of an incomplete file. It is stored in NAME.part.json.
type partState struct {
	ID     string       `json:"id"`
	Size   int64        `json:"size"` // -1 if unknown
	Tag    fileVersion  `json:"validator"`
	Digest serverDigest `json:"digest"`
	Done   byteRanges   `json:"flushed"` // ranges that are on disk even after a power cut
}

// readState returns the state of a file's part, or the zero state if there is no valid state.
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
	if n := len(s.Done); n > 0 && s.Done[n-1].end > info.Size() {
		return partState{}
	}
	return s
}

func (s partState) writeTo(root *os.Root, name string) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	// The state is not synced to disk: if it is lost, the data is downloaded again.
	if err := root.WriteFile(name+newEnding, data, 0o644); err != nil {
		return err
	}
	return root.Rename(name+newEnding, name+stateEnding)
}

// removePart removes the incomplete file of a download and the saved state of the download.
func removePart(root *os.Root, name string) {
	for _, end := range []string{partEnding, stateEnding, newEnding} {
		_ = root.Remove(name + end)
	}
}
