package atomicfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"flightdesk/config/atomicfile"
)

type entry struct {
	By string `json:"by"`
	N  int    `json:"n"`
}

// appended is the number of values that each of two programs appends.
const appended = 5_000

func appendMany(l *atomicfile.Log[entry], by string) error {
	const writers = 10
	errs := make(chan error, writers)
	for w := range writers {
		go func() {
			for n := w; n < appended; n += writers {
				if err := l.Append(entry{by, n}); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	var failed error
	for range writers {
		if err := <-errs; err != nil {
			failed = err
		}
	}
	return failed
}

func read(t *testing.T, l *atomicfile.Log[entry]) atomicfile.UnreadValues[entry] {
	t.Helper()
	u, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestTwoProgramsLoseNoneOfTenThousandValues(t *testing.T) {
	for _, c := range []struct{ keep, least int }{{0, 2 * appended}, {1_000, 1_000}} {
		t.Run(fmt.Sprint("keep ", c.keep), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "events.jsonl")
			cmd := child(t, "append", path, c.keep)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			l := atomicfile.NewLog[entry](path, c.keep)
			if err := appendMany(l, "parent"); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			all := read(t, l)
			fresh := read(t, atomicfile.NewLog[entry](path, c.keep))
			if len(fresh.Values) < c.least || len(fresh.Values) > max(2*c.keep, c.least) || fresh.Bad != 0 {
				t.Errorf("%d values, %d bad lines", len(fresh.Values), fresh.Bad)
			}
			// This handle has read every value of both programs, and then trimmed the file.
			seen := map[entry]int{}
			for _, e := range all.Values {
				seen[e]++
			}
			for e, n := range seen {
				if n != 1 && c.keep == 0 {
					t.Errorf("%v was read %d times", e, n)
				}
			}
			for n := range appended {
				if c.keep == 0 && seen[entry{"child", n}] == 0 || seen[entry{"parent", n}] == 0 {
					t.Fatalf("value %d is missing; %d of %d are there", n, len(seen), 2*appended)
				}
			}
		})
	}
}

func TestReadReturnsTheNewValuesOfEveryProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	a, b := atomicfile.NewLog[entry](path, 0), atomicfile.NewLog[entry](path, 0)
	if u := read(t, a); len(u.Values) != 0 || !u.All {
		t.Errorf("before there is a file: %+v", u)
	}
	for i, l := range []*atomicfile.Log[entry]{a, b, b} {
		if err := l.Append(entry{"x", i}); err != nil {
			t.Fatal(err)
		}
	}
	if u := read(t, a); len(u.Values) != 3 || u.Values[2].N != 2 {
		t.Errorf("first %+v", u)
	}
	if u := read(t, a); len(u.Values) != 0 || u.All {
		t.Errorf("then %+v", u)
	}
	if err := b.Append(entry{"x", 3}); err != nil {
		t.Fatal(err)
	}
	if u := read(t, a); len(u.Values) != 1 || u.Values[0].N != 3 || u.All {
		t.Errorf("later %+v", u)
	}
	// If the file is replaced by a longer file, it is read from its start.
	text := strings.Repeat(`{"by":"y","n":7}`+"\n", 50)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if u := read(t, a); len(u.Values) != 50 || !u.All {
		t.Errorf("of another file %d values, all %v", len(u.Values), u.All)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if u := read(t, a); len(u.Values) != 0 || !u.All {
		t.Errorf("without the file: %+v", u)
	}
}

func TestALineCutShortByACrashDamagesNoOtherLine(t *testing.T) {
	for tail, want := range map[string][2]int{ // number of values and of bad lines after another value was appended
		`{"by":"x","n`:              {2, 1},
		`{"by":"x","n":2}`:          {3, 0}, // only its line end is missing
		"{\"by\nnothing\n\n{\"by":   {2, 3},
		`{"by":"x","n":2}` + "\r\n": {3, 0},
	} {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(path, []byte(`{"by":"x","n":1}`+"\n"+tail), 0o600); err != nil {
			t.Fatal(err)
		}
		l := atomicfile.NewLog[entry](path, 0)
		first := read(t, l)
		if err := l.Append(entry{"x", 3}); err != nil {
			t.Fatal(err)
		}
		second := read(t, l)
		fresh := read(t, atomicfile.NewLog[entry](path, 0))
		if len(fresh.Values) != want[0] || fresh.Bad != want[1] {
			t.Errorf("%q: %d values, %d bad, want %v", tail, len(fresh.Values), fresh.Bad, want)
		}
		if n := len(first.Values) + len(second.Values); n != want[0] || first.Bad+second.Bad != want[1] {
			t.Errorf("%q: read in two parts %d values, %d bad, want %v", tail, n, first.Bad+second.Bad, want)
		}
	}
}

func TestALongFileIsTrimmedToItsNewestValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	var b strings.Builder
	for n := range 21 {
		fmt.Fprintf(&b, "{\"by\":\"x\",\"n\":%d}\n", n)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	l := atomicfile.NewLog[entry](path, 10)
	if u := read(t, l); len(u.Values) != 21 {
		t.Errorf("%d were read", len(u.Values))
	}
	other := atomicfile.NewLog[entry](path, 10)
	if u := read(t, other); len(u.Values) != 10 || u.Values[0].N != 11 {
		t.Errorf("the file has %+v", u.Values)
	}
	for n := range 11 {
		if err := other.Append(entry{"y", n}); err != nil {
			t.Fatal(err)
		}
	}
	if u := read(t, other); len(u.Values) != 11 || u.All {
		t.Errorf("the one that trims reads %d values, all %v", len(u.Values), u.All)
	}
	for _, each := range []*atomicfile.Log[entry]{l, other} {
		if u := read(t, each); !u.All || len(u.Values) != 10 || u.Values[0] != (entry{"y", 1}) {
			t.Errorf("after trimming: %+v", u)
		}
	}
}

func TestALogWithoutAFileIsInMemory(t *testing.T) {
	l := atomicfile.NewLog[entry]("", 0)
	if err := l.Append(entry{"x", 1}); err != nil {
		t.Fatal(err)
	}
	if u := read(t, l); len(u.Values) != 1 {
		t.Errorf("read %+v", u)
	}
	if u := read(t, l); len(u.Values) != 0 {
		t.Errorf("read twice: %+v", u)
	}
}

func TestAFailedAppendFailsForAllWaitingCallers(t *testing.T) {
	l := atomicfile.NewLog[entry](t.TempDir(), 0) // a folder
	var all sync.WaitGroup
	for n := range 10 {
		all.Go(func() {
			if l.Append(entry{"x", n}) == nil {
				t.Error("appended to a folder")
			}
		})
	}
	all.Wait()
	if _, err := l.Read(); err == nil {
		t.Error("a folder was read")
	}
}
