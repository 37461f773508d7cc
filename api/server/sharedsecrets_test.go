//go:build postgres

package server_test

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// A password that is changed in the database and in its file is used without a restart. In between,
// requests are answered with 503.
func TestThePasswordOfTheDatabaseIsReplacedWithoutARestart(t *testing.T) {
	c, err := storetest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	admin := c.Open(t, c.URL("postgres"))
	run := func(statement string) {
		t.Helper()
		if _, err := admin.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	run(`CREATE DATABASE desk OWNER locked`)
	address, err := url.Parse(c.URL("desk"))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.User("locked")
	var password atomic.Value
	password.Store("secret")
	b := newBenchOn(t, &server.Server{Database: store.SharedDatabase{
		URL:          address.String(),
		Password:     "secret",
		ReadPassword: func() (string, error) { return password.Load().(string), nil },
	}})
	b.place(b.alice)
	run(`ALTER ROLE locked PASSWORD 'another'`)
	run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'locked'`)
	list := func() int { return b.call("GET", publicHandlers+"/orders", b.alice, nil).status }
	if got := list(); got != http.StatusServiceUnavailable {
		t.Errorf("with the old password: %d", got)
	}
	password.Store("another")
	storetest.Eventually(t, "the new password is used", func() bool { return list() == http.StatusOK })
	b.place(b.alice)
}
