package atomicfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// Log is a private file of JSON values, one per line, that several programs and
// goroutines can append to and read at once.
type Log[T any] struct {
	path string
	keep int

	queue sync.Mutex
	next  *lineBatch // lines waiting for the current write

	mu     sync.Mutex // guards the file and the fields below
	unread []T
	at     int64  // offset up to which the file was read
	before []byte // bytes just before at, to notice a replaced file
	lines  int    // before at
	from0  bool   // the file was read from its start
	bad    int    // unread lines that are not values
}

// lineBatch contains lines that are written together by the first of those who wait.
type lineBatch struct {
	text    []byte
	written bool
	err     error
}

// NewLog returns the log in a file, which need not exist; "" keeps it in memory. When
// the log reaches twice keep values, it is trimmed to the newest keep; 0 means no
// limit.
func NewLog[T any](path string, keep int) *Log[T] { return &Log[T]{path: path, keep: keep} }

// patience limits how long to wait for another program that locks the log.
const patience = 10 * time.Second

// Append adds a value, which is on disk when Append returns. Concurrent calls are
// written together.
func (l *Log[T]) Append(value T) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if l.path == "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.unread = append(l.unread, value)
		return nil
	}
	l.queue.Lock()
	b := cmp.Or(l.next, &lineBatch{})
	b.text = append(append(b.text, line...), '\n')
	l.next = b
	l.queue.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.written {
		return b.err
	}
	l.queue.Lock()
	l.next = nil
	l.queue.Unlock()
	b.err = l.withLock(func() error {
		if err := l.writeLines(b.text); err != nil {
			return err
		}
		_ = l.trimFile() // the values are on disk all the same, and the next call tries again
		return nil
	})
	b.written = true
	return b.err
}

// withLock calls do with the file locked against other programs; mu is held.
func (l *Log[T]) withLock(do func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return withLock(ctx, l.path, do)
}

// writeLines appends all lines or none.
func (l *Log[T]) writeLines(text []byte) (err error) {
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	// A line that a crash cut off must not swallow the next one.
	if size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			text = append([]byte{'\n'}, text...)
		}
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	if size == 0 {
		return syncFolderOf(l.path)
	}
	return nil
}

func syncFolderOf(path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(SyncFolder(root), root.Close())
}

// UnreadValues is the result of Read.
type UnreadValues[T any] struct {
	Values []T
	Bad    int // number of lines that are not values
	// All reports that the file was read from its start, either for the first time or
	// because it was replaced. Values read before may be repeated.
	All bool
}

// Read returns the values that were not read before, oldest first, whichever program
// wrote them. With a keep limit it also trims the file.
func (l *Log[T]) Read() (UnreadValues[T], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path != "" {
		if err := l.scanNew(); err != nil {
			return UnreadValues[T]{}, err
		}
		if l.tooLong() {
			if err := l.withLock(l.trimFile); err != nil {
				return UnreadValues[T]{}, fmt.Errorf("truncate %s: %w", filepath.Base(l.path), err)
			}
		}
	}
	u := UnreadValues[T]{l.unread, l.bad, l.from0}
	l.unread, l.bad, l.from0 = nil, 0, false
	return u, nil
}

// remembered is the number of bytes compared to notice a replaced file.
const remembered = 256

// scanNew adds the new lines of the file to the unread values.
func (l *Log[T]) scanNew() error {
	f, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		l.restartScan()
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	same := make([]byte, len(l.before))
	_, err = f.ReadAt(same, l.at-int64(len(same)))
	if l.at == 0 || err != nil || !bytes.Equal(same, l.before) {
		l.restartScan()
	} else if _, err := f.Seek(l.at, io.SeekStart); err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	l.takeLines(text)
	return nil
}

func (l *Log[T]) restartScan() {
	l.at, l.lines, l.before, l.from0 = 0, 0, nil, true
}

// takeLines parses lines. The last one may be incomplete; without a line end it counts
// only if it is a value.
func (l *Log[T]) takeLines(text []byte) {
	read := 0
	for line := range bytes.Lines(text) {
		var value T
		err := json.Unmarshal(line, &value)
		if err != nil && !bytes.HasSuffix(line, []byte{'\n'}) {
			break
		}
		read += len(line)
		switch {
		case err == nil:
			l.unread = append(l.unread, value)
			l.lines++
		case len(bytes.TrimSpace(line)) > 0:
			l.bad++
			l.lines++
		}
	}
	l.at += int64(read)
	l.before = endOf(append(l.before, text[:read]...))
}

func (l *Log[T]) tooLong() bool { return l.keep > 0 && l.lines > 2*l.keep }

// endOf returns the bytes that are compared to notice a replaced file.
func endOf(text []byte) []byte { return bytes.Clone(text[max(0, len(text)-remembered):]) }

// trimFile keeps only the newest values of a long file; the file is locked.
func (l *Log[T]) trimFile() error {
	if l.keep == 0 {
		return nil
	}
	if err := l.scanNew(); err != nil || !l.tooLong() {
		return err
	}
	text, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	var lines [][]byte
	for line := range bytes.Lines(text) {
		if json.Unmarshal(line, new(T)) == nil {
			lines = append(lines, bytes.TrimRight(line, "\r\n"))
		}
	}
	lines = append(lines[max(0, len(lines)-l.keep):], nil) // ends the last line
	text = bytes.Join(lines, []byte{'\n'})
	if err := ReplaceFile(l.path, text); err != nil {
		return err
	}
	// The remaining values were read before.
	l.at, l.lines = int64(len(text)), len(lines)-1
	l.before = endOf(text)
	return nil
}
