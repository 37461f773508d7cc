package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
	"flightdesk/config/atomicfile"
)

// readInterval is the time after which the audit trail records another read by the same operator
// from the same address.
const readInterval = time.Hour

// maxRecorded is the maximum number of audit entries per hour for each operator and kind of entry,
// such as refused requests. Entries of changes have no limit. The limit prevents that somebody with
// a stolen key fills the disk with requests.
const maxRecorded = 1000

// auditor limits how many reads and refused requests of the operations API the audit trail
// records. Changes have no limit: the store saves their entries in the transaction of the change.
type auditor struct {
	reads  *rateLimiter  // allows one recorded read per readInterval, operator and address
	hourly hourlyCounter // counts the recorded entries of each operator and kind
}

func newAuditor() *auditor {
	return &auditor{reads: &rateLimiter{rate: 1 / readInterval.Seconds()}}
}

// newAuditEntry returns the audit entry of a request without recording it.
func (g *gateway) newAuditEntry(x *exchange, r apiRoute) *store.AuditEntry {
	return &store.AuditEntry{
		Created:      g.now().UTC().Truncate(time.Millisecond),
		Kind:         ops.AuditChange,
		Operator:     x.operator.Name,
		OperatorUUID: x.operator.UUID,
		Address:      x.address,
		RequestID:    x.id,
		Operation:    r.method + " " + strings.TrimPrefix(r.path, OpsPath),
	}
}

// auditSubject returns the subject of the audit entry of a request. For an order or a mission, it
// is the code, such as ORD-12, even if the path of the request contains the UUID.
func (g *gateway) auditSubject(x *exchange, r apiRoute) string {
	subject := cmp.Or(x.uuid(), x.r.PathValue("name"))
	if code := g.codeOf(x, r); code != "" {
		subject = code
	}
	return cutText(strings.ToValidUTF8(subject, "�"), maxAgent)
}

// codeOf returns the code of the order or the mission in the path of a request, such as ORD-12 or
// MSN-3. It returns "" for other paths, or if the order or the mission does not exist.
func (g *gateway) codeOf(x *exchange, r apiRoute) string {
	find := g.domain.Orders.CodeOf
	route := strings.TrimPrefix(r.path, OpsPath)
	if strings.HasPrefix(route, "/missions/{uuid}") {
		find = g.domain.Missions.CodeOf
	} else if !strings.HasPrefix(route, "/orders/{uuid}") {
		return ""
	}
	code, err := find(x.r.Context(), x.uuid())
	if err != nil {
		return "" // the handler reports the error
	}
	return code
}

// recordRead records a read by an operator. Further reads by the operator from the same
// address are not recorded until readInterval has passed.
func (g *gateway) recordRead(x *exchange, r apiRoute) {
	entry := g.newAuditEntry(x, r)
	entry.Kind = ops.AuditUse
	reader := entry.OperatorUUID + " " + entry.Address
	if g.auditor.reads.reserve(reader, time.Now()) == 0 {
		g.recordWithin(x, r, entry)
	}
}

// recordRefusal records a request that the role of the operator does not permit. A refused change
// is recorded each time. A refused read is recorded once per readInterval, operator, address and
// operation. Both are subject to maxRecorded.
func (g *gateway) recordRefusal(x *exchange, r apiRoute) {
	entry := g.newAuditEntry(x, r)
	entry.Kind = ops.AuditRefused
	reader := entry.OperatorUUID + " " + entry.Address + " " + entry.Operation
	if r.isRead() && g.auditor.reads.reserve(reader, time.Now()) > 0 {
		return
	}
	g.recordWithin(x, r, entry)
}

// recordWithin records an entry, unless maxRecorded entries of the same operator and kind were
// already recorded in this hour. The last recorded entry says that no more follow. If recording
// fails, recordWithin only logs a warning, and the request succeeds.
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

// hourlyCounter counts events by name. All counts return to 0 every hour.
type hourlyCounter struct {
	mu     sync.Mutex
	ends   time.Time // end of the current hour
	counts map[string]int
}

// count adds 1 to the count of a name. It returns the new count, and the time at which all counts
// return to 0.
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

const (
	auditInterval = time.Second // interval at which new entries are copied to the file
	maxAuditBatch = 500         // maximum number of entries that are read at once
)

// auditCopier copies the audit trail to a file while the service runs.
type auditCopier struct {
	store *store.Store
	path  string // of the file
	log   *slog.Logger
	work  backgroundWork
}

// run copies each entry of the audit trail once to the file. If the file exists, run continues after its last
// entry. When ctx ends, run copies the remaining entries and returns.
func (a *auditCopier) run(ctx context.Context) {
	file := atomicfile.NewLog[ops.AuditEntry](a.path, 0)
	lastID := int64(0)
	failing := false
	for {
		isStopping := ctx.Err() != nil
		copied, err := a.appendEntries(context.WithoutCancel(ctx), file, lastID)
		lastID = copied
		isOutage := errors.Is(err, store.ErrAway) || errors.Is(err, store.ErrBusy) // logged by dependency
		if err != nil && !failing && !isOutage {
			a.log.Warn("the audit trail cannot be copied to its file", "file", a.path, "error", err)
		}
		failing = err != nil
		if isStopping {
			return
		}
		select {
		case <-time.After(auditInterval):
		case <-ctx.Done():
		}
	}
}

// skipCopied finds out which entries are already in the file. It returns the ID of the last entry
// in the file, or lastID if that is higher. It only reads the entries that were appended since its
// last call, by this process or by another process that copies the same audit trail. If reading
// fails, the returned ID includes the entries that were read before the error.
func skipCopied(file *atomicfile.Log[ops.AuditEntry], lastID int64) (int64, error) {
	appended, err := file.Read()
	for _, e := range appended.Values {
		lastID = max(lastID, e.ID)
	}
	return lastID, err
}

// appendEntries appends all entries after lastID to the file. It returns the ID of the last entry
// that it has appended, even if it returns an error.
func (a *auditCopier) appendEntries(
	ctx context.Context, file *atomicfile.Log[ops.AuditEntry], lastID int64,
) (int64, error) {
	lastID, err := skipCopied(file, lastID)
	if err != nil {
		return lastID, err
	}
	for {
		entries, err := a.store.AuditAfter(ctx, lastID, maxAuditBatch)
		if err != nil {
			return lastID, err
		}
		if len(entries) == 0 {
			return lastID, nil
		}
		for _, e := range entries {
			if err := file.Append(wireAudit(e)); err != nil {
				return lastID, err
			}
			lastID = e.ID
		}
	}
}
