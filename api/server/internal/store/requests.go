package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Request is a logged request of an account, with its response.
type Request struct {
	ID          int64         `column:"id"`
	Created     time.Time     `column:"created"`
	AccountID   int64         `column:"account_id"` // 0 if unknown
	AccountUUID *string       `column:"(SELECT uuid FROM accounts a WHERE a.id = account_id)"`
	KeyUUID     string        `column:"key_uid"`  // empty without a known key
	KeyHint     string        `column:"key_hint"` // the key's last four characters
	Method      string        `column:"method"`
	Path        string        `column:"path"`    // without query, and without the token of a link
	Subject     string        `column:"subject"` // code or UUID of what was created, otherwise of what the path names
	Status      int           `column:"status"`  // HTTP status
	Code        string        `column:"code"`    // error code; empty if there is none
	Address     string        `column:"address"`
	Took        time.Duration `column:"took"` // to the millisecond
	RequestID   string        `column:"request_id"`
}

var requestTable = newRecordTable[*Request]("requests").listed(`WHERE id > $1`, "id", descending)

// RequestFilter selects requests. Its zero value selects all of them.
type RequestFilter struct {
	AccountID int64 // 0 selects all requests, even if their account is not known
	Unknown   bool  // only requests without a known account
	OrderID   int64 // requests about an order, its missions, quotes and packages
	MissionID int64 // requests about a mission and its packages
	KeyUUID   string
	RequestID string
	Failed    bool // only requests answered with an error
	NoReads   bool // leave out successful reads
	Code      string
	Since     time.Time
}

// Subjects of requests about an order or a mission.
const (
	namesOfOrder = `SELECT uuid FROM orders WHERE id = $N UNION ALL SELECT code FROM orders WHERE id = $N
		UNION ALL SELECT uuid FROM missions WHERE order_id = $N
		UNION ALL SELECT uuid FROM quotes WHERE order_id = $N
		UNION ALL SELECT p.uuid FROM packages p JOIN missions m ON m.id = p.mission_id WHERE m.order_id = $N`
	namesOfMission = `SELECT uuid FROM missions WHERE id = $N
		UNION ALL SELECT uuid FROM packages WHERE mission_id = $N`
)

// failedOrNoRead is a condition for requests that failed or could change something. $N is the
// lowest HTTP status of a failed request. In the v2 API, reads use POST, too. Only the decision on
// a quote, whose path begins with /api/v2/order/, changes something.
const failedOrNoRead = `(status >= $N OR (method NOT IN ('GET', 'HEAD') AND
	(path NOT LIKE '/api/v2/%' OR path LIKE '/api/v2/order/%')))`

// listQueries returns the queries that list the selected requests, newest first, and the arguments
// for their conditions.
func (f RequestFilter) listQueries() (l listQueries, args []any) {
	where := f.conditions()
	selection := requestTable.all + where.clause()
	return newListQueries(selection, len(where.args), descending, "id"), where.args
}

// conditions returns the conditions that select the requests. There is at least one, because
// newListQueries needs a query with a WHERE clause.
func (f RequestFilter) conditions() conditions {
	var where conditions
	f.selectAccount(&where)
	f.selectSubject(&where)
	if f.KeyUUID != "" {
		where.add(`key_uid = $N`, f.KeyUUID)
	}
	if f.RequestID != "" {
		where.add(`request_id = $N`, f.RequestID)
	}
	if f.Failed {
		where.add(`status >= $N`, 400)
	}
	if f.NoReads {
		where.add(failedOrNoRead, 400)
	}
	if f.Code != "" {
		where.add(`code = $N`, f.Code)
	}
	if !f.Since.IsZero() {
		where.add(`created >= $N`, f.Since.UnixMilli())
	}
	if len(where.texts) == 0 {
		where.add(`id > $N`, 0) // true for every request
	}
	return where
}

// selectAccount adds the condition for the account that sent the requests.
func (f RequestFilter) selectAccount(where *conditions) {
	if f.AccountID != 0 {
		where.add(`account_id = $N`, f.AccountID)
		return
	}
	if f.Unknown {
		where.add(`account_id = $N`, 0) // requests without an account have the ID 0
	}
}

// selectSubject adds the conditions for the order or mission that the requests are about.
func (f RequestFilter) selectSubject(where *conditions) {
	if f.OrderID != 0 {
		where.add(`subject <> '' AND subject IN (`+namesOfOrder+`)`, f.OrderID)
	}
	if f.MissionID != 0 {
		where.add(`subject <> '' AND subject IN (`+namesOfMission+`)`, f.MissionID)
	}
}

// Requests returns one page of the requests that f selects, newest first.
func (r *storeReader) Requests(ctx context.Context, f RequestFilter, w ListWindow) ([]Request, error) {
	list, args := f.listQueries()
	return readList(ctx, r, &list, requestTable.scanRow, w, args...)
}

// FileOwner is the account that a file belongs to, and the package that contains it.
type FileOwner struct {
	AccountID   int64
	PackageUUID string // "" for a permit or a file of a dataset
}

const (
	packageOfFile = `SELECT o.account_id, p.uuid FROM files f
		JOIN packages p ON p.id = f.package_id
		JOIN missions m ON m.id = p.mission_id
		JOIN orders o ON o.id = m.order_id
		WHERE f.id = $1`
	accountOfPermit = `SELECT o.account_id, '' FROM flight_permissions p
		JOIN missions m ON m.id = p.mission_id
		JOIN orders o ON o.id = m.order_id
		WHERE p.permit_id = $1`
	accountOfDataset = `SELECT d.account_id, '' FROM dataset_files f
		JOIN datasets d ON d.id = f.dataset_id
		WHERE f.file_id = $1`
)

// OwnerOfFile returns the owner of a file, or the zero value if the file was deleted.
func (r *storeReader) OwnerOfFile(ctx context.Context, fileID int64) (FileOwner, error) {
	scan := func(rows *sql.Rows, o *FileOwner) error { return rows.Scan(&o.AccountID, &o.PackageUUID) }
	for _, query := range []string{packageOfFile, accountOfPermit, accountOfDataset} {
		owner, err := singleRow(ctx, r, scan, query, fileID)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		return owner, err
	}
	return FileOwner{}, nil
}

// dropBatchSize is the maximum number of requests deleted in a transaction, to not delay
// other writes.
const dropBatchSize = 1000

// DropRequests deletes the requests that were logged before a time. If more than maxCount requests
// remain, it also deletes the oldest of these. It returns the number of deleted requests.
func (s *Store) DropRequests(ctx context.Context, before time.Time, maxCount int) (dropped int, err error) {
	for {
		var batch []int64
		err := s.Write(ctx, func(tx *Tx) error {
			var err error
			batch, err = collectRows(tx.ctx, tx, scanID, dropOldestRequests, dropBatchSize, before.UnixMilli(), maxCount)
			return err
		})
		if err != nil {
			return dropped, err
		}
		dropped += len(batch)
		if len(batch) < dropBatchSize {
			return dropped, nil
		}
	}
}

// dropOldestRequests deletes old requests. It checks the $1 requests with the lowest IDs. It
// deletes a request if it was logged before $2, or if its ID is at least $3 below the newest ID.
// When there is nothing left to delete, at most $3 requests remain.
const dropOldestRequests = `DELETE FROM requests WHERE id IN
	(SELECT id FROM requests ORDER BY id LIMIT $1 + 0)
	AND (created < $2 OR id <= (SELECT MAX(id) FROM requests) - $3) RETURNING id`
