package atomicfile_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"flightdesk/config/atomicfile"
)

// childEnv tells the test binary what to do in a second process.
const childEnv = "ATOMICFILE_CHILD"

func TestMain(m *testing.M) {
	path := os.Getenv("ATOMICFILE_PATH")
	var err error
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "lock":
		_, err = atomicfile.TryLock(path)
		fmt.Println("locked")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until it is killed
	case "append":
		keep, _ := strconv.Atoi(os.Getenv("ATOMICFILE_KEEP"))
		err = appendMany(atomicfile.NewLog[entry](path, keep), "child")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func child(t *testing.T, what, path string, keep int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what, "ATOMICFILE_PATH="+path, "ATOMICFILE_KEEP="+strconv.Itoa(keep))
	cmd.Stderr = os.Stderr
	return cmd
}

func TestALockSaysWhoHasItAndEndsWithItsProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "draft")
	path := atomicfile.LockPath(file)
	cmd := child(t, "lock", path, 0)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, err = atomicfile.TryLock(path)
	var held *atomicfile.HeldError
	if !errors.As(err, &held) {
		t.Fatalf("a lock that another process has: %v", err)
	}
	host, _ := os.Hostname()
	if h := held.Holder; h.PID != cmd.Process.Pid || h.Host != host {
		t.Errorf("it is held by %+v", h)
	}
	if want := fmt.Sprintf(".draft.lock is in use by process %d on %s", cmd.Process.Pid, host); err.Error() != want {
		t.Errorf("it says %q, want %q", err, want)
	}
	var all sync.WaitGroup
	all.Go(func() { // waits, and gets the lock when the other process has ended
		if err := atomicfile.UpdateFile(t.Context(), file, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
			t.Error(err)
		}
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	all.Wait()
}

func TestALockIsHeldOnceAlsoWithinAProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	first, err := atomicfile.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	var held *atomicfile.HeldError
	if _, err := atomicfile.TryLock(path); !errors.As(err, &held) || held.Holder.PID != os.Getpid() {
		t.Errorf("locked twice: %v", err)
	}
	for range 2 { // the second call does nothing
		if err := first.Unlock(); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(path, []byte("no holder"), 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := atomicfile.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("no holder"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := atomicfile.TryLock(path); err == nil || !strings.HasSuffix(err.Error(), "in use by another program") {
		t.Errorf("it says %v", err)
	}
	if err := second.Unlock(); err != nil {
		t.Error(err)
	}
}

// Locks leave no files, and still exclude each other when they are created and removed at the same
// time.
func TestConcurrentLocksExcludeEachOtherAndLeaveNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	var all sync.WaitGroup
	var inside, most atomic.Int32
	for range 8 {
		all.Go(func() {
			for range 50 {
				err := atomicfile.UpdateFile(t.Context(), path, func([]byte) ([]byte, error) {
					if inside.Add(1) > 1 {
						most.Add(1)
					}
					inside.Add(-1)
					return nil, nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if most.Load() > 0 {
		t.Errorf("the lock was held twice %d times", most.Load())
	}
	if left := names(t, filepath.Dir(path)); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
