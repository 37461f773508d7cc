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

// findPresent looks whether the file is there already, nil where it is not. A file of the name that is
// another one is an error: it is not overwritten.
func (t *fileTransfer) findPresent(ctx context.Context) (*FetchedFile, error) {
	root := t.folder.root
	info, err := root.Lstat(t.name)
	switch {
	case isMissing(err):
		return nil, nil
	case err != nil:
		return nil, onDisk(err)
	case !info.Mode().IsRegular():
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

// setAside renames a file that was changed since it was fetched, so that it can be fetched
// again and nothing is lost. It returns [ErrExists] unless the options ask for it.
func (t *fileTransfer) setAside() error {
	if !t.q.o.SetAside || t.q.o.Verify {
		return fmt.Errorf("%w: changed since it was downloaded", ErrExists)
	}
	return t.folder.setAside(t.name)
}

// verifyEntry checks that the file still has the digests in the manifest. wants says
// that its SHA-256 is asked for besides.
func (t *fileTransfer) verifyEntry(
	ctx context.Context,
	info fs.FileInfo,
	entry FetchedFile,
	wants bool,
) (*FetchedFile, error) {
	root := t.folder.root
	have, err := sumFile(root, t.name, newHasherLike(entry.Digests, wants))
	switch {
	case err != nil:
		return nil, onDisk(err)
	case entry.matchAll(have):
		entry.Modified = info.ModTime()
		if wants {
			entry.SHA256, entry.CRC32C = have.SHA256, ""
		}
		removePart(root, t.name)
		return &entry, nil
	case t.q.o.Verify || t.q.o.SetAside:
		return nil, t.setAside()
	}
	return t.adoptExisting(ctx, info)
}

// adoptExisting asks the server whether the file that is there is the one to fetch.
// Where it does not say, the file is fetched and compared.
func (t *fileTransfer) adoptExisting(ctx context.Context, info fs.FileInfo) (*FetchedFile, error) {
	file, _ := t.listedFile()
	asking, cancel := context.WithTimeout(ctx, t.q.o.pace.stall)
	defer cancel()
	resp, err := t.q.sendRequest(asking, http.MethodHead, file.URL, http.Header{})
	if err != nil {
		return nil, nil // the fetch itself tells what is wrong
	}
	_ = resp.Body.Close()
	d := readDigest(resp.Header)
	if resp.StatusCode != http.StatusOK || len(d.Sum) == 0 {
		return nil, nil
	}
	have, err := sumFile(t.folder.root, t.name, newHasherFor(d, t.q.o.SHA256))
	switch {
	case err != nil:
		return nil, onDisk(err)
	case !d.isAmong(have) && d.Binding:
		return nil, ErrExists
	case !d.isAmong(have):
		return nil, nil
	}
	removePart(t.folder.root, t.name)
	return new(t.newFetchedFile(info, d, have, resp.Request.URL.Host, validatorOf(resp).ETag)), nil
}

// newFetchedFile makes the entry of the manifest for a file that is there, with the
// digest that the server gave and those that were worked out.
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

// sumFile returns the digests of a file, worked out by a hasher.
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

// sameContent reports whether two files have the same bytes.
func sameContent(root *os.Root, one, other string) bool {
	a, err1 := sumFile(root, one, newFileHasher(true, false))
	b, err2 := sumFile(root, other, newFileHasher(true, false))
	return err1 == nil && err2 == nil && a == b
}
