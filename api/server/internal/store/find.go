package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"flightdesk/api/ops"
)

// Found is a result of a search.
type Found struct {
	Kind        ops.FoundKind
	UUID        string // "" for a request
	Name        string // depends on Kind: name, address, last four characters of a key, or method, path and status
	AccountUUID string // "" for a request of an unknown account
	Company     string // of the account
	OrderCode   string // "" if the result belongs to no order
	MissionCode string // "" if the result belongs to no mission
}

func scanFound(rows *sql.Rows, f *Found) error {
	return rows.Scan(&f.Kind, &f.UUID, &f.Name, &f.AccountUUID, &f.Company, &f.OrderCode, &f.MissionCode)
}

// foundLimit is the maximum number of results of a kind.
const foundLimit = 20

// The SELECT of each kind of [Found], without its condition.
const (
	foundAccounts = `SELECT 'account', a.uuid, a.company_name, a.uuid, a.company_name, '', '' FROM accounts a `
	foundKeys     = `SELECT 'key', k.uuid, k.hint, a.uuid, a.company_name, '', ''
		FROM api_keys k JOIN accounts a ON a.id = k.account_id `
	foundOrders = `SELECT 'order', o.uuid, o.name, a.uuid, a.company_name, o.code, ''
		FROM orders o JOIN accounts a ON a.id = o.account_id `
	foundMissions = `SELECT 'mission', m.uuid, m.name, a.uuid, a.company_name, o.code, m.code
		FROM missions m JOIN orders o ON o.id = m.order_id JOIN accounts a ON a.id = o.account_id `
	foundQuotes = `SELECT 'quote', q.uuid, q.name, a.uuid, a.company_name, o.code, ''
		FROM quotes q JOIN orders o ON o.id = q.order_id JOIN accounts a ON a.id = o.account_id `
	foundPackages = `SELECT 'package', p.uuid, p.name, a.uuid, a.company_name, o.code, m.code
		FROM packages p JOIN missions m ON m.id = p.mission_id JOIN orders o ON o.id = m.order_id
		JOIN accounts a ON a.id = o.account_id `
	foundFiles = `SELECT 'file', f.uuid, f.name, a.uuid, a.company_name, o.code, m.code
		FROM files f JOIN packages p ON p.id = f.package_id JOIN missions m ON m.id = p.mission_id
		JOIN orders o ON o.id = m.order_id JOIN accounts a ON a.id = o.account_id `
	foundDatasetFiles = `SELECT 'file', f.uuid, f.name, a.uuid, a.company_name, '', ''
		FROM files f JOIN dataset_files df ON df.file_id = f.id JOIN datasets d ON d.id = df.dataset_id
		JOIN accounts a ON a.id = d.account_id `
	foundPermits = `SELECT 'file', f.uuid, f.name, a.uuid, a.company_name, o.code, m.code
		FROM files f JOIN flight_permissions fp ON fp.permit_id = f.id JOIN missions m ON m.id = fp.mission_id
		JOIN orders o ON o.id = m.order_id JOIN accounts a ON a.id = o.account_id `
	foundDatasets = `SELECT 'dataset', d.uuid, d.name, a.uuid, a.company_name, '', ''
		FROM datasets d JOIN accounts a ON a.id = d.account_id `
	foundEndpoints = `SELECT 'endpoint', w.uuid, w.url, a.uuid, a.company_name, '', ''
		FROM webhooks w JOIN accounts a ON a.id = w.account_id `
	foundCallbacks = `SELECT 'callback', d.uuid, d.event, a.uuid, a.company_name, d.order_code,
		COALESCE((SELECT code FROM missions m WHERE m.uuid = d.mission_uuid), '')
		FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN accounts a ON a.id = w.account_id `
	foundNotices = `SELECT 'notice', n.uuid, n.address, a.uuid, a.company_name, o.code, ''
		FROM notices n JOIN orders o ON o.id = n.order_id JOIN accounts a ON a.id = o.account_id `
	foundRequests = `SELECT 'request', '', r.method || ' ' || r.path || ' ' || r.status,
		COALESCE(a.uuid, ''), COALESCE(a.company_name, ''), '', ''
		FROM requests r LEFT JOIN accounts a ON a.id = r.account_id `
)

// Queries that find records by one value.
var (
	foundByUUID = strings.Join([]string{
		foundAccounts + `WHERE a.uuid = $1`,
		foundKeys + `WHERE k.uuid = $1`,
		foundOrders + `WHERE o.uuid = $1`,
		foundMissions + `WHERE m.uuid = $1`,
		foundQuotes + `WHERE q.uuid = $1`,
		foundPackages + `WHERE p.uuid = $1`,
		foundFiles + `WHERE f.uuid = $1`,
		foundDatasetFiles + `WHERE f.uuid = $1`,
		foundPermits + `WHERE f.uuid = $1`,
		foundDatasets + `WHERE d.uuid = $1`,
		foundEndpoints + `WHERE w.uuid = $1`,
		foundCallbacks + `WHERE d.uuid = $1`,
		foundNotices + `WHERE n.uuid = $1`,
	}, ` UNION ALL `)
	foundByCode = foundOrders + `WHERE o.code = $1 UNION ALL ` + foundMissions + `WHERE m.code = $1`

	foundByEnding    = foundKeys + `WHERE k.hint = $1 ORDER BY k.id DESC LIMIT $2 + 0`
	foundByRequestID = foundRequests + `WHERE r.request_id = $1 ORDER BY r.id DESC LIMIT $2 + 0`
	foundByFileName  = foundFiles + `WHERE lower(f.name) = lower($1) ORDER BY f.id DESC LIMIT $2 + 0`
	foundByCompany   = foundOrders + `WHERE o.company_name = $1 ORDER BY o.created DESC, o.id DESC LIMIT $2 + 0`
)

// Search contains the values to search for. Empty values are ignored.
type Search struct {
	UUID      string
	Codes     []string // of orders and missions
	KeyEnding string
	RequestID string
	FileName  string

	// Matches reports whether a text matches: a name or address of an account, the URL of
	// an endpoint, or the company of an order. If it is nil, texts are not searched.
	Matches func(text string) bool
}

// Find returns the results of a search: first exact matches, then matching texts. It returns
// at most foundLimit results of each kind, the newest ones.
func (r *storeReader) Find(ctx context.Context, s Search) ([]Found, error) {
	var all []Found
	for _, l := range s.lookups() {
		if l.value == "" {
			continue
		}
		args := []any{l.value}
		if l.isLimited {
			args = append(args, foundLimit)
		}
		found, err := collectRows(ctx, r, scanFound, l.query, args...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if s.Matches == nil {
		return all, nil
	}
	texts, err := textSearch{q: r, matches: s.Matches}.find(ctx)
	if err != nil {
		return nil, err
	}
	return append(all, texts...), nil
}

// foundLookup is a query for one value of a search.
type foundLookup struct {
	query     string
	value     string
	isLimited bool // the query has a limit as its second parameter
}

// lookups returns the queries of a search by ID, code, key ending, request ID and file name. Values
// that the search does not have are "" in the result; the caller skips them.
func (s Search) lookups() []foundLookup {
	all := []foundLookup{{query: foundByUUID, value: s.UUID}}
	for _, code := range s.Codes {
		all = append(all, foundLookup{query: foundByCode, value: code})
	}
	return append(all,
		foundLookup{query: foundByEnding, value: s.KeyEnding, isLimited: true},
		foundLookup{query: foundByRequestID, value: s.RequestID, isLimited: true},
		foundLookup{query: foundByFileName, value: s.FileName, isLimited: true},
	)
}

// distinctCompanies reads each company once, by walking the index from name to name.
const distinctCompanies = `WITH RECURSIVE names(name) AS (
	SELECT MIN(company_name) FROM orders
	UNION ALL
	SELECT (SELECT MIN(company_name) FROM orders WHERE company_name > names.name) FROM names
	WHERE names.name IS NOT NULL)
	SELECT name FROM names WHERE name IS NOT NULL`

// textSearch searches for the accounts, endpoints and orders with a matching text.
type textSearch struct {
	q       querier
	matches func(text string) bool
}

// find returns the accounts, then the endpoints and then the orders.
func (s textSearch) find(ctx context.Context) ([]Found, error) {
	accounts, err := s.findAccounts(ctx)
	if err != nil {
		return nil, err
	}
	endpoints, err := s.findEndpoints(ctx)
	if err != nil {
		return nil, err
	}
	orders, err := s.findOrders(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Concat(accounts, endpoints, orders), nil
}

// findAccounts finds accounts by the name of the company or of the client, or by the email address.
func (s textSearch) findAccounts(ctx context.Context) ([]Found, error) {
	accounts, err := allAccounts(ctx, s.q)
	if err != nil {
		return nil, err
	}
	var matching []Found
	for _, a := range accounts {
		if s.matches(a.CompanyName) || s.matches(a.ClientName) || s.matches(a.ClientEmail) {
			matching = append(matching, Found{
				Kind:        ops.FoundAccount,
				UUID:        a.UUID,
				Name:        a.CompanyName,
				AccountUUID: a.UUID,
				Company:     a.CompanyName,
			})
		}
	}
	return limitFound(matching), nil
}

func (s textSearch) findEndpoints(ctx context.Context) ([]Found, error) {
	endpoints, err := collectRows(ctx, s.q, scanFound, foundEndpoints+`ORDER BY w.id`)
	if err != nil {
		return nil, err
	}
	var matching []Found
	for _, e := range endpoints {
		if s.matches(e.Name) {
			matching = append(matching, e)
		}
	}
	return limitFound(matching), nil
}

// findOrders returns the orders of the companies with a matching name.
func (s textSearch) findOrders(ctx context.Context) ([]Found, error) {
	companies, err := collectRows(ctx, s.q, scanText, distinctCompanies)
	if err != nil {
		return nil, err
	}
	var orders []Found
	for _, company := range companies {
		if !s.matches(company) || len(orders) >= foundLimit {
			continue
		}
		ofCompany, err := collectRows(ctx, s.q, scanFound, foundByCompany, company, foundLimit-len(orders))
		if err != nil {
			return nil, err
		}
		orders = append(orders, ofCompany...)
	}
	return orders, nil
}

// limitFound returns the newest results, up to foundLimit, newest first. rows must be sorted
// oldest first.
func limitFound(rows []Found) []Found {
	newest := make([]Found, 0, foundLimit)
	for i := len(rows) - 1; i >= 0 && len(newest) < foundLimit; i-- {
		newest = append(newest, rows[i])
	}
	return newest
}
