package fetch

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

// present looks whether the file is there already. A file of the name that is
// another one is an error: it is not overwritten.
func (t *transfer) present(ctx context.Context) (entry Fetched, here bool, err error) {
	root := t.folder.root
	info, err := root.Lstat(t.name)
	switch {
	case isMissing(err):
		return Fetched{}, false, nil
	case err != nil:
		return Fetched{}, false, onDisk(err)
	case !info.Mode().IsRegular():
		return Fetched{}, false, ErrExists
	}
	file, _ := t.folder.listed(t.it.file.ID)
	entry, known := t.folder.entry(t.it.file.ID)
	if known && !t.q.o.Verify && entry.fits(info, file.Size) {
		removePart(root, t.name)
		return entry, true, nil
	}
	if file.Size >= 0 && file.Size != info.Size() {
		return Fetched{}, false, ErrExists
	}
	have, err := sumFile(root, t.name)
	if err != nil {
		return Fetched{}, false, onDisk(err)
	}
	if known && hex.EncodeToString(have) == entry.SHA256 {
		entry.Modified = info.ModTime()
		return entry, true, nil
	}
	if known && t.q.o.Verify {
		return Fetched{}, false, fmt.Errorf("%w: it has changed since it was fetched", ErrExists)
	}
	return t.adopt(ctx, info, have)
}

// adopt asks the server whether the file that is there, with the digest have,
// is the one to fetch. Where it does not say, the file is fetched and compared.
func (t *transfer) adopt(ctx context.Context, info fs.FileInfo, have []byte) (entry Fetched, here bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.q.o.pace.stall)
	defer cancel()
	file, _ := t.folder.listed(t.it.file.ID)
	resp, err := t.q.request(ctx, http.MethodHead, file.URL, http.Header{})
	if err != nil {
		return Fetched{}, false, nil // the fetch itself tells what is wrong
	}
	_ = resp.Body.Close()
	d := digestOf(resp.Header)
	if resp.StatusCode != http.StatusOK || len(d.Sum) == 0 || d.MD5 {
		return Fetched{}, false, nil
	}
	if !bytes.Equal(d.Sum, have) {
		if !d.Binding {
			return Fetched{}, false, nil
		}
		return Fetched{}, false, ErrExists
	}
	removePart(t.folder.root, t.name)
	proof := ByReprDigest
	if d.Source == "ETag" {
		proof = ByETag
	}
	return Fetched{
		ID: file.ID, Name: file.Name, Path: t.name, Product: file.Product, MediaType: file.MediaType, Size: info.Size(),
		SHA256: hex.EncodeToString(have), Verified: proof, Host: resp.Request.URL.Host, ETag: validatorOf(resp).ETag,
		Modified: info.ModTime(), FetchedAt: t.q.o.Now().UTC().Truncate(time.Second),
	}, true, nil
}
