package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// Manifest is what manifest.json in a package's folder says: what was fetched,
// from where, when, and with which digest. It has no links.
type Manifest struct {
	PackageInfo
	Service    string            `json:"service,omitempty"`
	Updated    time.Time         `json:"updated"`
	Files      []FetchedFile     `json:"files"`
	Unfinished []OutstandingFile `json:"unfinished,omitempty"` // asked for, not whole yet
}

// FetchedFile is a file of a manifest that is whole.
type FetchedFile struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"` // as the service gives it
	Path      string          `json:"path"` // its name in the folder
	Product   api.Deliverable `json:"product,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Size      int64           `json:"size"`
	Digests
	Verified  VerifiedBy `json:"verified"`
	Host      string     `json:"host,omitempty"` // that sent it
	ETag      string     `json:"etag,omitempty"`
	Modified  time.Time  `json:"modified"` // of the file on disk
	FetchedAt time.Time  `json:"fetchedAt"`
}

// OutstandingFile is a file of a manifest that is not whole yet.
type OutstandingFile struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Path    string          `json:"path"`
	Product api.Deliverable `json:"product,omitempty"`
	Size    int64           `json:"size"` // -1 where it is not known
}

// VerifiedBy says by what a file was verified, besides its size.
type VerifiedBy string

// The proofs.
const (
	ByReprDigest VerifiedBy = "Repr-Digest" // the digest that the server sent
	ByETag       VerifiedBy = "ETag"        // an ETag that is a digest
	BySize       VerifiedBy = "size"        // by nothing else
)

func readManifest(root *os.Root) (*Manifest, error) {
	data, err := root.ReadFile(manifestName)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s in %s is damaged; move it away: %w", manifestName, root.Name(), err)
	}
	return m, nil
}

func (m *Manifest) writeTo(root *os.Root) error {
	return atomicfile.WriteIn(root, manifestName, manifestName+".new", 0o644, true, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(m)
	})
}

// isMissing reports whether a file is not there.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
