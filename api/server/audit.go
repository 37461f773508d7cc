package server

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

// readsEvery is how often the reads of an operator from one address are recorded.
const readsEvery = time.Hour

// maxRecorded is the largest number of entries of one kind that are recorded for one
// operator within an hour, changes aside. It keeps a flood of requests with a stolen key
// from filling the disk.
const maxRecorded = 1000

// auditor records what is done with the keys of the operations API, beside the changes,
// which the store records in their transactions.
type auditor struct {
	reads  *rateLimiter // of operators and addresses
	hourly hourlyCounter
}

func newAuditor() *auditor {
	return &auditor{reads: &rateLimiter{rate: 1 / readsEvery.Seconds()}}
}

// newAuditEntry returns the entry of a request. Nothing is recorded yet.
func (g *gateway) newAuditEntry(x *exchange, r apiRoute) *store.AuditEntry {
	return &store.AuditEntry{
		Created: g.now().UTC().Truncate(time.Millisecond), Kind: ops.AuditChange,
		Operator: x.operator.Name, OperatorUUID: x.operator.UUID, Address: x.address, RequestID: x.id,
		Operation: r.method + " " + strings.TrimPrefix(r.path, OpsPath),
	}
}

// auditSubject returns what a request is about. An order and a mission have the same name
// in every entry, their code, whether the request named them by code or by UUID.
func (g *gateway) auditSubject(x *exchange, r apiRoute) string {
	named := cmp.Or(x.uuid(), x.r.PathValue("name"))
	var code string
	var err error
	switch route := strings.TrimPrefix(r.path, OpsPath); {
	case strings.HasPrefix(route, "/orders/{uuid}"):
		code, err = g.domain.Orders.CodeOf(x.r.Context(), named)
	case strings.HasPrefix(route, "/missions/{uuid}"):
		code, err = g.domain.Missions.CodeOf(x.r.Context(), named)
	}
	if err == nil && code != "" {
		named = code
	}
	return cutText(strings.ToValidUTF8(named, "�"), maxAgent)
}

// recordRead records that a key was used to read, once an hour for each address.
func (g *gateway) recordRead(x *exchange, r apiRoute) {
	entry := g.newAuditEntry(x, r)
	entry.Kind = ops.AuditUse
	reader := entry.OperatorUUID + " " + entry.Address
	if g.auditor.reads.takeRequest(reader, time.Now()) == 0 {
		g.recordWithin(x, r, entry)
	}
}

// recordRefusal records a request that the operator's role does not allow: of changes each
// one, of reads each operation once an hour.
func (g *gateway) recordRefusal(x *exchange, r apiRoute) {
	entry := g.newAuditEntry(x, r)
	entry.Kind = ops.AuditRefused
	reader := entry.OperatorUUID + " " + entry.Address + " " + entry.Operation
	if r.isRead() && g.auditor.reads.takeRequest(reader, time.Now()) > 0 {
		return
	}
	g.recordWithin(x, r, entry)
}

// recordWithin records an entry, unless there were too many of its kind within the hour.
// The last one that is recorded says so. The request is answered in any case.
func (g *gateway) recordWithin(x *exchange, r apiRoute, entry *store.AuditEntry) {
	n, ends := g.auditor.hourly.count(entry.OperatorUUID+" "+string(entry.Kind), time.Now())
	if n > maxRecorded {
		return
	}
	if n == maxRecorded {
		entry.Request = "more of this kind are not recorded until " + api.TimeOf(ends.UTC()).Text() +
			"; the access log has them"
	}
	entry.Subject = g.auditSubject(x, r)
	if err := g.domain.Operators.Record(x.r.Context(), entry); err != nil {
		g.log.Warn("the use of a key was not recorded", "request", x.id, "error", err)
	}
}

// hourlyCounter counts within each hour. It forgets all names at the end of the hour.
type hourlyCounter struct {
	mu     sync.Mutex
	ends   time.Time
	counts map[string]int
}

// count counts a name and returns how often it was counted within the hour, and when the
// hour ends.
func (c *hourlyCounter) count(name string, now time.Time) (n int, ends time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !now.Before(c.ends) {
		c.ends = now.Add(time.Hour)
		c.counts = map[string]int{}
	}
	c.counts[name]++
	return c.counts[name], c.ends
}
