package apptest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/apptest"
)

// verdict is how a surface copes with a variant.
type verdict string

const (
	fine    verdict = "ok"
	less    verdict = "details missing"
	wrong   verdict = "wrong"
	unasked verdict = "–" // the surface does not show it
)

// shown is what a surface made of a variant.
type shown struct {
	text   string
	failed bool
	none   bool // the surface has no such thing
	untrue string
}

// judge compares what a surface made of a variant with what it had to.
func judge(v Variant, got shown) (verdict, string) {
	text, folded := flat(got.text), strings.ToLower(flat(got.text))
	switch {
	case got.none:
		return unasked, ""
	case got.untrue != "":
		return wrong, got.untrue
	}
	for _, never := range v.Never {
		if strings.Contains(text, never) {
			return wrong, "shows " + never
		}
	}
	if got.failed != v.Fails {
		return wrong, fmt.Sprintf("failed: %v", got.failed)
	}
	for _, forms := range v.Shows {
		isShown := func(form string) bool { return strings.Contains(folded, strings.ToLower(flat(form))) }
		if !slices.ContainsFunc(strings.Split(forms, "|"), isShown) {
			return less, "lacks " + forms
		}
	}
	return fine, ""
}

// Every variant is shown to a client, to the commands and to the app. The table
// is printed with -v.
func TestNeighbouringServices(t *testing.T) {
	variants := All()
	if len(variants) < 120 {
		t.Errorf("%d variants, expected 120 or more", len(variants))
	}
	surfaces := []struct {
		name string
		show func(*testing.T, *world, Variant) shown
	}{{"client", byClient}, {"commands", byCommand}, {"app", byApp}}
	still := newWorld(t)
	desk := check(still.server.Ops())(t)
	check(desk.Webhooks.Test(t.Context(), still.delivered.endpoint, api.EventDataDelivered))(t)
	var (
		mu     sync.Mutex // of what follows
		table  = map[string]map[string]map[verdict]int{}
		groups []string
	)
	count := func(t *testing.T, v Variant, surface string, got shown) {
		mu.Lock()
		defer mu.Unlock()
		is, why := judge(v, got)
		table[v.Group][surface][is]++
		switch is {
		case wrong:
			t.Errorf("%s in\n%s", why, got.text)
		case less:
			t.Logf("details missing: %s in\n%s", why, got.text)
		}
	}
	for _, v := range variants {
		if table[v.Group] == nil {
			table[v.Group] = map[string]map[verdict]int{}
			for _, s := range surfaces {
				table[v.Group][s.name] = map[verdict]int{}
			}
			groups = append(groups, v.Group)
		}
	}
	t.Run("of", func(t *testing.T) {
		for i, v := range variants {
			if i%everyVariant != 0 {
				continue
			}
			for _, s := range surfaces {
				t.Run(v.Group+" "+v.Name+" "+s.name, func(t *testing.T) {
					if s.name != "app" { // which sets variables of the process
						t.Parallel()
					}
					w := still
					if slices.Contains([]Topic{Accept, Cancel, Delete}, v.Topic) {
						w = newWorld(t)
					}
					count(t, v, s.name, s.show(t, w, v))
				})
			}
		}
	})
	var names []string
	for _, s := range surfaces {
		names = append(names, s.name)
	}
	t.Logf("%d variants\n%s", len(variants), draw(table, groups, names))
}

// draw writes the table of variants and surfaces.
func draw(table map[string]map[string]map[verdict]int, groups, surfaces []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %-10s %4s %8s %6s\n", "group", "surface", "ok", "missing", "wrong")
	for _, group := range groups {
		for _, name := range surfaces {
			n := table[group][name]
			fmt.Fprintf(&b, "%-16s %-10s %4d %8d %6d\n", group, name, n[fine], n[less], n[wrong])
		}
	}
	return b.String()
}

// failing tells of an error.
func failing(err error) shown {
	text := err.Error()
	var e *api.Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			text += " " + f.Field + " " + f.Message
		}
	}
	return shown{text: text, failed: true}
}

// printed is a value as it is written, with a rest that failed.
func printed(err error, lines ...any) shown {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintln(&b, line)
	}
	if err != nil {
		e := failing(err)
		return shown{text: b.String() + e.text, failed: true}
	}
	return shown{text: b.String()}
}

func byClient(t *testing.T, w *world, v Variant) shown {
	t.Helper()
	a := w.of(v.Topic)
	_, origin := w.before(t, v.Rewrite)
	c, ctx := dialled(t, origin, a.key), t.Context()
	switch v.Topic {
	case Orders, Order, Quotes:
		return ordersByClient(t, c, a, v)
	case Mission:
		return missionByClient(t, c, a)
	case Files, Fetch:
		return filesByClient(t, c, a, v.Topic == Fetch)
	case Endpoints:
		page, err := c.Webhooks.List(ctx, api.ListOptions{})
		if err != nil {
			return failing(err)
		}
		return printed(nil, page.Items[0].URL, extra(page.Items[0].Extra))
	case Callbacks:
		page, err := c.Webhooks.Deliveries(ctx, a.endpoint, api.ListOptions{})
		if err != nil {
			return failing(err)
		}
		return printed(nil, extra(page.Items[0].Extra))
	case Place:
		_, err := c.Orders.Create(ctx, api.CreateOrderRequest{}, "")
		return failing(err)
	default:
		return changeByClient(t, c, a, v)
	}
}

func ordersByClient(t *testing.T, c *api.Client, a *account, v Variant) shown {
	t.Helper()
	if v.Topic == Orders {
		var lines []any
		for o, err := range c.Orders.All(t.Context()) {
			if err != nil {
				return printed(err, lines...)
			}
			lines = append(lines, visible(o.OrderName))
		}
		if strings.HasPrefix(v.Name, "public") {
			return shown{none: true} // the records are another call
		}
		return printed(nil, lines...)
	}
	if v.Topic == Order {
		o, err := c.Orders.Get(t.Context(), a.order.OrderCode)
		switch {
		case err != nil && !v.Fails && strings.HasPrefix(v.Name, "public"):
			return shown{none: true} // the record is another call
		case err != nil:
			return failing(err)
		}
		return printed(
			nil, o.OrderName, o.Missions[0].MissionCode, o.Missions[0].MissionName, moment(o.Deadline),
			extra(o.Extra),
		)
	}
	list, err := c.Records.List(t.Context(), api.RecordListOptions{})
	if err != nil {
		return failing(err)
	}
	r, err := c.Records.Get(t.Context(), list[0].ID)
	if err != nil {
		return failing(err)
	}
	q := r.Quotes[0]
	if !q.FinalPrice.Known {
		return printed(nil, q.FinalPrice.Raw)
	}
	return printed(nil, Amount(q.FinalPrice.Amount)+" "+q.Currency)
}

func missionByClient(t *testing.T, c *api.Client, a *account) shown {
	t.Helper()
	m, err := c.Orders.Get(t.Context(), a.order.OrderCode)
	if err != nil {
		return failing(err)
	}
	plans, err := c.Missions.Planning(t.Context(), a.order.Missions[0].UUID)
	if err != nil {
		return failing(err)
	}
	p, err := c.Missions.FlightPermission(t.Context(), a.order.Missions[0].UUID)
	if err != nil {
		return failing(err)
	}
	var lines []any
	lines = append(lines, extra(m.Missions[0].Extra))
	if p.Authority != nil {
		lines = append(lines, *p.Authority)
	}
	lines = append(lines, extra(p.Extra))
	for _, plan := range plans {
		if plan.SchedulingStatus == "confirmed" {
			lines = append(lines, "Confirmed")
		}
		lines = append(lines, extra(plan.Extra))
	}
	return printed(nil, lines...)
}

func filesByClient(t *testing.T, c *api.Client, a *account, load bool) shown {
	t.Helper()
	packages, err := c.Missions.Packages(t.Context(), a.order.Missions[0].UUID)
	if err != nil {
		return failing(err)
	}
	var lines []any
	for _, p := range packages {
		lines = append(lines, extra(p.Extra))
		files, err := c.Files.List(t.Context(), p.UUID)
		if err != nil {
			return failing(err)
		}
		for _, f := range files {
			lines = append(lines, f.FileName)
			lines = append(lines, extra(f.Extra))
			if !load {
				continue
			}
			resp, err := http.Get(f.DownloadURL)
			if err != nil {
				return printed(err, lines...)
			}
			n, err := io.Copy(io.Discard, resp.Body)
			if _ = resp.Body.Close(); err != nil || n == 0 {
				return printed(fmt.Errorf("%s: %d bytes, %w", f.FileName, n, err), lines...)
			}
		}
	}
	return printed(nil, lines...)
}

// changeByClient makes a change, and says where the result is not what was done.
func changeByClient(t *testing.T, c *api.Client, a *account, v Variant) shown {
	t.Helper()
	var err error
	switch v.Topic {
	case Accept:
		_, err = c.Quotes.Accept(t.Context(), a.order.UUID, a.quote)
	case Cancel:
		_, err = c.Orders.Cancel(t.Context(), a.order.UUID)
	default:
		err = c.Webhooks.Delete(t.Context(), a.endpoint)
	}
	if err != nil {
		got := failing(err)
		got.untrue = a.untrue(t, v, false)
		return got
	}
	return shown{untrue: a.untrue(t, v, true)}
}

// untrue compares what was reported with what the service has.
func (a *account) untrue(t *testing.T, v Variant, reported bool) string {
	t.Helper()
	done := false
	switch v.Topic {
	case Accept:
		r := check(a.client.Records.Get(t.Context(), a.order.UUID))(t)
		done = r.AcceptedQuote != nil
	case Cancel:
		done = check(a.client.Orders.Get(t.Context(), a.order.OrderCode))(t).Status == api.OrderCancelled
	case Delete:
		_, err := a.client.Webhooks.Get(t.Context(), a.endpoint)
		done = err != nil
	}
	if done != reported {
		return fmt.Sprintf("reported %v, done %v", reported, done)
	}
	return ""
}

func byCommand(t *testing.T, w *world, v Variant) shown {
	t.Helper()
	a := w.of(v.Topic)
	_, origin := w.before(t, v.Rewrite)
	commands := map[Topic][][]string{
		Orders: {{"list", "orders"}}, Order: {{"order", "show", a.order.OrderCode}},
		Quotes: {{"list", "quotes"}, {"quote", "compare", a.order.OrderCode}},
		Accept: {{"quote", "accept", a.order.OrderCode, a.quote, "--yes"}}, Cancel: {{"order", "cancel", a.order.OrderCode, "--yes"}},
		Mission: {{"mission", "show", a.order.Missions[0].MissionCode}}, Files: {{"list", "files", "--of", a.order.OrderCode}},
		Fetch: {{"fetch", a.order.OrderCode, "--to", "."}}, Endpoints: {{"list", "endpoints"}}, Callbacks: {{"list", "callbacks"}}, Delete: {{"webhook", "remove", a.endpoint, "--yes"}},
		Place: {{"place", placeable(t), "--order", orderFile(t)}},
	}
	got := shown{}
	for _, args := range commands[v.Topic] {
		text, done := command(t, origin, a.key, args...)
		got.text += text
		got.failed = got.failed || !done
	}
	switch v.Topic {
	case Accept, Cancel, Delete:
		got.untrue = a.untrue(t, v, !got.failed)
	}
	return got
}

func placeable(t *testing.T) string {
	t.Helper()
	return written(t, "mast.csv", "name,latitude,longitude\nMast,53.6,9.4\n")
}

func orderFile(t *testing.T) string {
	t.Helper()
	return written(t, "order.toml", `companyName = "ACME"
orderName = "Levee"
sensors = ["rgbSensor"]
deliverables = ["_2dMap"]
missionObjective = "mapAndSurvey"
industryAssetType = "waterManagement"
startDate = 2026-12-01
deadline = 2026-12-20
`)
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func byApp(t *testing.T, w *world, v Variant) shown {
	t.Helper()
	a := w.of(v.Topic)
	_, origin := w.before(t, v.Rewrite)
	keys := map[Topic][][]string{
		Orders: {{}}, Order: {{"enter"}}, Quotes: {{"4"}, {"enter"}}, Mission: {{"3"}, {"enter"}},
		Files: {{"5"}, {"down"}}, Fetch: {{"5", "F"}}, Endpoints: {{"7"}, {"enter"}}, Callbacks: {{"7", "enter"}},
		Accept: {{"4", "enter"}}, Cancel: {{"enter"}}, Delete: {{"7"}},
	}
	if keys[v.Topic] == nil {
		return shown{none: true}
	}
	d := app(t, origin, a.key)
	got := shown{}
	for _, press := range keys[v.Topic] {
		d.Press(press...)
		d.Advance(2 * time.Second)
		got.text += d.Screen()
	}
	change(t, d, a, v, &got)
	if v.Fails && v.Topic != Accept {
		got.failed = true // what it must not show says whether it hides that
	}
	d.Close()
	return got
}

// change makes the change that a variant is about in the app.
func change(t *testing.T, d *apptest.Session, a *account, v Variant, got *shown) {
	t.Helper()
	switch v.Topic {
	case Accept:
		d.Press("A")
		d.Type("1388")
		d.Press("enter")
	case Cancel:
		d.Press("C")
		d.Type(a.order.OrderCode)
		d.Press("enter")
	case Delete:
		d.Press("delete")
		d.Type("client.example")
		d.Press("enter")
	default:
		return
	}
	d.Advance(10 * time.Second)
	after := d.Screen()
	got.text += after
	done := map[Topic]string{
		Accept: "accepted Economy",
		Cancel: "cancelled " + a.order.OrderCode,
		Delete: "deleted",
	}[v.Topic]
	reported := strings.Contains(strings.ToLower(flat(after)), strings.ToLower(done))
	got.failed, got.untrue = !reported, a.untrue(t, v, reported)
}

// moment is a date, or as it was sent.
func moment(t api.Time) string {
	if t.IsRead() {
		return t.Format("2006-01-02")
	}
	return t.Raw
}

// extra are members that the client does not know.
func extra(members api.ExtraMembers) string {
	var b strings.Builder
	for name, value := range members {
		b.WriteString(name + " " + string(value) + " ")
	}
	return b.String()
}

// visible is a text without what a terminal does not show.
func visible(text string) string { return fmt.Sprintf("%+q", text) }
