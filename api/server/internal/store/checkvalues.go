package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// maxFaults is how many damaged values are listed.
const maxFaults = 1000

// latestInstant is the last millisecond of the year 9999, which is the last that
// has a date-time.
const latestInstant = 253_402_300_799_999

// textCheck says what a text is not, "" where it is what it should be.
type textCheck func(text string) string

// Texts that are read as something else, by their columns, or by table and
// column where the name has several meanings.
var textFaults = map[string]textCheck{
	"uuid": matchesPattern(
		`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`,
		"a UUID",
	),
	"mission_uuid":   matchesPattern(`^[0-9a-f-]{36}$`, "a UUID"),
	"code":           matchesPattern(`^(ORD|MSN)-[0-9]+$`, "a code"),
	"order_code":     matchesPattern(`^ORD-[0-9]+$`, "a code"),
	"hash":           checkHex,
	"old_hash":       checkHex,
	"sha256":         checkHex,
	"body_hash":      checkHex,
	"start_date":     checkDateTime,
	"deadline":       checkDateTime,
	"quotes.expires": checkDateTime,
	"date_completed": matchesPattern(`^([0-9]{4}-[0-9]{2}-[0-9]{2})?$`, "a day"),
	"location_map":   checkPoints,
	"categories":     checkJSON,
	"sdg_goals":      checkJSON,
	"details":        checkJSON,
	"body":           checkJSON,
	"result":         checkJSON,
	"listed":         checkJSON,
	"recorded":       checkJSON,
	"tries":          checkJSON,
	"order_type": oneOfWords(
		api.OrderTypes(),
	),
	"mission_type":      oneOfWords(api.MissionTypes()),
	"sensors":           oneOfWords(api.Sensors()),
	"scopes":            oneOfWords(api.Scopes()),
	"deliverables":      oneOfWords(api.Deliverables()),
	"mission_objective": oneOfWords(api.MissionObjectives()),
	"industry_asset_type": oneOfWords(
		api.IndustryAssetTypes(),
	),
	"events": oneOfWords(api.EventNames()),
	"event":  oneOfWords(api.EventNames()),
	"orders.status": oneOfWords(
		api.OrderStatuses(),
	),
	"status_before":   oneOfWords(api.OrderStatuses()),
	"missions.status": oneOfWords(api.MissionStatuses()),
	"quotes.status": oneOfWords(
		api.QuoteStatuses(),
	),
	"packages.status":   oneOfWords(api.DeliveryStatuses()),
	"scheduling_status": oneOfWords(api.SchedulingStatuses()),
	"flight_permissions.status": oneOfWords(
		api.PermissionStatuses(),
	),
	"key_requests.status": oneOfWords(ops.KeyRequestStatuses()),
	"notices.kind":        oneOfWords([]string{NoticeWebhook, NoticeEmail}),
	"audit.kind":          oneOfWords(ops.AuditKinds()),
	"role":                oneOfWords(ops.Roles()),
}

var checkHex = matchesPattern(`^([0-9a-fA-F]{2})*$`, "hexadecimal")

// instants are the columns of milliseconds.
var instants = []string{"created", "updated", "expires", "revoked", "decided", "flight_date", "valid_from", "valid_to", "old_until"}

// owners name whom the secrets of a table are sealed for, by its column.
var owners = map[string]string{"webhooks": "uuid", "order_notifications": "owner"}

func matchesPattern(pattern, what string) textCheck {
	expression := regexp.MustCompile(pattern)
	return func(text string) string {
		if expression.MatchString(text) {
			return ""
		}
		return "is not " + what
	}
}

// oneOfWords takes any number of known words.
func oneOfWords[T ~string](known []T) textCheck {
	return func(text string) string {
		for word := range strings.FieldsSeq(text) {
			if !slices.Contains(known, T(word)) {
				return "has the unknown value " + fmt.Sprintf("%.40q", word)
			}
		}
		return ""
	}
}

func checkDateTime(text string) string {
	if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
		return "is not a date-time"
	}
	return ""
}

func checkJSON(text string) string {
	if !jsontext.Value(text).IsValid() {
		return "is not JSON"
	}
	return ""
}

func checkPoints(text string) string {
	var points []struct{ Lat, Lng *float64 }
	strict := json.JoinOptions(json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true))
	if err := json.Unmarshal([]byte(text), &points, strict); err != nil {
		return "is not a list of points"
	}
	for _, p := range points {
		if p.Lat == nil || p.Lng == nil || math.Abs(*p.Lat) > 90 || math.Abs(*p.Lng) > 180 {
			return "has a point that is not on the Earth"
		}
	}
	return ""
}

// damagedValues lists the values that cannot be read, and the rows that refer to
// what is not there: a line each.
func damagedValues(ctx context.Context, db *sql.DB, dir string) (faults []string, err error) {
	vault, err := vaultOf(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, "secrets: "+err.Error())
	}
	tables, err := queryTexts(ctx, db, `SELECT name FROM sqlite_master WHERE type = 'table'`)
	if err != nil {
		return nil, err
	}
	for _, name := range copied {
		if !slices.Contains(tables, name) {
			continue // of a later version
		}
		t := checkedTable{name: name, vault: vault}
		found, err := t.checkRows(ctx, db)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			found = append(found, fmt.Sprintf("%s: %v", name, err))
		}
		if faults = append(faults, found...); len(faults) >= maxFaults {
			return append(faults[:maxFaults], "there may be more"), nil
		}
	}
	lost, err := queryTexts(
		ctx,
		db,
		`SELECT "table" || ' row ' || COALESCE(rowid, '?') || ': its row of ' || parent || ' is missing'
		FROM pragma_foreign_key_check LIMIT 1000`,
	)
	if isDamage(err) {
		return append(faults, "database: "+err.Error()), nil
	}
	return append(faults, lost...), err
}

// vaultOf returns the vault of a folder; the error is [fs.ErrNotExist] where it has no
// key.
func vaultOf(dir string) (*Vault, error) {
	key, err := readVaultKey(filepath.Join(dir, vaultFile))
	if err != nil {
		return nil, err
	}
	return newVault(key)
}

// checkedTable is a table that is checked.
type checkedTable struct {
	name    string
	columns []string
	kinds   []string // declared types
	vault   *Vault
}

func (t *checkedTable) checkRows(ctx context.Context, db *sql.DB) (faults []string, err error) {
	declared, err := queryTexts(ctx, db, `SELECT name || ' ' || type FROM pragma_table_info(?)`, t.name)
	if err != nil {
		return nil, err
	}
	for _, d := range declared {
		column, kind, _ := strings.Cut(d, " ")
		t.columns, t.kinds = append(t.columns, column), append(t.kinds, kind)
	}
	rows, err := db.QueryContext(ctx, `SELECT rowid, `+strings.Join(t.columns, ", ")+` FROM `+t.name) //nolint:gosec // names of the schema
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() && len(faults) < maxFaults {
		values, err := scanAny(rows, len(t.columns)+1)
		if err != nil {
			return faults, err
		}
		for _, said := range t.checkRow(values[1:]) {
			faults = append(faults, t.rowTitle(values)+": "+said)
		}
	}
	return faults, rows.Err()
}

// rowTitle names a row, with its code or id where that can be read.
func (t *checkedTable) rowTitle(values []any) string {
	title := fmt.Sprintf("%s row %v", t.name, values[0])
	for _, name := range []string{"code", "uuid"} {
		id, ok := t.columnValue(values[1:], name).(string)
		if ok && textFaults[name](id) == "" {
			return title + ", " + id
		}
	}
	return title
}

func (t *checkedTable) columnValue(values []any, column string) any {
	if i := slices.Index(t.columns, column); i >= 0 {
		return values[i]
	}
	return nil
}

// checkRow says what is wrong with a row. That nothing is where something must be the
// database finds.
func (t *checkedTable) checkRow(values []any) (faults []string) {
	for i, v := range values {
		said := ""
		switch v := v.(type) {
		case nil:
		case string:
			said = t.checkText(i, v, values)
		case int64:
			said = t.checkNumber(i, v)
		case float64:
			if t.kinds[i] != "DOUBLE PRECISION" || math.IsNaN(v) || math.IsInf(v, 0) {
				said = "is not a number that can be used"
			}
		default:
			said = "is not text or a number"
		}
		if said != "" {
			faults = append(faults, t.columns[i]+" "+said)
		}
	}
	return faults
}

func (t *checkedTable) checkText(i int, text string, row []any) string {
	switch column := t.columns[i]; {
	case t.kinds[i] != "TEXT":
		return "is not a number"
	case !utf8.ValidString(text):
		return "is not in UTF-8"
	case column == "secret" && t.vault != nil && text != "":
		owner, _ := t.columnValue(row, owners[t.name]).(string)
		if _, err := t.vault.Open(owner, text); err != nil {
			return "does not open with the key in " + vaultFile
		}
	case textFaults[t.name+"."+column] != nil:
		return textFaults[t.name+"."+column](text)
	case textFaults[column] != nil:
		return textFaults[column](text)
	}
	return ""
}

func (t *checkedTable) checkNumber(i int, n int64) string {
	switch {
	case t.kinds[i] == "TEXT":
		return "is not text"
	case slices.Contains(instants, t.columns[i]) && (n < 0 || n > latestInstant):
		return "is not a time"
	}
	return ""
}
