//go:build campaign && linux

package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// planned places an order, accepts a quote of it, and gives one of its missions an operator and a
// flight date, which is changed once.
func (s *soak) planned(ctx context.Context) (placed *api.Order, mission string, err error) {
	placed, err = s.public.Orders.Create(ctx, survey(), "")
	if err != nil {
		return nil, "", err
	}
	if err := s.quote(ctx, placed.UUID); err != nil {
		return nil, "", err
	}
	page, err := s.public.Missions.List(ctx, placed.OrderCode, api.ListOptions{})
	if err != nil {
		return nil, "", err
	}
	mission = page.Items[0].UUID
	if _, err := s.ops.Missions.AssignOperator(ctx, mission, "Wanjiru Kamau"); err != nil {
		return nil, "", err
	}
	for range 2 {
		flight := ops.FlightInput{FlightDate: api.TimeOf(time.Now().Add(time.Hour)), Note: "at low tide"}
		if _, err := s.ops.Missions.Schedule(ctx, mission, flight); err != nil {
			return nil, "", err
		}
	}
	return placed, mission, nil
}

// life takes an order through all its stages.
func (s *soak) life(ctx context.Context) error {
	placed, mission, err := s.planned(ctx)
	if err != nil {
		return err
	}
	permit := &api.FileInput{Name: "permit.pdf", Content: strings.NewReader("%PDF-1.7")}
	if _, err := s.ops.Missions.SetFlightPermission(ctx, mission, ops.PermissionInput{Status: api.PermissionGranted}, permit); err != nil {
		return err
	}
	if err := s.deliver(ctx, mission); err != nil {
		return err
	}
	planned, err := s.public.Missions.Planning(ctx, mission)
	if err == nil && len(planned) != 2 {
		err = fmt.Errorf("%d flight dates, 2 were set", len(planned))
	}
	_, err1 := s.ops.Missions.AcceptDelivery(ctx, mission)
	_, err2 := s.public.Records.Get(ctx, placed.UUID)
	_, err3 := s.ops.Orders.NotFeasible(ctx, placed.UUID, "the tide")
	return errors.Join(err, err1, err2, err3)
}

// quote issues and decides quotes of an order.
func (s *soak) quote(ctx context.Context, order string) error {
	var quotes [3]string
	for i := range quotes {
		q, err := s.ops.Quotes.Issue(ctx, order, ops.QuoteInput{
			QuoteName: "Q", DeliveryBy: 3, PriceBeforeDiscount: 10, ExpiryDate: api.TimeOf(time.Now().Add(time.Hour)),
		})
		if err != nil {
			return err
		}
		quotes[i] = q.QuoteID
	}
	if _, err := s.public.Quotes.Reject(ctx, order, quotes[0]); err != nil {
		return err
	}
	if _, err := s.public.Quotes.Accept(ctx, order, quotes[1]); err != nil {
		return err
	}
	if _, err := s.public.Quotes.Accept(ctx, order, quotes[2]); !api.IsStatus(err, http.StatusConflict) {
		return fmt.Errorf("a second quote was accepted: %w", err)
	}
	return nil
}

// deliver delivers a file or generated files, and downloads them.
func (s *soak) deliver(ctx context.Context, mission string) error {
	var err error
	if rand.IntN(20) == 0 {
		_, err = s.ops.Missions.GenerateDelivery(ctx, mission)
	} else {
		_, err = s.ops.Missions.Deliver(ctx, mission, api.FileInput{
			Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader(strings.Repeat("x", 10_000)),
		})
	}
	if err != nil {
		return err
	}
	packages, err := s.public.Missions.Packages(ctx, mission)
	if err != nil {
		return err
	}
	files, err := s.public.Files.List(ctx, packages[0].UUID)
	if err != nil {
		return err
	}
	for _, f := range files {
		if n, err := s.get(ctx, f.DownloadURL); err != nil || n != f.FileSize {
			return fmt.Errorf("%d of %d bytes of %s: %w", n, f.FileSize, f.FileName, err)
		}
	}
	return nil
}

// get reads an address, and returns the number of bytes.
func (s *soak) get(ctx context.Context, address string) (int64, error) {
	return s.raw(ctx, http.MethodGet, address, "")
}

// raw sends a request for which the clients have no function.
func (s *soak) raw(ctx context.Context, method, address, body string) (int64, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	if strings.HasPrefix(address, s.ready.OpsURL) {
		r.Header.Set("Authorization", "Bearer "+s.ready.OpsKey)
	} else if strings.HasPrefix(address, s.ready.BaseURL) {
		r.Header.Set("Authorization", "Bearer "+s.ready.Accounts[0].Key)
	}
	resp, err := s.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if resp.StatusCode >= 300 && err == nil {
		err = &api.Error{Op: method + " " + address, Status: resp.StatusCode}
	}
	return n, err
}

// asking returns a call of raw.
func (s *soak) asking(method, address, body string) call {
	return func(ctx context.Context) error { return failure(s.raw(ctx, method, address, body)) }
}

// rarer are the calls that the other functions do not make.
func (s *soak) rarer() []call {
	o := s.ops
	c := s.public
	origin := strings.TrimSuffix(s.ready.BaseURL, publicHandlers)
	account := s.ready.OpsURL + "/accounts/" + s.account
	hook := s.ready.OpsURL + "/webhooks/" + s.hooked
	calls := []call{
		unrefused(s.life), unrefused(s.life), s.resend, unrefused(s.dataset), unrefused(s.keyRequest),
		func(ctx context.Context) error {
			return failure(c.Surveys.ParseCSV(ctx, "a.csv", []byte("label,lat,lng\nA,1,2\nA,1,3\nA,2,3\n")))
		},
		func(ctx context.Context) error {
			return failure(o.Orders.SetDetails(ctx, s.order().UUID, api.RecordDetails{Description: "both banks"}))
		},
		func(ctx context.Context) error {
			return failure(o.Orders.SetNotifications(ctx, s.order().UUID, ops.NotificationInput{Webhook: "https://127.0.0.1:9/"}))
		},
		func(ctx context.Context) error { return failure(o.Orders.Reject(ctx, s.order().UUID, "over")) },
		func(ctx context.Context) error { return failure(o.Orders.Delete(ctx, s.order().UUID)) },
		func(ctx context.Context) error { return failure(o.World.Clock(ctx)) },
		func(ctx context.Context) error { return failure(o.World.Faults(ctx)) },
		func(ctx context.Context) error { return failure(o.World.Simulator(ctx)) },
		func(ctx context.Context) error { return failure(o.Keys.List(ctx, s.account, api.ListOptions{})) },
		func(ctx context.Context) error {
			name := "Bo"
			return failure(o.Accounts.Change(ctx, s.account, ops.AccountChange{ClientName: &name}))
		},
		s.asking(http.MethodPost, hook+"/test", `{"event":"mission.completed"}`),
	}
	for _, address := range []string{
		origin + "/healthz", origin + "/metrics", origin + "/openapi.yaml", s.ready.BaseURL + "/csv/example",
		account + "/webhooks", hook + "/deliveries", s.ready.BaseURL + "/nothing",
	} {
		calls = append(calls, s.asking(http.MethodGet, address, ""))
	}
	return calls
}

// unrefused is a call that no rule can refuse.
func unrefused(do call) call {
	return func(ctx context.Context) error {
		if err := do(ctx); err != nil {
			return errors.New(err.Error())
		}
		return nil
	}
}

// resend sends one of the last callbacks again, which is refused while it is being sent.
func (s *soak) resend(ctx context.Context) error {
	page, err := s.public.Webhooks.Deliveries(ctx, s.hooked, api.ListOptions{Limit: 100})
	if err != nil {
		return err
	}
	if len(page.Items) == 0 {
		return nil
	}
	d := page.Items[rand.IntN(len(page.Items))]
	return failure(s.raw(ctx, http.MethodPost, s.ready.OpsURL+"/deliveries/"+d.UUID+"/resend", ""))
}

// dataset adds a dataset and reads it.
func (s *soak) dataset(ctx context.Context) error {
	set, err := s.ops.Datasets.Add(ctx, s.account, ops.DatasetInput{DatasetName: "D"},
		api.FileInput{Name: "a.jpg", FileDataType: api.DeliverableJPG, Content: strings.NewReader("a")})
	if err != nil {
		return err
	}
	return failure(s.public.Library.Get(ctx, set.UUID))
}

// keyRequest requests a key, which is approved or declined.
func (s *soak) keyRequest(ctx context.Context) error {
	r, err := s.ops.Keys.Request(ctx, s.account, ops.KeyRequestInput{IntendedUse: "CI", Scopes: api.Scopes()})
	if err != nil {
		return err
	}
	if rand.IntN(2) == 0 {
		return failure(s.ops.Keys.Decline(ctx, r.UUID, "no"))
	}
	k, err := s.ops.Keys.Approve(ctx, r.UUID)
	if err != nil {
		return err
	}
	return failure(s.ops.Keys.Revoke(ctx, k.UUID))
}
