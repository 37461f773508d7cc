package columns_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

func specs[T any](all []columns.Column[T]) []columns.ColumnSpec { return columns.ColumnSpecs(all) }

// Settings, filters, CSV and the tables of the command line find columns by name.
func TestColumnNamesAreUnique(t *testing.T) {
	for entity, all := range map[string][]columns.ColumnSpec{
		"order": specs(columns.Orders(nil)), "order of an account": specs(columns.OpsOrders(nil, now)), "mission": specs(columns.Missions()),
		"mission of an order": specs(columns.MissionsOfOrders(now, nil)), "mission in full": specs(columns.OpsMissions()), "plan": specs(columns.Planning()),
		"package": specs(columns.Packages()), "file": specs(columns.Files()), "dataset": specs(columns.Datasets(nil)), "quote": specs(columns.Quotes(now)),
		"endpoint": specs(columns.Endpoints()), "callback": specs(columns.Callbacks()), "account": specs(columns.Accounts()), "key": specs(columns.Keys(now)),
		"request for a key": specs(columns.KeyRequests(nil)), "request": specs(columns.Requests(now)),
	} {
		seen := map[string]bool{}
		for i := range all {
			if key := all[i].MachineName(); key == "" || seen[key] {
				t.Errorf("%s: the name %q is empty or not the only one", entity, key)
			} else {
				seen[key] = true
			}
		}
	}
}

func TestACellIsFormattedForPeopleAndForPrograms(t *testing.T) {
	area := 12_345.5
	none := 0.0
	unread := api.ExtraMembers{"areaSize": []byte(`"about 3 ha"`), "fileSize": []byte(`"3 MB"`)}
	sent := api.Time{Time: time.Date(2026, 11, 29, 9, 0, 0, 0, time.FixedZone("", 3600))}
	for _, c := range []struct {
		name, people, programs string
		spec                   columns.ColumnSpec
		cell                   columns.Cell
	}{
		{"words", "a b", "a b", columns.ColumnSpec{}, columns.TextCell("a b")},
		{"no words", "", "", columns.ColumnSpec{}, columns.TextAt(nil)},
		{"status", "Completed", "completed", columns.ColumnSpec{Kind: columns.Status}, columns.OrderState(api.OrderCompleted, format.QuotesUnread)},
		{"number", "1234", "1234", columns.ColumnSpec{Kind: columns.Number}, columns.NumberCell(1234)},
		{"area", "1.2 ha", "12345.5", columns.ColumnSpec{Kind: columns.Area}, columns.AreaOf(&area, nil)},
		{"no area", "", "0", columns.ColumnSpec{Kind: columns.Area}, columns.AreaOf(&none, nil)},
		{"unread area", "about 3 ha (unreadable)", "about 3 ha", columns.ColumnSpec{Kind: columns.Area}, columns.AreaOf(nil, unread)},
		{"unread size", "3 MB (unreadable)", "3 MB", columns.ColumnSpec{Kind: columns.Bytes}, columns.PickColumns(columns.Files(), "fileSize")[0].Value(&columns.ListedFile{DeliveryFile: api.DeliveryFile{FileSize: -1, Extra: unread}})},
		{"no size", "", "", columns.ColumnSpec{Kind: columns.Bytes}, columns.PickColumns(columns.Files(), "fileSize")[0].Value(&columns.ListedFile{DeliveryFile: api.DeliveryFile{FileSize: -1}})},
		{"size", "1.2 kB", "1234", columns.ColumnSpec{Kind: columns.Bytes}, columns.NumberCell(int64(1234))},
		{"day", "29 Nov", "2026-11-29T09:00:00+01:00", columns.ColumnSpec{Kind: columns.Date}, columns.TimeCell(sent)},
		{"age", "2 h", "2026-11-22T10:00:00Z", columns.ColumnSpec{Kind: columns.Date, Ago: true}, columns.TimeCell(api.Time{Time: noon.Add(-2 * time.Hour)})},
		{"no time", "", "", columns.ColumnSpec{Kind: columns.Date}, columns.TimeCell(api.Time{})},
		{"a time that is none", "soon", "soon", columns.ColumnSpec{Kind: columns.Date}, columns.TimeCell(api.Time{Raw: "soon"})},
	} {
		if people, programs := c.spec.InShell(c.cell, noon), c.spec.ForPrograms(c.cell); people != c.people || programs != c.programs {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, people, programs, c.people, c.programs)
		}
	}
}

func TestColumnsWithoutAValueOrMemberPanic(t *testing.T) {
	columns.Tables["named"] = []columns.ColumnSpec{{Title: "Name", Name: "orderName"}, {Title: "Area", Name: "areaSize", Kind: columns.Area}}
	all := columns.MakeColumns("named", columns.Values[*api.Order]{
		"areaSize": func(*api.Order) columns.Cell { return columns.TextCell("large") },
	})
	o := api.Order{OrderName: "Levee"}
	if got := all[0].Value(&o).Text + ", " + all[1].Value(&o).Text; got != "Levee, large" {
		t.Errorf("%q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a value without a column is taken")
		}
	}()
	columns.MakeColumns("named", columns.Values[*api.Order]{"area": nil})
}

func writeRow[T any](all []columns.Column[T], row T) []string {
	var texts []string
	for i := range all {
		if all[i].MachineName() != "client" { // the account of another list
			texts = append(texts, all[i].ForPrograms(all[i].Value(row)))
		}
	}
	return texts
}

func TestAColumnWithoutAValueShowsTheMemberWithItsName(t *testing.T) {
	at := api.TimeOf(noon)
	size := 3
	for want, got := range map[string][]string{
		"Nord Ada ada@x EUR 2026-11-22T12:00:00Z 7": writeRow(columns.Accounts(), &ops.Account{
			UUID: "7", CompanyName: "Nord", ClientName: "Ada", ClientEmail: "ada@x", Currency: "EUR", CreatedAt: at,
		}),
		"morning 2026-11-22T12:00:00Z 5": writeRow(columns.Snapshots(), &ops.WorldSnapshot{Name: "morning", TakenAt: at, Bytes: 5}),
		"2 3":                            writeRow(columns.PickColumns(columns.OpsOrders(nil, now), "openQuotes missionCount"), &ops.Order{OpenQuotes: new(2), Order: api.Order{MissionCount: &size}}),
	} {
		if got := strings.Join(got, " "); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// A member that cannot be shown in a cell would otherwise only be found when a row is
// drawn.
func TestEveryColumnAcceptsAnEmptyRow(t *testing.T) {
	for entity, texts := range map[string][]string{
		"order": writeRow(columns.OpsOrders(nil, now), &ops.Order{}), "mission": writeRow(columns.OpsMissions(), &ops.Mission{}),
		"plan": writeRow(columns.Planning(), &api.PlanningEntry{}), "package": writeRow(columns.Packages(), &api.DeliveryPackage{}),
		"file": writeRow(columns.Files(), &columns.ListedFile{}), "dataset": writeRow(columns.Datasets(nil), &api.Dataset{}),
		"quote": writeRow(columns.Quotes(now), &columns.ListedQuote{}), "endpoint": writeRow(columns.Endpoints(), &api.WebhookEndpoint{}),
		"callback": writeRow(columns.Callbacks(), &columns.ListedCallback{}), "notice": writeRow(columns.Notices(), &ops.CompletionNotice{}), "key": writeRow(columns.Keys(now), &ops.AccountKey{}),
		"request for a key": writeRow(columns.KeyRequests(func(string) string { return "" }), &ops.KeyRequest{}),
		"request":           writeRow(columns.Requests(now), &session.Exchange{}),
		"record":            writeRow(columns.Records(nil), &api.OrderRecord{}), "site": writeRow(columns.Sites(), &ordering.Site{}),
	} {
		if len(texts) == 0 {
			t.Errorf("%s has no columns", entity)
		}
	}
}

// A new column of a mission appears in the list of all missions automatically.
func TestMissionsOfOrdersHaveEveryColumnOfAMission(t *testing.T) {
	listed := specs(columns.MissionsOfOrders(now, nil))
	for _, c := range specs(columns.Missions()) {
		if has := func(l columns.ColumnSpec) bool { return l.MachineName() == c.MachineName() }; !c.Shell && !slices.ContainsFunc(listed, has) {
			t.Errorf("%s is not among them", c.MachineName())
		}
	}
	first := columns.PickFirst(columns.Missions(), "status uuid")
	if len(first) != len(columns.Missions()) || first[0].MachineName() != "status" || first[1].MachineName() != "uuid" || first[2].MachineName() != "missionCode" {
		t.Errorf("%+v", specs(first))
	}
}

func TestAnUnreadableExpiryIsShownAsSent(t *testing.T) {
	expiry := columns.PickColumns(columns.Quotes(now), "expiryDate")[0]
	q := columns.ListedQuote{Quote: api.Quote{ExpiryDate: api.Time{Raw: "01.05.2026 10:00"}}, Status: api.QuoteOpen}
	if got := expiry.Value(&q).Text; got != "01.05.2026 10:00" {
		t.Errorf("the expiry is %q", got)
	}
}
