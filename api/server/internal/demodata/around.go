package demodata

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// around adds what an account has beside its orders: keys, requests for keys,
// and endpoints with their logs.
func (m *maker) around(w *domain.World, place int, a account) {
	m.keys(w, a)
	events := eventsOf(w.Orders, a.UUID)
	for _, e := range a.endpoints {
		created := m.now.Add(-time.Duration(e.daysAgo * float64(day))).Add(-time.Duration(place) * time.Hour)
		past := domain.PastWebhook{AccountUUID: a.UUID, Webhook: store.Webhook{
			UUID: m.uuid(created), URL: e.url, Events: e.events, Description: e.description, Secret: m.secret(),
			Created: created, Updated: created,
		}}
		if past.Events == nil {
			past.Events = api.EventNames()
		}
		past.Log = m.log(e, past.Events, events, created)
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

// endpoint is one of an account.
type endpoint struct {
	url         string
	description string
	events      []api.EventName // nil: all
	daysAgo     float64         // when it was registered
	failures    failures
	lost        api.EventName // the newest of these was never sent; "" for none
}

// failures says how an endpoint fares.
type failures int

// How endpoints fare.
const (
	seldom failures = iota // it answers, but for a bad day
	often                  // it is slow, and fails every third time
	always                 // its host is gone
)

// event is what has happened to a mission.
type event struct {
	name    api.EventName
	mission string
	at      time.Time
}

// eventsOf lists what has happened to an account's missions, oldest first.
func eventsOf(orders []domain.PastOrder, account string) (all []event) {
	for _, o := range orders {
		if o.AccountUUID != account {
			continue
		}
		for _, past := range o.Missions {
			all = append(all, eventsOfMission(o, past)...)
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return a.at.Compare(b.at) })
	return all
}

func eventsOfMission(o domain.PastOrder, past domain.PastMission) (all []event) {
	if past.OperatorName == nil {
		return nil
	}
	first := past.Updated
	if len(past.Planning) > 0 {
		first = past.Planning[0].Created.Add(-3 * time.Hour)
	}
	if first.Before(o.Created) {
		first = o.Created
	}
	all = append(all, event{api.EventOperatorAssigned, past.UUID, first})
	for _, p := range past.Planning {
		if p.Status == api.ScheduleConfirmed || p.Status == api.ScheduleRescheduled {
			all = append(all, event{api.EventFlightScheduled, past.UUID, p.Created})
		}
	}
	for _, p := range past.Packages {
		all = append(all, event{api.EventDataDelivered, past.UUID, p.Created})
	}
	if past.Status == api.MissionCompleted {
		all = append(all, event{api.EventMissionCompleted, past.UUID, past.Updated})
	}
	return all
}

// log tells how the events were sent that an endpoint was there for.
func (m *maker) log(e endpoint, names []api.EventName, events []event, since time.Time) (log []domain.PastDelivery) {
	lost := -1
	for i, happened := range events {
		if happened.name == e.lost {
			lost = i
		}
	}
	for i, happened := range events {
		if happened.at.Before(since) || !slices.Contains(names, happened.name) {
			continue
		}
		d := domain.PastDelivery{
			UUID: m.uuid(happened.at), Event: happened.name, MissionUUID: happened.mission, Code: 200, Attempts: 1, Created: happened.at,
		}
		m.outcome(&d, e.failures)
		if i != lost {
			log = append(log, d)
		}
	}
	return log
}

// outcome says what has become of a delivery, as the service words it.
func (m *maker) outcome(d *domain.PastDelivery, f failures) {
	chance := m.rng.IntN(12)
	fail := func(code, attempts int, reason string) { d.Code, d.Attempts, d.Error = code, attempts, reason }
	switch {
	case f == always:
		fail(0, 4, "unknown host name")
	case f == often && chance < 2:
		fail(0, 4, "no response within 5s")
	case f == often && chance < 5, chance == 0:
		fail(500, 4, "HTTP 500")
	case chance == 1:
		fail(503, 2, store.DeliveryStopped)
	case chance < 4:
		d.Attempts = 2 // the second try went through
	}
}

func (m *maker) secret() string {
	return "whsec_" + base64.RawURLEncoding.EncodeToString(m.bytes())
}

// bytes are 32 that are the same each time; what is made of them opens nothing
// but samples.
func (m *maker) bytes() []byte {
	b := make([]byte, 0, 32)
	for range 4 {
		b = binary.BigEndian.AppendUint64(b, m.rng.Uint64())
	}
	return b
}

// keys adds the records of keys that nobody has any more, and an account's
// requests for keys.
func (m *maker) keys(w *domain.World, a account) {
	ago := func(days float64) time.Time { return m.now.Add(-time.Duration(days * float64(day))) }
	key := func(created time.Time, description string, scopes ...api.Scope) *domain.PastKey {
		hash := sha256.Sum256(m.bytes())
		w.Keys = append(w.Keys, domain.PastKey{AccountUUID: a.UUID, Key: store.Key{
			UUID: m.uuid(created), Hash: hex.EncodeToString(hash[:]), Hint: hint(m.bytes()), Scopes: scopes, Description: description,
			Created: created,
		}})
		return &w.Keys[len(w.Keys)-1]
	}
	old := key(ago(420), "API trial", api.ScopeOrdersRead)
	old.Expires = ago(330)
	lost := key(ago(150), "former colleague's laptop", api.Scopes()...)
	lost.Revoked = ago(61)
	granted := key(ago(33), a.imports, api.ScopeOrdersRead, api.ScopeFilesRead)

	request := func(created time.Time, use string, scopes ...api.Scope) *domain.PastKeyRequest {
		w.KeyRequests = append(w.KeyRequests, domain.PastKeyRequest{AccountUUID: a.UUID, KeyRequest: store.KeyRequest{
			UUID: m.uuid(created), IntendedUse: use, Scopes: scopes, Status: api.KeyRequestPending, Created: created,
		}})
		return &w.KeyRequests[len(w.KeyRequests)-1]
	}
	declined := request(ago(47), "student's script, all scopes", api.Scopes()...)
	reason := "request only the scopes the script needs"
	declined.Status, declined.Reason, declined.Decided = api.KeyRequestDeclined, &reason, ago(46)
	approved := request(ago(34), a.imports, api.ScopeOrdersRead, api.ScopeFilesRead)
	approved.Status, approved.Decided, approved.KeyUUID = api.KeyRequestApproved, ago(33), granted.UUID
	request(ago(0.3), a.wishes, api.ScopeOrdersRead, api.ScopeWebhooksRead, api.ScopeWebhooksWrite)
}

// hint is how a key ends.
func hint(random []byte) string {
	const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"
	text := make([]byte, 4)
	for i := range text {
		text[i] = letters[int(random[i])%len(letters)]
	}
	return string(text)
}
