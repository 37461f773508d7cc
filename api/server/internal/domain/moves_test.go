package domain_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// postbox is a notifier that records its notices.
type postbox struct{ notices []store.Notice }

func (p *postbox) Notify(n ...store.Notice) { p.notices = append(p.notices, n...) }

// openWhole returns a service with all its dependencies.
func openWhole(t *testing.T) (*domain.Service, *domain.Caller, *mailbox, *postbox) {
	t.Helper()
	d, c := open(t)
	vault, err := d.Store.Vault(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	box := &mailbox{}
	post := &postbox{}
	d.Vault = vault
	d.Files = files.NewMemory(1 << 20)
	d.Sender = box
	d.Notifier = post
	return d, c, box, post
}

// ordered places an order with n sites and accepts a quote of it.
func ordered(t *testing.T, d *domain.Service, c *domain.Caller, sites int) (store.Order, []store.Mission) {
	t.Helper()
	ctx := t.Context()
	req := api.CreateOrderRequest{Order: api.OrderInput{OrderName: "Levee", Deliverables: []api.Deliverable{"digitalTerrainModel"}}}
	for range sites {
		req.Missions = append(req.Missions, api.MissionInput{MissionName: "Site", MissionType: api.MissionAsset, LocationMap: []api.Point{{Lat: 1}}})
	}
	o, err := d.Orders.Place(ctx, c, domain.OrderPlacement{Request: req})
	if err != nil {
		t.Fatal(err)
	}
	q, err := d.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{QuoteName: "Q", PriceBeforeDiscount: 1, ExpiryDate: api.TimeOf(d.Now().Add(time.Hour))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Quotes.Decide(ctx, c, q.UUID, api.QuoteAccepted); err != nil {
		t.Fatal(err)
	}
	o, missions, err := d.Orders.WithMissions(ctx, c, o.Code)
	if err != nil {
		t.Fatal(err)
	}
	return o, missions
}

// kept is an order with everything that belongs to it.
func kept(t *testing.T, d *domain.Service, uuid string) store.OrderDetail {
	t.Helper()
	all, err := d.Orders.Detail(t.Context(), uuid)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The status of an order follows its least advanced mission, and the client gets a
// callback for each step.
func TestMissionsMoveAndTheirOrderFollows(t *testing.T) {
	d, c, box, post := openWhole(t)
	ctx := t.Context()
	name := "Ann"
	mail := "ann@a.example"
	if _, err := d.Accounts.Change(ctx, c.Account.UUID, ops.AccountChange{ClientName: &name, ClientEmail: &mail}); err != nil {
		t.Fatal(err)
	}
	o, sites := ordered(t, d, c, 2)
	if _, err := d.Orders.SetNotifications(ctx, o.UUID, "https://a.example/done", true); err != nil {
		t.Fatal(err)
	}
	endpoint(t, d, c.Account, "all", api.EventNames()...)
	at := noon
	d.Now = func() time.Time { return at }
	zone := time.FixedZone("", 3600)
	flight := time.Date(2026, 3, 20, 9, 0, 0, 1, zone)
	assign := func(uuid string) error { _, _, err := d.Missions.AssignOperator(ctx, uuid, "Bo"); return err }
	schedule := func(uuid string) error {
		_, _, err := d.Missions.Schedule(ctx, uuid, ops.FlightInput{FlightDate: api.TimeOf(flight), Note: "wind"})
		return err
	}
	deliver := func(uuid string) error {
		var all []store.File
		for i, text := range []string{"one", "three"} {
			f, err := d.Missions.StoreFile(ctx, text+".jpg", "image/jpeg", strings.NewReader(text))
			if err != nil {
				return err
			}
			f.Kind = []api.Deliverable{"digitalTerrainModel", api.DeliverableJPG}[i]
			all = append(all, f)
		}
		_, p, err := d.Missions.Deliver(ctx, uuid, all)
		if err == nil && (p.FileCount != 2 || p.TotalSize != 8 || p.Name != "Site, 2026-03-14" || !p.Created.Equal(at)) {
			t.Errorf("the package is %+v", p)
		}
		return err
	}
	accept := func(uuid string) error { _, _, err := d.Missions.AcceptDelivery(ctx, uuid); return err }
	for i, step := range []struct {
		name   string
		do     func(string) error
		first  api.MissionStatus // status of the site that is moved first
		before api.OrderStatus
		after  api.OrderStatus
	}{
		{"assign", assign, api.MissionPilotAssigned, api.OrderPendingOperator, api.OrderOperatorAssigned},
		{"schedule", schedule, api.MissionFlightScheduled, api.OrderOperatorAssigned, api.OrderFlyingDateSet},
		{"deliver", deliver, api.MissionDataDelivered, api.OrderFlyingDateSet, api.OrderCompleted},
		{"accept", accept, api.MissionCompleted, api.OrderCompleted, api.OrderCompleted},
	} {
		for n, want := range []api.OrderStatus{step.before, step.after} {
			at = at.Add(time.Minute)
			if err := step.do(sites[n].UUID); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			all := kept(t, d, o.UUID)
			if m := all.Missions[n]; all.Order.Status != want || m.Status != step.first || !m.Updated.Equal(at) || !all.Order.Updated.Equal(at) {
				t.Errorf("%s, site %d: the order is %s at %v, the site %s at %v", step.name, n, all.Order.Status, all.Order.Updated, m.Status, m.Updated)
			}
			if len(box.sent) != 2*i+n+1 || box.sent[2*i+n].MissionUUID != sites[n].UUID || !strings.Contains(box.sent[2*i+n].Body, string(step.first)) {
				t.Errorf("%s, site %d: %d events are sent", step.name, n, len(box.sent))
			}
		}
	}
	all := kept(t, d, o.UUID)
	m := all.Missions[0]
	if *m.OperatorName != "Bo" || !m.FlightDate.Equal(flight.Truncate(time.Millisecond)) {
		t.Errorf("kept as %+v", m)
	}
	if p := all.Planning[m.ID]; len(p) != 1 || p[0].Status != api.ScheduleConfirmed || p[0].FlightZone != 3600 || p[0].ScheduledBy != nil || *p[0].Note != "wind" {
		t.Errorf("planned as %+v", p)
	}
	p := all.Packages[m.ID]
	if len(p) != 1 || p[0].Status != api.DeliveryAccepted {
		t.Fatalf("delivered as %+v", p)
	}
	delivered, err := store.List[store.File](ctx, d.Store, p[0].ID, store.ListWindow{})
	if err != nil || len(delivered) != 2 || delivered[0].Name != "one.jpg" || delivered[1].Position != 1 || delivered[1].SHA256 == "" {
		t.Errorf("its files are %+v, %v", delivered, err)
	}
	if len(post.notices) != 2 {
		t.Fatalf("the client is told %+v", post.notices)
	}
	var letter domain.NoticeLetter
	if err := json.Unmarshal([]byte(post.notices[1].Body), &letter); err != nil {
		t.Fatal(err)
	}
	if letter.To != mail || letter.ClientName != "Ann" || letter.OrderCode != o.Code || letter.OrderName != "Levee" || !letter.CompletedAt.Equal(noon.Add(6*time.Minute)) {
		t.Errorf("the letter is %+v", letter)
	}
	var told api.OrderCompletion
	if n := post.notices[0]; n.Kind != store.NoticeWebhook || n.Address != "https://a.example/done" || json.Unmarshal([]byte(n.Body), &told) != nil ||
		told.ID != o.UUID || told.OrderStatus != api.RecordCompleted || !told.CompletedAt.Equal(letter.CompletedAt) {
		t.Errorf("the notice is %+v", n)
	}
}

func TestClientsAreNotifiedInTheConfiguredWays(t *testing.T) {
	d, c, _, post := openWhole(t)
	ctx := t.Context()
	finish := func(webhook string, email bool) (kinds []string) {
		o, sites := ordered(t, d, c, 1)
		if webhook != "" || email {
			if _, err := d.Orders.SetNotifications(ctx, o.UUID, webhook, email); err != nil {
				t.Fatal(err)
			}
		}
		post.notices = nil
		_, _, err1 := d.Missions.AssignOperator(ctx, sites[0].UUID, "Bo")
		_, _, err2 := d.Missions.Schedule(ctx, sites[0].UUID, ops.FlightInput{FlightDate: api.TimeOf(noon)})
		_, _, err3 := d.Missions.Deliver(ctx, sites[0].UUID, nil)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		for _, n := range post.notices {
			kinds = append(kinds, n.Kind)
		}
		return kinds
	}
	const url = "https://a.example/done"
	if k := finish("", true); k != nil {
		t.Errorf("without an address there is %v", k)
	}
	mail := "ann@a.example"
	if _, err := d.Accounts.Change(ctx, c.Account.UUID, ops.AccountChange{ClientEmail: &mail}); err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		webhook string
		email   bool
		want    []string
	}{{"", false, nil}, {url, false, []string{store.NoticeWebhook}}, {"", true, []string{store.NoticeEmail}}, {url, true, []string{store.NoticeWebhook, store.NoticeEmail}}} {
		if k := finish(try.webhook, try.email); !slices.Equal(k, try.want) {
			t.Errorf("with %q and %v there is %v", try.webhook, try.email, k)
		}
	}
}

func TestMissionMovesAreRefusedInOtherStatuses(t *testing.T) {
	d, c, box, _ := openWhole(t)
	ctx := t.Context()
	bids, _ := bidding(t, d, c, 0)
	o, sites := ordered(t, d, c, 1)
	endpoint(t, d, c.Account, "all", api.EventNames()...)
	uuid := sites[0].UUID
	assign := func(uuid, name string) error { _, _, err := d.Missions.AssignOperator(ctx, uuid, name); return err }
	schedule := func() error {
		_, _, err := d.Missions.Schedule(ctx, uuid, ops.FlightInput{FlightDate: api.TimeOf(noon), ScheduledBy: "Cy"})
		return err
	}
	deliver := func(kinds ...api.Deliverable) error {
		var all []store.File
		for _, k := range kinds {
			f, err := d.Missions.StoreFile(ctx, "a", "image/jpeg", strings.NewReader("a"))
			if err != nil {
				t.Fatal(err)
			}
			f.Kind = k
			all = append(all, f)
		}
		_, _, err := d.Missions.Deliver(ctx, uuid, all)
		return err
	}
	accept := func() error { _, _, err := d.Missions.AcceptDelivery(ctx, uuid); return err }
	refused := func(what string, err error, code api.ErrorCode, says string) {
		t.Helper()
		if codeOf(err) != code || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	taken := func(what string, err error, events int) {
		t.Helper()
		if err != nil || len(box.sent) != events {
			t.Fatalf("%s: %v, %d events", what, err, len(box.sent))
		}
	}
	first := kept(t, d, bids.UUID).Missions[0].UUID
	refused("before a quote", assign(first, "Bo"), api.CodeConflict, "needs an accepted quote before an operator")
	refused("of nothing", assign("none", "Bo"), api.CodeNotFound, "mission")
	refused("a flight without an operator", schedule(), api.CodeConflict, "does not allow a flight date")
	taken("an operator", assign(uuid, "Bo"), 1)
	taken("the same one", assign(uuid, "Bo"), 1)
	if order, m, err := d.Missions.AssignOperator(ctx, uuid, "Bo"); err != nil || order.UUID != o.UUID || m.UUID != uuid {
		t.Errorf("the same one answers %+v, %+v, %v", order, m, err)
	}
	taken("another one", assign(uuid, "Cy"), 2)
	refused("a delivery without a flight", deliver(), api.CodeConflict, "does not allow a delivery")
	taken("a flight", schedule(), 3)
	taken("another flight", schedule(), 4)
	taken("the same operator later", assign(uuid, "Cy"), 4)
	refused("another operator later", assign(uuid, "Bo"), api.CodeConflict, "does not allow an operator")
	err := deliver("digitalTerrainModel", "pointCloud", api.DeliverableJPG, "contourLines")
	refused("what was not ordered", err, api.CodeValidationFailed, "fileDataType[1]: pointCloud")
	var refusal *domain.Error
	errors.As(err, &refusal)
	if len(refusal.Fields) != 2 || refusal.Fields[0].Field != "fileDataType[1]" || refusal.Fields[1].Field != "fileDataType[3]" {
		t.Errorf("%+v", refusal)
	}
	refused("accepting nothing", accept(), api.CodeConflict, "does not allow accepting")
	taken("a delivery", deliver(), 5)
	taken("a corrected one", deliver(), 6)
	refused("cancelling", func() error { _, _, err := d.Orders.Cancel(ctx, c, o.UUID); return err }(), api.CodeConflict, "cannot be cancelled")
	taken("accepting", accept(), 7)
	all := kept(t, d, o.UUID)
	m := all.Missions[0]
	if p := all.Planning[m.ID]; len(p) != 2 || p[0].Status != api.ScheduleRescheduled || p[0].Version != 2 || *p[0].ScheduledBy != "Cy" {
		t.Errorf("planned as %+v", p)
	}
	if p := all.Packages[m.ID]; len(p) != 2 || p[0].Version != 2 || *m.OperatorName != "Cy" {
		t.Errorf("delivered as %+v", p)
	}
}

// The clock may have been set back since the last change. Once data is delivered, clients
// can no longer cancel.
func TestOrdersEndWithTheirMissions(t *testing.T) {
	d, c, _, _ := openWhole(t)
	ctx := t.Context()
	type outcome func(uuid string) (store.Order, []store.Mission, error)
	for name, move := range map[string]struct {
		do     outcome
		late   bool // allowed once data is delivered
		want   api.OrderStatus
		reason bool
	}{
		"cancel":       {func(u string) (store.Order, []store.Mission, error) { return d.Orders.Cancel(ctx, c, u) }, false, api.OrderCancelled, false},
		"not feasible": {func(u string) (store.Order, []store.Mission, error) { return d.Orders.NotFeasible(ctx, u, "rain") }, true, api.OrderNotFeasible, true},
		"delete":       {func(u string) (store.Order, []store.Mission, error) { return d.Orders.Delete(ctx, u) }, true, api.OrderDeleted, false},
	} {
		for _, delivered := range []bool{false, true} {
			d.Now = func() time.Time { return noon }
			o, sites := ordered(t, d, c, 2)
			_, _, err1 := d.Missions.AssignOperator(ctx, sites[0].UUID, "Bo")
			_, _, err2 := d.Missions.Schedule(ctx, sites[0].UUID, ops.FlightInput{FlightDate: api.TimeOf(noon)})
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			if delivered {
				if _, _, err := d.Missions.Deliver(ctx, sites[0].UUID, nil); err != nil {
					t.Fatal(err)
				}
			}
			d.Now = func() time.Time { return noon.Add(-time.Minute) }
			_, _, err := move.do(o.UUID)
			if delivered && !move.late {
				if codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "the data of "+sites[0].Code+" is delivered") {
					t.Errorf("%s once data is delivered: %v", name, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all := kept(t, d, o.UUID)
			if all.Order.Status != move.want || !all.Order.Updated.Equal(noon) || (all.Order.RejectionReason != nil) != move.reason {
				t.Errorf("%s: the order is %+v", name, all.Order)
			}
			for _, m := range all.Missions {
				if m.Status != api.MissionCancelled || !m.Updated.Equal(noon) {
					t.Errorf("%s: the site is %s at %v", name, m.Status, m.Updated)
				}
			}
			if _, _, err := d.Missions.AssignOperator(ctx, sites[1].UUID, "Bo"); codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "too late for an operator") {
				t.Errorf("%s, then an operator: %v", name, err)
			}
		}
	}
}

func TestArchivedOrdersKeepTheirPreviousStatus(t *testing.T) {
	d, c, _, _ := openWhole(t)
	ctx := t.Context()
	o, _ := bidding(t, d, c, 0)
	for range 2 { // the second time changes nothing
		if _, _, err := d.Orders.Archive(ctx, c, o.UUID, "later"); err != nil {
			t.Fatal(err)
		}
	}
	all := kept(t, d, o.UUID)
	if o := all.Order; o.Status != api.OrderArchived || *o.StatusBefore != api.OrderCancelled || *o.ArchiveReason != "later" || all.Missions[0].Status != api.MissionAwaitingPilot {
		t.Errorf("archived as %+v", all)
	}
	for what, err := range map[string]error{
		"details":       d.Orders.SetDetails(ctx, o.UUID, api.RecordDetails{Description: "D"}),
		"notifications": func() error { _, err := d.Orders.SetNotifications(ctx, o.UUID, "", true); return err }(),
		"a permission": func() error {
			_, _, err := d.Missions.SetPermission(ctx, all.Missions[0].UUID, ops.PermissionInput{}, nil)
			return err
		}(),
		"a cancellation": func() error { _, _, err := d.Orders.Cancel(ctx, c, o.UUID); return err }(),
	} {
		if codeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), "archived") {
			t.Errorf("%s of an archived order: %v", what, err)
		}
	}
	if _, _, err := d.Orders.Delete(ctx, o.UUID); err != nil {
		t.Fatal(err)
	}
	if o := kept(t, d, o.UUID).Order; o.StatusBefore != nil {
		t.Errorf("deleted as %+v", o)
	}
	other := &domain.Caller{}
	if _, _, err := d.Orders.Cancel(ctx, other, o.UUID); codeOf(err) != api.CodeNotYourResource {
		t.Errorf("another's order: %v", err)
	}
	if _, _, err := d.Orders.Cancel(ctx, c, "none"); codeOf(err) != api.CodeNotFound {
		t.Errorf("no order: %v", err)
	}
}

func TestPermissionsReplaceEachOther(t *testing.T) {
	d, c, _, _ := openWhole(t)
	ctx := t.Context()
	o, sites := ordered(t, d, c, 2)
	m := sites[1]
	if _, _, err := d.Missions.Permission(ctx, m); codeOf(err) != api.CodeNotFound || !strings.Contains(err.Error(), m.Code) {
		t.Errorf("before there is one: %v", err)
	}
	permit, err := d.Missions.StoreFile(ctx, "permit.pdf", "application/pdf", strings.NewReader("permit"))
	if err != nil {
		t.Fatal(err)
	}
	east := time.FixedZone("", 7200)
	west := time.FixedZone("", -3600)
	from := time.Date(2026, 4, 1, 0, 0, 0, 0, east)
	to := time.Date(2026, 5, 1, 0, 0, 0, 0, west)
	in := ops.PermissionInput{Status: api.PermissionGranted, Authority: "CAA", ValidFrom: api.TimeOf(from), ValidTo: api.TimeOf(to)}
	if at, _, err := d.Missions.SetPermission(ctx, m.UUID, in, &permit); err != nil || at.UUID != m.UUID {
		t.Fatal(at, err)
	}
	p, file, err := d.Missions.Permission(ctx, m)
	if err != nil || p.Status != api.PermissionGranted || *p.Authority != "CAA" || p.Reference != nil || !p.ValidFrom.Equal(from) || !p.ValidTo.Equal(to) ||
		p.FromZone != 7200 || p.ToZone != -3600 || !p.Updated.Equal(noon) {
		t.Errorf("recorded as %+v, %v", p, err)
	}
	if file == nil || file.Name != "permit.pdf" || !file.Created.Equal(noon) {
		t.Errorf("its document is %+v", file)
	}
	if at, _, err := d.Missions.SetPermission(ctx, m.UUID, ops.PermissionInput{Status: api.PermissionRefused}, nil); err != nil || at.ID != m.ID {
		t.Fatal(at, err)
	}
	if p, file, err := d.Missions.Permission(ctx, m); err != nil || p.Status != api.PermissionRefused || p.Authority != nil || !p.ValidFrom.IsZero() || file != nil {
		t.Errorf("replaced by %+v, %+v, %v", p, file, err)
	}
	if _, _, err := d.Missions.SetPermission(ctx, "none", in, nil); codeOf(err) != api.CodeNotFound {
		t.Errorf("of no mission: %v", err)
	}
	if _, _, err := d.Orders.Delete(ctx, o.UUID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Missions.SetPermission(ctx, m.UUID, in, nil); codeOf(err) != api.CodeConflict {
		t.Errorf("of a deleted order: %v", err)
	}
}

func TestFilesAreOpenedForTheirAccount(t *testing.T) {
	d, c, _, _ := openWhole(t)
	ctx := t.Context()
	o, sites := ordered(t, d, c, 1)
	f, err := d.Missions.StoreFile(ctx, "a.jpg", "image/jpeg", strings.NewReader("content"))
	if err != nil {
		t.Fatal(err)
	}
	digest := f.SHA256
	f.Kind, f.SHA256 = api.DeliverableJPG, "" // like the files of the demo, which nobody has read
	_, _, err1 := d.Missions.AssignOperator(ctx, sites[0].UUID, "Bo")
	_, _, err2 := d.Missions.Schedule(ctx, sites[0].UUID, ops.FlightInput{FlightDate: api.TimeOf(noon)})
	_, p, err3 := d.Missions.Deliver(ctx, sites[0].UUID, []store.File{f})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Missions.Package(ctx, c, p.UUID); err != nil || got.ID != p.ID {
		t.Errorf("the package is %+v, %v", got, err)
	}
	for want, err := range map[api.ErrorCode]error{
		api.CodeNotYourResource: func() error { _, err := d.Missions.Package(ctx, &domain.Caller{}, p.UUID); return err }(),
		api.CodeNotFound:        func() error { _, err := d.Missions.Package(ctx, c, "none"); return err }(),
	} {
		if codeOf(err) != want {
			t.Errorf("%s: %v", want, err)
		}
	}
	record, err := d.Records.RecordOf(ctx, o)
	if err != nil || len(record.Files) != 1 {
		t.Fatalf("the record is %+v, %v", record, err)
	}
	for range 2 { // the digest is known the second time
		got, content, err := d.Missions.OpenFile(ctx, record.Files[0].ID)
		if err != nil || got.SHA256 != digest {
			t.Fatalf("opened %+v, %v", got, err)
		}
		text := make([]byte, 8)
		if n, _ := content.Read(text); string(text[:n]) != "content" {
			t.Errorf("it contains %q", text[:n])
		}
		if err := content.Close(); err != nil {
			t.Error(err)
		}
		if f, err := store.ByID[store.File](ctx, d.Store, got.ID); err != nil || f.SHA256 != digest {
			t.Errorf("kept as %+v, %v", f, err)
		}
	}
	if err := d.Files.Remove(ctx, f.Place); err != nil {
		t.Fatal(err)
	}
	for _, id := range []int64{record.Files[0].ID, 999} {
		if _, _, err := d.Missions.OpenFile(ctx, id); codeOf(err) != api.CodeNotFound {
			t.Errorf("file %d that is gone: %v", id, err)
		}
	}
}
