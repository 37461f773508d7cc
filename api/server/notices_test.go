package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

// The life of an order over both interfaces and Operations: placed through the public API, quoted by
// Operations, accepted through the v2 API, flown, delivered and completed.
func TestLifeOfAnOrderOverBothInterfaces(t *testing.T) {
	v := newReceiver(t)
	b := newCallbackBench(t, v, quick)
	o := desks(t, b.s)
	ctx := context.Background()
	c, err := api.NewClient(b.origin+publicHandlers, api.WithKey(b.alice), api.WithLegacyURL(b.origin+legacyHandlers))
	if err != nil {
		t.Fatal(err)
	}
	name := "Ada Lind"
	address := "ada@example.com"
	if _, err := o.Accounts.Change(ctx, b.accountOf(b.alice), ops.AccountChange{ClientName: &name, ClientEmail: &address}); err != nil {
		t.Fatal(err)
	}
	placed, err := c.Orders.Create(ctx, survey(), "")
	if err != nil {
		t.Fatal(err)
	}
	record := func(want api.RecordStatus) *api.OrderRecord {
		t.Helper()
		r, err := c.Records.Get(ctx, placed.UUID)
		if err != nil || r.StageStatus() != want || r.ClientEmail != address {
			t.Fatalf("want %s: %+v, %v", want, r, err)
		}
		return r
	}
	record(api.RecordReviewing)
	offer := ops.QuoteInput{
		QuoteName: "Two crews", DeliveryBy: 12, PriceBeforeDiscount: 1000, DiscountPercent: 10, ExpiryDate: api.TimeOf(b.clock.now().Add(time.Hour)),
	}
	dear, err1 := o.Quotes.Issue(ctx, placed.UUID, offer)
	cheap, err2 := o.Quotes.Issue(ctx, placed.UUID, offer)
	if err1 != nil || err2 != nil || cheap.FinalPrice != api.PriceOf(900) {
		t.Fatal(cheap, err1, err2)
	}
	record(api.RecordQuoteReceived)
	settings, err := o.Orders.SetNotifications(ctx, placed.UUID, ops.NotificationInput{Webhook: v.URL + "/done", Email: true})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := c.Quotes.Reject(ctx, placed.UUID, dear.UUID); err != nil || d.Outcome != api.QuoteRejected {
		t.Fatalf("%+v, %v", d, err)
	}
	if d, err := c.Quotes.Accept(ctx, placed.UUID, cheap.UUID); err != nil || d.Outcome != api.QuoteAccepted || d.Winner.QuoteID != cheap.UUID {
		t.Fatalf("%+v, %v", d, err)
	}
	if r := record(api.RecordPendingOperator); r.OrderPrice != api.PriceOf(900) {
		t.Errorf("%+v", r)
	}
	_, err = c.Quotes.Accept(ctx, placed.UUID, dear.UUID)
	if d := api.DecisionOf(err); d == nil || d.Outcome != api.QuoteRejected || d.Winner == nil || d.Winner.QuoteID != cheap.UUID {
		t.Errorf("too late: %+v, %v", d, err)
	}
	order, err := c.Orders.Get(ctx, placed.OrderCode)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range []func(uuid string) error{
		func(uuid string) error { _, err := o.Missions.AssignOperator(ctx, uuid, "Wanjiru Kamau"); return err },
		func(uuid string) error {
			_, err := o.Missions.Schedule(ctx, uuid, ops.FlightInput{FlightDate: api.TimeOf(b.clock.now())})
			return err
		},
		func(uuid string) error {
			_, err := o.Missions.Deliver(ctx, uuid, api.FileInput{Name: "a.jpg", FileDataType: "jpg", Content: strings.NewReader(uuid)})
			return err
		},
	} {
		for _, m := range order.Missions {
			if err := step(m.UUID); err != nil {
				t.Fatal(err)
			}
		}
		record([]api.RecordStatus{api.RecordOperatorAssigned, api.RecordFlyingDateSet, api.RecordCompleted}[i])
	}
	if r := record(api.RecordCompleted); len(r.DeliveryFiles.BaseFiles) != 2 || r.Notifications.Webhook != v.URL+"/done" {
		t.Errorf("%+v", r)
	}

	got := <-v.got
	v.answer <- 200
	var said api.OrderCompletion
	if err := json.Unmarshal(bodyOf(got), &said, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", bodyOf(got), err)
	}
	if said.ID != placed.UUID || said.OrderStatus != api.RecordCompleted || !said.CompletedAt.Equal(b.clock.now().Truncate(time.Millisecond)) {
		t.Errorf("%s", bodyOf(got))
	}
	if api.VerifySignature(settings.Secret, got.Header.Get(api.HeaderSignature), bodyOf(got)) != nil || got.Header.Get(api.HeaderEvent) != "order.completed" || got.URL.Path != "/done" {
		t.Errorf("%v", got.Header)
	}
	for _, n := range b.noticesOf(placed.UUID) {
		if !n.Success || n.Attempts != 1 {
			t.Errorf("%+v", n)
		}
	}
	letters := b.s.WrittenMessages()
	if len(letters) != 1 {
		t.Fatalf("%d messages", len(letters))
	}
	checkLetter(t, letters[0], placed.OrderCode)
	if _, err := o.Missions.AcceptDelivery(ctx, order.Missions[0].UUID); err != nil {
		t.Fatal(err)
	}
	if n := len(b.noticesOf(placed.UUID)); n != 2 {
		t.Errorf("%d notices after the delivery is accepted", n)
	}
	checkNoticeLog(t, b, v, placed, got.Header.Get(api.HeaderDelivery))
}

// checkNoticeLog checks the log of notices, and resends them.
func checkNoticeLog(t *testing.T, b *bench, v *receiver, placed *api.Order, deliveryID string) {
	t.Helper()
	o := desks(t, b.s)
	ctx := context.Background()
	page, err := o.Orders.Notifications(ctx, placed.OrderCode, api.ListOptions{})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("%+v, %v", page, err)
	}
	for _, n := range page.Items {
		if !n.Success || n.Attempts != 1 || n.Error != nil || n.OrderUID != placed.UUID {
			t.Errorf("%+v", n)
		}
		again, err := o.Orders.ResendNotification(ctx, n.UUID)
		if err != nil || again.UUID != n.UUID || again.Success || again.Error == nil || *again.Error != api.CallbackPending {
			t.Fatalf("%+v, %v", again, err)
		}
		if n.Channel != store.NoticeWebhook {
			continue
		}
		second := <-v.got
		if _, err := o.Orders.ResendNotification(ctx, n.UUID); !api.IsStatus(err, 409) {
			t.Errorf("while it is being sent: %v", err)
		}
		v.answer <- 200
		if n.UUID != deliveryID || second.Header.Get(api.HeaderDelivery) != deliveryID {
			t.Errorf("%s was sent as %s", n.UUID, second.Header.Get(api.HeaderDelivery))
		}
	}
	for _, n := range b.noticesOf(placed.UUID) {
		if !n.Success || n.Attempts != 2 {
			t.Errorf("told again: %+v", n)
		}
	}
	page, err = o.Orders.Notifications(ctx, placed.OrderCode, api.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range page.Items {
		if len(n.History) != 2 || n.History[0].Number != 1 || n.History[1].Number != 2 || n.History[1].SentAt.IsZero() {
			t.Fatalf("the attempts of %s: %+v", n.Channel, n.History)
		}
		if first := n.History[0]; n.Channel == store.NoticeWebhook &&
			(first.ResponseCode != 200 || first.Headers[api.HeaderDelivery] != deliveryID || !strings.Contains(first.Body, placed.UUID)) {
			t.Errorf("the first attempt: %+v", first)
		}
	}
	if n := len(b.s.WrittenMessages()); n != 2 {
		t.Errorf("%d messages", n)
	}
	if _, err := o.Orders.SetNotifications(ctx, placed.UUID, ops.NotificationInput{Email: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Orders.ResendNotification(ctx, deliveryID); !api.IsStatus(err, 409) {
		t.Errorf("to an address that was taken back: %v", err)
	}
	wantFault(t, "no such notification", b.ops("POST", "/notifications/nope/resend", "{"), 404, api.CodeNotFound)
	wantFault(t, "no such order", b.ops("GET", "/orders/nope/notifications", nil), 404, api.CodeNotFound)
}

// noticesOf returns the notices of an order when none is pending.
func (b *bench) noticesOf(order string) []store.Notice {
	b.t.Helper()
	s := server.DomainOf(b.s).Store
	o, err := store.ByUUID[store.Order](context.Background(), s, order)
	if err != nil {
		b.t.Fatal(err)
	}
	for began := time.Now(); time.Since(began) < time.Minute; {
		all, err := s.Notices(context.Background(), o.ID)
		if err != nil {
			b.t.Fatal(err)
		}
		pending := len(all) == 0
		for _, n := range all {
			pending = pending || n.Error != nil && *n.Error == store.DeliveryPending
		}
		if !pending {
			return all
		}
	}
	b.t.Fatal("a notice stays pending")
	return nil
}

func checkLetter(t *testing.T, letter []byte, code string) {
	t.Helper()
	m, err := mail.ReadMessage(bytes.NewReader(letter))
	if err != nil {
		t.Fatalf("%s: %v", letter, err)
	}
	to, err := m.Header.AddressList("To")
	date, dateErr := m.Header.Date()
	if err != nil || dateErr != nil || len(to) != 1 || to[0].Address != "ada@example.com" || to[0].Name != "Ada Lind" ||
		date.Year() != 2026 || !strings.HasPrefix(m.Header.Get("Subject"), "Order "+code+" completed") || m.Header.Get("Message-Id") == "" {
		t.Errorf("%s", letter)
	}
}

// finished completes an order whose client is notified by webhook and e-mail.
func finished(t *testing.T, b *bench, webhook string) past {
	t.Helper()
	p := b.takenOver(api.OrderFlyingDateSet, api.MissionFlightScheduled)
	o := desks(t, b.s)
	ctx := context.Background()
	name := "Ada Lind"
	address := "ada@example.com"
	if _, err := o.Accounts.Change(ctx, p.account, ops.AccountChange{ClientName: &name, ClientEmail: &address}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Orders.SetNotifications(ctx, p.uuid, ops.NotificationInput{Email: true, Webhook: webhook}); err != nil {
		t.Fatal(err)
	}
	_, err := o.Missions.Deliver(ctx, p.mission[0], api.FileInput{Name: "a.jpg", FileDataType: "jpg", Content: strings.NewReader("a")})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMessagesGoToTheOutbox(t *testing.T) {
	dir := t.TempDir()
	b := newBenchOn(t, &server.Server{Dir: dir})
	notices := b.noticesOf(finished(t, b, "").uuid)
	files, err := filepath.Glob(filepath.Join(dir, "outbox", "*"))
	if err != nil || len(files) != 1 || !strings.HasSuffix(files[0], notices[0].UUID+".eml") || b.s.WrittenMessages() != nil {
		t.Fatalf("%v, %v", files, err)
	}
	letter, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	checkLetter(t, letter, "ORD-100201")
}

// The address of the webhook is checked like the address of a callback.
func TestNotificationsToForbiddenAddresses(t *testing.T) {
	s := &server.Server{}
	server.SetTiming(s, quick)
	b := newBenchOn(t, s)
	order := finished(t, b, "https://127.0.0.1:1/x")
	for _, n := range b.noticesOf(order.uuid) {
		if n.Kind == store.NoticeWebhook && (n.Success || n.Attempts != 4 || !strings.Contains(*n.Error, "address not allowed for callbacks")) {
			t.Errorf("%+v %s", n, *n.Error)
		}
	}
	c, err := api.NewClient(b.origin+publicHandlers, api.WithKey(order.key), api.WithLegacyURL(b.origin+legacyHandlers))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Records.Get(t.Context(), order.uuid)
	if err != nil || r.Notifications == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(r.Notifications.Failed) != 1 || !strings.HasPrefix(r.Notifications.Failed[0], "webhook: ") {
		t.Errorf("the client sees %+v", r.Notifications)
	}
}

// smtpServer receives messages, after it has refused a given number of them.
type smtpServer struct {
	net.Listener
	mu     sync.Mutex
	refuse int
	said   []string // all lines from the clients
}

func newSMTPServer(t *testing.T, refuse int) *smtpServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &smtpServer{Listener: l, refuse: refuse}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return s
}

func (s *smtpServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewScanner(conn)
	answer := func(line string) { _, _ = fmt.Fprintf(conn, "%s\r\n", line) }
	answer("220 here")
	data := false
	for in.Scan() {
		line := in.Text()
		s.mu.Lock()
		s.said = append(s.said, line)
		refuse := s.refuse > 0 && strings.HasPrefix(line, "MAIL")
		if refuse {
			s.refuse--
		}
		s.mu.Unlock()
		word, _, _ := strings.Cut(line, " ")
		switch {
		case data && line == ".":
			data = false
			answer("250 taken")
		case data:
		case refuse:
			answer("451 later, " + strings.Repeat("x", 100))
		case word == "DATA":
			data = true
			answer("354 go on")
		case word == "QUIT":
			answer("221 bye")
			return
		default:
			answer("250 ok")
		}
	}
}

func TestMessagesGoThroughTheSMTPServer(t *testing.T) {
	for refuse, want := range map[int]int{0: 1, 2: 3, 9: 4} {
		smtp := newSMTPServer(t, refuse)
		s := &server.Server{SMTP: smtp.Addr().String()}
		server.SetTiming(s, quick)
		b := newBenchOn(t, s)
		notice := b.noticesOf(finished(t, b, "").uuid)[0]
		if notice.Attempts != want || notice.Success != (refuse < 4) {
			t.Errorf("refused %d times: %+v", refuse, notice)
		}
		if !notice.Success && *notice.Error != "the SMTP server rejected the message with 451" {
			t.Errorf("error %q", *notice.Error)
		}
		smtp.mu.Lock()
		said := strings.Join(smtp.said, "\n")
		smtp.mu.Unlock()
		if notice.Success != strings.Contains(said, "Subject: Order ORD-100201 completed") {
			t.Errorf("refused %d times: %s", refuse, said)
		}
	}
}

func TestAddressesOfSMTPServers(t *testing.T) {
	for address, good := range map[string]bool{
		"localhost:25": true, "smtp://mail.example": true, "smtps://ada:geheim@mail.example:465": true, "mail.example": true,
		"http://mail.example": false, "smtp://ada:geheim@": false, "smtp://ada:geheim@mail.example:99999": false, "smtp://ada:geh eim@x y": false,
		"smtp://ada:geheim@mail.example/x": false,
	} {
		var log bytes.Buffer
		s := &server.Server{SMTP: address, Log: slog.New(slog.NewTextHandler(&log, nil))}
		err := s.Start(context.Background())
		if (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") || strings.Contains(log.String(), "geheim") {
			t.Errorf("%s: the password is told: %v %s", address, err, &log)
		}
		if err == nil {
			err = s.Close()
		}
		if good && err != nil {
			t.Error(err)
		}
	}
}

// A service that stops while a message waits for its next attempt marks the message.
func TestStopMarksWaitingMessages(t *testing.T) {
	smtp := newSMTPServer(t, 99)
	dir := t.TempDir()
	b := newBenchOn(t, &server.Server{SMTP: smtp.Addr().String(), Dir: dir})
	order := finished(t, b, "").uuid
	if err := b.s.Close(); err != nil {
		t.Fatal(err)
	}
	again := newBenchOn(t, &server.Server{Dir: dir})
	for _, n := range again.noticesOf(order) {
		if n.Success || *n.Error != store.DeliveryStopped {
			t.Errorf("%+v %s", n, *n.Error)
		}
	}
}
