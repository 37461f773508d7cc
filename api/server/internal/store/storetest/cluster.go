//go:build postgres

package storetest

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// Cluster is a PostgreSQL server in a temporary folder on a loopback port. The user
// "locked" has the password "secret"; the user postgres needs none.
type Cluster struct {
	Port  int
	dir   string
	bin   string
	as    *syscall.Credential // user that runs the server; nil is the current user
	count atomic.Int64
	own   sync.Mutex
}

var shared struct {
	sync.Mutex
	cluster *Cluster
	err     error
}

// SharedCluster returns the server that the tests of a package share, and starts it on
// first use. [RunTests] stops it.
func SharedCluster(t testing.TB) *Cluster {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.cluster == nil && shared.err == nil {
		shared.cluster, shared.err = Start("synchronous_commit=off")
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.cluster
}

func stopShared() {
	if shared.cluster != nil {
		_ = shared.cluster.Close()
	}
}

// Start starts a server with settings of the form name=value.
func Start(options ...string) (*Cluster, error) {
	bin, err := findPrograms()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "flightdesk-postgres-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, bin: bin}
	if err := c.prepareFolder(options); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := c.Up(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	_, err = c.runOn("postgres", `CREATE ROLE locked LOGIN PASSWORD 'secret'`)
	return c, err
}

// findPrograms finds the newest PostgreSQL on the machine.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("there is no initdb; install postgresql, as with apt-get install postgresql")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// prepareFolder chooses a port and creates the data folder of the server with its settings.
func (c *Cluster) prepareFolder(options []string) error {
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		if err := c.dropRoot(); err != nil {
			return err
		}
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	c.Port = port
	err = c.runProgram("initdb", "-D", c.dataFolder(), "-U", "postgres", "-E", "UTF8", "--locale=C",
		"--no-sync", "-A", "trust")
	if err != nil {
		return err
	}
	if err := c.writeSettings(options); err != nil {
		return err
	}
	rules := "host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nlocal all all trust\n"
	return os.WriteFile(filepath.Join(c.dataFolder(), "pg_hba.conf"), []byte(rules), 0o600)
}

// freePort returns a port of the loopback address that no program listens on.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // the system chooses the port
	if err != nil {
		return 0, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

// writeSettings appends settings of the form name=value to the configuration of the server.
func (c *Cluster) writeSettings(options []string) error {
	settings := []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(c.Port),
		"unix_socket_directories=" + c.dir,
		"fsync=off",
		"max_connections=200",
		"log_line_prefix=%m ",
	}
	var text strings.Builder
	for _, s := range append(settings, options...) {
		name, value, _ := strings.Cut(s, "=")
		fmt.Fprintf(&text, "%s = '%s'\n", name, value)
	}
	return appendTo(filepath.Join(c.dataFolder(), "postgresql.conf"), text.String())
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// dropRoot makes the server run as a user other than root.
func (c *Cluster) dropRoot() error {
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		return err
	}
	uid, err1 := strconv.Atoi(who.Uid)
	gid, err2 := strconv.Atoi(who.Gid)
	c.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return errors.Join(err1, err2, os.Chown(c.dir, uid, gid))
}

func (c *Cluster) dataFolder() string { return filepath.Join(c.dir, "data") }

func (c *Cluster) runProgram(name string, args ...string) error {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + c.bin + ":/usr/bin:/bin", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	log, err := os.CreateTemp("", "flightdesk-postgres-log-") // a pipe would be held by the server
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(log.Name()) }()
	cmd.Stdout = log
	cmd.Stderr = log
	err = cmd.Run()
	said, readErr := os.ReadFile(log.Name())
	err = errors.Join(err, readErr, log.Close())
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, said)
	}
	return nil
}

// Up starts the server and waits until it accepts connections.
func (c *Cluster) Up() error {
	c.own.Lock()
	defer c.own.Unlock()
	return c.runProgram("pg_ctl", "-D", c.dataFolder(), "-l", filepath.Join(c.dir, "log"), "-w",
		"-t", "60", "start")
}

// Down stops the server in a mode: smart, fast, or immediate, which is a crash.
func (c *Cluster) Down(mode string) error {
	c.own.Lock()
	defer c.own.Unlock()
	return c.runProgram("pg_ctl", "-D", c.dataFolder(), "-m", mode, "-w", "-t", "60", "stop")
}

// Close stops the server and removes its folder.
func (c *Cluster) Close() error {
	return errors.Join(c.Down("immediate"), os.RemoveAll(c.dir))
}

// URL returns the address of a database for the user postgres.
func (c *Cluster) URL(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s", c.Port, database)
}

// Database creates an empty database and returns its address.
func (c *Cluster) Database(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("test%d", c.count.Add(1))
	if _, err := c.runOn("postgres", "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := c.runOn("postgres", "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return c.URL(name)
}

// Open opens a connection pool for the test's own queries, and closes it after the test.
func (c *Cluster) Open(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func (c *Cluster) runOn(database, statement string) (sql.Result, error) {
	db, err := sql.Open("pgx", c.URL(database))
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	return db.Exec(statement)
}

// Log returns the server's log.
func (c *Cluster) Log() string {
	text, err := os.ReadFile(filepath.Join(c.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Eventually waits until holds returns true. If this takes longer than a minute, the test fails;
// what describes the condition in the message.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("%s: not after a minute", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
