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
	hasOtherSize := file.Size >= 0 && file.Size != info.Size()
	entry, isFetched := t.folder.fetchedEntry(t.it.file.ID)
	if !isFetched {
		if hasOtherSize {
			return nil, ErrExists
		}
		return t.adoptExisting(ctx, info)
	}
	needsSHA256 := t.q.o.SHA256 && entry.SHA256 == ""
	mustRead := t.q.o.Verify || needsSHA256
	if !mustRead && entry.matchesFile(info, file.Size) {
		removePart(root, t.name)
		return &entry, nil
	}
	if hasOtherSize {
		return nil, t.setAside()
	}
	return t.verifyEntry(ctx, info, entry, needsSHA256)
}

// setAside renames a file that was changed since its download, so that the file can be downloaded
// again. It returns [ErrExists] unless the options allow renaming.
func (t *fileTransfer) setAside() error {
	if !t.q.o.SetAside || t.q.o.Verify {
		return fmt.Errorf("%w: changed since it was downloaded", ErrExists)
	}
	return t.folder.setAside(t.name)
}

// verifyEntry checks that the file still has the digests in the manifest. With addSHA256, it
// also adds the SHA-256 to the entry.
func (t *fileTransfer) verifyEntry(
	ctx context.Context,
	info fs.FileInfo,
	entry FetchedFile,
	addSHA256 bool,
) (*FetchedFile, error) {
	root := t.folder.root
	computed, err := sumFile(root, t.name, newHasherLike(entry.Digests, addSHA256))
	if err != nil {
		return nil, onDisk(err)
	}
	if entry.matchAll(computed) {
		entry.Modified = info.ModTime()
		if addSHA256 {
			entry.SHA256 = computed.SHA256
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

// adoptExisting compares the existing file with the digest that the server sends. If they
// match, adoptExisting returns the entry of the file. If the server sends no usable digest,
// it returns nil; then the file is downloaded and compared.
func (t *fileTransfer) adoptExisting(ctx context.Context, info fs.FileInfo) (*FetchedFile, error) {
	file, _ := t.listedFile()
	limited, cancel := context.WithTimeout(ctx, t.q.o.pace.stall)
	defer cancel()
	resp, err := t.q.sendRequest(limited, http.MethodHead, file.URL, http.Header{})
	if err != nil {
		return nil, nil // the download reports the error
	}
	_ = resp.Body.Close()
	d := readDigest(resp.Header)
	if resp.StatusCode != http.StatusOK || len(d.Sum) == 0 {
		return nil, nil
	}
	computed, err := sumFile(t.folder.root, t.name, newHasherFor(d, t.q.o.SHA256))
	if err != nil {
		return nil, onDisk(err)
	}
	isSame := d.isAmong(computed)
	if !isSame && d.Binding {
		return nil, ErrExists
	}
	if !isSame {
		return nil, nil
	}
	removePart(t.folder.root, t.name)
	entry := t.newFetchedFile(info, d, computed, resp.Request.URL.Host, validatorOf(resp).ETag)
	return &entry, nil
}

// newFetchedFile returns the manifest entry of a complete file, with the digest that the server sent
// and the computed digests.
func (t *fileTransfer) newFetchedFile(
	info fs.FileInfo,
	d serverDigest,
	computed Digests,
	host, tag string,
) FetchedFile {
	file, _ := t.listedFile()
	proof := BySize
	if d.isAmong(computed) {
		proof = VerifiedBy(d.Source)
	}
	return FetchedFile{
		ID:        file.ID,
		Name:      file.Name,
		Path:      t.name,
		Product:   file.Product,
		MediaType: file.MediaType,
		Size:      info.Size(),
		Digests:   computed,
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
	sums, err := sumFile(root, one, newFileHasher(true, false))
	if err != nil {
		return false
	}
	otherSums, err := sumFile(root, other, newFileHasher(true, false))
	return err == nil && sums == otherSums
}
