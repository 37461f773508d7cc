package store

import (
	"context"
	"time"

	"flightdesk/api/ops"
)

// Operator is a person with a key of the operations API. The key itself is not stored.
type Operator struct {
	ID       int64     `column:"id"`
	UUID     string    `column:"uuid"`
	Name     string    `column:"name"`
	Role     ops.Role  `column:"role"`
	Hash     string    `column:"hash"`     // SHA-256 of the key, hexadecimal
	Hint     string    `column:"hint"`     // the key's last four characters
	OldHash  string    `column:"old_hash"` // of the previous key; empty if there is none
	OldUntil time.Time `column:"old_until"`
	Created  time.Time `column:"created"`
	Revoked  time.Time `column:"revoked"` // zero if it is not revoked
	Used     time.Time `column:"(SELECT MAX(a.created) FROM audit a WHERE a.operator_uid = operators.uuid)"`
}

// AuditEntry is an entry of the audit trail: something that was done, or refused, through
// the operations API.
type AuditEntry struct {
	ID           int64         `column:"id"`
	Created      time.Time     `column:"created"`
	Kind         ops.AuditKind `column:"kind"`
	Operator     string        `column:"operator"`     // name at that time
	OperatorUUID string        `column:"operator_uid"` // empty for the operations key of the service
	Address      string        `column:"address"`
	Operation    string        `column:"operation"` // method and route
	Subject      string        `column:"subject"`   // created object, otherwise the object in the path; may be ""
	Parent       string        `column:"parent"`    // object in the path, if Subject was created
	Request      string        `column:"request"`   // request body, if it is JSON
	RequestID    string        `column:"request_id"`

	hasCreated bool // whether the request created Subject
}

// IsSaved reports whether the entry is in the audit trail.
func (e *AuditEntry) IsSaved() bool { return e.ID != 0 }

var (
	operatorTable = newRecordTable[*Operator]("operators").listed(`WHERE id > $1`, "id", descending)
	auditTable    = newRecordTable[*AuditEntry]("audit").listed(`WHERE id > $1`, "id", descending)
)

// OperatorByHash returns the operator whose current or previous key has the SHA-256 hash.
func (r *storeReader) OperatorByHash(ctx context.Context, hash string) (Operator, error) {
	return findRow(ctx, r, operatorTable, `WHERE hash = $1 OR old_hash = $2 ORDER BY id DESC`, hash, hash)
}

// OperatorNamed returns the operator with the name. It ignores revoked operators. It returns
// ErrNotFound if there is no operator with the name, or if all of them are revoked.
func (r *storeReader) OperatorNamed(ctx context.Context, name string) (Operator, error) {
	return findRow(ctx, r, operatorTable, `WHERE name = $1 AND revoked IS NULL`, name)
}

// OperatorNames returns the names of the operators who are not revoked.
func (tx *Tx) OperatorNames() ([]string, error) {
	found, err := findRows(tx.ctx, tx, operatorTable, `WHERE revoked IS NULL`)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].Name
	}
	return names, nil
}

// AuditAfter returns the entries after an ID, oldest first. IDs are assigned in the order
// of commits, so no later entry has a lower ID.
func (r *storeReader) AuditAfter(ctx context.Context, id int64, limit int) ([]AuditEntry, error) {
	return findRows(ctx, r, auditTable, `WHERE id > $1 ORDER BY id LIMIT $2 + 0`, id, limit)
}

// These queries select the subjects and parents of audit entries about an order, its
// missions, and what belongs to them.
const (
	codesOfOrder   = `SELECT code FROM orders WHERE id = $1 UNION ALL SELECT code FROM missions WHERE order_id = $1`
	createdInOrder = `SELECT uuid FROM quotes WHERE order_id = $1
		UNION ALL SELECT p.uuid FROM packages p JOIN missions m ON m.id = p.mission_id WHERE m.order_id = $1
		UNION ALL SELECT uuid FROM notices WHERE order_id = $1`
	ofChangesOfOrder = `WHERE kind = 'change' AND (parent <> '' AND parent IN (` + codesOfOrder + `)
		OR subject IN (` + codesOfOrder + ` UNION ALL ` + createdInOrder + `))`
)

var changesOfOrder = newListQueries(auditTable.all+ofChangesOfOrder, 1, descending, "id")

// ChangesOfOrder returns one page of the changes that were made to an order through the operations
// API, newest first. w selects the page.
func (r *storeReader) ChangesOfOrder(ctx context.Context, orderID int64, w ListWindow) ([]AuditEntry, error) {
	return readList(ctx, r, &changesOfOrder, auditTable.scanRow, w, orderID)
}

type auditedKey struct{}

// Audited returns a context that contains an audit entry. The first transaction with this context
// that is committed also saves the entry, and sets its ID.
func Audited(ctx context.Context, e *AuditEntry) context.Context {
	return context.WithValue(ctx, auditedKey{}, e)
}

// SetAuditSubject changes the subject of the audit entry in ctx to an object that the request has
// created, for example a new order. The previous subject becomes the parent of the entry.
// SetAuditSubject does nothing if ctx has no entry or the entry is already saved. A job that runs
// again can call it again: the parent stays the same.
func SetAuditSubject(ctx context.Context, name string) {
	entry, _ := ctx.Value(auditedKey{}).(*AuditEntry)
	if entry == nil || entry.IsSaved() {
		return
	}
	if !entry.hasCreated {
		entry.Parent = entry.Subject
		entry.hasCreated = true
	}
	entry.Subject = name
}

// SetAuditParent sets the parent of the audit entry in ctx to an order, because the request changed
// something that belongs to the order. It does nothing if ctx has no entry or the entry is already
// saved.
func SetAuditParent(ctx context.Context, orderCode string) {
	entry, _ := ctx.Value(auditedKey{}).(*AuditEntry)
	if entry != nil && !entry.IsSaved() {
		entry.Parent = orderCode
	}
}

// audit returns a job that runs j and then saves the audit entry of ctx in the same transaction. It
// also returns the entry. If ctx has no entry, or the entry is already saved, audit returns j
// unchanged and nil.
func (j writeJob) audit(ctx context.Context) (writeJob, *AuditEntry) {
	entry, _ := ctx.Value(auditedKey{}).(*AuditEntry)
	if entry == nil || entry.IsSaved() {
		return j, nil
	}
	change := j.run
	j.run = func(tx *Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		return insertRows(tx, auditTable, entry)
	}
	return j, entry
}
