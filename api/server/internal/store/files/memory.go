package files

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
)

// Memory stores files in memory.
type Memory struct {
	limit int64

	mu    sync.Mutex
	files map[string][]byte
	size  int64
}

// NewMemory returns an empty store. It is full at limit bytes.
func NewMemory(limit int64) *Memory { return &Memory{limit: limit, files: map[string][]byte{}} }

// Put implements [Store].
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
	if _, exists := m.files[key]; exists {
		return FileSum{}, fmt.Errorf("a file %s already exists", key)
	}
	m.files[key] = b.Bytes()
	m.size += sum.Size
	return sum, nil
}

// Open implements [Store].
func (m *Memory) Open(_ context.Context, key string) (io.ReadSeekCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, exists := m.files[key]
	if !exists {
		return nil, fmt.Errorf("%w: %s", ErrMissing, key)
	}
	return openedFile{bytes.NewReader(content)}, nil
}

// Remove implements [Store].
func (m *Memory) Remove(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.size -= int64(len(m.files[key]))
	delete(m.files, key)
	return nil
}

// All returns no files, because a new store is always empty and has no files to clean up.
func (m *Memory) All(context.Context) iter.Seq2[KeptFile, error] {
	return func(func(KeptFile, error) bool) {}
}

// Len returns the number of files.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.files)
}

// Ready returns nil.
func (m *Memory) Ready(context.Context) error { return nil }

// Close removes all files.
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
