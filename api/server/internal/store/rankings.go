package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"slices"
	"sync"
)

// Clients request pages of records by number, and finding a page means counting all
// orders before it. The positions of pages that were read are remembered as marks, and
// counting begins at the nearest mark.
const (
	markEvery   = 500   // minimum number of orders between two marks
	maxMarks    = 2_000 // per account
	maxAccounts = 100   // accounts with marks
)

// listMark is the known position of one order in the list of its account's orders, newest first. To
// find a page of the list, orders are counted from the nearest mark and not from the start.
type listMark struct {
	rank     int64 // number of orders before the position
	position Position
}

// listStart is a position before the first order of every list of orders, newest first: it
// is newer than every order.
var listStart = Position{math.MaxInt64, math.MaxInt64}

// accountRanking contains the marks in the list of an account's orders, as of the time when the
// ranking was created. It is immutable. Each order that is placed later increases the rank of all
// marks. A deleted order stays in the list, so the ranks do not change. After a reset, which
// removes orders, the marks cannot be used any more.
type accountRanking struct {
	newest Position   // position of the newest order at that time
	marks  []listMark // sorted by rank
	end    int64      // the list has at most this number of orders; 0 if unknown
}

// changesSince is the query that returns [listChanges]. $1 is the account. $2 and $3 are the
// position of the newest order of the ranking.
const changesSince = `SELECT created, id,
	(SELECT COUNT(*) FROM orders WHERE account_id = $1 AND (created, id) > ($2, $3)),
	(SELECT COUNT(*) FROM orders WHERE id = $3)
	FROM orders WHERE account_id = $1 ORDER BY created DESC, id DESC LIMIT 1`

// listChanges says how the list of an account's orders has changed since a ranking was created.
type listChanges struct {
	newest       Position // position of the newest order
	placed       int64    // number of orders newer than the newest order of the ranking
	newestExists bool     // the newest order of the ranking was not removed by a reset
}

func scanChanges(rows *sql.Rows, c *listChanges) error {
	var kept int64 // number of orders with the ID of the newest order of the ranking
	err := rows.Scan(&c.newest.Sort, &c.newest.ID, &c.placed, &kept)
	c.newestExists = kept > 0
	return err
}

// bringUpToDate returns the ranking with the changes of the list since r was created. If a reset
// has removed the newest order of r since then, the new ranking has no marks. The state of the
// database that q reads must not be older than r.
func (r accountRanking) bringUpToDate(ctx context.Context, q querier, accountID int64) (accountRanking, error) {
	isEmpty := r.marks == nil && r.end == 0
	since := r.newest
	if isEmpty {
		since = listStart // no orders are newer, so the query does not have to count any
	}
	changes, err := singleRow(ctx, q, scanChanges, changesSince, accountID, since.Sort, since.ID)
	if errors.Is(err, ErrNotFound) { // the account has no orders
		return accountRanking{}, nil
	}
	if err != nil {
		return accountRanking{}, err
	}
	if isEmpty || !changes.newestExists { // a reset that removes the newest order makes the marks useless
		return accountRanking{newest: changes.newest}, nil
	}
	return r.afterChanges(changes), nil
}

// afterChanges returns the ranking after the placement of changes.placed new orders. They are at
// the start of the list, so the rank of each mark, and the end of the list if it is known, increase
// by their number.
func (r accountRanking) afterChanges(changes listChanges) accountRanking {
	updated := accountRanking{newest: changes.newest, marks: slices.Clone(r.marks)}
	for i := range updated.marks {
		updated.marks[i].rank += changes.placed
	}
	if r.end > 0 {
		updated.end = r.end + changes.placed
	}
	return updated
}

// endsBefore reports whether the list is known to end before an offset.
func (r accountRanking) endsBefore(offset int64) bool { return r.end > 0 && offset >= r.end }

// readPage reads the page at an offset. It counts the orders from the nearest mark.
func (r accountRanking) readPage(
	ctx context.Context, q querier, accountID, limit, offset int64,
) ([]OrderBrief, error) {
	if r.endsBefore(offset) {
		return nil, nil
	}
	return readBriefsAfter(ctx, q, accountID, r.markBefore(offset), limit, offset)
}

// withPage returns the ranking after the page at an offset was read. If the page has orders, it
// adds a mark at the page, unless another mark is near. If the page is empty, it records that the
// list has at most offset orders.
func (r accountRanking) withPage(page []OrderBrief, offset int64) accountRanking {
	distance := offset - r.markBefore(offset).rank
	if r.endsBefore(offset) || distance < markEvery {
		return r
	}
	if len(page) == 0 {
		r.end = offset
		return r
	}
	return r.withMark(listMark{rank: offset, position: page[0].Place})
}

// readBriefsAfter reads the page at an offset, counting from a mark at or before the page.
func readBriefsAfter(
	ctx context.Context, q querier, accountID int64, mark listMark, limit, offset int64,
) ([]OrderBrief, error) {
	return collectRows(ctx, q, scanBrief, numberedBriefs, accountID, limit, offset-mark.rank,
		mark.position.Sort, mark.position.ID)
}

// markBefore returns the last mark at or before a rank. A mark is an order whose rank, its position in the list, is
// known. If there is no such mark, markBefore returns a mark at the start of the list.
func (r accountRanking) markBefore(rank int64) listMark {
	i, found := slices.BinarySearchFunc(r.marks, rank, byRank)
	if found {
		return r.marks[i]
	}
	if i == 0 {
		return listMark{position: listStart}
	}
	return r.marks[i-1]
}

func byRank(m listMark, rank int64) int { return int(m.rank - rank) }

// withMark returns the ranking with another mark. If there are too many, every second
// mark is removed.
func (r accountRanking) withMark(m listMark) accountRanking {
	i, _ := slices.BinarySearchFunc(r.marks, m.rank, byRank)
	r.marks = slices.Insert(slices.Clone(r.marks), i, m)
	if len(r.marks) > maxMarks {
		half := r.marks[:0]
		for i := 0; i < len(r.marks); i += 2 {
			half = append(half, r.marks[i])
		}
		r.marks = half
	}
	return r
}

// rankingCache has the rankings of the accounts whose lists were read far from the start.
type rankingCache struct {
	mu  sync.Mutex
	all map[int64]accountRanking // by account
}

// removeAll removes all rankings. It is called when restored data has replaced all orders.
func (m *rankingCache) removeAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = nil
}

func (m *rankingCache) rankingOf(accountID int64) accountRanking {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[accountID]
}

// saveRanking saves the ranking of an account and replaces an earlier one. If too many accounts
// have a ranking, it removes the rankings of all other accounts.
func (m *rankingCache) saveRanking(accountID int64, r accountRanking) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, exists := m.all[accountID]
	isFull := !exists && len(m.all) >= maxAccounts
	if m.all == nil || isFull {
		m.all = map[int64]accountRanking{}
	}
	m.all[accountID] = r
}
