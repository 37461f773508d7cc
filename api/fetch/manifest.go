package fetch

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"flightdesk/api"
	"flightdesk/config/atomicfile"
)

// Manifest is the content of manifest.json in the folder of a package. It records which files
// were downloaded, from where, when and with which digests. It contains no links.
type Manifest struct {
	PackageInfo
	Service    string            `json:"service,omitempty"`
	Updated    time.Time         `json:"updated"`
	Files      []FetchedFile     `json:"files"`
	Unfinished []OutstandingFile `json:"unfinished,omitempty"` // requested and not complete yet
}

// FetchedFile is a complete file in a manifest.
type FetchedFile struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"` // name from the service
	Path      string          `json:"path"` // name in the folder
	Product   api.Deliverable `json:"product,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Size      int64           `json:"size"`
	Digests
	Verified  VerifiedBy `json:"verified"`
	Host      string     `json:"host,omitempty"` // server that sent the file
	ETag      string     `json:"etag,omitempty"`
	Modified  time.Time  `json:"modified"` // modification time of the file on disk
	FetchedAt time.Time  `json:"fetchedAt"`
}

// OutstandingFile is an incomplete file in a manifest.
type OutstandingFile struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Path    string          `json:"path"`
	Product api.Deliverable `json:"product,omitempty"`
	Size    int64           `json:"size"` // -1 if unknown
}

// VerifiedBy is how a file was verified in addition to its size.
type VerifiedBy string

// The kinds of verification.
const (
	ByReprDigest VerifiedBy = "Repr-Digest" // the digest that the server sent
	ByETag       VerifiedBy = "ETag"        // an ETag that is a digest
	BySize       VerifiedBy = "size"        // only the size
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
