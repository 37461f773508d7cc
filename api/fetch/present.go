package fetch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"
)

// findPresent returns the entry of the file if it exists already, or nil. If another file has the
// name, it returns [ErrExists].
func (t *fileTransfer) findPresent(ctx context.Context) (*FetchedFile, error) {
	root := t.folder.root
	info, err := root.Lstat(t.name)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, onDisk(err)
	}
	if !info.Mode().IsRegular() {
		return nil, ErrExists
	}
	file, _ := t.listedFile()
	entry, known := t.folder.fetchedEntry(t.it.file.ID)
	wants := t.q.o.SHA256 && entry.SHA256 == ""
	if known && !t.q.o.Verify && !wants && entry.matchesFile(info, file.Size) {
		removePart(root, t.name)
		return &entry, nil
	}
	if file.Size >= 0 && file.Size != info.Size() {
		if known {
			return nil, t.setAside()
		}
		return nil, ErrExists
	}
	if !known {
		return t.adoptExisting(ctx, info)
	}
	return t.verifyEntry(ctx, info, entry, wants)
}

// setAside renames a file that was changed since its download, so that the file can be downloaded
// again. It returns [ErrExists] unless the options allow renaming.
func (t *fileTransfer) setAside() error {
	if !t.q.o.SetAside || t.q.o.Verify {
		return fmt.Errorf("%w: changed since it was downloaded", ErrExists)
	}
	return t.folder.setAside(t.name)
}

// verifyEntry checks that the file still has the digests in the manifest. With wants, it also
// computes the SHA-256.
func (t *fileTransfer) verifyEntry(
	ctx context.Context,
	info fs.FileInfo,
	entry FetchedFile,
	wants bool,
) (*FetchedFile, error) {
	root := t.folder.root
	have, err := sumFile(root, t.name, newHasherLike(entry.Digests, wants))
	if err != nil {
		return nil, onDisk(err)
	}
	if entry.matchAll(have) {
		entry.Modified = info.ModTime()
		if wants {
			entry.SHA256 = have.SHA256
			entry.CRC32C = ""
		}
		removePart(root, t.name)
		return &entry, nil
	}
	if t.q.o.Verify || t.q.o.SetAside {
		return nil, t.setAside()
	}
	return t.adoptExisting(ctx, info)
}

// adoptExisting asks the server whether the existing file is the file to download. It returns its
// entry, or nil if the server does not say; then the file is downloaded and compared.
func (t *fileTransfer) adoptExisting(ctx context.Context, info fs.FileInfo) (*FetchedFile, error) {
	file, _ := t.listedFile()
	asking, cancel := context.WithTimeout(ctx, t.q.o.pace.stall)
	defer cancel()
	resp, err := t.q.sendRequest(asking, http.MethodHead, file.URL, http.Header{})
	if err != nil {
		return nil, nil // the download reports the error
	}
	_ = resp.Body.Close()
	d := readDigest(resp.Header)
	if resp.StatusCode != http.StatusOK || len(d.Sum) == 0 {
		return nil, nil
	}
	have, err := sumFile(t.folder.root, t.name, newHasherFor(d, t.q.o.SHA256))
	if err != nil {
		return nil, onDisk(err)
	}
	if !d.isAmong(have) && d.Binding {
		return nil, ErrExists
	}
	if !d.isAmong(have) {
		return nil, nil
	}
	removePart(t.folder.root, t.name)
	return new(t.newFetchedFile(info, d, have, resp.Request.URL.Host, validatorOf(resp).ETag)), nil
}

// newFetchedFile returns the manifest entry of a complete file, with the digest that the server sent
// and the computed digests.
func (t *fileTransfer) newFetchedFile(
	info fs.FileInfo,
	d serverDigest,
	have Digests,
	host, tag string,
) FetchedFile {
	file, _ := t.listedFile()
	proof := BySize
	if d.isAmong(have) {
		proof = VerifiedBy(d.Source)
	}
	return FetchedFile{
		ID:        file.ID,
		Name:      file.Name,
		Path:      t.name,
		Product:   file.Product,
		MediaType: file.MediaType,
		Size:      info.Size(),
		Digests:   have,
		Verified:  proof,
		Host:      host,
		ETag:      tag,
		Modified:  info.ModTime(),
		FetchedAt: t.q.o.Now().UTC().Truncate(time.Second),
	}
}

// sumFile returns the digests of a file, computed by s.
func sumFile(root *os.Root, name string, s *fileHasher) (sums Digests, err error) {
	f, err := root.Open(name)
	if err != nil {
		return Digests{}, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return Digests{}, err
	}
	err = s.hashUpTo(f, info.Size())
	return s.digests(), err
}

// sameContent reports whether two files have the same content.
func sameContent(root *os.Root, one, other string) bool {
	a, err1 := sumFile(root, one, newFileHasher(true, false))
	b, err2 := sumFile(root, other, newFileHasher(true, false))
	return err1 == nil && err2 == nil && a == b
}
