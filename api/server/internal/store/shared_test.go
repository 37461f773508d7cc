//go:build postgres

package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// several opens several stores on one database, like several processes.
func several(t *testing.T, n int) []*store.Store {
	var all []*store.Store
	t.Helper()
	url := storetest.SharedCluster(t).Database(t)
	for i := range n {
		all = append(all, storetest.OpenShared(t, store.SharedDatabase{URL: url, Name: fmt.Sprint("desk-", i)}))
	}
	return all
}

// Several stores open an empty database at the same time.
func TestTheSchemaIsCreatedOnce(t *testing.T) {
	url := storetest.SharedCluster(t).Database(t)
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			s, err := store.OpenShared(t.Context(), store.SharedDatabase{URL: url, Connections: 2})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Codes are unique and creation stamps increase in the order of the list, whatever the
// clocks of the processes show.
func TestWritersOfAllProcessesTakeTurns(t *testing.T) {
	stores := several(t, 3)
	a := account("a")
	write(t, stores[0], func(tx *store.Tx) error { return store.Insert(tx, a) })
	var all sync.WaitGroup
	for i := range 120 {
		all.Go(func() {
			s := stores[i%3]
			write(t, s, func(tx *store.Tx) error {
				number, err := tx.ReserveNumbers("order", 1)
				if err != nil {
					return err
				}
				o := order(a, i)
				o.Code = fmt.Sprint("ORD-", number)
				o.Created = tx.StampTime(noon.Add(-time.Duration(i%3) * time.Hour)) // three clocks
				return store.Insert(tx, o)
			})
			if _, err := store.ByUUID[store.Order](t.Context(), stores[(i+1)%3], order(a, i).UUID); err != nil {
				t.Errorf("order %d is not there on another process: %v", i, err)
			}
		})
	}
	all.Wait()
	orders, err := stores[1].Orders(t.Context(), a.ID, store.ListWindow{Limit: 1000})
	if err != nil || len(orders) != 120 {
		t.Fatalf("%d orders: %v", len(orders), err)
	}
	codes := map[string]bool{}
	slices.Reverse(orders)
	for i, o := range orders {
		codes[o.Code] = true
		if i > 0 && o.Created.Before(orders[i-1].Created) || i > 0 && o.ID < orders[i-1].ID {
			t.Errorf("%s was listed behind an older one", o.Code)
		}
	}
	if len(codes) != 120 {
		t.Errorf("%d codes of 120 orders", len(codes))
	}
}

// own starts a server that the test can stop.
func own(t *testing.T, options ...string) *storetest.Cluster {
	t.Helper()
	c, err := storetest.Start(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Operations fail while the database cannot be reached, and succeed afterwards.
func TestRequestsSucceedOnceTheDatabaseIsBack(t *testing.T) {
	c := own(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: c.URL("postgres")})
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account("before")) })
	for _, mode := range []string{"fast", "immediate"} {
		if err := c.Down(mode); err != nil {
			t.Fatal(err)
		}
		err := s.Write(t.Context(), func(tx *store.Tx) error { return store.Insert(tx, account("away "+mode)) })
		if !errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrInDoubt) {
			t.Errorf("a write without a database: %v", err)
		}
		if _, err := s.Accounts(t.Context()); !errors.Is(err, store.ErrAway) {
			t.Errorf("a read without a database: %v", err)
		}
		if _, _, err := s.OrderWithMissions(t.Context(), "ORD-1"); !errors.Is(err, store.ErrAway) {
			t.Errorf("a snapshot without a database: %v", err)
		}
		if err := s.Ready(t.Context()); !errors.Is(err, store.ErrAway) {
			t.Errorf("ready without a database: %v", err)
		}
		if err := c.Up(); err != nil {
			t.Fatal(err)
		}
		write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account("after "+mode)) })
		if err := s.Ready(t.Context()); err != nil {
			t.Errorf("ready again: %v", err)
		}
	}
	all, err := s.Accounts(t.Context())
	if err != nil || len(all) != 3 {
		t.Errorf("%d accounts, want those that were acknowledged: %v", len(all), err)
	}
}

// If the database restarts between two statements, closed connections are replaced and
// lost transactions are repeated.
func TestARestartOfTheDatabaseFailsNoRequest(t *testing.T) {
	c := own(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: c.URL("postgres")})
	restart := func() {
		if err := errors.Join(c.Down("fast"), c.Up()); err != nil {
			t.Error(err)
		}
	}
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account("a")) })
	restart()
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account("b")) })
	runs := 0
	write(t, s, func(tx *store.Tx) error {
		runs++
		if runs == 1 {
			restart()
		}
		return store.Insert(tx, account("c"))
	})
	if runs != 2 {
		t.Errorf("the job ran %d times", runs)
	}
	restart()
	if all, err := s.Accounts(t.Context()); err != nil || len(all) != 3 {
		t.Errorf("%d accounts: %v", len(all), err)
	}
}

// If the connection is lost during COMMIT, a committed transaction is not repeated and a
// lost one is.
func TestAnUnconfirmedCommitIsResolved(t *testing.T) {
	c := storetest.SharedCluster(t)
	proxy := storetest.NewProxy(t, c.Port)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: proxy.URL(c.Database(t))})
	for _, test := range []struct {
		name string
		cut  func()
		runs int
	}{{"answer", proxy.CutAnswer, 1}, {"request", proxy.CutRequest, 2}} {
		runs := 0
		err := s.Write(t.Context(), func(tx *store.Tx) error {
			runs++
			if runs == 1 {
				defer test.cut()
			}
			return store.Insert(tx, account("lost "+test.name))
		})
		if err != nil || runs != test.runs || !proxy.IsWhole() {
			t.Errorf("%s: the job ran %d times, want %d: %v", test.name, runs, test.runs, err)
		}
	}
	if all, err := s.Accounts(t.Context()); err != nil || len(all) != 2 {
		t.Errorf("%d accounts, want 2: %v", len(all), err)
	}
}

// The first DELETE, which is sent together with COMMIT, is refused as if other transactions were in its way.
func TestAStatementRefusedBeforeCOMMITLeavesNoDoubt(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: url})
	_, err := c.Open(t, url).ExecContext(t.Context(), `
		CREATE SEQUENCE refusals;
		CREATE FUNCTION refuse_first() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF nextval('refusals') = 1 THEN
				RAISE EXCEPTION 'refused' USING ERRCODE = 'serialization_failure';
			END IF;
			RETURN NULL;
		END $$;
		CREATE TRIGGER refuse BEFORE DELETE ON idempotency EXECUTE FUNCTION refuse_first()`)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	err = s.Write(t.Context(), func(tx *store.Tx) error {
		runs++
		return tx.DropOutcomesBefore(time.Now())
	})
	if doubts := s.Stats().InDoubt; err != nil || runs != 2 || doubts != 0 {
		t.Errorf("the job ran %d times, want 2, with %d commits in doubt: %v", runs, doubts, err)
	}
}

// The database crashes right before COMMIT.
func TestATransactionLostInACrashIsRepeated(t *testing.T) {
	c := own(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: c.URL("postgres")})
	runs := 0
	write(t, s, func(tx *store.Tx) error {
		runs++
		if runs == 1 {
			if err := store.Insert(tx, account("undone")); err != nil {
				return err
			}
			return errors.Join(c.Down("immediate"), c.Up())
		}
		return store.Insert(tx, account("again"))
	})
	if all, err := s.Accounts(t.Context()); err != nil || len(all) != 1 || all[0].CompanyName != "again" || runs != 2 {
		t.Errorf("%d runs, accounts %+v: %v", runs, all, err)
	}
}

// The database is configured to write to its disk much later, and must write before the
// commit is confirmed.
func TestConfirmedWritesSurviveACrash(t *testing.T) {
	c := own(t, "wal_writer_delay=10s")
	s := storetest.OpenShared(t, store.SharedDatabase{URL: c.URL("postgres")})
	for i := range 3 {
		write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account(fmt.Sprint(i))) })
		if err := errors.Join(c.Down("immediate"), c.Up()); err != nil {
			t.Fatal(err)
		}
		if all, err := s.Accounts(t.Context()); err != nil || len(all) != i+1 {
			t.Fatalf("%d accounts after crash %d: %v", len(all), i+1, err)
		}
	}
}

// A process that waits too long gets an error, and the next one gets the turn.
func TestWaitingForTheTurnToWriteTimesOut(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t)
	s := storetest.OpenShared(t, store.SharedDatabase{URL: url + "?lock_timeout=100", Connections: 2})
	held, err := c.Open(t, url).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := held.ExecContext(t.Context(), `SELECT pg_advisory_lock($1)`, store.WritersLock); err != nil {
		t.Fatal(err)
	}
	insert := func(tx *store.Tx) error { return store.Insert(tx, account("a")) }
	if err := s.Write(t.Context(), insert); !errors.Is(err, store.ErrBusy) {
		t.Errorf("without a turn: %v", err)
	}
	if _, err := s.Accounts(t.Context()); err != nil {
		t.Errorf("readers wait for nobody: %v", err)
	}
	if _, err := held.ExecContext(t.Context(), `SELECT pg_advisory_unlock($1)`, store.WritersLock); err != nil {
		t.Fatal(err)
	}
	write(t, s, insert)
}

func TestASharedDatabaseHasNoSnapshots(t *testing.T) {
	s := storetest.OpenShared(t, store.SharedDatabase{URL: storetest.SharedCluster(t).Database(t)})
	if _, err := s.TakeSnapshot(t.Context(), "x"); !errors.Is(err, store.ErrNoSnapshots) {
		t.Errorf("taken: %v", err)
	}
	if _, err := s.RestoreSnapshot(t.Context(), "x"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("restored: %v", err)
	}
	if all, err := s.Snapshots(); err != nil || all != nil {
		t.Errorf("there are %v, %v", all, err)
	}
}

func TestAnExhaustedPoolTimesOut(t *testing.T) {
	s := storetest.OpenShared(t, store.SharedDatabase{URL: storetest.SharedCluster(t).Database(t), Connections: 2})
	store.SetQueryTimeout(s, 200*time.Millisecond)
	release := store.HoldReaders(t, s)
	if _, err := s.Accounts(t.Context()); !errors.Is(err, store.ErrBusy) {
		t.Errorf("without a connection: %v", err)
	}
	if _, _, err := s.OrderWithMissions(t.Context(), "ORD-1"); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a snapshot without a connection: %v", err)
	}
	release()
	if _, err := s.Accounts(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestUnusableDatabasesAreRefused(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t)
	db := c.Open(t, url)
	if _, err := db.Exec(`CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`); err != nil {
		t.Fatal(err)
	}
	at := fmt.Sprintf("127.0.0.1:%d", c.Port)
	for address, want := range map[string]string{
		"mysql://root:hush@localhost/x":                   "not a valid database address",
		"postgres://u:hush@localhost:port/x":              "not a valid database address",
		"postgres://u:hush@localhost/x?sslmode=perhaps":   "not a valid database address",
		"postgres://locked:hush@" + at + "/postgres":      "user locked rejected",
		"postgres://locked@" + at + "/postgres":           "password",
		"postgres://postgres@" + at + "/nowhere":          "createdb nowhere",
		"postgres://u:hush@127.0.0.1:1/x":                 "cannot be reached",
		"postgres://u:hush@nowhere.invalid/x":             "cannot be reached",
		"postgres://postgres:hush@" + at + "/latin":       "LATIN1",
		"postgres://locked:secret@" + at + "/postgres":    "cannot create or change its tables",
		"postgres://u:hush@127.0.0.1:1/x?connect_timeout": "not a valid database address",
	} {
		_, err := store.OpenShared(t.Context(), store.SharedDatabase{URL: address})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: the error has the password: %v", address, err)
		}
	}
	if _, err := store.OpenShared(t.Context(), store.SharedDatabase{URL: url, Connections: 1}); err == nil || !strings.Contains(err.Error(), "at least 2 database connections") {
		t.Errorf("one connection: %v", err)
	}
}

func TestANewerSchemaIsRefusedUnlessItAllowsThisVersion(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t)
	serving := storetest.OpenShared(t, store.SharedDatabase{URL: url})
	db := c.Open(t, url)
	if _, err := db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (900, true)`); err != nil {
		t.Fatal(err)
	}
	write(t, serving, func(tx *store.Tx) error { return tx.SetSetting("schema.oldest", "900") })
	if _, err := store.OpenShared(t.Context(), store.SharedDatabase{URL: url}); !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), "900") {
		t.Errorf("a newer schema: %v", err)
	}
	write(t, serving, func(tx *store.Tx) error { return store.Insert(tx, account("a")) })
	write(t, serving, func(tx *store.Tx) error { return tx.SetSetting("schema.oldest", "70") })
	storetest.OpenShared(t, store.SharedDatabase{URL: url})
	write(t, serving, func(tx *store.Tx) error { return tx.SetSetting("schema.oldest", "800") })
	if _, err := store.OpenShared(t.Context(), store.SharedDatabase{URL: url}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("one that is too new: %v", err)
	}
}

// Callbacks of a stopped process are marked as not sent. Those of other processes stay
// pending.
func TestCallbacksOfAStoppedProcessAreMarked(t *testing.T) {
	stores := several(t, 3)
	third := stores[2]
	stores = stores[:2]
	gone := stores[0]
	other := stores[1]
	a := account("a")
	hook := &store.Webhook{UUID: "w", URL: "https://x", Events: api.EventNames(), Created: noon, Updated: noon}
	var ids []string
	write(t, gone, func(tx *store.Tx) error {
		err := store.Insert(tx, a)
		hook.AccountID = a.ID
		return errors.Join(err, store.Insert(tx, hook))
	})
	for i, s := range stores {
		uuid := fmt.Sprint("delivery-", i)
		ids = append(ids, uuid)
		write(t, s, func(tx *store.Tx) error {
			return tx.InsertDeliveries(&store.Delivery{WebhookID: hook.ID, UUID: uuid, Event: api.EventOperatorAssigned, Body: "{}", Created: noon})
		})
	}
	errorOf := func(uuid string) string {
		d, err := store.ByUUID[store.Delivery](t.Context(), other, uuid)
		if err != nil {
			t.Fatal(err)
		}
		return *d.Error
	}
	write(t, third, (*store.Tx).StopDeliveries) // like the start of another process
	if errorOf(ids[0]) != store.DeliveryPending || errorOf(ids[1]) != store.DeliveryPending {
		t.Errorf("another's start stopped callbacks: %s, %s", errorOf(ids[0]), errorOf(ids[1]))
	}
	store.StopHeartbeats(t, gone) // an hour ago
	store.SendHeartbeat(t, other)
	if got := errorOf(ids[0]); got != store.DeliveryPending {
		t.Errorf("judged by one that has just come: %s", got)
	}
	store.MarkSteady(other)
	store.SendHeartbeat(t, other)
	if errorOf(ids[0]) != store.DeliveryStopped || errorOf(ids[1]) != store.DeliveryPending {
		t.Errorf("%s, %s", errorOf(ids[0]), errorOf(ids[1]))
	}
}

// A machine with a wrong clock is refused at the start, and reported when the clock
// changes later.
func TestAWrongClockIsRefused(t *testing.T) {
	c := storetest.SharedCluster(t)
	url := c.Database(t) + "?search_path=public,pg_catalog"
	running := storetest.OpenShared(t, store.SharedDatabase{URL: url})
	db := c.Open(t, url)
	for by, want := range map[time.Duration]string{
		-time.Hour: "is 1h0m0s behind the database's", time.Minute: "is 1m0s ahead of the database's", -20 * time.Second: "",
	} {
		_, err := db.Exec(fmt.Sprintf(`CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
			AS $$ SELECT pg_catalog.clock_timestamp() - interval '%d seconds' $$`, int(by.Seconds())))
		if err != nil {
			t.Fatal(err)
		}
		started, err := store.OpenShared(t.Context(), store.SharedDatabase{URL: url})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("started %v ahead: %v", by, err)
		}
		if started != nil {
			if err := started.Close(); err != nil {
				t.Error(err)
			}
		}
		store.SetSkew(running, by)
		if err := running.Ready(t.Context()); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("ready %v ahead: %v", by, err)
		}
	}
}

// It does not matter which process creates the key. A key in a file is not in the
// database.
func TestAllProcessesUseTheSameKey(t *testing.T) {
	stores := several(t, 3)
	var vaults [3]*store.Vault
	var all sync.WaitGroup
	for i, s := range stores {
		all.Go(func() {
			v, err := s.Vault(t.Context())
			if err != nil {
				t.Error(err)
			}
			vaults[i] = v
		})
	}
	all.Wait()
	sealed := vaults[0].Seal("owner", "hush")
	for _, v := range vaults {
		if got, err := v.Open("owner", sealed); err != nil || got != "hush" {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, name := range []string{"cursor", "links"} {
		first, err := stores[0].Secret(t.Context(), name)
		second, err2 := stores[1].Secret(t.Context(), name)
		if err != nil || err2 != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: %x and %x, %v, %v", name, first, second, err, err2)
		}
	}
}

// Writing such a text fails, and searching for it finds nothing.
func TestTextsThatPostgreSQLCannotStoreAreRefused(t *testing.T) {
	s := storetest.Open(t)
	bad := account("a")
	bad.CompanyName = "a\x00b"
	if err := s.Write(t.Context(), func(tx *store.Tx) error { return store.Insert(tx, bad) }); !errors.Is(err, store.ErrText) {
		t.Errorf("kept: %v", err)
	}
	for _, name := range []string{"a\x00b", "\xff"} {
		if _, err := store.ByUUID[store.Account](context.Background(), s, name); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestACopyContainsEverything(t *testing.T) {
	dir, a := filledFolder(t)
	from := open(t, dir)
	to := open(t, "")
	tables, err := to.CopyFrom(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, one := range tables {
		rows[one.Table] = one.Rows
	}
	if rows["orders"] != 300 || rows["accounts"] != 1 || rows["files"] != 1 {
		t.Errorf("copied are %v", rows)
	}
	if filling, err := to.IsFilling(t.Context()); err != nil || !filling {
		t.Errorf("before its end: %v, %v", filling, err)
	}
	if err := to.EndCopy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if filling, err := to.IsFilling(t.Context()); err != nil || filling {
		t.Errorf("after its end: %v, %v", filling, err)
	}
	for _, n := range []int{1, 300} {
		was, err := from.OrderByCode(t.Context(), order(a, n).Code)
		if err != nil {
			t.Fatal(err)
		}
		is, err := to.OrderByCode(t.Context(), was.Code)
		if err != nil {
			t.Fatal(err)
		}
		same(t, is, was)
	}
	next := order(a, 1000) // the order needs its own ID
	write(t, to, func(tx *store.Tx) error { return store.Insert(tx, next) })
	if next.ID != 301 {
		t.Errorf("the next order is number %d", next.ID)
	}
}
