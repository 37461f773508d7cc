package server

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// jsonRow is a JSON object that is written member by member. A list may have every
// order of an account, and encoding the type takes ten times as long; a test
// holds both to the same text.
type jsonRow struct {
	text []byte
	err  error
}

func beginRow(b []byte) *jsonRow { return &jsonRow{text: append(b, '{')} }

func (w *jsonRow) writeName(name string) {
	if w.text[len(w.text)-1] != '{' {
		w.text = append(w.text, ',')
	}
	w.text = append(append(append(w.text, '"'), name...), '"', ':')
}

// writeString writes a text.
func (w *jsonRow) writeString(name, s string) {
	w.writeName(name)
	w.writeQuoted(s)
}

func (w *jsonRow) writeQuoted(s string) {
	text, err := jsontext.AppendQuote(w.text, s)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	w.text = text
}

// writeTexts writes a list of texts.
func writeTexts[T ~string](w *jsonRow, name string, all []T) {
	w.writeName(name)
	w.text = append(w.text, '[')
	for i, s := range all {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.writeQuoted(string(s))
	}
	w.text = append(w.text, ']')
}

// writeNumber writes a number as package json does.
func (w *jsonRow) writeNumber(name string, f float64) {
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) { // which takes an exponent
		w.writeValue(name, f)
		return
	}
	w.writeName(name)
	w.text = strconv.AppendFloat(w.text, f, 'f', -1, 64)
}

// writeValue writes what is there seldom.
func (w *jsonRow) writeValue(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	w.writeName(name)
	w.text = append(w.text, text...)
}

// writeOptional writes a text or null.
func (w *jsonRow) writeOptional(name string, s *string) {
	if s == nil {
		w.writeName(name)
		w.text = append(w.text, "null"...)
		return
	}
	w.writeString(name, *s)
}

// writeTime writes a date-time, null for none.
func (w *jsonRow) writeTime(name string, at time.Time) {
	w.writeName(name)
	if at.IsZero() {
		w.text = append(w.text, "null"...)
		return
	}
	w.text = append(at.AppendFormat(append(w.text, '"'), api.TimeLayout(at)), '"')
}

// writeSentTime writes a date-time that a client sent.
func (w *jsonRow) writeSentTime(name string, at time.Time) {
	w.writeName(name)
	w.text = append(at.AppendFormat(append(w.text, '"'), time.RFC3339Nano), '"')
}

// sentTime returns a date-time that a client sent, in its offset and without decimals
// that it did not have.
func sentTime(at time.Time) api.Time {
	return api.Time{Time: at, Raw: at.Format(time.RFC3339Nano)}
}

// appendOrder appends an order without its missions, as [listedOrder] has it.
func appendOrder(b []byte, o *store.Order) ([]byte, error) {
	w := beginRow(b)
	w.writeString("uuid", o.UUID)
	w.writeString("orderCode", o.Code)
	w.writeString("orderName", o.Name)
	w.writeString("status", string(o.Status))
	w.writeString("orderType", string(o.Type))
	w.writeSentTime("startDate", o.StartDate)
	w.writeSentTime("deadline", o.Deadline)
	w.writeTime("createdAt", o.Created.UTC())
	w.writeTime("updatedAt", o.Updated.UTC())
	w.writeString("companyName", o.CompanyName)
	writeTexts(w, "sensors", o.Sensors)
	writeTexts(w, "deliverables", o.Deliverables)
	w.writeString("missionObjective", string(o.MissionObjective))
	w.writeString("industryAssetType", string(o.IndustryAssetType))
	w.writeNumber("areaSize", o.AreaSize)
	w.writeOptional("rejectionReason", o.RejectionReason)
	w.writeOptional("archiveReason", o.ArchiveReason)
	w.writeName("missionCount")
	w.text = append(strconv.AppendInt(w.text, int64(o.MissionCount), 10), '}')
	return w.text, w.err
}
