//go:build postgres

package storetest

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api/server/internal/store/files"
)

// Bucket is a bucket of an S3-compatible server that runs for one test.
type Bucket struct {
	Address string // in the form that the service accepts
	Key     files.S3Key
	Port    int
	Dir     string // where the server stores buckets
	Stop    func() // stops the server
}

// NewBucket starts versitygw with one bucket.
func NewBucket(t testing.TB) Bucket {
	t.Helper()
	program, err := exec.LookPath("versitygw")
	if err != nil {
		home, _ := exec.Command("go", "env", "GOPATH").Output()
		first, _, _ := strings.Cut(strings.TrimSpace(string(home)), ":")
		program = filepath.Join(first, "bin", "versitygw")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := Bucket{
		Key:  files.S3Key{ID: "desk", Secret: "hush-hush"},
		Port: listener.Addr().(*net.TCPAddr).Port,
		Dir:  t.TempDir(),
	}
	b.Address = fmt.Sprintf("s3://bucket/below?endpoint=http://127.0.0.1:%d&region=us-east-1", b.Port)
	if err := errors.Join(listener.Close(), os.Mkdir(filepath.Join(b.Dir, "bucket"), 0o700)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--port", fmt.Sprintf("127.0.0.1:%d", b.Port), "--quiet", "posix", b.Dir)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+b.Key.ID, "ROOT_SECRET_KEY="+b.Key.Secret)
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; install it with go install github.com/versity/versitygw/cmd/versitygw@v1.8.0", err)
	}
	b.Stop = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(b.Stop)
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	Eventually(t, "the S3 server answers", func() bool {
		resp, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/", b.Port))
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil
	})
	return b
}
