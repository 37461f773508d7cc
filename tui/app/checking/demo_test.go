package checking_test

import (
	"slices"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/server"
	"flightdesk/tui/app/checking"
)

// flawed is the order of the demo whose delivery has a gap, lacks a product and has a file in another
// reference system.
const flawed = "Lake Turkana: erosion around the foundations"

// downloadAll downloads the packages of orders into a folder.
func downloadAll(t *testing.T, s *server.Server, dir string, packages []fetch.Package) {
	t.Helper()
	q, err := fetch.New(fetch.Options{Dir: dir, Transport: s.Transport(), Now: s.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	for _, p := range packages {
		if _, err := q.Add(p, fetch.Waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, item := range q.Snapshot() {
		if item.State != fetch.Done {
			t.Fatalf("%s is %s: %v", item.Name, item.State, item.Err)
		}
	}
}

func TestTheDemosDeliveriesAnswerTheCheckTruthfully(t *testing.T) {
	s := &server.Server{Demo: true}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	checked := 0
	for _, a := range s.Accounts() {
		client, err := api.NewClient(s.BaseURL(), api.WithKey(a.Key), api.WithTransport(s.Transport()))
		if err != nil {
			t.Fatal(err)
		}
		checked += checkDeliveries(t, s, client)
	}
	if checked < 10 {
		t.Errorf("only %d orders have deliveries", checked)
	}
}

// checkDeliveries checks the deliveries of an account, and returns the number of its orders that have one.
func checkDeliveries(t *testing.T, s *server.Server, client *api.Client) (checked int) {
	t.Helper()
	for o, err := range api.WalkList(t.Context(), 0, client.Orders.List) {
		if err != nil {
			t.Fatal(err)
		}
		packages, err := fetch.Order(t.Context(), client, o.OrderCode)
		if err != nil {
			t.Fatal(err)
		}
		if len(packages) == 0 {
			continue
		}
		checked++
		whole, err := client.Orders.Get(t.Context(), o.OrderCode)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		downloadAll(t, s, dir, packages)
		r := check(t, dir, whole, whole.Missions, packages...)
		problems := texts(r, checking.Problem)
		if o.OrderName == flawed {
			requireFlaws(t, r)
		} else if len(problems) > 0 {
			t.Errorf("%s has problems: %q", o.OrderName, problems)
		}
		for _, note := range texts(r, checking.Note) {
			if !strings.HasPrefix(note, "Nothing was delivered for ") {
				t.Errorf("%s: %s", o.OrderName, note)
			}
		}
	}
	return checked
}

// requireFlaws requires that a report says what the delivery of the flawed order lacks, and nothing else.
func requireFlaws(t *testing.T, r *checking.Report) {
	t.Helper()
	problems := texts(r, checking.Problem)
	has := func(begin, end string) bool {
		return slices.ContainsFunc(problems, func(text string) bool {
			return strings.HasPrefix(text, begin) && strings.HasSuffix(text, end)
		})
	}
	isComplete := has("No Terrain (DTM) delivered for Block A", "") &&
		has("2D map covers 9", " EPSG:32637)") &&
		has("Surface (DSM) is in EPSG:4326, ", "2D map in EPSG:32637")
	if !isComplete || len(problems) != 3 {
		t.Errorf("the problems of the flawed delivery are %q", problems)
	}
}
