package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestPlaceholdersAreUnnumbered(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT 1`:                            `SELECT 1`,
		`VALUES ($1, $2), ($3, $4 + 0)`:       `VALUES (?, ?), (?, ? + 0)`,
		`SET a = $1 WHERE b = $2 AND a <> $1`: `SET a = $1 WHERE b = $2 AND a <> $1`,
		`a = $2 AND b = $1`:                   `a = $2 AND b = $1`,
		rowPlaceholders(1, 11):                `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
	} {
		if got := unnumberedQuery(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

func TestASharedDatabaseIsConnectedWithLimits(t *testing.T) {
	connect := func(shared SharedDatabase) *pgx.ConnConfig {
		t.Helper()
		config, _, err := shared.connConfig()
		if err != nil {
			t.Fatal(err)
		}
		return config
	}
	got := connect(SharedDatabase{URL: "postgres://u:old@db.example:6543/desk", Password: "new", Connections: minConnections, Name: "two"})
	if got.Password != "new" || got.ConnectTimeout != connectTimeout || got.Port != 6543 {
		t.Errorf("%+v", got.Config)
	}
	for name, want := range map[string]string{
		"application_name": "flightdesk two", "statement_timeout": "10000", "lock_timeout": "5000", "idle_in_transaction_session_timeout": "10000",
	} {
		if got.RuntimeParams[name] != want {
			t.Errorf("%s is %q, not %q", name, got.RuntimeParams[name], want)
		}
	}
	got = connect(SharedDatabase{URL: "postgres://u:old@db.example/desk?statement_timeout=1&connect_timeout=60"})
	if got.Password != "old" || got.ConnectTimeout != time.Minute || got.RuntimeParams["statement_timeout"] != "1" || got.RuntimeParams["application_name"] != "flightdesk" {
		t.Errorf("what the address says: %+v", got.Config)
	}
	got = connect(SharedDatabase{URL: "postgres://u@db.example/desk?connect_timeout=61"})
	if got.ConnectTimeout != connectTimeout {
		t.Errorf("it waits for %v", got.ConnectTimeout)
	}
	for _, wrong := range []SharedDatabase{
		{URL: "mysql://u:hush@db.example/x"}, {URL: "postgres://u:hush@db.example:port/x"}, {URL: "postgres://u:hush@db.example/x", Connections: minConnections - 1},
	} {
		if _, _, err := wrong.connConfig(); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%v", err)
		}
	}
}

// The number of connections can be an option of the address, as in other programs. The database
// does not get the option.
func TestTheAddressOfADatabaseLimitsItsConnections(t *testing.T) {
	for _, c := range []struct {
		options     string
		connections int
		want        int
		fault       string
	}{
		{want: defaultConnections},
		{options: "?pool_max_conns=40", want: 40},
		{options: "?pool_max_conns=40", connections: 8, want: 8},
		{options: "?pool_max_conns=1", fault: "at least 2 database connections"},
		{options: "?pool_max_conns=many", fault: "pool_max_conns in the database address must be a number"},
	} {
		shared := SharedDatabase{URL: "postgres://u@db.example/desk" + c.options, Connections: c.connections}
		config, got, err := shared.connConfig()
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v", c.options, err)
			}
			continue
		}
		if err != nil || got != c.want || config.RuntimeParams[poolOption] != "" {
			t.Errorf("%q: %d connections, %v", c.options, got, err)
		}
	}
}

func TestDatabaseErrorsSayWhatToDo(t *testing.T) {
	config, _, err := (SharedDatabase{URL: "postgres://u:hush@127.0.0.1:1/desk"}).connConfig()
	if err != nil {
		t.Fatal(err)
	}
	_, away := pgx.ConnectConfig(t.Context(), config) // nothing listens there
	if err := adviseError(away, config); !errors.Is(err, ErrAway) || !strings.Contains(err.Error(), "check that it is running") || strings.Contains(err.Error(), "hush") {
		t.Errorf("%v", err)
	}
	other := errors.New("something else")
	if err := adviseError(other, config); !errors.Is(err, other) || errors.Is(err, ErrAway) {
		t.Errorf("%v", err)
	}
}
