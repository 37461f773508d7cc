package demodata

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// addAccountData adds the keys of an account, its requests for keys, and its endpoints
// with their logs. place is the account's position in the list of accounts.
func (m *worldMaker) addAccountData(w *domain.SeedWorld, place int, a demoAccount) {
	m.addKeys(w, a)
	events := eventsOf(w.Orders, a.UUID)
	for _, e := range a.Endpoints {
		// The accounts register their endpoints an hour apart, the last account first.
		registered := m.daysAgo(e.DaysAgo).Add(-time.Duration(place) * time.Hour)
		w.Webhooks = append(w.Webhooks, m.makeEndpoint(a.UUID, e, events, registered))
	}
}

// makeEndpoint returns an endpoint of an account with its log of callbacks.
func (m *worldMaker) makeEndpoint(
	accountUUID string, e demoEndpoint, events []missionEvent, registered time.Time,
) domain.PastWebhook {
	names := e.Events
	if names == nil {
		names = api.EventNames()
	}
	endpoint := domain.PastWebhook{
		AccountUUID: accountUUID,
		Webhook: store.Webhook{
			UUID:        m.newUUID(registered),
			URL:         e.URL,
			Events:      names,
			Description: e.Description,
			Secret:      m.newSecret(),
			Created:     registered,
			Updated:     registered,
		},
	}
	endpoint.Log = m.callbackLog(e, names, events, registered)
	if len(endpoint.Log) > 0 {
		status := "success"
		newest := endpoint.Log[len(endpoint.Log)-1]
		if newest.Error != "" {
			status = "failed"
		}
		endpoint.LastStatus = &status
	}
	return endpoint
}

// missionEvent is an event in the history of a mission.
type missionEvent struct {
	name    api.EventName
	mission string
	at      time.Time
}

// eventsOf returns the events of an account's missions, oldest first.
func eventsOf(orders []domain.PastOrder, account string) []missionEvent {
	var all []missionEvent
	for _, o := range orders {
		if o.AccountUUID != account {
			continue
		}
		for _, past := range o.Missions {
			all = append(all, eventsOfMission(o, past)...)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	return all
}

// eventsOfMission returns the events of a mission. It has none before an operator is assigned.
func eventsOfMission(order domain.PastOrder, mission domain.PastMission) []missionEvent {
	if mission.OperatorName == nil {
		return nil
	}
	var all []missionEvent
	add := func(name api.EventName, at time.Time) {
		all = append(all, missionEvent{name: name, mission: mission.UUID, at: at})
	}
	add(api.EventOperatorAssigned, assignedAt(order, mission))
	for _, p := range mission.Planning {
		if p.Status == api.ScheduleConfirmed || p.Status == api.ScheduleRescheduled {
			add(api.EventFlightScheduled, p.Created)
		}
	}
	for _, p := range mission.Packages {
		add(api.EventDataDelivered, p.Created)
	}
	if mission.Status == api.MissionCompleted {
		add(api.EventMissionCompleted, mission.Updated)
	}
	return all
}

// assignedAt returns a plausible time at which the operator of a mission was assigned: three
// hours before the first planning. If the mission has no planning, it is the time of the
// mission's last change. It is never before the order was placed.
func assignedAt(order domain.PastOrder, mission domain.PastMission) time.Time {
	assigned := mission.Updated
	if len(mission.Planning) > 0 {
		assigned = mission.Planning[0].Created.Add(-3 * time.Hour)
	}
	if assigned.Before(order.Created) {
		return order.Created
	}
	return assigned
}

// newestEvent returns the index of the newest event with a name, or -1. The events are sorted, the oldest first.
func newestEvent(events []missionEvent, name api.EventName) int {
	for i, event := range slices.Backward(events) {
		if event.name == name {
			return i
		}
	}
	return -1
}

// callbackLog returns the callbacks to an endpoint: one for each event that has one of the
// names and happened after the endpoint was registered. Only the newest event with the name
// e.Lost has no callback.
func (m *worldMaker) callbackLog(
	e demoEndpoint, names []api.EventName, events []missionEvent, registered time.Time,
) []domain.PastDelivery {
	lostIndex := newestEvent(events, e.Lost)
	var log []domain.PastDelivery
	for i, event := range events {
		if event.at.Before(registered) || !slices.Contains(names, event.name) {
			continue
		}
		d := domain.PastDelivery{
			UUID:        m.newUUID(event.at),
			Event:       event.name,
			MissionUUID: event.mission,
			Code:        200,
			Attempts:    1,
			Created:     event.at,
		}
		m.setOutcome(&d, e.Failures)
		if i == lostIndex {
			continue // not earlier, because every event must take its random numbers
		}
		log = append(log, d)
	}
	return log
}

// allAttempts is the number of attempts after which the service gives up a callback.
const allAttempts = 4

// setOutcome sets the result of a callback at random, with the error texts that the service
// uses. d must be a callback that succeeded at the first attempt.
func (m *worldMaker) setOutcome(d *domain.PastDelivery, f failurePattern) {
	chance := m.rng.IntN(12)
	switch f {
	case failsAlways:
		setFailure(d, 0, allAttempts, "unknown host name")
	case failsOften: // 5 of 12 callbacks fail
		if chance < 2 {
			setFailure(d, 0, allAttempts, "no response within 5 s")
		} else if chance < 5 {
			setFailure(d, 500, allAttempts, "HTTP 500")
		}
	default: // 2 of 12 callbacks fail, and 2 of 12 succeed at the second attempt
		switch chance {
		case 0:
			setFailure(d, 500, allAttempts, "HTTP 500")
		case 1:
			setFailure(d, 503, 2, store.DeliveryStopped)
		case 2, 3:
			d.Attempts = 2
		}
	}
}

// setFailure makes a callback a failed one. code is the status of the last response, or 0 if
// there was none.
func setFailure(d *domain.PastDelivery, code, attempts int, reason string) {
	d.Code = code
	d.Attempts = attempts
	d.Error = reason
}

func (m *worldMaker) newSecret() string {
	return "whsec_" + base64.RawURLEncoding.EncodeToString(m.randomBytes())
}

// addNotices adds the notification settings of an order, and the notices sent so far.
func (m *worldMaker) addNotices(a store.Account, row demoOrder, order *domain.PastOrder) {
	if row.Notice == noticesOff {
		return
	}
	order.Notify = &domain.PastNotify{
		Notify: store.Notify{
			Owner:   m.newUUID(order.Created),
			Webhook: "https://erp.nordlicht-windkraft.invalid/completed",
			Email:   true,
			Secret:  m.newSecret(),
		},
	}
	if order.Status != api.OrderCompleted {
		return
	}
	completed := lastMissionChange(order.Missions)
	webhook := m.webhookNotice(row, order, completed)
	email := store.Notice{
		UUID:     m.newUUID(completed),
		Kind:     store.NoticeEmail,
		Address:  a.ClientEmail,
		Success:  true,
		Attempts: 1,
		Created:  completed,
	}
	letter := &domain.NoticeLetter{
		To:          a.ClientEmail,
		ClientName:  a.ClientName,
		OrderName:   row.Name,
		CompletedAt: completed,
	}
	order.Notify.Notices = []domain.PastNotice{{Notice: webhook}, {Notice: email, Letter: letter}}
}

// webhookNotice returns the notice that was sent to the webhook of an order when the order
// was completed.
func (m *worldMaker) webhookNotice(row demoOrder, order *domain.PastOrder, completed time.Time) store.Notice {
	body, err := json.Marshal(api.OrderCompletion{
		ID:          order.UUID,
		OrderStatus: api.RecordCompleted,
		CompletedAt: api.TimeOf(completed),
	})
	if err != nil {
		panic(fmt.Sprintf("a notice: %v", err)) // cannot happen: a UUID and a time can always be encoded
	}
	notice := store.Notice{
		UUID:         m.newUUID(completed),
		Kind:         store.NoticeWebhook,
		Address:      order.Notify.Webhook,
		Body:         string(body),
		Success:      true,
		ResponseCode: 200,
		Attempts:     1,
		Created:      completed,
	}
	if row.Notice == noticesFailed {
		failure := "HTTP 503"
		notice.Success = false
		notice.ResponseCode = 503
		notice.Attempts = 4
		notice.Error = &failure
	}
	return notice
}

// randomBytes returns 32 bytes, which are the same each time the world is created. Secrets
// made from them only protect sample data.
func (m *worldMaker) randomBytes() []byte {
	b := make([]byte, 0, 32)
	for range 4 {
		b = binary.BigEndian.AppendUint64(b, m.rng.Uint64())
	}
	return b
}

// addKeys adds an account's requests for keys and its keys. The hashes of the keys are
// random, so nobody can use the keys.
func (m *worldMaker) addKeys(w *domain.SeedWorld, a demoAccount) {
	expired := m.makeKey(m.daysAgo(420), "API trial", api.ScopeOrdersRead)
	expired.Expires = m.daysAgo(330)
	revoked := m.makeKey(m.daysAgo(150), "former colleague's laptop", api.Scopes()...)
	revoked.Revoked = m.daysAgo(61)
	granted := m.makeKey(m.daysAgo(33), a.ApprovedUse, api.ScopeOrdersRead, api.ScopeFilesRead)
	for _, key := range []store.Key{expired, revoked, granted} {
		w.Keys = append(w.Keys, domain.PastKey{AccountUUID: a.UUID, Key: key})
	}

	declined := m.makeKeyRequest(m.daysAgo(47), "student's script, all scopes", api.Scopes()...)
	reason := "request only the scopes the script needs"
	declined.Status = ops.KeyRequestDeclined
	declined.Reason = &reason
	declined.Decided = m.daysAgo(46)
	approved := m.makeKeyRequest(m.daysAgo(34), a.ApprovedUse, api.ScopeOrdersRead, api.ScopeFilesRead)
	approved.Status = ops.KeyRequestApproved
	approved.Decided = m.daysAgo(33)
	pending := m.makeKeyRequest(
		m.daysAgo(0.3), a.PendingUse, api.ScopeOrdersRead, api.ScopeWebhooksRead, api.ScopeWebhooksWrite)
	w.KeyRequests = append(w.KeyRequests,
		domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: declined},
		domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: approved, KeyUUID: granted.UUID},
		domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: pending},
	)
}

// makeKey returns a key with the hash and the hint of random bytes.
func (m *worldMaker) makeKey(created time.Time, description string, scopes ...api.Scope) store.Key {
	hash := sha256.Sum256(m.randomBytes())
	return store.Key{
		UUID:        m.newUUID(created),
		Hash:        hex.EncodeToString(hash[:]),
		Hint:        keyHint(m.randomBytes()),
		Scopes:      scopes,
		Description: description,
		Created:     created,
	}
}

// makeKeyRequest returns a pending request for a key.
func (m *worldMaker) makeKeyRequest(created time.Time, use string, scopes ...api.Scope) store.KeyRequest {
	return store.KeyRequest{
		UUID:        m.newUUID(created),
		IntendedUse: use,
		Scopes:      scopes,
		Status:      ops.KeyRequestPending,
		Created:     created,
	}
}

// keyHint returns random characters like the last four of a key.
func keyHint(random []byte) string {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"
	hint := make([]byte, 4)
	for i := range hint {
		hint[i] = letters[int(random[i])%len(letters)]
	}
	return string(hint)
}
