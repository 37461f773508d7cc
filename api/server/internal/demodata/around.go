package demodata

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sort"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// addAccountData adds the keys of an account, its requests for keys, and its endpoints
// with their logs.
func (m *worldMaker) addAccountData(w *domain.SeedWorld, place int, a demoAccount) {
	m.addKeys(w, a)
	events := eventsOf(w.Orders, a.UUID)
	for _, e := range a.Endpoints {
		created := m.now.Add(-time.Duration(e.DaysAgo * float64(day))).Add(-time.Duration(place) * time.Hour)
		past := domain.PastWebhook{AccountUUID: a.UUID, Webhook: store.Webhook{
			UUID:        m.newUUID(created),
			URL:         e.URL,
			Events:      e.Events,
			Description: e.Description,
			Secret:      m.newSecret(),
			Created:     created,
			Updated:     created,
		}}
		if past.Events == nil {
			past.Events = api.EventNames()
		}
		past.Log = m.callbackLog(e, past.Events, events, created)
		if n := len(past.Log); n > 0 {
			last := "success"
			if past.Log[n-1].Error != "" {
				last = "failed"
			}
			past.LastStatus = &last
		}
		w.Webhooks = append(w.Webhooks, past)
	}
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

func eventsOfMission(o domain.PastOrder, past domain.PastMission) []missionEvent {
	if past.OperatorName == nil {
		return nil
	}
	assigned := past.Updated
	if len(past.Planning) > 0 {
		assigned = past.Planning[0].Created.Add(-3 * time.Hour)
	}
	if assigned.Before(o.Created) {
		assigned = o.Created
	}
	all := []missionEvent{{api.EventOperatorAssigned, past.UUID, assigned}}
	for _, p := range past.Planning {
		if p.Status == api.ScheduleConfirmed || p.Status == api.ScheduleRescheduled {
			all = append(all, missionEvent{api.EventFlightScheduled, past.UUID, p.Created})
		}
	}
	for _, p := range past.Packages {
		all = append(all, missionEvent{api.EventDataDelivered, past.UUID, p.Created})
	}
	if past.Status == api.MissionCompleted {
		all = append(all, missionEvent{api.EventMissionCompleted, past.UUID, past.Updated})
	}
	return all
}

// callbackLog returns the callbacks for the events since an endpoint was registered,
// except the lost one.
func (m *worldMaker) callbackLog(
	e demoEndpoint, names []api.EventName, events []missionEvent, since time.Time,
) []domain.PastDelivery {
	var log []domain.PastDelivery
	lost := -1
	for i, happened := range events {
		if happened.name == e.Lost {
			lost = i
		}
	}
	for i, happened := range events {
		if happened.at.Before(since) || !slices.Contains(names, happened.name) {
			continue
		}
		d := domain.PastDelivery{
			UUID: m.newUUID(happened.at), Event: happened.name, MissionUUID: happened.mission,
			Code: 200, Attempts: 1, Created: happened.at,
		}
		m.setOutcome(&d, e.Failures)
		if i != lost {
			log = append(log, d)
		}
	}
	return log
}

// setOutcome sets the result of a callback, with the error texts of the service.
func (m *worldMaker) setOutcome(d *domain.PastDelivery, f failurePattern) {
	chance := m.rng.IntN(12)
	fail := func(code, attempts int, reason string) {
		d.Code = code
		d.Attempts = attempts
		d.Error = reason
	}
	switch {
	case f == failsAlways:
		fail(0, 4, "unknown host name")
	case f == failsOften && chance < 2:
		fail(0, 4, "no response within 5 s")
	case f == failsOften && chance < 5, chance == 0:
		fail(500, 4, "HTTP 500")
	case chance == 1:
		fail(503, 2, store.DeliveryStopped)
	case chance < 4:
		d.Attempts = 2 // the second attempt succeeded
	}
}

func (m *worldMaker) newSecret() string {
	return "whsec_" + base64.RawURLEncoding.EncodeToString(m.randomBytes())
}

// randomBytes returns 32 bytes that are the same each time. Secrets made from them only
// protect sample data.
func (m *worldMaker) randomBytes() []byte {
	b := make([]byte, 0, 32)
	for range 4 {
		b = binary.BigEndian.AppendUint64(b, m.rng.Uint64())
	}
	return b
}

// addKeys adds records of keys, which nobody has, and an account's requests for keys.
func (m *worldMaker) addKeys(w *domain.SeedWorld, a demoAccount) {
	ago := func(days float64) time.Time { return m.now.Add(-time.Duration(days * float64(day))) }
	key := func(created time.Time, description string, scopes ...api.Scope) *domain.PastKey {
		hash := sha256.Sum256(m.randomBytes())
		w.Keys = append(w.Keys, domain.PastKey{AccountUUID: a.UUID, Key: store.Key{
			UUID: m.newUUID(created), Hash: hex.EncodeToString(hash[:]), Hint: keyHint(m.randomBytes()),
			Scopes: scopes, Description: description, Created: created,
		}})
		return &w.Keys[len(w.Keys)-1]
	}
	old := key(ago(420), "API trial", api.ScopeOrdersRead)
	old.Expires = ago(330)
	lost := key(ago(150), "former colleague's laptop", api.Scopes()...)
	lost.Revoked = ago(61)
	granted := key(ago(33), a.Imports, api.ScopeOrdersRead, api.ScopeFilesRead)

	request := func(created time.Time, use string, scopes ...api.Scope) *domain.PastKeyRequest {
		w.KeyRequests = append(w.KeyRequests, domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: store.KeyRequest{
			UUID:        m.newUUID(created),
			IntendedUse: use,
			Scopes:      scopes,
			Status:      ops.KeyRequestPending,
			Created:     created,
		}})
		return &w.KeyRequests[len(w.KeyRequests)-1]
	}
	declined := request(ago(47), "student's script, all scopes", api.Scopes()...)
	reason := "request only the scopes the script needs"
	declined.Status = ops.KeyRequestDeclined
	declined.Reason = &reason
	declined.Decided = ago(46)
	approved := request(ago(34), a.Imports, api.ScopeOrdersRead, api.ScopeFilesRead)
	approved.Status = ops.KeyRequestApproved
	approved.Decided = ago(33)
	approved.KeyUUID = granted.UUID
	request(ago(0.3), a.Wishes, api.ScopeOrdersRead, api.ScopeWebhooksRead, api.ScopeWebhooksWrite)
}

// keyHint returns the last characters of a key.
func keyHint(random []byte) string {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"
	text := make([]byte, 4)
	for i := range text {
		text[i] = letters[int(random[i])%len(letters)]
	}
	return string(text)
}
