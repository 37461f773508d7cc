package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
)

// attack is something that a guest or a stranger does over and over while others work.
type attack struct {
	name string
	run  func(ctx context.Context, r *trainingRoom, code string) error
}

var attacks = []attack{
	{"wrong codes", func(_ context.Context, r *trainingRoom, _ string) error {
		_, err := r.tryLogin("user1", ssh.Password("wrong"))
		return err
	}},
	{"idle connections", func(ctx context.Context, r *trainingRoom, _ string) error {
		var all []net.Conn
		for range 300 {
			if conn, err := net.Dial("tcp", r.Addr.String()); err == nil {
				all = append(all, conn)
			}
		}
		pause(ctx, time.Second)
		for _, conn := range all {
			_ = conn.Close()
		}
		return nil
	}},
	{"idle channels", withClient(func(ctx context.Context, c *ssh.Client) error {
		for range 150 {
			if _, requests, err := c.OpenChannel("session", nil); err == nil {
				go ssh.DiscardRequests(requests)
			}
		}
		pause(ctx, time.Second)
		return nil
	})},
	{"open folders", withClient(func(ctx context.Context, c *ssh.Client) error {
		s, err := c.NewSession()
		if err != nil {
			return err
		}
		to, _ := s.StdinPipe()
		from, _ := s.StdoutPipe()
		if err := s.RequestSubsystem("sftp"); err != nil {
			return err
		}
		go func() { _, _ = io.Copy(io.Discard, from) }()
		if _, err := to.Write([]byte{0, 0, 0, 5, 1, 0, 0, 0, 3}); err != nil {
			return err
		}
		for i := range 1000 {
			if _, err := to.Write([]byte{0, 0, 0, 10, 11, 0, 0, byte(i >> 8), byte(i), 0, 0, 0, 1, '/'}); err != nil {
				return err
			}
		}
		pause(ctx, time.Second)
		return nil
	})},
	{"big files", withClient(func(_ context.Context, c *ssh.Client) error {
		files, err := sftp.NewClient(c)
		if err != nil {
			return err
		}
		for i := range 4 {
			f, err := files.Create(fmt.Sprint("big", i))
			if err != nil {
				return err
			}
			_, _ = f.WriteAt([]byte("x"), 500<<20)
			_ = f.Close()
		}
		return nil
	})},
	{"keys", withApp(func(keys io.Writer, _ *ssh.Session) error {
		_, err := io.WriteString(keys, strings.Repeat("n\x1b", 5000))
		return err
	})},
	{"mouse", withApp(func(keys io.Writer, _ *ssh.Session) error {
		_, err := io.WriteString(keys, strings.Repeat("\x1b[<35;10;10M", 3000))
		return err
	})},
	{"sizes", withApp(func(_ io.Writer, s *ssh.Session) error {
		for n := range 1000 {
			if err := s.WindowChange(1000-n%2, 1000); err != nil {
				return err
			}
		}
		return nil
	})},
}

// pause waits, unless the campaign ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func withClient(run func(context.Context, *ssh.Client) error) func(context.Context, *trainingRoom, string) error {
	return func(ctx context.Context, r *trainingRoom, code string) error {
		c, err := r.tryLogin("mallory", ssh.Password(code))
		if err != nil {
			return err
		}
		stop := context.AfterFunc(ctx, func() { _ = c.Close() })
		defer stop()
		return errors.Join(run(ctx, c), c.Close())
	}
}

func withApp(run func(keys io.Writer, s *ssh.Session) error) func(context.Context, *trainingRoom, string) error {
	return withClient(func(_ context.Context, c *ssh.Client) error {
		s, err := c.NewSession()
		if err != nil {
			return err
		}
		keys, _ := s.StdinPipe()
		s.Stdout = io.Discard
		if err := errors.Join(s.RequestPty("xterm-256color", 1000, 1000, nil), s.Shell()); err != nil {
			return err
		}
		return run(keys, s)
	})
}

// Twelve people type while each attack runs, all from one address. Their keys are answered
// soon, they can log in, nobody's session ends, and the process stays small.
func TestCampaignOfGuests(t *testing.T) {
	const people = 12
	r := openRoom(t, keysOnly(t, nil))
	var users []string
	for n := range people {
		users = append(users, "user"+strconv.Itoa(n+1))
	}
	made, err := r.operations(t).Invitations.Invite(t.Context(), append(users, "mallory", "late")...)
	if err != nil {
		t.Fatal(err)
	}
	screens := make([]*screen, people)
	for i, user := range users {
		screens[i] = openApp(t, r.login(t, user, ssh.Password(made[i].Code)), "xterm-256color")
		screens[i].shows(t, "Needs a decision")
		screens[i].typeKeys(t, "2")
		screens[i].shows(t, "Holtriem")
	}
	mallory, late := made[people].Code, made[people+1].Code
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), guestsTime/time.Duration(len(attacks)))
			defer cancel()
			var attacking sync.WaitGroup
			for range 4 {
				attacking.Go(func() {
					for ctx.Err() == nil {
						if a.run(ctx, r, mallory) != nil { // it is cut or refused
							pause(ctx, 10*time.Millisecond)
						}
					}
				})
			}
			took := typeKeysUntil(ctx, t, screens)
			if c, err := r.tryLogin("late", ssh.Password(late)); err != nil {
				t.Errorf("somebody cannot log in: %v", err)
			} else {
				_ = c.Close()
			}
			cancel()
			attacking.Wait()
			slices.Sort(took)
			p50, p99 := took[len(took)/2], took[len(took)*99/100]
			t.Logf("%d keys, p50 %v, p99 %v, %d MB", len(took), p50, p99, residentMemory(t)>>20)
			if p99 > guestsKey {
				t.Errorf("99 of 100 keys take up to %v", p99)
			}
		})
	}
	if n := len(r.Visits()); n < people {
		t.Errorf("%d of %d people are still there", n, people)
	}
	if rss := residentMemory(t); rss > guestsMemory {
		t.Errorf("the process has %d MB", rss>>20)
	}
}

// typeKeysUntil types a key of each person every 100 ms until the time is over, and
// returns how long the answers took.
func typeKeysUntil(ctx context.Context, t *testing.T, screens []*screen) (all []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var typing sync.WaitGroup
	for _, s := range screens {
		typing.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				for len(s.more) > 0 {
					<-s.more
				}
				began := time.Now()
				if _, err := io.WriteString(s.keys, []string{"j", "k"}[n%2]); err != nil {
					t.Errorf("a session has ended: %v", err)
					return
				}
				select {
				case <-s.more:
				case <-time.After(10 * time.Second):
					t.Error("a key is not answered")
					return
				}
				mu.Lock()
				all = append(all, time.Since(began))
				mu.Unlock()
				pause(ctx, 100*time.Millisecond)
			}
		})
	}
	typing.Wait()
	return all
}

// residentMemory returns the memory of this process, in bytes; 0 where the system does not
// say.
func residentMemory(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
