//go:build postgres

package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// spoilFiles changes the first byte of each file in a folder.
func spoilFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte{'?'}, 0)
		return errors.Join(err, f.Close())
	})
}

// beside starts a server of another process on the database of a bench.
func (b *bench) beside() *bench {
	b.t.Helper()
	other := newBenchOn(b.t, &server.Server{Database: b.s.Database, Bucket: b.s.Bucket, PublicURL: b.s.PublicURL})
	other.alice = b.alice
	other.bob = b.bob
	return other
}

// sharing is a bench that also has a bucket.
func sharing(t *testing.T) *bench {
	t.Helper()
	bucket := storetest.NewBucket(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Key.Secret)
	return newBenchOn(t, &server.Server{
		Database: store.SharedDatabase{URL: storetest.SharedCluster(t).Database(t)}, Bucket: server.Bucket{Address: bucket.Address},
	})
}

// A change by one process is in effect on the others with their next request.
func TestProcessesServeTheSameData(t *testing.T) {
	a := sharing(t)
	b := a.beside()
	if a.s.OpsKey != b.s.OpsKey {
		t.Error("each has its own key of the operations")
	}
	first := a.call("POST", publicHandlers+"/orders", a.alice, survey(), "Idempotency-Key", "once")
	again := b.call("POST", publicHandlers+"/orders", a.alice, survey(), "Idempotency-Key", "once")
	if first.status != 201 || into[api.Order](t, first).UUID != into[api.Order](t, again).UUID {
		t.Errorf("%s\n%s", first.raw, again.raw)
	}
	for range 5 {
		a.place(a.alice)
	}
	page := into[api.Page[api.Order]](t, a.call("GET", publicHandlers+"/orders?limit=2", a.alice, nil))
	next := b.call("GET", publicHandlers+"/orders?limit=2&cursor="+*page.NextCursor, a.alice, nil)
	if next.status != 200 || len(into[api.Page[api.Order]](t, next).Items) != 2 {
		t.Errorf("another's cursor: %d %s", next.status, next.raw)
	}
	key := a.issue(a.accountOf(a.alice), domain.KeySpec{Scopes: api.Scopes()})
	if r := b.call("GET", publicHandlers+"/orders", key.key, nil); r.status != 200 {
		t.Errorf("a key of another process: %d", r.status)
	}
	if r := a.ops("POST", "/keys/"+key.uuid+"/revoke", nil); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if r := b.call("GET", publicHandlers+"/orders", key.key, nil); r.status != 401 {
		t.Errorf("a key that another process has revoked: %d", r.status)
	}
	body := strings.Repeat("flight", 2_000_000)
	_, list := a.delivered(content{"map.tif", api.DeliverableJPG, body})
	link := strings.Replace(list[0].DownloadURL, a.origin, b.origin, 1)
	got := b.fetch("GET", link, "Range", "bytes=6000000-6000005")
	if got.status != http.StatusPartialContent || string(got.raw) != "flight" {
		t.Errorf("a range by another's link: %d %q", got.status, cutText(got.raw))
	}
	if whole := b.fetch("GET", link); string(whole.raw) != body {
		t.Errorf("by another's link: %d, %d bytes", whole.status, len(whole.raw))
	}
}

func cutText(b []byte) []byte { return b[:min(len(b), 200)] }

// While the database cannot be reached, requests that need it are answered with 503, and liveness
// checks still succeed. Afterwards everything is as before.
func TestDatabaseOutage(t *testing.T) {
	c, err := storetest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	b := newBenchOn(t, &server.Server{Database: store.SharedDatabase{URL: c.URL("postgres")}})
	placed := b.place(b.alice)
	if r := b.call("GET", "/readyz", "", nil); r.status != 200 {
		t.Errorf("ready: %d", r.status)
	}
	if err := c.Down("immediate"); err != nil {
		t.Fatal(err)
	}
	storetest.Eventually(t, "not ready", func() bool { return b.call("GET", "/readyz", "", nil).status == 503 })
	for _, try := range [][2]string{{"GET", publicHandlers + "/orders"}, {"POST", publicHandlers + "/orders"}, {"GET", "/readyz"}} {
		var body any
		if try[0] == "POST" {
			body = survey()
		}
		r := b.call(try[0], try[1], b.alice, body)
		if r.status != 503 || r.header.Get("Retry-After") == "" || strings.Contains(string(r.raw), "127.0.0.1") {
			t.Errorf("%s %s without a database: %d %s", try[0], try[1], r.status, r.raw)
		}
	}
	if r := b.call("GET", "/healthz", "", nil); r.status != 200 {
		t.Errorf("alive without a database: %d", r.status)
	}
	if err := c.Up(); err != nil {
		t.Fatal(err)
	}
	storetest.Eventually(t, "ready again", func() bool { return b.call("GET", "/readyz", "", nil).status == 200 })
	b.place(b.alice)
	page := into[api.Page[api.Order]](t, b.call("GET", publicHandlers+"/orders", b.alice, nil))
	if len(page.Items) != 2 || page.Items[1].UUID != placed.UUID {
		t.Errorf("%d orders after it is back", len(page.Items))
	}
}

// A process that starts before its database waits for it, and logs that.
func TestDatabaseStartsAfterTheService(t *testing.T) {
	c, err := storetest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Down("fast"); err != nil {
		t.Fatal(err)
	}
	s := &server.Server{Database: store.SharedDatabase{URL: c.URL("postgres")}, StartWait: time.Minute}
	addr, err := s.Bind(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan error, 1)
	go func() { started <- s.Start(t.Context()) }()
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, publicHandlers + "/orders": 503} {
		r, err := http.Get("http://" + addr.String() + path)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode != want || (r.Header.Get("Retry-After") != "") != (want == 503) {
			t.Errorf("%s while it starts: %d", path, r.StatusCode)
		}
		_ = r.Body.Close()
	}
	if err := c.Up(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-started, s.Serve(t.Context())); err != nil {
		t.Fatal(err)
	}
	r, err := http.Get("http://" + addr.String() + "/readyz")
	if err != nil || r.StatusCode != http.StatusOK {
		t.Errorf("ready: %+v, %v", r, err)
	}
	_ = r.Body.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A data folder is copied to a shared database, also in several attempts, and is served from there
// unchanged.
func TestDataFolderIsCopiedToASharedDatabase(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	old := newBenchOn(t, &server.Server{Dir: dir})
	order := old.place(old.alice)
	_, list := old.delivered(content{"map.tif", api.DeliverableJPG, strings.Repeat("flight", 300_000)})
	hook := old.register(old.alice, "https://receiver.example/hook")
	before := old.call("GET", publicHandlers+"/orders", old.alice, nil)
	if err := old.s.Close(); err != nil {
		t.Fatal(err)
	}
	bucket := storetest.NewBucket(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Key.Secret)
	to := func() *server.Server {
		return &server.Server{
			Database: store.SharedDatabase{URL: storetest.SharedCluster(t).URL("moved")}, Bucket: server.Bucket{Address: bucket.Address}, PublicURL: old.origin,
		}
	}
	db := storetest.SharedCluster(t).Open(t, storetest.SharedCluster(t).URL("postgres"))
	if _, err := db.Exec(`CREATE DATABASE moved TEMPLATE template0`); err != nil {
		t.Fatal(err)
	}
	if _, err := to().CopyFolder(t.Context(), filepath.Join(dir, "elsewhere")); err == nil || !strings.Contains(err.Error(), "folder not found") {
		t.Errorf("copied from a folder that is not there: %v", err)
	}
	// If the copy is interrupted before the files are copied, no process serves the database.
	spoilt := filepath.Join(dir, "files")
	aside := filepath.Join(dir, "aside")
	if err := errors.Join(os.Rename(spoilt, aside), os.CopyFS(spoilt, os.DirFS(aside)), spoilFiles(spoilt)); err != nil {
		t.Fatal(err)
	}
	if _, err := to().CopyFolder(t.Context(), dir); err == nil {
		t.Fatal("a file that is damaged was copied")
	}
	if err := to().Start(t.Context()); err == nil || !strings.Contains(err.Error(), "repeat flightdesk restore") {
		t.Errorf("served from half a copy: %v", err)
	}
	if err := errors.Join(os.RemoveAll(spoilt), os.Rename(aside, spoilt)); err != nil {
		t.Fatal(err)
	}
	done, err := to().CopyFolder(t.Context(), dir)
	if err != nil || done.Files != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	moved := newBenchOn(t, to())
	moved.alice = old.alice
	after := moved.call("GET", publicHandlers+"/orders", old.alice, nil)
	if c := cursorless(before.raw); c != cursorless(after.raw) {
		t.Errorf("listed as\n%s\nwas\n%s", after.raw, before.raw)
	}
	if r := moved.fetch("GET", strings.Replace(list[0].DownloadURL, old.origin, moved.origin, 1)); r.status != 200 || len(r.raw) != 1_800_000 {
		t.Errorf("the link of before: %d, %d bytes", r.status, len(r.raw))
	}
	if next := moved.place(old.alice); next.OrderCode <= order.OrderCode {
		t.Errorf("%s follows %s", next.OrderCode, order.OrderCode)
	}
	if r := moved.call("DELETE", publicHandlers+"/webhooks/"+hook.UUID, old.alice, nil); r.status != 200 {
		t.Errorf("the webhook: %d", r.status)
	}
	if _, err := to().CopyFolder(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("copied onto what is served: %v", err)
	}
}

var requestIDs = regexp.MustCompile(`"requestId":"[^"]*"`)

func cursorless(raw []byte) string {
	return regexp.MustCompile(`"nextCursor":"[^"]*"`).ReplaceAllString(requestIDs.ReplaceAllString(string(raw), ""), "")
}

// random matches values that differ between services: IDs, keys, secrets, cursors and links.
var random = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|whsec_[\w-]+|fd_test_\w+|"(nextCursor|requestId|hint|keyHint)":"[^"]*"|http://127[^"]*`)

// Both engines give the same answers to a thousand calls, except for IDs and random values.
func TestDatabaseEnginesGiveTheSameAnswers(t *testing.T) {
	benches := []*bench{newBenchOn(t, server.Embedded(&server.Server{})), newBench(t)}
	if benches[1].s.Database.URL == "" {
		t.Fatal("both are embedded")
	}
	var answers [2][]string
	statuses := map[int]int{}
	for i, b := range benches {
		for _, r := range b.recorded(1000) {
			answers[i] = append(answers[i], fmt.Sprint(r.status, " ", random.ReplaceAllString(string(r.raw), "*")))
			statuses[r.status]++
		}
	}
	differing := 0
	for i := range answers[0] {
		if answers[0][i] != answers[1][i] {
			differing++
			if differing < 5 {
				t.Errorf("call %d:\n%s\n%s", i, answers[0][i], answers[1][i])
			}
		}
	}
	t.Logf("%d calls, %d differ; statuses of both: %v", len(answers[0]), differing, statuses)
}

// recorded makes calls that are the same on every service that starts empty.
func (b *bench) recorded(n int) []reply {
	var all []reply
	rng := rand.New(rand.NewPCG(1, 2))
	account := b.accountOf(b.alice)
	var orders, missions, quotes, hooks []string // UUIDs
	var codes []string
	pick := func(list []string) string {
		if len(list) == 0 || rng.IntN(20) == 0 {
			return "nothing"
		}
		return list[rng.IntN(len(list))]
	}
	cursor := ""
	for len(all) < n {
		var r reply
		switch kind := rng.IntN(22); kind {
		case 0, 1, 2:
			in := survey()
			in.Order.OrderName = fmt.Sprint("Survey ", rng.IntN(1000), " Ä\t\"x\"")
			var header []string
			if rng.IntN(3) == 0 {
				header = []string{"Idempotency-Key", fmt.Sprint("k", rng.IntN(8))}
			}
			r = b.call("POST", publicHandlers+"/orders", b.alice, in, header...)
			if r.status == 201 {
				o := into[api.Order](b.t, r)
				orders = append(orders, o.UUID)
				codes = append(codes, o.OrderCode)
			}
		case 3:
			in := survey()
			in.Order.OrderName = strings.Repeat("x", rng.IntN(400))
			in.Missions = in.Missions[:rng.IntN(2)]
			r = b.call("POST", publicHandlers+"/orders", b.alice, in)
		case 4, 5:
			r = b.call("GET", fmt.Sprintf("%s/orders?limit=%d&direction=%s&cursor=%s", publicHandlers, rng.IntN(12), []string{"next", "prev"}[rng.IntN(2)], cursor), b.alice, nil)
			if r.status == 200 {
				cursor = ""
				if into[api.Page[api.Order]](b.t, r).NextCursor != nil {
					cursor = *into[api.Page[api.Order]](b.t, r).NextCursor
				}
			}
		case 6:
			r = b.call("GET", publicHandlers+"/orders/"+pick(codes), []string{b.alice, b.alice, b.bob, "wrong"}[rng.IntN(4)], nil)
		case 7:
			code := pick(codes)
			r = b.call("GET", publicHandlers+"/orders/"+code+"/missions?limit=5", b.alice, nil)
			if r.status == 200 {
				for _, m := range into[api.Page[api.Mission]](b.t, r).Items {
					missions = append(missions, m.UUID)
				}
			}
		case 8:
			move := []string{"cancel", "archive", "reject"}[rng.IntN(3)]
			body := ""
			if move != "cancel" && rng.IntN(4) > 0 {
				body = `{"reason":"too windy, 東"}`
			}
			r = b.call("POST", publicHandlers+"/orders/"+pick(orders)+"/"+move, b.alice, body)
		case 9, 10:
			r = b.ops("POST", "/orders/"+pick(orders)+"/quotes", ops.QuoteInput{
				QuoteName: "Offer", DeliveryBy: 1 + rng.IntN(30), PriceBeforeDiscount: float64(rng.IntN(100000)) / 7,
				ExpiryDate: api.TimeOf(b.clock.now().Add(time.Hour)),
			})
			if r.status == 201 || r.status == 200 {
				quotes = append(quotes, pickField(r.raw))
			}
		case 11:
			decision := []string{"accept", "reject"}[rng.IntN(2)]
			r = b.legacy("/order/"+pick(orders)+"/quote/"+pick(quotes), b.alice, `{"status":"`+decision+`"}`)
		case 12:
			r = b.legacy("/getorder/"+pick(orders), b.alice, "{}")
		case 13, 14:
			r = b.legacy("/getorderslist", b.alice, fmt.Sprintf(`{"limit":%d,"page":%d}`, 1+rng.IntN(20), rng.IntN(6)))
		case 15:
			r = b.call("POST", publicHandlers+"/webhooks", b.alice, fmt.Sprintf(`{"url":"https://a.example/%d"}`, rng.IntN(100)))
			if r.status == 201 {
				hooks = append(hooks, into[api.WebhookEndpoint](b.t, r).UUID)
			}
		case 16:
			r = b.call([]string{"GET", "DELETE"}[rng.IntN(2)], publicHandlers+"/webhooks/"+pick(hooks), b.alice, nil)
		case 17:
			r = b.ops("POST", "/missions/"+pick(missions)+"/assign-operator", `{"operatorName":"Jørgen"}`)
		case 18:
			r = b.ops("GET", fmt.Sprintf("/orders?limit=%d&status=%s", 1+rng.IntN(20), []string{"", "cancelled", "pendingOperator"}[rng.IntN(3)]), nil)
		case 19:
			r = b.ops("GET", "/orders/"+pick(orders), nil)
		case 20:
			r = b.ops("GET", []string{"/accounts", "/accounts/" + account, "/accounts/" + account + "/keys", "/key-requests"}[rng.IntN(4)], nil)
		case 21:
			r = b.call("GET", publicHandlers+"/orders/%00%ff", b.alice, nil)
		}
		all = append(all, r)
	}
	return all
}

// pickField returns the UUID at the beginning of a response.
func pickField(raw []byte) string {
	return string(regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`).Find(bytes.TrimSpace(raw)))
}
