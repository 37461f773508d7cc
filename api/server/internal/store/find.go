package store

import (
	"context"
	"database/sql"
	"strings"

	"flightdesk/api/ops"
)

// Found is something that support searched for.
type Found struct {
	Kind        ops.FoundKind
	UUID        string // "" for a request
	Name        string // what people call it: name, address, ending, method and path
	AccountUUID string // "" for a request of no known account
	Company     string // of the account
	OrderCode   string // "" if it belongs to no order
	MissionCode string // "" if it belongs to no mission
}

func scanFound(rows *sql.Rows, f *Found) error {
	return rows.Scan(&f.Kind, &f.UUID, &f.Name, &f.AccountUUID, &f.Company, &f.OrderCode, &f.MissionCode)
}

// foundLimit is the largest number of rows of a kind that a search returns.
const foundLimit = 20

// What a query of [Found] selects of each kind, up to its condition.
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

// Queries of what is found by one value.
var (
	foundByUUID = strings.Join([]string{
		foundAccounts + `WHERE a.uuid = $1`,
		foundKeys + `WHERE k.uuid = $1`,
		foundOrders + `WHERE o.uuid = $1`,
		foundMissions + `WHERE m.uuid = $1`,
		foundQuotes + `WHERE q.uuid = $1`,
		foundPackages + `WHERE p.uuid = $1`,
		foundFiles + `WHERE f.uuid = $1`,
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

// Search says what is searched for. Values that are empty are not.
type Search struct {
	UUID      string
	Codes     []string // of orders and missions
	KeyEnding string
	RequestID string
	FileName  string

	// Matches reports whether a text of an account or an endpoint, or the company of an
	// order, is meant. nil searches no texts.
	Matches func(text string) bool
}

// Find returns what a search finds, of each kind the newest, exact matches first.
func (r *storeReader) Find(ctx context.Context, s Search) (all []Found, err error) {
	find := func(query, value string, limits ...any) {
		if value == "" || err != nil {
			return
		}
		var found []Found
		found, err = collectRows(ctx, r, scanFound, query, append([]any{value}, limits...)...)
		all = append(all, found...)
	}
	find(foundByUUID, s.UUID)
	for _, code := range s.Codes {
		find(foundByCode, code)
	}
	find(foundByEnding, s.KeyEnding, foundLimit)
	find(foundByRequestID, s.RequestID, foundLimit)
	find(foundByFileName, s.FileName, foundLimit)
	if err != nil || s.Matches == nil {
		return all, err
	}
	texts, err := r.findTexts(ctx, s.Matches)
	return append(all, texts...), err
}

// distinctCompanies walks the index of companies from name to name.
const distinctCompanies = `WITH RECURSIVE names(name) AS (
	SELECT MIN(company_name) FROM orders
	UNION ALL
	SELECT (SELECT MIN(company_name) FROM orders WHERE company_name > names.name) FROM names
	WHERE names.name IS NOT NULL)
	SELECT name FROM names WHERE name IS NOT NULL`

// findTexts returns the accounts, endpoints and orders with a text that matches.
func (r *storeReader) findTexts(ctx context.Context, matches func(string) bool) ([]Found, error) {
	var all []Found
	accounts, err := r.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range accounts {
		if matches(a.CompanyName) || matches(a.ClientName) || matches(a.ClientEmail) {
			all = append(all, Found{
				Kind: ops.FoundAccount, UUID: a.UUID, Name: a.CompanyName, AccountUUID: a.UUID, Company: a.CompanyName,
			})
		}
	}
	all = limitFound(all)
	endpoints, err := collectRows(ctx, r, scanFound, foundEndpoints+`ORDER BY w.id`)
	if err != nil {
		return nil, err
	}
	var matching []Found
	for _, e := range endpoints {
		if matches(e.Name) {
			matching = append(matching, e)
		}
	}
	all = append(all, limitFound(matching)...)
	companies, err := collectRows(ctx, r, scanText, distinctCompanies)
	if err != nil {
		return nil, err
	}
	var orders []Found
	for _, company := range companies {
		if !matches(company) || len(orders) >= foundLimit {
			continue
		}
		some, err := collectRows(ctx, r, scanFound, foundByCompany, company, foundLimit-len(orders))
		if err != nil {
			return nil, err
		}
		orders = append(orders, some...)
	}
	return append(all, orders...), nil
}

// limitFound returns the last rows, which are the newest, newest first.
func limitFound(rows []Found) []Found {
	newest := make([]Found, 0, foundLimit)
	for i := len(rows) - 1; i >= 0 && len(newest) < foundLimit; i-- {
		newest = append(newest, rows[i])
	}
	return newest
}
