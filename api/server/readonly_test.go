//go:build unix

package server_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// nobody is the user of the servers if the tests run as root, who can write everywhere.
const nobody = 65534

// unprivileged prepares this program to serve the folder in a process that is bound by file
// permissions.
func unprivileged(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := apartFrom(t, dir)
	if os.Geteuid() != 0 {
		return cmd
	}
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		cmd.Path = "/proc/self/exe" // another user can run it from any folder
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

// folderOf returns a folder that belongs to the user of unprivileged and that this user can reach.
func folderOf(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() == 0 {
		if err := errors.Join(os.Chown(dir, nobody, nobody), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// The error for a folder that cannot be written to names the folder and the reason.
func TestStartWithAReadOnlyFolder(t *testing.T) {
	for _, what := range []string{"new", "lock", "flightdesk.db", "files"} {
		t.Run(what, func(t *testing.T) {
			dir := folderOf(t)
			if what == "new" { // the folder cannot be created
				chmod(t, dir, 0o500)
				wantRefused(t, filepath.Join(dir, what))
				return
			}
			cmd, _ := startServer(t, unprivileged(t, dir))
			kill(t, cmd)
			chmod(t, filepath.Join(dir, what), 0o500)
			wantRefused(t, dir)
			chmod(t, filepath.Join(dir, what), 0o700)
			cmd, _ = startServer(t, unprivileged(t, dir))
			kill(t, cmd)
		})
	}
}

// wantRefused checks that no server starts with the folder, and that the error is one line.
func wantRefused(t *testing.T, dir string) {
	t.Helper()
	cmd := unprivileged(t, dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
	line := strings.TrimSuffix(said.String(), "\n")
	if strings.Contains(line, "\n") || !strings.Contains(line, dir) || !strings.Contains(line, "permission denied") {
		t.Errorf("it said %q", said.String())
	}
}

// A file store that turns read-only refuses deliveries completely; everything else continues.
func TestAReadOnlyFileStoreRefusesOnlyDeliveries(t *testing.T) {
	dir := filepath.Join(folderOf(t), "data")
	cmd, ready := startServer(t, unprivileged(t, dir))
	defer kill(t, cmd)
	ctx := context.Background()
	transport := &http.Transport{DisableKeepAlives: true}
	c, err1 := api.NewClient(ready.BaseURL, api.WithKey(ready.Accounts[0].Key), api.WithTransport(transport))
	o, err2 := ops.NewClient(ready.OpsURL, ready.OpsKey, api.WithTransport(transport))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	mission := scheduledMission(t, o, ready.Accounts[0].UUID)
	deliver := func() error {
		_, err := o.Missions.Deliver(ctx, mission, api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("x")})
		return err
	}
	chmod(t, filepath.Join(dir, "files"), 0o500)
	err := deliver()
	var refusal *api.Error
	if !errors.As(err, &refusal) || refusal.Status != 500 || refusal.Code != api.CodeInternal || refusal.RequestID == "" {
		t.Errorf("a delivery into a folder that is read-only: %v", err)
	}
	packages, err := c.Missions.Packages(ctx, mission)
	if err != nil || len(packages) != 0 {
		t.Errorf("afterwards there are %+v, %v", packages, err)
	}
	if _, err := c.Orders.Create(ctx, survey(), ""); err != nil {
		t.Errorf("an order meanwhile: %v", err)
	}
	chmod(t, filepath.Join(dir, "files"), 0o700)
	if err := deliver(); err != nil {
		t.Errorf("a delivery when it may be written to again: %v", err)
	}
}
