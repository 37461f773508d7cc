package server

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/server/internal/store"
)

// row is a JSON object that is written member by member. A list may have every
// order of an account, and encoding the type takes ten times as long; a test
// holds both to the same text.
type row struct {
	text []byte
	err  error
}

func beginRow(b []byte) *row { return &row{text: append(b, '{')} }

func (w *row) name(name string) {
	if w.text[len(w.text)-1] != '{' {
		w.text = append(w.text, ',')
	}
	w.text = append(append(append(w.text, '"'), name...), '"', ':')
}

// string writes a text.
func (w *row) string(name, s string) {
	w.name(name)
	w.quote(s)
}

func (w *row) quote(s string) {
	text, err := jsontext.AppendQuote(w.text, s)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	w.text = text
}

// texts writes a list of texts.
func texts[T ~string](w *row, name string, all []T) {
	w.name(name)
	w.text = append(w.text, '[')
	for i, s := range all {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.quote(string(s))
	}
	w.text = append(w.text, ']')
}

// number writes a number as package json does.
func (w *row) number(name string, f float64) {
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) { // which takes an exponent
		w.value(name, f)
		return
	}
	w.name(name)
	w.text = strconv.AppendFloat(w.text, f, 'f', -1, 64)
}

// value writes what is there seldom.
func (w *row) value(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	w.name(name)
	w.text = append(w.text, text...)
}

// optional writes a text or null.
func (w *row) optional(name string, s *string) {
	if s == nil {
		w.name(name)
		w.text = append(w.text, "null"...)
		return
	}
	w.string(name, *s)
}

// time writes a date-time, null for none.
func (w *row) time(name string, at time.Time) {
	w.name(name)
	if at.IsZero() {
		w.text = append(w.text, "null"...)
		return
	}
	w.text = append(at.AppendFormat(append(w.text, '"'), time.RFC3339Nano), '"')
}

// appendOrder appends an order without its missions, as [listedOrder] has it.
func appendOrder(b []byte, o *store.Order) ([]byte, error) {
	w := beginRow(b)
	w.string("uuid", o.UUID)
	w.string("orderCode", o.Code)
	w.string("orderName", o.Name)
	w.string("status", string(o.Status))
	w.string("orderType", string(o.Type))
	w.time("startDate", o.StartDate)
	w.time("deadline", o.Deadline)
	w.time("createdAt", o.Created.UTC())
	w.time("updatedAt", o.Updated.UTC())
	w.string("companyName", o.CompanyName)
	texts(w, "sensors", o.Sensors)
	texts(w, "deliverables", o.Deliverables)
	w.string("missionObjective", string(o.MissionObjective))
	w.string("industryAssetType", string(o.IndustryAssetType))
	w.number("areaSize", o.AreaSize)
	w.optional("rejectionReason", o.RejectionReason)
	w.optional("archiveReason", o.ArchiveReason)
	w.name("missionCount")
	w.text = append(strconv.AppendInt(w.text, int64(o.MissionCount), 10), '}')
	return w.text, w.err
}
