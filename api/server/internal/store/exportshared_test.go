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

// WritersLock is the advisory lock of the writers of all processes.
const WritersLock = int64(writersLock)

// SetPatience sets how long anything may take.
func SetPatience(s *Store, d time.Duration) { s.engine.(*postgresEngine).waits = d }

// TakeReaders takes all connections that read, until release is called.
func TakeReaders(t testing.TB, s *Store) func() {
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

// Silence has a process not be heard of for an hour.
func Silence(t testing.TB, s *Store) {
	t.Helper()
	p := s.engine.(*postgresEngine).presence
	p.cancel()
	p.done.Wait()
	Change(t, s, `UPDATE processes SET seen = seen - 3600000 WHERE name = '`+p.name+`'`)
}

// Beat has a process say that it is there.
func Beat(t testing.TB, s *Store) {
	t.Helper()
	if err := s.engine.(*postgresEngine).presence.sendBeat(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// Settle has a process be there for long enough to judge others.
func Settle(s *Store) { s.engine.(*postgresEngine).presence.steady = time.Now().Add(-time.Hour) }

// SetSkew has this machine's clock be found ahead of the database's.
func SetSkew(s *Store, ahead time.Duration) {
	s.engine.(*postgresEngine).presence.skew.Store(int64(ahead))
}

// Migrate applies the product's migrations and further ones, by their file names.
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
