package demodata

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"flightdesk/api/server/demodata/product"
	"flightdesk/api/server/store/files"
)

// Files is a file store that has the files of the demo's world, too. Each of
// them is made when it is first opened, and kept then.
type Files struct {
	files.Store

	// Differs is told where a file is not what is listed of it: on machines
	// that round otherwise than the one that the list was made on. What is
	// listed is to be set right before anybody reads on.
	Differs func(ctx context.Context, place string, sum files.Sum) error

	making sync.Mutex
}

// Open returns a file.
func (f *Files) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	content, err := f.Store.Open(ctx, key)
	if !errors.Is(err, files.ErrMissing) || !strings.HasPrefix(key, "sample-") {
		return content, err
	}
	f.making.Lock()
	defer f.making.Unlock()
	if content, err = f.Store.Open(ctx, key); !errors.Is(err, files.ErrMissing) {
		return content, err
	}
	made, listed, known, err := find(key)
	if err != nil || !known {
		return nil, errors.Join(files.ErrMissing, err)
	}
	from := made.Open()
	sum, err := f.Put(ctx, key, from)
	if err = errors.Join(err, from.Close()); err != nil {
		return nil, err
	}
	if content, err = f.Store.Open(ctx, key); err != nil || hex.EncodeToString(sum.SHA256[:]) == listed.SHA256 || f.Differs == nil {
		return content, err
	}
	if err := f.Differs(ctx, key, sum); err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return differing{content}, nil
}

// differing is a file that is not what was listed of it until now.
type differing struct{ io.ReadSeekCloser }

// Differs marks it.
func (differing) Differs() {}

// sources are what the files of the world are made from, whenever it is.
var sources = sync.OnceValue(func() map[string]product.Mission {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	_, from := build(at, at)
	return from
})

// find returns what makes the file at a place, and what is listed of it.
func find(place string) (made product.File, l listedFile, known bool, err error) {
	cut := strings.LastIndexByte(place, '-')
	i, _ := strconv.Atoi(place[cut+1:]) // 0 where it is none, which shows in the end
	from, known := sources()[place[:cut]]
	all := listed()[place[:cut]]
	if !known || i < 0 || i >= len(all) || strconv.Itoa(i) != place[cut+1:] {
		return made, l, false, nil
	}
	list, err := product.Files(from, 0)
	if err != nil || i >= len(list) {
		return made, l, false, err
	}
	return list[i], all[i], true, nil
}
