//go:build postgres

package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/storetest"
)

// trio is three processes with one database and one bucket, behind a proxy that uses them in turn.
// Processes are killed and the database crashes while clients write.
type trio struct {
	*killed
	database  *storetest.Cluster
	bucket    *storetest.Proxy
	cuts      [3]*storetest.Proxy // between each process and the database
	received  *receivers
	processes [3]process
	running   [3]*exec.Cmd
	proxy     *httptest.Server
	through   clients       // through the proxy
	wrote     chan struct{} // receives an element when a write was acknowledged
	failed    atomic.Int64  // writes that were not acknowledged
	crashes   [3]int        // of processes, of the database, of both at once
	previous  string        // program of the previous version; "" if there is none
	isOld     [3]bool       // the process runs the previous version
}

func newTrio(t *testing.T) *trio {
	t.Helper()
	database, err := storetest.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = database.Close() })
	bucket := storetest.NewBucket(t)
	t.Setenv("AWS_ACCESS_KEY_ID", bucket.Key.ID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", bucket.Key.Secret)
	p := &trio{
		killed: newKilled(t, ""), database: database, bucket: storetest.NewProxy(t, bucket.Port),
		received: newReceivers(0), wrote: make(chan struct{}, 1),
	}
	receiver, certificate := p.received.serve()
	t.Cleanup(receiver.Close)
	var turn atomic.Int64
	p.proxy = httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			next := p.processes[turn.Add(1)%int64(len(p.processes))]
			r.SetURL(&url.URL{Scheme: "http", Host: next.Addr})
			r.Out.Host = r.In.Host
		},
		ErrorLog: log.New(io.Discard, "", 0),
	})
	t.Cleanup(p.proxy.Close)
	var ready server.ReadyLine
	for i := range p.processes {
		p.cuts[i] = storetest.NewProxy(t, database.Port)
		p.processes[i] = process{
			Addr: freeAddress(t), Database: store.SharedDatabase{URL: p.cuts[i].URL(database.URL("postgres")), Connections: 6},
			Bucket: server.Bucket{Address: p.bucket.URL(bucket.Address)}, URL: p.proxy.URL, Name: fmt.Sprint("desk-", i),
			Ahead: time.Duration(i) * 5 * time.Second, CA: certificate,
		}
		ready = p.startOne(i)
	}
	p.prepare(ready)
	if _, err := p.through.public.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: receiver.URL + "/take/0"}); err != nil {
		t.Fatal(err)
	}
	return p
}

// freeAddress returns a loopback address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err == nil {
		err = l.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func (p *trio) startOne(i int) server.ReadyLine {
	p.t.Helper()
	var ready server.ReadyLine
	cmd := inProcess(p.t, p.processes[i])
	if p.isOld[i] {
		cmd.Path = p.previous
	}
	p.running[i], ready = startServer(p.t, cmd)
	return ready
}

// replace stops a process as a deployment does, and starts it again. If there is a previous version,
// the two versions alternate.
func (p *trio) replace() {
	p.t.Helper()
	i := rand.IntN(len(p.processes))
	if err := p.running[i].Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	_ = p.running[i].Wait()
	p.isOld[i] = p.previous != "" && !p.isOld[i]
	p.startOne(i)
}

// prepare creates an account and the kinds of writes.
func (p *trio) prepare(ready server.ReadyLine) {
	p.t.Helper()
	ctx := p.t.Context()
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	p.t.Cleanup(transport.CloseIdleConnections)
	c := clients{ready: ready, http: &http.Client{Transport: transport}}
	var err error
	c.ops, err = ops.NewClient(ready.OpsURL, ready.OpsKey, api.WithTransport(transport), api.WithRetries(0))
	if err != nil {
		p.t.Fatal(err)
	}
	account, err := c.ops.Accounts.Create(ctx, ops.AccountInput{CompanyName: "Äolus GmbH"})
	if err != nil {
		p.t.Fatal(err)
	}
	issued, err := c.ops.Keys.Issue(ctx, account.UUID, ops.KeyInput{Scopes: api.Scopes()})
	if err != nil {
		p.t.Fatal(err)
	}
	p.account = account.UUID
	p.key = issued.Key
	c.public, err = api.NewClient(ready.BaseURL, api.WithKey(p.key), api.WithLegacyURL(ready.LegacyBaseURL),
		api.WithTransport(transport), api.WithRetries(0))
	if err != nil {
		p.t.Fatal(err)
	}
	p.through = c
	p.kinds = []kind{p.orders(), p.sureRevocations(), quoteDecisions(), p.deliveries(flyable(p.t, c))}
}

// flyable places an order and advances it until data can be delivered. It returns the first mission.
func flyable(t *testing.T, c clients) string {
	t.Helper()
	ctx := t.Context()
	decided, err := decideAmongTwo(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.ops.Orders.Get(ctx, strings.Fields(decided)[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range o.Missions {
		_, err1 := c.ops.Missions.AssignOperator(ctx, m.UUID, "Jørgen Aasen")
		_, err2 := c.ops.Missions.Schedule(ctx, m.UUID, ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(time.Hour))})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
	}
	return o.Missions[0].UUID
}

// orders are placed with an idempotency key each, repeatedly until there is a response.
func (p *trio) orders() kind {
	k := orderWrites()
	k.write = func(ctx context.Context, c clients) (string, error) {
		in := survey()
		key := fmt.Sprint("order-", rand.Uint64())
		in.Order.OrderName = key
		for {
			o, err := c.public.Orders.Create(ctx, in, key)
			var answered *api.Error
			if err == nil {
				return o.OrderCode, nil
			}
			if ctx.Err() != nil || errors.As(err, &answered) && answered.Status < 500 {
				return "", err
			}
			p.failed.Add(1)
		}
	}
	check := k.check
	k.check = func(ctx context.Context, c clients, ids []string) error {
		codes := map[string]bool{}
		for _, code := range ids {
			if codes[code] {
				return fmt.Errorf("%s was given twice", code)
			}
			codes[code] = true
		}
		return check(ctx, c, ids)
	}
	return k
}

// sureRevocations must be in effect on every process at once.
func (p *trio) sureRevocations() kind {
	k := p.revocations()
	write := k.write
	k.write = func(ctx context.Context, c clients) (string, error) {
		key, err := write(ctx, c)
		for i := 0; i < len(p.processes) && err == nil; i++ {
			if status, _, err := p.get(ctx, "http://"+p.processes[i].Addr+publicHandlers+"/orders", key); err == nil && status == http.StatusOK {
				p.t.Errorf("a revoked key opens desk-%d", i)
			}
		}
		return key, err
	}
	return k
}

func (p *trio) get(ctx context.Context, link, key string) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("X-Api-Key", key)
	resp, err := p.through.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

// deliveries are packages of one file, which is read back. A file of nine megabytes is uploaded to the
// bucket in parts.
func (p *trio) deliveries(mission string) kind {
	return kind{
		name: "deliveries",
		write: func(ctx context.Context, c clients) (string, error) {
			size := 1000 + rand.IntN(200_000)
			if rand.IntN(10) == 0 {
				size = 9 << 20
			}
			made, err := c.ops.Missions.Deliver(ctx, mission, api.FileInput{
				Name: "map.jpg", FileDataType: api.DeliverableJPG, Content: bytes.NewReader(pattern(size)),
			})
			if err != nil {
				return "", err
			}
			if err := p.readBack(ctx, c, made.UUID, size); err != nil && errors.Is(err, errDiffers) {
				p.t.Error(err)
			}
			return fmt.Sprint(made.UUID, " ", size), nil
		},
		check: func(ctx context.Context, c clients, ids []string) error {
			all, err := c.public.Missions.Packages(ctx, mission) // also packages whose response was lost
			if err != nil {
				return err
			}
			for _, made := range all {
				if err := p.readBack(ctx, c, made.UUID, int(made.TotalSize)); err != nil {
					return err
				}
			}
			return each(ids, func(id string) error {
				var uuid string
				var size int
				if _, err := fmt.Sscan(id, &uuid, &size); err != nil {
					return err
				}
				return p.readBack(ctx, c, uuid, size)
			})
		},
	}
}

// pattern returns the content of a file of the given size.
func pattern(size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*i/7 + size)
	}
	return b
}

var errDiffers = errors.New("a file differs from what was delivered")

// readBack reads the file of a package through another process than the one that created it.
func (p *trio) readBack(ctx context.Context, c clients, uuid string, size int) error {
	list, err := c.public.Files.List(ctx, uuid)
	if err != nil {
		return err
	}
	for _, f := range list {
		status, body, err := p.get(ctx, f.DownloadURL, "")
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("the file of %s is answered with %d: %.200s", uuid, status, body)
		}
		if !bytes.Equal(body, pattern(size)) {
			return fmt.Errorf("%w: %s has %d bytes of %d", errDiffers, uuid, len(body), size)
		}
	}
	if len(list) != 1 {
		return fmt.Errorf("the package %s has %d files", uuid, len(list))
	}
	return nil
}

// round lets eight writers write, crashes something at random moments, and checks the acknowledged
// writes.
func (p *trio) round(crashes, between int) {
	p.t.Helper()
	before := map[string]int{}
	for name, ids := range p.acked {
		before[name] = len(ids)
	}
	ctx, stop := context.WithCancel(p.t.Context())
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() { p.keepWriting(ctx, p.kinds[i%len(p.kinds)]) })
	}
	for range crashes {
		p.await(1 + rand.IntN(between))
		p.crash()
	}
	p.await(between)
	stop()
	writers.Wait()
	for _, kind := range p.kinds {
		if err := kind.check(p.t.Context(), p.through, p.acked[kind.name][before[kind.name]:]); err != nil {
			p.t.Errorf("%s: %v", kind.name, err)
		}
	}
	p.checkTables()
}

func (p *trio) keepWriting(ctx context.Context, kind kind) {
	for ctx.Err() == nil {
		id, err := kind.write(ctx, p.through)
		var refused *api.Error
		if ctx.Err() != nil && err != nil {
			return
		}
		if errors.As(err, &refused) && refused.Status < 500 && !api.MaybeApplied(err) {
			p.t.Errorf("%s: %v", kind.name, err)
			return
		}
		if err != nil {
			p.failed.Add(1)
			continue
		}
		p.mu.Lock()
		p.acked[kind.name] = append(p.acked[kind.name], id)
		p.mu.Unlock()
		select {
		case p.wrote <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

// await waits for a number of acknowledged writes.
func (p *trio) await(n int) {
	p.t.Helper()
	for range n {
		select {
		case <-p.wrote:
		case <-time.After(time.Minute):
			p.t.Fatal("nothing was acknowledged for a minute")
		}
	}
}

// crash ends something like a power failure, and starts it again.
func (p *trio) crash() {
	p.t.Helper()
	what := rand.IntN(len(p.crashes))
	i := rand.IntN(len(p.processes))
	p.crashes[what]++
	if what > 0 {
		if err := p.database.Down([]string{"immediate", "fast"}[rand.IntN(2)]); err != nil {
			p.t.Fatal(err)
		}
	}
	if what != 1 {
		kill(p.t, p.running[i])
	}
	if what > 0 {
		if err := p.database.Up(); err != nil {
			p.t.Fatal(err)
		}
	}
	if what != 1 {
		p.startOne(i)
	}
}

// checkTables checks the database directly while the processes use it.
func (p *trio) checkTables() {
	p.t.Helper()
	db := p.database.Open(p.t, p.database.URL("postgres"))
	for what, query := range map[string]string{
		"orders without all missions": `SELECT count(*) FROM orders o WHERE mission_count <> (SELECT count(*) FROM missions m WHERE m.order_id = o.id)`,
		"requests that placed two":    `SELECT count(*) FROM (SELECT name FROM orders WHERE name LIKE 'order-%' GROUP BY name HAVING count(*) > 1) twice`,
		"orders with two winners":     `SELECT count(*) FROM (SELECT order_id FROM quotes WHERE status = 'accepted' GROUP BY order_id HAVING count(*) > 1) two`,
		"packages without all files":  `SELECT count(*) FROM packages p WHERE file_count <> (SELECT count(*) FROM files f WHERE f.package_id = p.id)`,
	} {
		var n int
		if err := db.QueryRow(query).Scan(&n); err != nil || n != 0 {
			p.t.Errorf("%s: %d, %v", what, n, err)
		}
	}
}

// checkEverything checks all writes that were ever acknowledged, and returns their number.
func (p *trio) checkEverything() int {
	p.t.Helper()
	var n int
	for _, kind := range p.kinds {
		n += len(p.acked[kind.name])
		if err := kind.check(p.t.Context(), p.through, p.acked[kind.name]); err != nil {
			p.t.Errorf("%s: %v", kind.name, err)
		}
	}
	for i := range p.running {
		kill(p.t, p.running[i])
	}
	return n
}

// Acknowledged writes exist exactly once, and with one winner, after processes were killed and the
// database has crashed.
func TestProcessesAndDatabaseThatCrashLoseNothing(t *testing.T) {
	p := newTrio(t)
	p.round(3, 40)
	n := p.checkEverything()
	t.Logf("%d acknowledged writes, %d failed, crashes of processes, database, both: %v", n, p.failed.Load(), p.crashes)
}
