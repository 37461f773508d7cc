package apptest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/standin"
)

// lossy is a way in which a service may answer a list so that rows can be lost.
type lossy struct {
	name    string
	rewrite func(seen *atomic.Int64) Rewrite // seen counts for one run of a command
	whole   bool                             // every row can be had, so that a command succeeds
}

// once is a rewrite that needs no count.
func once(rewrite Rewrite) func(*atomic.Int64) Rewrite {
	return func(*atomic.Int64) Rewrite { return rewrite }
}

const missionsPath = `/public/orders/ORD-[0-9]+/missions`

// listPaths are the lists of the public API.
var listPaths = []string{ordersPath, missionsPath, packagesPath, filesPath, hooksPath, logPath}

// inLists rewrites every list of the public API.
func inLists(rewrite Rewrite) Rewrite {
	all := make([]Rewrite, len(listPaths))
	for i, path := range listPaths {
		all[i] = get(path, rewrite)
	}
	return Both(all...)
}

// lossyServices lists the ways. In whole ones nothing is missing.
func lossyServices() (list []lossy) {
	add := func(name string, whole bool, rewrite func(*atomic.Int64) Rewrite) {
		list = append(list, lossy{name, rewrite, whole})
	}
	for name, missions := range map[string]string{
		"absent": "", "null": "null", "empty": "[]", "{}": "{}", "a number": "7", "their number": `3`, "texts": `["m1"]`, "ids": `[{"uuid":"m1"}]`,
		"a page of ids": `{"data":[{"uuid":"m1"}],"hasNextPage":false}`,
	} {
		add("missions of an order: "+name, true, once(get(orderPath, Members(texts{"missions": missions}))))
	}
	add("missions of an order: other name", true, once(get(orderPath, Renamed(texts{"missions": "sites"}))))
	for _, body := range []string{
		`null`, `{}`, `{"success":true,"message":"","data":null}`,
		`{"success":true,"data":{"data":null,"nextCursor":null,"hasNextPage":false}}`, `{"data":{}}`,
		`<html>`, ``,
	} {
		add("every list: "+body, false, once(inLists(Instead(200, body))))
		add(
			"missions nowhere: "+body, false,
			once(Both(get(orderPath, Members(texts{"missions": ""})), get(missionsPath, Instead(200, body)))),
		)
		add("records: "+body, false, once(post(recordsPath, Instead(200, body))))
	}
	for _, path := range []string{orderPath, packagesPath, filesPath, logPath, recordPath} {
		for status, body := range map[int]string{
			500: `{"success":false,"message":"boom"}`,
			404: `{"success":false,"message":"gone"}`,
			200: `<html>`,
		} {
			add(
				fmt.Sprintf("one %s answers %d", path, status), false,
				func(seen *atomic.Int64) Rewrite { return onAny(path, failFirst(seen, status, body)) },
			)
		}
	}
	add("hasNextPage is false beside a cursor", true, once(inLists(badCursor(`,"nextCursor":"x","hasNextPage":false`))))
	add("a cursor that fails", false, once(inLists(badCursor(`,"nextCursor":"x"`))))
	add("a page without cursor", false, once(inLists(badCursor(`,"nextCursor":null,"hasNextPage":true`))))
	add("a row that cannot be read", false, once(inLists(body(withUnreadRow))))
	add("pages by the header Link", true, once(get(ordersPath, linkedPages)))
	add("the same page for ever", false, func(seen *atomic.Int64) Rewrite { return inLists(repeated(seen)) })
	for _, c := range []string{
		`[%s]`, `{"success":true,"data":[%s]}`, `{"success":true,"data":{"things":[%s]}}`,
		`{"answer":{"body":{"list":[%s]}}}`,
	} {
		add("v2 container "+c, true, once(post(recordsPath, Rows(c))))
		add("container "+c, true, once(inLists(Rows(c))))
	}
	named := Rows(`{"uuid":"r-1","orders":[%s],"page":0}`)
	add("orders by name in an envelope with an ID", true, once(Both(post(recordsPath, named), get(ordersPath, named))))
	for _, status := range []int{404, 405, 501} {
		add(fmt.Sprintf("no second generation, %d", status), false, once(legacyOnly(Instead(status, `<html>`))))
	}
	add("second generation fails", false, once(legacyOnly(Instead(500, `{"success":false,"message":"boom"}`))))
	return list
}

// legacyOnly rewrites all answers of the v2 API.
func legacyOnly(rewrite Rewrite) Rewrite {
	return func(r *http.Request, real func() standin.Answer) standin.Answer {
		if !strings.Contains(r.URL.Path, "/api/v2/") {
			return real()
		}
		return rewrite(r, real)
	}
}

// failFirst fails the first request, and its repetitions.
func failFirst(seen *atomic.Int64, status int, body string) Rewrite {
	var failing atomic.Pointer[string]
	return func(r *http.Request, real func() standin.Answer) standin.Answer {
		if seen.Add(1) == 1 {
			failing.Store(&r.URL.Path)
		}
		if path := failing.Load(); path != nil && *path == r.URL.Path {
			return standin.Answer{Status: status, Body: body}
		}
		return real()
	}
}

// badCursor writes lists with members about the next page, and refuses every cursor.
func badCursor(members string) Rewrite {
	return func(r *http.Request, real func() standin.Answer) standin.Answer {
		if r.URL.Query().Has("cursor") {
			return standin.Answer{Status: http.StatusBadRequest, Body: `{"success":false,"message":"bad cursor"}`}
		}
		return Rows(`{"success":true,"data":{"data":[%s]`+members+`}}`)(r, real)
	}
}

// withUnreadRow adds a row whose members have other names.
func withUnreadRow(v any) any {
	rows := rowsOf(v)
	if len(rows) == 0 {
		return v
	}
	return json.RawMessage(`{"success":true,"data":{"data":[` + strings.Join(rows, ",") + `,{"order_code":"ORD-1"}],"hasNextPage":false}}`)
}

// linkedPages cuts a list into pages of one row, which only the header Link announces.
func linkedPages(r *http.Request, real func() standin.Answer) standin.Answer {
	a := real()
	var v any
	if json.Unmarshal([]byte(a.Body), &v) != nil {
		return a
	}
	rows, at := rowsOf(v), 0
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &at)
	if at >= len(rows) {
		return standin.Answer{Status: 200, Body: `[]`}
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if at+1 < len(rows) {
		header.Set("Link", fmt.Sprintf(`<%s?page=%d>; rel="next"`, r.URL.Path, at+1))
	}
	return standin.Answer{Status: 200, Header: header, Body: "[" + rows[at] + "]"}
}

// repeated answers every page with the same rows and a new cursor.
func repeated(seen *atomic.Int64) Rewrite {
	return cursorless(func(r *http.Request, real func() standin.Answer) standin.Answer {
		return Rows(fmt.Sprintf(`{"success":true,"data":{"data":[%%s],"nextCursor":"c%d"}}`, seen.Add(1)))(r, real)
	})
}

// listCommands are the commands that print rows, by what a row has of its own in JSON.
var listCommands = map[string]string{
	"orders": "orderCode", "missions": "missionCode", "quotes": "quoteId", "files": "fileName", "endpoints": "uuid", "callbacks": "uuid", "records": "id",
}

// keysOf returns what the rows of a command have of their own.
func keysOf(t *testing.T, text, member string) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	for _, found := range regexp.MustCompile(`"`+member+`":"([^"]+)"`).FindAllStringSubmatch(text, -1) {
		keys[found[1]] = true
	}
	return keys
}

// crowd is a world whose account has two delivered orders, a quoted one, an endpoint and a
// callback.
func crowd(t *testing.T) (*world, string) {
	t.Helper()
	w := newWorld(t)
	a := &w.delivered
	check(w.server.NewOrder(t.Context(), a.client, server.StageDelivered))(t)
	check(w.server.NewOrder(t.Context(), a.client, server.StageQuoted))(t)
	desk := check(w.server.Ops())(t)
	check(desk.Webhooks.Test(t.Context(), a.endpoint, api.EventDataDelivered))(t)
	return w, a.key
}

// Of every service that a list can be lost with, a command prints all rows, or says that
// some are missing and fails. It never says that there are none.
func TestNeighbouringServicesLoseNoRowsSilently(t *testing.T) {
	w, key := crowd(t)
	baseline := map[string]map[string]bool{}
	_, origin := w.before(t, nil)
	for what, member := range listCommands {
		text, done := command(t, origin, key, "list", what, "--output", "json")
		baseline[what] = keysOf(t, text, member)
		if !done || len(baseline[what]) == 0 {
			t.Fatalf("%s: done %t\n%s", what, done, text)
		}
	}
	for i, service := range lossyServices() {
		if i%everyVariant != 0 {
			continue
		}
		for what, member := range listCommands {
			t.Run(service.name+", "+what, func(t *testing.T) {
				t.Parallel()
				_, origin := w.before(t, service.rewrite(&atomic.Int64{}))
				text, done := command(t, origin, key, "list", what, "--output", "json")
				got := keysOf(t, text, member)
				for key := range baseline[what] {
					if done && !got[key] {
						t.Errorf("%s is missing, and the command succeeds:\n%s", key, text)
					}
				}
				if service.whole && !done {
					t.Errorf("every row can be had, and the command fails:\n%s", text)
				}
				_, origin = w.before(t, service.rewrite(&atomic.Int64{}))
				shown, listed := command(t, origin, key, "list", what)
				if strings.Contains(shown, "no "+what) || listed != done {
					t.Errorf("as a table, done %t:\n%s", listed, shown)
				}
			})
		}
	}
}

// Rows that can be read are printed, whatever happens to others.
func TestNeighbouringServicesDoNotHideRowsThatCanBeRead(t *testing.T) {
	w, key := crowd(t)
	for _, c := range []struct {
		what    string
		rewrite Rewrite
	}{
		{"orders", get(ordersPath, badCursor(`,"nextCursor":"x"`))},
		{"missions", get(orderPath, failFirst(&atomic.Int64{}, 500, `{}`))},
		{"files", get(filesPath, failFirst(&atomic.Int64{}, 500, `{}`))},
		{"files", get(packagesPath, failFirst(&atomic.Int64{}, 404, `{}`))},
		{"callbacks", get(logPath, badCursor(`,"nextCursor":"x"`))},
		{"orders", get(ordersPath, repeated(&atomic.Int64{}))},
		{"callbacks", get(logPath, repeated(&atomic.Int64{}))},
		{"orders", legacyOnly(Instead(500, `{}`))},
	} {
		_, origin := w.before(t, c.rewrite)
		text, done := command(t, origin, key, "list", c.what, "--output", "json")
		if got := keysOf(t, text, listCommands[c.what]); done || len(got) == 0 {
			t.Errorf("%s: done %t, %d rows:\n%s", c.what, done, len(got), text)
		}
	}
}

func TestNeighbouringServicesWithoutSecondGenerationSayThatQuotesAreNotAvailable(t *testing.T) {
	w, key := crowd(t)
	for _, status := range []int{404, 405, 501} {
		_, origin := w.before(t, legacyOnly(Instead(status, `<html>`)))
		text, done := command(t, origin, key, "list", "quotes")
		if done || !strings.Contains(text, "quotes are not available here") {
			t.Errorf("%d: done %t: %s", status, done, text)
		}
		if text, done := command(t, origin, key, "list", "orders"); !done {
			t.Errorf("%d: orders: %s", status, text)
		}
	}
}
