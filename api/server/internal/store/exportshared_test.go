//go:build postgres

package store

import (
	"context"
	"database/sql"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
)

// WritersLock is the key of the advisory lock of the writers.
const WritersLock = int64(writersLock)

// SetQueryTimeout sets the timeout of all operations.
func SetQueryTimeout(s *Store, d time.Duration) { s.engine.(*postgresEngine).timeout = d }

// HoldReaders takes all connections of the readers until the returned function is called.
func HoldReaders(t testing.TB, s *Store) func() {
	t.Helper()
	var all []*sql.Conn
	for range s.readers.Stats().MaxOpenConnections {
		conn, err := s.readers.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, conn)
	}
	return func() {
		for _, conn := range all {
			_ = conn.Close()
		}
	}
}

// StopHeartbeats stops the heartbeats of a process and dates its last one back by an
// hour.
func StopHeartbeats(t testing.TB, s *Store) {
	t.Helper()
	p := s.engine.(*postgresEngine).presence
	p.cancel()
	p.done.Wait()
	Change(t, s, `UPDATE processes SET seen = seen - 3600000 WHERE name = '`+p.name+`'`)
}

// SendHeartbeat sends a heartbeat of a process.
func SendHeartbeat(t testing.TB, s *Store) {
	t.Helper()
	if err := s.engine.(*postgresEngine).presence.sendHeartbeat(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// MarkSteady makes a process one that has been connected long enough to remove others.
func MarkSteady(s *Store) { s.engine.(*postgresEngine).presence.steady = time.Now().Add(-time.Hour) }

// SetSkew sets how far this machine's clock is ahead of the database's.
func SetSkew(s *Store, ahead time.Duration) {
	s.engine.(*postgresEngine).presence.skew.Store(int64(ahead))
}

// Migrate applies the migrations of this program and further ones, given by file name.
func Migrate(ctx context.Context, t testing.TB, url string, further map[string]string) error {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for name, text := range further {
		files[name] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + text)}
	}
	own, err := fs.ReadDir(migrationsOf("postgres"), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range own {
		text, err := fs.ReadFile(migrationsOf("postgres"), entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = &fstest.MapFile{Data: text}
	}
	_, err = migratePostgres(ctx, *config, files)
	return err
}
