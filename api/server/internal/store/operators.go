package store

import (
	"context"
	"time"

	"flightdesk/api/ops"
)

// Operator is who has a key of the operations API, without the key.
type Operator struct {
	ID       int64     `column:"id"`
	UUID     string    `column:"uuid"`
	Name     string    `column:"name"`
	Role     ops.Role  `column:"role"`
	Hash     string    `column:"hash"`     // SHA-256 of the key, hexadecimal
	Hint     string    `column:"hint"`     // the key's last four characters
	OldHash  string    `column:"old_hash"` // of the key before it, "" for none
	OldUntil time.Time `column:"old_until"`
	Created  time.Time `column:"created"`
	Revoked  time.Time `column:"revoked"` // zero: not revoked
	Used     time.Time `column:"(SELECT MAX(a.created) FROM audit a WHERE a.operator_uid = operators.uuid)"`
}

// AuditEntry is something that was done through the operations API.
type AuditEntry struct {
	ID           int64         `column:"id"`
	Created      time.Time     `column:"created"`
	Kind         ops.AuditKind `column:"kind"`
	Operator     string        `column:"operator"`     // the name at that time
	OperatorUUID string        `column:"operator_uid"` // "" for the operations key
	Address      string        `column:"address"`
	Operation    string        `column:"operation"` // method and route
	Subject      string        `column:"subject"`   // what was created, otherwise what the route names; "" for nothing
	Parent       string        `column:"parent"`    // what the route names where something was created in it; "" otherwise
	Request      string        `column:"request"`   // its body, if that is JSON
	RequestID    string        `column:"request_id"`

	hasCreated bool // Subject is what was created
}

var (
	operatorTable = newRecordTable[*Operator]("operators").listed(`WHERE id > $1`, "id", true)
	auditTable    = newRecordTable[*AuditEntry]("audit").listed(`WHERE id > $1`, "id", true)
)

// OperatorByHash returns the operator whose key, or key before it, has the SHA-256 hash.
func (r *storeReader) OperatorByHash(ctx context.Context, hash string) (Operator, error) {
	return findRow(ctx, r, operatorTable, `WHERE hash = $1 OR old_hash = $2 ORDER BY id DESC`, hash, hash)
}

// OperatorNamed returns the operator of a name who is not revoked, or ErrNotFound.
func (r *storeReader) OperatorNamed(ctx context.Context, name string) (Operator, error) {
	return findRow(ctx, r, operatorTable, `WHERE name = $1 AND revoked IS NULL`, name)
}

// OperatorNames returns the names of the operators that are not revoked.
func (tx *Tx) OperatorNames() ([]string, error) {
	var names []string
	found, err := findRows(tx.ctx, tx, operatorTable, `WHERE revoked IS NULL`)
	for i := range found {
		names = append(names, found[i].Name)
	}
	return names, err
}

// AuditAfter returns the entries after an id, oldest first. Ids rise in the order in
// which entries are committed, so that none comes to be before one that was read.
func (r *storeReader) AuditAfter(ctx context.Context, id int64, limit int) ([]AuditEntry, error) {
	return findRows(ctx, r, auditTable, `WHERE id > $1 ORDER BY id LIMIT $2 + 0`, id, limit)
}

// What a change of an order, of its missions or of what belongs to them can have as its
// subject and its parent.
const (
	codesOfOrder   = `SELECT code FROM orders WHERE id = $1 UNION ALL SELECT code FROM missions WHERE order_id = $1`
	createdInOrder = `SELECT uuid FROM quotes WHERE order_id = $1
		UNION ALL SELECT p.uuid FROM packages p JOIN missions m ON m.id = p.mission_id WHERE m.order_id = $1
		UNION ALL SELECT uuid FROM notices WHERE order_id = $1`
	ofChangesOfOrder = `WHERE kind = 'change' AND (parent <> '' AND parent IN (` + codesOfOrder + `)
		OR subject IN (` + codesOfOrder + ` UNION ALL ` + createdInOrder + `))`
)

var changesOfOrder = newListQueries(auditTable.all+ofChangesOfOrder, 1, true, "id")

// ChangesOfOrder returns a window of the changes of an order through the operations API,
// newest first.
func (r *storeReader) ChangesOfOrder(ctx context.Context, orderID int64, w ListWindow) ([]AuditEntry, error) {
	return readList(ctx, r, &changesOfOrder, auditTable.scanRow, w, orderID)
}

type auditedKey struct{}

// Audited returns a context with which the first write that is kept keeps the entry,
// too, in its transaction. From then on the entry has its ID.
func Audited(ctx context.Context, e *AuditEntry) context.Context {
	return context.WithValue(ctx, auditedKey{}, e)
}

// NoteCreated makes what a request creates the subject of its audit entry, if the context
// has one that is not recorded yet. What the request names becomes the parent. A write
// that is repeated may call it again.
func NoteCreated(ctx context.Context, name string) {
	entry, _ := ctx.Value(auditedKey{}).(*AuditEntry)
	if entry == nil || entry.ID != 0 {
		return
	}
	if !entry.hasCreated {
		entry.Parent = entry.Subject
		entry.hasCreated = true
	}
	entry.Subject = name
}

// NoteParent makes the order of a code the parent of the audit entry that the context has,
// if there is one that is not recorded yet.
func NoteParent(ctx context.Context, orderCode string) {
	entry, _ := ctx.Value(auditedKey{}).(*AuditEntry)
	if entry != nil && entry.ID == 0 {
		entry.Parent = orderCode
	}
}

// audit has a job keep the entry of its context, unless another one has.
func (j writeJob) audit(ctx context.Context) (writeJob, *AuditEntry) {
	entry, _ := ctx.Value(auditedKey{}).(*AuditEntry)
	if entry == nil || entry.ID != 0 {
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
