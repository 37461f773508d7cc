package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
)

// Memory keeps files until the process ends.
type Memory struct {
	limit int64

	mu    sync.Mutex
	files map[string][]byte
	size  int64
}

// NewMemory returns an empty store that is full at limit bytes.
func NewMemory(limit int64) *Memory { return &Memory{limit: limit, files: map[string][]byte{}} }

// Put keeps a file.
func (m *Memory) Put(ctx context.Context, key string, r io.Reader) (FileSum, error) {
	if err := checkKey(key); err != nil {
		return FileSum{}, err
	}
	m.mu.Lock()
	free := m.limit - m.size
	m.mu.Unlock()
	var b bytes.Buffer
	sum, err := copySummed(ctx, &b, io.LimitReader(r, free+1))
	if err != nil {
		return FileSum{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size+sum.Size > m.limit {
		return FileSum{}, fmt.Errorf("%w: the limit of %d MiB in memory is reached", ErrFull, m.limit>>20)
	}
	if _, there := m.files[key]; there {
		return FileSum{}, fmt.Errorf("a file %s already exists", key)
	}
	m.files[key] = b.Bytes()
	m.size += sum.Size
	return sum, nil
}

// Open returns a file.
func (m *Memory) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, there := m.files[key]
	if !there {
		return nil, fmt.Errorf("%w: %s", ErrMissing, key)
	}
	return openedFile{bytes.NewReader(content)}, nil
}

// Remove drops a file.
func (m *Memory) Remove(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.size -= int64(len(m.files[key]))
	delete(m.files, key)
	return nil
}

// All gives nothing: no file is older than the store, and none outlives it.
func (m *Memory) All(context.Context) iter.Seq2[KeptFile, error] {
	return func(func(KeptFile, error) bool) {}
}

// Len returns how many files there are.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.files)
}

// Ready returns nil: memory is always ready.
func (m *Memory) Ready(context.Context) error { return nil }

// Close drops all files.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files = map[string][]byte{}
	m.size = 0
	return nil
}

type openedFile struct{ *bytes.Reader }

// Close does nothing.
func (openedFile) Close() error { return nil }
