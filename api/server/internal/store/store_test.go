package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.RunTests(m) }

// open opens the embedded store of a folder. If dir is "", it opens an empty store of the
// engine that is being tested.
func open(t testing.TB, dir string) *store.Store {
	t.Helper()
	if dir == "" {
		return storetest.Open(t)
	}
	s, err := store.Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// write runs a job that must succeed.
func write(t testing.TB, s *store.Store, run func(*store.Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), run); err != nil {
		t.Fatal(err)
	}
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func account(name string) *store.Account {
	return &store.Account{UUID: "account-" + name, CompanyName: name, Currency: "EUR", Created: noon}
}

func order(a *store.Account, n int) *store.Order {
	reason := "too windy"
	return &store.Order{
		AccountID: a.ID, UUID: fmt.Sprintf("order-%s-%d", a.UUID, n), Code: fmt.Sprintf("ORD-%d%03d", a.ID, n),
		Status: api.OrderRejected, Name: "Mühle", CompanyName: a.CompanyName, Type: api.MultiLocation,
		Sensors: []api.Sensor{"rgbSensor", "lidarSensor"}, Deliverables: []api.Deliverable{}, MissionObjective: "mapAndSurvey",
		IndustryAssetType: "other", StartDate: noon.In(time.FixedZone("", -3*3600)), Deadline: noon.Add(1), AreaSize: 0.1,
		MissionCount: 1, RejectionReason: &reason, Created: noon.Add(time.Duration(n/2) * time.Second), Updated: noon,
	}
}

func TestRecordsAreReadAsSaved(t *testing.T) {
	s := open(t, "")
	ctx := context.Background()
	a := account("a")
	key := &store.Key{UUID: "key", Hash: "h", Hint: "wxyz", Scopes: api.Scopes(), Created: noon, Expires: noon.Add(time.Hour)}
	operator := "Jørgen"
	mission := &store.Mission{
		UUID: "m", Code: "MSN-1", Status: api.MissionPilotAssigned, Name: "n", Type: api.MissionLinear, Country: "Norway",
		LocationLabel: "東", AreaSize: 1e300, LocationMap: []api.Point{{Lat: -0.1, Lng: 179.9999999}, {}}, OperatorName: &operator,
		FlightDate: noon, Created: noon, Updated: noon,
	}
	var o *store.Order
	write(t, s, func(tx *store.Tx) error {
		err := store.Insert(tx, a)
		o = order(a, 1)
		key.AccountID = a.ID
		err = errors.Join(err, store.Insert(tx, key), store.Insert(tx, o))
		mission.OrderID = o.ID
		return errors.Join(err, store.Insert(tx, mission))
	})
	gotOrder, gotMissions, err := s.OrderWithMissions(ctx, o.Code)
	if err != nil {
		t.Fatal(err)
	}
	same(t, gotOrder, *o)
	mission.ID = gotMissions[0].ID
	same(t, gotMissions, []store.Mission{*mission})
	holder, err := s.KeyByHash(ctx, "h")
	if err != nil {
		t.Fatal(err)
	}
	same(t, holder, store.KeyHolder{Key: *key, Account: *a})

	for _, err := range []error{
		second(s.OrderByCode(ctx, "x")), second(s.KeyByHash(ctx, "x")), second(store.ByUUID[store.Account](ctx, s, "x")),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("what is not there: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// same compares the printed values, with pointers followed.
func same(t *testing.T, got, want any) {
	t.Helper()
	if g, w := printed(t, got), printed(t, want); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestAFailedJobIsUndoneAlone(t *testing.T) {
	s := open(t, "")
	boom := errors.New("boom")
	hold := make(chan struct{})
	held := make(chan struct{})
	var jobs sync.WaitGroup
	jobs.Go(func() {
		write(t, s, func(*store.Tx) error {
			close(held)
			<-hold // the following jobs wait meanwhile
			return nil
		})
	})
	<-held
	for i := range 40 {
		jobs.Go(func() {
			err := s.Write(context.Background(), func(tx *store.Tx) error {
				if err := store.Insert(tx, account(fmt.Sprint(i))); err != nil {
					return err
				}
				switch i % 4 {
				case 1:
					return boom
				case 2:
					panic("a bug")
				case 3: // an error of the database itself
					return store.Insert(tx, account(fmt.Sprint(i)))
				}
				return nil
			})
			if ok := err == nil; ok != (i%4 == 0) || i%4 == 1 && !errors.Is(err, boom) {
				t.Errorf("job %d: %v", i, err)
			}
		})
	}
	close(hold)
	jobs.Wait()
	all, err := s.Accounts(context.Background())
	if err != nil || len(all) != 10 {
		t.Errorf("%d accounts, want the 10 of the jobs that went well: %v", len(all), err)
	}
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account("afterwards")) })
}

func TestAFailedJobReservesNoNumbers(t *testing.T) {
	s := open(t, "")
	take := func(n int, fails error) (first, second int64) {
		t.Helper()
		err := s.Write(t.Context(), func(tx *store.Tx) (err error) {
			first, err = tx.ReserveNumbers("order", n)
			if err != nil {
				return err
			}
			second, err = tx.ReserveNumbers("order", 1)
			if err != nil {
				return err
			}
			return fails
		})
		if !errors.Is(err, fails) {
			t.Fatal(err)
		}
		return first, second
	}
	first, second := take(3, nil)
	if second != first+3 {
		t.Errorf("%d and %d in one job", first, second)
	}
	if again, _ := take(1, errors.New("undone")); again != second+1 {
		t.Errorf("%d after %d", again, second)
	}
	if again, _ := take(1, nil); again != second+1 {
		t.Errorf("%d after %d and a job that was undone", again, second)
	}
}

func TestReadersSeeConfirmedWrites(t *testing.T) {
	s := open(t, "")
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account(fmt.Sprint(i))) })
			if _, err := store.ByUUID[store.Account](context.Background(), s, fmt.Sprint("account-", i)); err != nil {
				t.Errorf("account %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

func TestStampsNeverDecrease(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	a := account("a")
	write(t, s, func(tx *store.Tx) error {
		late := tx.StampTime(noon)
		early := tx.StampTime(noon.Add(-time.Hour))
		if !early.Equal(late) || !late.Equal(noon) {
			t.Errorf("stamps %v, then %v", late, early)
		}
		err := store.Insert(tx, a)
		o := order(a, 1)
		o.Created = late
		return errors.Join(err, store.Insert(tx, o))
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, open(t, dir), func(tx *store.Tx) error {
		if got := tx.StampTime(noon.Add(-time.Hour)); !got.Equal(noon) {
			t.Errorf("after a restart: %v", got)
		}
		return nil
	})
}

func TestPagesUseAnIndex(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	db := raw(t, dir)
	for _, query := range store.PageQueries() {
		plan := planOf(t, db, query)
		if !strings.Contains(plan, "USING INDEX") || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN") {
			t.Errorf("%s:\n%s", query, plan)
		}
	}
}

func TestFilteredOrdersUseAnIndex(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	db := raw(t, dir)
	for index, f := range map[string]store.OrderFilter{
		"orders_newest (": {}, "orders_of_account (account_id=?": {AccountID: 1}, "orders_of_status (status=?": {Status: "completed"},
		"orders_of_account_status (account_id=? AND status=?": {AccountID: 1, Status: "completed"},
	} {
		for _, query := range store.FilteredOrders(f) {
			if plan := planOf(t, db, query); !strings.Contains(plan, "USING INDEX "+index) || strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("%s:\n%s", query, plan)
			}
		}
	}
}

// planOf returns SQLite's plan for a query.
func planOf(t *testing.T, db *sql.DB, query string) string {
	var plan string
	t.Helper()
	rows, err := db.Query("EXPLAIN QUERY PLAN "+query, 1, 2, 3, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan += detail + "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// raw opens the database of a folder separately from the store.
func raw(t testing.TB, dir string) *sql.DB {
	t.Helper()
	path := (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(filepath.Join(dir, "flightdesk.db"))}).String()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestEveryConnectionHasThePragmas(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "with space & 100% ?#")) // none of these characters may end the path
	for name, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000",
	} {
		for _, side := range []string{"writer", "reader"} {
			if got := store.Pragma(t, s, side, name); got != want {
				t.Errorf("%s of the %s is %s, want %s", name, side, got, want)
			}
		}
	}
	if got := store.Pragma(t, s, "reader", "query_only"); got != "1" {
		t.Errorf("readers may write: %s", got)
	}
}

func TestAnOrderWithoutAnAccountIsNotStored(t *testing.T) {
	s := open(t, "")
	err := s.Write(context.Background(), func(tx *store.Tx) error { return store.Insert(tx, order(account("nobody"), 1)) })
	if err == nil {
		t.Error("an order without an account was kept")
	}
}

func TestMigrationsRunOnceAndNewerDatabasesAreRefused(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	write(t, first, func(tx *store.Tx) error { return store.Insert(tx, account("a")) })
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir) // no migration is left
	if all, err := again.Accounts(context.Background()); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}

	if _, err := raw(t, dir).Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (900, 1)`); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(context.Background(), dir)
	if !errors.Is(err, store.ErrNewer) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "900") {
		t.Errorf("a database of a newer program: %v", err)
	}
}

func TestADamagedDatabaseIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "flightdesk.db")
	content := strings.Repeat("this is no database. ", 400)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(context.Background(), dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened: %v", err)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != content {
		t.Errorf("it was changed: %v", err)
	}
}

func TestADataFolderIsLocked(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	if _, err := store.Open(context.Background(), dir); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a second store: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
}

func TestAClosedStoreReturnsErrClosed(t *testing.T) {
	s := open(t, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, err := range []error{
		s.Write(ctx, func(*store.Tx) error { return nil }), second(s.Accounts(ctx)), second(s.Orders(ctx, 1, store.ListWindow{Limit: 1})),
	} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("after close: %v", err)
		}
	}
}

func printed(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v, jsontext.WithIndent(" "))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAFullDiskIsReported(t *testing.T) {
	s := open(t, t.TempDir())
	ctx := context.Background()
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, account("before")) })
	bound(t, s, 0) // no further page
	big := account("big")
	big.CompanyName = strings.Repeat("x", 1<<20)
	if err := s.Write(ctx, func(tx *store.Tx) error { return store.Insert(tx, big) }); !errors.Is(err, store.ErrFull) {
		t.Errorf("without space: %v", err)
	}
	if all, err := s.Accounts(ctx); err != nil || len(all) != 1 {
		t.Errorf("reads without space: %v, %v", all, err)
	}
	bound(t, s, 1<<30)
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, big) })
}

func bound(t *testing.T, s *store.Store, bytes int64) {
	t.Helper()
	if err := s.LimitSize(context.Background(), bytes); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreReadableByTheirOwnerOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	write(t, open(t, dir), func(tx *store.Tx) error { return store.Insert(tx, account("a")) })
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", f.Name(), info.Mode())
		}
	}
}

// A large job has a transaction to itself. If it fails, jobs that waited at the same time
// are still committed.
func TestALargeJobIsUndoneAlone(t *testing.T) {
	s := open(t, t.TempDir())
	a := account("acme")
	write(t, s, func(tx *store.Tx) error { return store.Insert(tx, a) })
	broken := errors.New("the last one is broken")
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			if n%4 == 0 {
				err := s.WriteMuch(t.Context(), func(tx *store.Tx) error {
					for i := range 50 {
						if err := store.Insert(tx, order(a, 1000*(n+1)+i)); err != nil {
							return err
						}
					}
					return broken
				})
				if !errors.Is(err, broken) {
					t.Errorf("the large job: %v", err)
				}
				return
			}
			if err := s.Write(t.Context(), func(tx *store.Tx) error { return store.Insert(tx, order(a, n)) }); err != nil {
				t.Errorf("a small job: %v", err)
			}
		})
	}
	all.Wait()
	kept, err := s.AllOrders(t.Context(), store.OrderFilter{}, store.ListWindow{Limit: 2000}, time.Now())
	if err != nil || len(kept) != 15 {
		t.Errorf("%d orders are kept, want the 15 of the small jobs; %v", len(kept), err)
	}
	if err := s.WriteMuch(t.Context(), func(tx *store.Tx) error { return store.Insert(tx, order(a, 99)) }); err != nil {
		t.Error(err)
	}
	if _, err := store.ByUUID[store.Order](t.Context(), s, order(a, 99).UUID); err != nil {
		t.Error(err)
	}
}

// The rows that belong to the orders of a list are found by the orders' IDs; no table is scanned.
func TestListsOfRecordsUseIndexes(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	db := raw(t, dir)
	if plan := planOf(t, db, store.OrdersWithoutText()); !strings.Contains(plan, "orders_unrecorded") {
		t.Error(plan)
	}
	for _, query := range store.BriefQueries() {
		for line := range strings.Lines(planOf(t, db, query)) {
			if strings.Contains(line, "SCAN") && !strings.Contains(line, "json_each") {
				t.Errorf("%s:\n%s", query, line)
			}
		}
	}
}
