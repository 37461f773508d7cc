package domain_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
	"flightdesk/api/server/internal/store/files"
)

// pastWorld has one object of each kind, belonging to a completed order.
func pastWorld() domain.SeedWorld {
	bo := "Bo"
	failed := "HTTP 500"
	reason := "rain"
	before := api.OrderNotFeasible
	return domain.SeedWorld{
		Accounts: []store.Account{{UUID: "past", CompanyName: "P", ClientName: "Ann", ClientEmail: "ann@a.example", Currency: "EUR", Created: noon}},
		Keys:     []domain.PastKey{{AccountUUID: "past", Key: store.Key{UUID: "key", Hash: "h", Hint: "hint", Created: noon}}},
		Orders: []domain.PastOrder{{
			AccountUUID: "past", UUID: "order", Status: api.OrderCompleted, Created: noon, Updated: noon.Add(time.Hour),
			Request: api.CreateOrderRequest{Order: api.OrderInput{OrderName: "O"}, Missions: []api.MissionInput{{MissionName: "A"}, {MissionName: "B"}}},
			Missions: []domain.PastMission{{UUID: "idle", Status: api.MissionCancelled, Updated: noon}, {
				UUID: "mission", Status: api.MissionCompleted, OperatorName: &bo, FlightDate: noon, Updated: noon.Add(time.Minute),
				Planning:   []store.Planning{{Status: api.ScheduleConfirmed, FlightDate: noon, Created: noon}, {Status: api.ScheduleRescheduled, FlightDate: noon, Created: noon}},
				Permission: &store.Permission{Status: api.PermissionGranted, Updated: noon.Add(time.Second)},
				Permit:     &store.File{UUID: "permit", Name: "permit.pdf", Place: "permit"},
				Packages:   []domain.PastPackage{{Package: store.Package{UUID: "package", Status: api.DeliveryAccepted, Created: noon}, Files: []store.File{{UUID: "file", Size: 7, Place: "file"}, {UUID: "file 2", Size: 4, Place: "file 2"}}}},
			}},
			Quotes:  []store.Quote{{UUID: "quote", Name: "Q", Status: api.QuoteAccepted, Expires: noon, Created: noon, Decided: noon}},
			Details: &api.RecordDetails{Description: "D"},
			Notify: &domain.PastNotify{
				Notify:  store.Notify{Owner: "owner", Webhook: "https://a.example", Secret: "plain", Email: true},
				Notices: []domain.PastNotice{{Notice: store.Notice{UUID: "letter", Kind: store.NoticeEmail, Success: true, Created: noon}, Letter: &domain.NoticeLetter{To: "ann@a.example"}}, {Notice: store.Notice{UUID: "notice", Kind: store.NoticeWebhook, Body: "{}", Error: &failed, Created: noon}}},
			},
		}, {
			AccountUUID: "past", UUID: "archived", Status: api.OrderArchived, Created: noon, Updated: noon,
			RejectionReason: &reason, ArchiveReason: &failed, StatusBefore: &before,
		}},
		Webhooks: []domain.PastWebhook{{
			AccountUUID: "past", Webhook: store.Webhook{UUID: "hook", URL: "https://a.example", Secret: "plain", Created: noon, Updated: noon},
			Log: []domain.PastDelivery{{UUID: "sent", Event: api.EventOperatorAssigned, MissionUUID: "mission", Code: 200, Attempts: 1, Created: noon}, {UUID: "lost", Event: api.EventFlightScheduled, MissionUUID: "mission", Attempts: 4, Error: failed, Created: noon}},
		}},
		KeyRequests: []domain.PastKeyRequest{{AccountUUID: "past", KeyUUID: "key", KeyRequest: store.KeyRequest{UUID: "request", Status: ops.KeyRequestApproved, Created: noon, Decided: noon}}, {AccountUUID: "past", KeyRequest: store.KeyRequest{UUID: "pending", Status: ops.KeyRequestPending, Created: noon}}},
		Datasets:    []domain.PastDataset{{AccountUUID: "past", Dataset: store.Dataset{UUID: "dataset", Name: "S", Created: noon}, Files: []store.File{{UUID: "tile", Place: "tile"}}}},
	}
}

type pastChecker struct {
	*testing.T
	d *domain.Service
}

func (w pastChecker) must(what string, err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("%s: %v", what, err)
	}
}

// check fails unless everything in the past world is stored once.
func (w pastChecker) check() *domain.Caller {
	w.Helper()
	ctx := w.Context()
	a, err := w.d.Accounts.Find(ctx, "past")
	w.must("account", err)
	if a.CompanyName != "P" || a.ClientName != "Ann" || a.Currency != "EUR" {
		w.Errorf("the account is %+v", a)
	}
	c := &domain.Caller{Account: a}
	all, missions, err := w.d.Orders.WithMissions(ctx, c, "ORD-100201")
	w.must("order", err)
	if all.UUID != "order" || all.Status != api.OrderCompleted || all.Name != "O" || !all.Created.Equal(noon) || !all.Updated.Equal(noon.Add(time.Hour)) {
		w.Errorf("the order is %+v", all)
	}
	if o := kept(w.T, w.d, "archived").Order; *o.RejectionReason != "rain" || *o.ArchiveReason != "HTTP 500" || *o.StatusBefore != api.OrderNotFeasible {
		w.Errorf("the archived order is %+v", o)
	}
	m := missions[1]
	if missions[0].Status != api.MissionCancelled || m.UUID != "mission" || m.Name != "B" || *m.OperatorName != "Bo" || !m.FlightDate.Equal(noon) || !m.Created.Equal(noon) || !m.Updated.Equal(noon.Add(time.Minute)) {
		w.Errorf("the missions are %+v", missions)
	}
	d, err := w.d.Orders.Detail(ctx, "order")
	w.must("detail", err)
	if len(d.Planning[m.ID]) != 2 || len(d.Packages[m.ID]) != 1 || d.Packages[m.ID][0].TotalSize != 11 || d.Packages[m.ID][0].FileCount != 2 {
		w.Errorf("planning and packages: %+v, %+v", d.Planning, d.Packages)
	}
	if p := d.Permissions[m.ID]; p.Status != api.PermissionGranted || p.PermitID == nil || d.Permits[*p.PermitID].Name != "permit.pdf" || !d.Permits[*p.PermitID].Created.Equal(p.Updated) {
		w.Errorf("permission: %+v, %+v", d.Permissions, d.Permits)
	}
	e := d.Extras
	if len(e.Quotes) != 1 || e.Quotes[0].Name != "Q" || e.Details.Description != "D" || e.Notify == nil || !e.Notify.Email {
		w.Fatalf("extras: %+v", e)
	}
	if secret, err := w.d.Vault.Open("owner", e.Notify.Secret); err != nil || secret != "plain" {
		w.Errorf("the secret of notices is %q, %v", secret, err)
	}
	notices, err := w.d.Store.Notices(ctx, all.ID)
	if err != nil || len(notices) != 2 || !strings.Contains(notices[0].Body, `"ORD-100201"`) || *notices[1].Error != "HTTP 500" {
		w.Errorf("notices: %+v, %v", notices, err)
	}
	sent, webhook, _, err := w.d.Callbacks.History(ctx, "sent")
	if err != nil || webhook != "hook" || !sent.Success || sent.Error != nil || sent.MissionUUID != "mission" || sent.OrderCode != "ORD-100201" || sent.ResponseCode != 200 || sent.Attempts != 1 ||
		!strings.Contains(sent.Body, m.Code) || !strings.Contains(sent.Body, string(api.MissionPilotAssigned)) || !strings.Contains(sent.Body, `"order"`) {
		w.Errorf("the log: %+v of %s, %v", sent, webhook, err)
	}
	if lost, _, _, err := w.d.Callbacks.History(ctx, "lost"); err != nil || lost.Success || *lost.Error != "HTTP 500" || lost.Attempts != 4 {
		w.Errorf("the log: %+v, %v", lost, err)
	}
	hook, err := w.d.Callbacks.Webhook(ctx, c, "hook")
	w.must("webhook", err)
	if secret, err := w.d.Vault.Open("hook", hook.Secret); err != nil || secret != "plain" {
		w.Errorf("the secret is %q, %v", secret, err)
	}
	key, err := domain.Find[store.Key](ctx, w.d, "key", "")
	w.must("key", err)
	for uuid, id := range map[string]*int64{"request": &key.ID, "pending": nil} {
		r, err := domain.Find[store.KeyRequest](ctx, w.d, uuid, "")
		if err != nil || r.AccountID != a.ID || key.AccountID != a.ID || (r.KeyID == nil) != (id == nil) || id != nil && *r.KeyID != *id {
			w.Errorf("request: %+v, %v", r, err)
		}
	}
	sets, err := w.d.Records.Datasets(ctx, c, 10, 0)
	if err != nil || len(sets) != 1 || sets[0].Name != "S" {
		w.Errorf("datasets: %+v, %v", sets, err)
	}
	if of, err := w.d.Records.DatasetFiles(ctx, sets[0]); err != nil || len(of) != 1 || of[0].Place != "tile" {
		w.Errorf("files: %+v, %v", of, err)
	}
	if _, err := w.d.Records.Dataset(ctx, &domain.Caller{}, "dataset"); codeOf(err) != api.CodeNotYourResource {
		w.Errorf("another's dataset: %v", err)
	}
	if _, err := w.d.Records.Dataset(ctx, c, "none"); codeOf(err) != api.CodeNotFound {
		w.Errorf("no dataset: %v", err)
	}
	return c
}

func TestAWorldIsStoredAndRestored(t *testing.T) {
	d, _, box, _ := openWhole(t)
	ctx := t.Context()
	w := pastChecker{t, d}
	if err := d.Upkeep.Seed(ctx, pastWorld()); err != nil {
		t.Fatal(err)
	}
	c := w.check()
	if is, err := d.Upkeep.IsSeeded(ctx); !is || err != nil {
		t.Errorf("seeded is %v, %v", is, err)
	}
	later := noon.Add(24 * time.Hour)
	name := "Eve"
	d.Now = func() time.Time { return later }
	bidding(t, d, c, 1)
	if _, err := d.Accounts.Change(ctx, "past", ops.AccountChange{ClientName: &name}); err != nil {
		t.Fatal(err)
	}
	mine := endpoint(t, d, c.Account, "mine")
	if moved, err := d.Upkeep.RecentlyMoved(ctx, 10); err != nil || len(moved.Orders) != 2 || moved.First != "order" || !moved.Since.Equal(noon) {
		t.Errorf("moved are %+v, %v", moved, err)
	}
	taken := endpointIDs(t, d)
	left, err := d.Upkeep.Reset(ctx, pastWorld())
	if err != nil || !slices.Equal(left.Webhooks, taken) || !slices.Contains(taken, mine.ID) || !slices.Equal(box.forgotten, taken) {
		t.Errorf("%+v, %v; forgotten %v of %v", left, err, box.forgotten, taken)
	}
	if len(left.Places) != 0 { // the world refers to the same files
		t.Errorf("left are %v", left.Places)
	}
	w.check()
	first, last, err := d.Upkeep.FilledTimes(ctx)
	if err != nil || !first.Equal(noon) || !last.Equal(later) {
		t.Errorf("filled at %v and %v, %v", first, last, err)
	}
	left, err = d.Upkeep.Reset(ctx, domain.SeedWorld{})
	slices.Sort(left.Places)
	if err != nil || !slices.Equal(left.Places, []string{"file", "file 2", "permit", "tile"}) {
		t.Errorf("left are %v, %v", left.Places, err)
	}
}

func endpointIDs(t *testing.T, d *domain.Service) []int64 {
	var ids []int64
	t.Helper()
	err := d.Store.Write(t.Context(), func(tx *store.Tx) (err error) { ids, err = tx.WebhookIDs(); return err })
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// bulk returns n bulk orders; stop interrupts storing them.
func bulk(n, failAt int, stop func()) iter.Seq[domain.PastOrder] {
	return func(yield func(domain.PastOrder) bool) {
		for i := range n {
			if i == failAt {
				stop()
			}
			o := domain.PastOrder{AccountUUID: "past", UUID: fmt.Sprint("bulk ", i), Status: api.OrderCompleted, Created: noon, Updated: noon}
			o.Request.Missions = []api.MissionInput{{}}
			if !yield(o) {
				return
			}
		}
	}
}

func TestAnInterruptedWorldStartsOver(t *testing.T) {
	d, _, _, _ := openWhole(t)
	ctx := t.Context()
	if is, err := d.Upkeep.IsSeeded(ctx); !is || err != nil {
		t.Errorf("with an account, seeded is %v, %v", is, err)
	}
	world := pastWorld()
	begun, stop := context.WithCancel(ctx)
	world.Bulk = bulk(5000, 2500, stop)
	if err := d.Upkeep.Seed(begun, world); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	if is, err := d.Upkeep.IsSeeded(ctx); is || err != nil {
		t.Errorf("after an interruption, seeded is %v, %v", is, err)
	}
	world.Bulk = bulk(1065, -1, nil)
	if err := d.Upkeep.Seed(ctx, world); err != nil {
		t.Fatal(err)
	}
	c := pastChecker{t, d}.check()
	page, err := d.Orders.List(ctx, c, store.ListWindow{})
	if err != nil || len(page.Items) != 1066 {
		t.Fatalf("%d orders, %v", len(page.Items), err)
	}
	if is, err := d.Upkeep.IsSeeded(ctx); !is || err != nil {
		t.Errorf("seeded is %v, %v", is, err)
	}
	last, err := d.Orders.ByUUID(ctx, c, "bulk 1064")
	if err != nil || last.Code != fmt.Sprint("ORD-", 100201+1066) {
		t.Errorf("the last is %+v, %v", last, err)
	}
	begun, stop = context.WithCancel(ctx)
	if err := d.Upkeep.Seed(begun, domain.SeedWorld{Bulk: bulk(1, 0, stop)}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	for range 2 { // the second time changes nothing
		if err := d.Upkeep.AcceptPartialWorld(ctx); err != nil {
			t.Fatal(err)
		}
		if is, err := d.Upkeep.IsSeeded(ctx); !is || err != nil {
			t.Errorf("once a part is enough, seeded is %v, %v", is, err)
		}
	}
}

func TestAStoreThatWasNeverFilledHasNoTimes(t *testing.T) {
	d, c := open(t)
	ctx := t.Context()
	if moved, err := d.Upkeep.RecentlyMoved(ctx, 10); err != nil || moved.Orders != nil || !moved.Since.IsZero() {
		t.Errorf("moved are %+v, %v", moved, err)
	}
	bidding(t, d, c, 0)
	for i := range 2 { // the second time changes nothing
		d.Now = func() time.Time { return noon.Add(time.Duration(i+1) * time.Hour) }
		if err := d.Upkeep.BeginRecentMoves(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if moved, err := d.Upkeep.RecentlyMoved(ctx, 10); err != nil || moved.Orders != nil || moved.First != "" || !moved.Since.Equal(noon.Add(time.Hour)) {
		t.Errorf("moved are %+v, %v", moved, err)
	}
	o, _ := bidding(t, d, c, 0)
	if moved, err := d.Upkeep.RecentlyMoved(ctx, 10); err != nil || len(moved.Orders) != 1 || moved.First != o.UUID {
		t.Errorf("moved are %+v, %v", moved, err)
	}
}

func TestTheClockStaysAhead(t *testing.T) {
	d, _ := open(t)
	ctx := t.Context()
	if ahead, err := d.Upkeep.ClockAhead(ctx, time.Hour); ahead != 0 || err != nil {
		t.Errorf("at first it is %v ahead, %v", ahead, err)
	}
	for _, by := range []time.Duration{time.Hour, time.Hour - time.Millisecond + 1, 0} {
		if err := d.Upkeep.SaveClockAhead(ctx, by); err != nil {
			t.Fatal(err)
		}
		ahead, err := d.Upkeep.ClockAhead(ctx, time.Hour)
		if err != nil || ahead < by || ahead-by >= time.Millisecond {
			t.Errorf("it is %v ahead instead of %v, %v", ahead, by, err)
		}
	}
	for _, text := range []string{"3600001", "-1", "x"} {
		if err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("clock.ahead", text) }); err != nil {
			t.Fatal(err)
		}
		if ahead, err := d.Upkeep.ClockAhead(ctx, time.Hour); ahead != 0 || err == nil {
			t.Errorf("%s is taken as %v", text, ahead)
		}
	}
}

func TestSecretsAreCreatedOnceAndReplacedIfUseless(t *testing.T) {
	d, _, _, _ := openWhole(t)
	ctx := t.Context()
	made := 0
	create := func() (string, error) { made++; return fmt.Sprint("secret ", made), nil }
	good := true
	keep := func() string {
		t.Helper()
		s, err := d.Upkeep.LoadOrCreateSecret(ctx, "name", func(string) bool { return good }, create)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if a, b := keep(), keep(); a != "secret 1" || b != "secret 1" {
		t.Errorf("%q, then %q", a, b)
	}
	if sealed, err := store.Setting(ctx, d.Store, "secret.name"); err != nil || sealed == "" || strings.Contains(sealed, "secret 1") {
		t.Errorf("kept as %q, %v", sealed, err)
	}
	good = false
	if a := keep(); a != "secret 2" {
		t.Errorf("in place of a useless one: %q", a)
	}
	good = true
	if err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting("secret.name", "damaged") }); err != nil {
		t.Fatal(err)
	}
	if a, b := keep(), keep(); a != "secret 3" || b != "secret 3" {
		t.Errorf("in place of a damaged one: %q, then %q", a, b)
	}
	// Another process creates one between the check and the write.
	twice := func() (string, error) {
		inner, err := d.Upkeep.LoadOrCreateSecret(ctx, "other", func(string) bool { return true }, create)
		return inner + " late", err
	}
	if s, err := d.Upkeep.LoadOrCreateSecret(ctx, "other", func(string) bool { return true }, twice); err != nil || s != "secret 4" {
		t.Errorf("two made %q, %v", s, err)
	}
	wrong := errors.New("no randomness")
	if _, err := d.Upkeep.LoadOrCreateSecret(ctx, "third", nil, func() (string, error) { return "", wrong }); !errors.Is(err, wrong) {
		t.Errorf("a function that fails: %v", err)
	}
}

func TestScenariosAndSnapshotsAreSaved(t *testing.T) {
	d, c, box, _ := openWhole(t)
	ctx := t.Context()
	if state, err := d.Upkeep.Scenario(ctx); state != "" || err != nil {
		t.Errorf("%q, %v", state, err)
	}
	if err := d.Upkeep.SaveScenario(ctx, "state"); err != nil {
		t.Fatal(err)
	}
	if state, err := d.Upkeep.Scenario(ctx); state != "state" || err != nil {
		t.Errorf("%q, %v", state, err)
	}
	o, _ := bidding(t, d, c, 0)
	taken, err := d.Upkeep.TakeSnapshot(ctx, "before")
	if errors.Is(err, store.ErrNoSnapshots) {
		return
	}
	if err != nil || taken.Name != "before" {
		t.Fatalf("%+v, %v", taken, err)
	}
	later, _ := bidding(t, d, c, 0)
	hook := endpoint(t, d, c.Account, "w")
	if _, err := d.Records.AddDataset(ctx, c.Account, store.Dataset{Name: "S"}, []store.File{{UUID: "f", Place: "place"}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := d.Upkeep.RestoreSnapshot(ctx, "none"); codeOf(err) != api.CodeNotFound || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("no snapshot: %v", err)
	}
	back, unnamed, err := d.Upkeep.RestoreSnapshot(ctx, "before")
	if err != nil || back.Name != "before" || !slices.Equal(unnamed, []string{"place"}) || !slices.Equal(box.forgotten, []int64{hook.ID}) {
		t.Errorf("%+v, %v, %v; forgotten %v", back, unnamed, err, box.forgotten)
	}
	if _, err := d.Orders.ByUUID(ctx, c, o.UUID); err != nil {
		t.Errorf("an order of before: %v", err)
	}
	if _, err := d.Orders.ByUUID(ctx, c, later.UUID); codeOf(err) != api.CodeNotFound {
		t.Errorf("an order of later: %v", err)
	}
	if all, err := d.Upkeep.Snapshots(); err != nil || len(all) != 1 || all[0].Name != "before" {
		t.Errorf("%+v, %v", all, err)
	}
}

// shelf has files, of which the new ones may still be uploaded.
type shelf struct {
	files.Store
	old    map[string]bool
	broken error
}

func (s *shelf) All(context.Context) iter.Seq2[files.KeptFile, error] {
	return func(yield func(files.KeptFile, error) bool) {
		for _, key := range slices.Sorted(maps.Keys(s.old)) {
			if !yield(files.KeptFile{Key: key, Old: s.old[key]}, s.broken) {
				return
			}
		}
	}
}

func (s *shelf) Remove(_ context.Context, key string) error {
	if key == "stuck" {
		return errors.New("in use")
	}
	delete(s.old, key)
	return nil
}

func TestStraysAreDeletedUnlessMostFilesAreStrays(t *testing.T) {
	d, c := open(t)
	ctx := t.Context()
	s := &shelf{old: map[string]bool{"stray": true, "young": false}}
	d.Files = s
	if _, err := d.Upkeep.DropStrays(ctx); !errors.Is(err, domain.ErrManyStrays) || !strings.Contains(err.Error(), "1 of 1") || len(s.old) != 2 {
		t.Errorf("of a strange database: %v, left %v", err, s.old)
	}
	var named []store.File
	for i := range 600 {
		f := store.File{UUID: fmt.Sprint("f", i), Place: fmt.Sprint("named ", i)}
		named = append(named, f)
		s.old[f.Place] = true
	}
	if _, err := d.Records.AddDataset(ctx, c.Account, store.Dataset{Name: "S"}, named); err != nil {
		t.Fatal(err)
	}
	for i := range 599 {
		s.old[fmt.Sprint("a stray ", i)] = true
	}
	if dropped, err := d.Upkeep.DropStrays(ctx); err != nil || len(dropped) != 600 || len(s.old) != 601 {
		t.Errorf("%d were dropped, %v, %d are left", len(dropped), err, len(s.old))
	}
	s.old["stuck"] = true
	s.old["a stray"] = true
	if dropped, err := d.Upkeep.DropStrays(ctx); err == nil || !slices.Equal(dropped, []string{"a stray"}) {
		t.Errorf("one that stays: %v, %v", dropped, err)
	}
	s.broken = errors.New("the folder is gone")
	if _, err := d.Upkeep.DropStrays(ctx); !errors.Is(err, s.broken) {
		t.Errorf("no list: %v", err)
	}
}

func TestOldLogsAreDeletedInBatches(t *testing.T) {
	d, c, _, _ := openWhole(t)
	ctx := t.Context()
	world := domain.SeedWorld{Accounts: []store.Account{c.Account}, Webhooks: []domain.PastWebhook{{AccountUUID: c.Account.UUID, Webhook: store.Webhook{UUID: "w", Created: noon, Updated: noon}}}}
	for i := range 1500 {
		world.Webhooks[0].Log = append(world.Webhooks[0].Log, domain.PastDelivery{UUID: fmt.Sprint(i), Event: api.EventDataDelivered, Created: noon.Add(time.Duration(i) * time.Second)})
	}
	if err := d.Upkeep.AddWorld(ctx, world); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1200, 0} {
		if n, err := d.Upkeep.DropLogs(ctx, noon.Add(1200*time.Second)); n != want || err != nil {
			t.Errorf("%d of %d are dropped, %v", n, want, err)
		}
	}
}

func TestErrorsOfTheStoreBecomeErrorsForClients(t *testing.T) {
	d, c := open(t)
	d.Files = files.NewMemory(3)
	if _, err := d.Missions.StoreFile(t.Context(), "a", "image/jpeg", strings.NewReader("four")); codeOf(err) != api.CodeStorageFull {
		t.Errorf("a disk that is full: %v", err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := d.Orders.ByCode(ended, c, "ORD-1"); !errors.Is(err, context.Canceled) || codeOf(err) != "" || !strings.HasPrefix(err.Error(), "read order: ") {
		t.Errorf("a request that has ended: %v", err)
	}
}
