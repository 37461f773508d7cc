package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	memory []T        // values that were not read yet, if there is no file
	logPlace
}

// logPlace is the position in the file up to which it was read.
type logPlace struct {
	offset int64
	before []byte // bytes just before the offset, to detect a replaced file
	lines  int    // number of lines before the offset
}

// lineBatch has the lines of several concurrent calls of Append. The first call that locks the file writes
// all lines. The other calls return the same error.
type lineBatch struct {
	text      []byte
	isWritten bool  // the first call has tried to write the lines
	err       error // error of writing, or nil
}

// NewLog returns the log in a file, which need not exist. If path is empty, the log is kept in memory. If
// keep is not 0, Read trims a log of more than twice keep lines to the newest keep lines.
func NewLog[T any](path string, keep int) *Log[T] { return &Log[T]{path: path, keep: keep} }

// lockTimeout is the maximum time to wait for another program that locks the log.
const lockTimeout = 10 * time.Second

// Append adds a value and returns when the value is on disk. The values of concurrent calls are
// written together.
func (l *Log[T]) Append(value T) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if l.path == "" {
		l.appendInMemory(value)
		return nil
	}
	batch := l.enqueue(line)
	l.mu.Lock()
	defer l.mu.Unlock()
	if batch.isWritten { // another caller has written the batch
		return batch.err
	}
	l.closeBatch()
	batch.isWritten = true
	batch.err = l.withLock(func() error { return l.writeLines(batch.text) })
	return batch.err
}

func (l *Log[T]) appendInMemory(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.memory = append(l.memory, value)
}

// enqueue adds a line to the current batch and returns the batch. It begins a new batch if there is none.
func (l *Log[T]) enqueue(line []byte) *lineBatch {
	l.queue.Lock()
	defer l.queue.Unlock()
	if l.next == nil {
		l.next = &lineBatch{}
	}
	l.next.text = append(l.next.text, line...)
	l.next.text = append(l.next.text, '\n')
	return l.next
}

// closeBatch ends the current batch, so that no more lines are added to it and it can be written. The next
// line begins a new batch.
func (l *Log[T]) closeBatch() {
	l.queue.Lock()
	defer l.queue.Unlock()
	l.next = nil
}

// withLock calls do while the file is locked against other programs. The caller must hold mu.
func (l *Log[T]) withLock(do func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	return withLock(ctx, l.path, do)
}

// writeLines appends all lines of a text or none.
func (l *Log[T]) writeLines(text []byte) (err error) {
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	isCut, err := hasCutLine(f, size)
	if err != nil {
		return err
	}
	if isCut { // the cut line must not be joined with the new line
		text = append([]byte{'\n'}, text...)
	}
	if err := writeSynced(f, text); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	isNew := size == 0
	if isNew { // the file's entry in the folder must be on disk, too
		if err := SyncFolder(filepath.Dir(l.path)); err != nil {
			return err
		}
	}
	return nil
}

// hasCutLine reports whether the last line of a file has no line end, because a crash cut it
// off.
func hasCutLine(f *os.File, size int64) (bool, error) {
	if size == 0 {
		return false, nil
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], size-1)
	return last[0] != '\n', err
}

func writeSynced(f *os.File, text []byte) error {
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Sync()
}

// UnreadValues is the result of Read.
type UnreadValues[T any] struct {
	Values []T
	Bad    int // number of lines that are not values
	// All reports that the file was read from its start, either for the first time or
	// because it was replaced or trimmed. Values read before may be repeated.
	All bool
}

// Read returns the values that were not read before, oldest first, including values that other programs have
// written. A last line without a line end is skipped unless it is a valid value, because another program may
// still be writing it. If the log has a keep limit, Read also trims the file.
func (l *Log[T]) Read() (u UnreadValues[T], err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		u.Values = l.memory
		l.memory = nil
		return u, nil
	}
	text, err := l.readText()
	if err != nil {
		return u, err
	}
	u.All = l.offset == 0
	n := l.readLines(text, &u)
	l.offset += int64(n)
	l.before = append(l.before, text[:n]...)
	l.before = bytes.Clone(l.before[max(0, len(l.before)-comparedBytes):])
	if l.keep > 0 && l.lines > 2*l.keep {
		_ = l.withLock(l.trimFile) // the next call tries again after an error
	}
	return u, nil
}

// readLines adds the values in a text to u. It returns the number of bytes read, which does
// not include an incomplete last line.
func (l *Log[T]) readLines(text []byte, u *UnreadValues[T]) (n int) {
	for line := range bytes.Lines(text) {
		var value T
		err := json.Unmarshal(line, &value)
		isComplete := err == nil || bytes.HasSuffix(line, []byte{'\n'})
		if !isComplete {
			break
		}
		n += len(line)
		l.lines++
		if err == nil {
			u.Values = append(u.Values, value)
		} else if len(bytes.TrimSpace(line)) > 0 {
			u.Bad++
		}
	}
	return n
}

// comparedBytes is the number of bytes that are compared to detect a replaced file.
const comparedBytes = 256

// readText returns the text after the position up to which the file was read. If the file was
// replaced, it resets the position and returns the whole text.
func (l *Log[T]) readText() ([]byte, error) {
	f, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		l.logPlace = logPlace{}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	_, _ = f.Seek(l.offset-int64(len(l.before)), io.SeekStart) // on a pipe, reading continues
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	rest, isSameFile := bytes.CutPrefix(text, l.before)
	if !isSameFile {
		l.logPlace = logPlace{}
		return l.readText()
	}
	return rest, nil
}

// trimFile keeps only the newest lines of a long file. The caller must have locked the file.
func (l *Log[T]) trimFile() error {
	text, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	lines := slices.Collect(bytes.Lines(text))
	if len(lines) <= 2*l.keep { // another program has trimmed the file
		return nil
	}
	return ReplaceFile(l.path, bytes.Join(lines[len(lines)-l.keep:], nil))
}
