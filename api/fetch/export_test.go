package fetch

import (
	"errors"
	"os"
)

// FetchedFile returns the entry of a file, or nil.
func (m *Manifest) FetchedFile(id string) *FetchedFile {
	for i := range m.Files {
		if m.Files[i].ID == id {
			return &m.Files[i]
		}
	}
	return nil
}

// ReadManifest reads the manifest in a folder. The error is [fs.ErrNotExist] if there is none.
func ReadManifest(dir string) (*Manifest, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(root)
	return m, errors.Join(err, root.Close())
}
