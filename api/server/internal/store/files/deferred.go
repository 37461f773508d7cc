package files

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
)

// Deferred is a file store that could not be reached when the service started. Ready tries to
// open it. Until Ready has succeeded, the other methods of [Store] fail with ErrAway at once.
type Deferred struct {
	open    func(context.Context) (Store, error)
	opening sync.Mutex // held while the store is being opened

	mu     sync.Mutex
	opened Store // nil if not open yet
	err    error // why opening failed
}

// NewDeferred returns a store that is opened later: Ready opens it by calling open. err is the
// reason why it could not be opened before.
func NewDeferred(err error, open func(context.Context) (Store, error)) *Deferred {
	return &Deferred{open: open, err: err}
}

// Opened returns the store, or nil if it could not be opened yet.
func (d *Deferred) Opened() Store {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.opened
}

// use returns the store, or ErrAway if it could not be opened yet.
func (d *Deferred) use() (Store, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened == nil {
		return nil, fmt.Errorf("%w: %w", ErrAway, d.err)
	}
	return d.opened, nil
}

// Ready opens the store if it is not open yet, otherwise it calls the store's Ready.
func (d *Deferred) Ready(ctx context.Context) error {
	d.opening.Lock()
	defer d.opening.Unlock()
	if opened := d.Opened(); opened != nil {
		return opened.Ready(ctx)
	}
	opened, err := d.open(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.err = err
		return err
	}
	d.opened = opened
	return nil
}

// Put implements [Store].
func (d *Deferred) Put(ctx context.Context, key string, r io.Reader) (FileSum, error) {
	s, err := d.use()
	if err != nil {
		return FileSum{}, err
	}
	return s.Put(ctx, key, r)
}

// Open implements [Store].
func (d *Deferred) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	s, err := d.use()
	if err != nil {
		return nil, err
	}
	return s.Open(ctx, key)
}

// Remove implements [Store].
func (d *Deferred) Remove(ctx context.Context, key string) error {
	s, err := d.use()
	if err != nil {
		return err
	}
	return s.Remove(ctx, key)
}

// All implements [Store].
func (d *Deferred) All(ctx context.Context) iter.Seq2[KeptFile, error] {
	s, err := d.use()
	if err != nil {
		return func(yield func(KeptFile, error) bool) { yield(KeptFile{}, err) }
	}
	return s.All(ctx)
}

// Close closes the store if it was opened.
func (d *Deferred) Close() error {
	opened := d.Opened()
	if opened == nil {
		return nil
	}
	return opened.Close()
}
