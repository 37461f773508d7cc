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

	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/store/files"
)

// LazyFiles is a file store that has the files of the demo's world, too. Each of
// them is made when it is first opened, and kept then.
type LazyFiles struct {
	files.Store

	// Differs is told where a file is not what is listed of it: on machines
	// that round otherwise than the one that the list was made on. What is
	// listed is to be set right before anybody reads on.
	Differs func(ctx context.Context, place string, sum files.FileSum) error

	making sync.Mutex
	made   []string // keys of those that are kept; making is held
}

// Open returns a file.
func (f *LazyFiles) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	content, err := f.Store.Open(ctx, key)
	if !errors.Is(err, files.ErrMissing) || !strings.HasPrefix(key, "sample-") {
		return content, err
	}
	f.making.Lock()
	defer f.making.Unlock()
	if content, err = f.Store.Open(ctx, key); !errors.Is(err, files.ErrMissing) {
		return content, err
	}
	made, listed, known, err := findListed(key)
	if err != nil || !known {
		return nil, errors.Join(files.ErrMissing, err)
	}
	sum, err := f.keep(ctx, key, made)
	if errors.Is(err, files.ErrFull) && len(f.made) > 0 { // the others can be made once more
		for _, other := range f.made {
			if err := f.Remove(ctx, other); err != nil {
				return nil, err
			}
		}
		f.made = nil
		sum, err = f.keep(ctx, key, made)
	}
	if err != nil {
		return nil, err
	}
	f.made = append(f.made, key)
	if content, err = f.Store.Open(ctx, key); err != nil || hex.EncodeToString(sum.SHA256[:]) == listed.SHA256 || f.Differs == nil {
		return content, err
	}
	if err := f.Differs(ctx, key, sum); err != nil {
		return nil, errors.Join(err, content.Close())
	}
	return changedFile{content}, nil
}

func (f *LazyFiles) keep(ctx context.Context, key string, made product.File) (files.FileSum, error) {
	from := made.Open()
	sum, err := f.Put(ctx, key, from)
	return sum, errors.Join(err, from.Close())
}

// changedFile is a file that is not what was listed of it until now.
type changedFile struct{ io.ReadSeekCloser }

// Differs marks it.
func (changedFile) Differs() {}

// sources are what the files of the world are made from, whenever it is.
var sources = sync.OnceValue(func() map[string]product.Mission {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	_, from := buildWorld(at, at)
	return from
})

// findListed returns what makes the file at a place, and what is listed of it: nothing
// of one whose place has a size.
func findListed(place string) (made product.File, l listedFile, known bool, err error) {
	cut := strings.LastIndexByte(place, '-')
	i, _ := strconv.Atoi(place[cut+1:]) // 0 where it is none, which shows in the end
	key, size := place[:cut], int64(0)
	from, known := sources()[key]
	if end := strings.LastIndexByte(key, '-'); !known && end > 0 {
		size, _ = strconv.ParseInt(key[end+1:], 10, 64)
		from, known = sources()[key[:end]]
		known = known && size > 0
	}
	if !known || i < 0 || strconv.Itoa(i) != place[cut+1:] {
		return made, l, false, nil
	}
	list, err := product.Files(from, size)
	if err != nil || i >= len(list) {
		return made, l, false, err
	}
	if all := listed()[key]; i < len(all) {
		l = all[i]
	}
	return list[i], l, true, nil
}
