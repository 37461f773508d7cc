package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// encodeRecord returns the JSON of an order for getorderslist. The store saves this JSON with the
// order. Some values may change later, such as the name of the client. The JSON contains emptyValue
// for them, and appendRow fills them in. The JSON has the members of [api.OrderRecord], but
// encoding an OrderRecord would take twice as long.
func encodeRecord(o store.Order) (string, error) {
	w := new(recordRow)
	w.writeText(`{"id":`, o.UUID)
	w.writeText(`,"orderCode":`, o.Code)
	w.writeText(`,"orderName":`, o.Name)
	w.writeValue(`,"areaSize":`, o.AreaSize)
	w.writeText(`,"clientName":`+emptyValue+`,"clientEmail":`+emptyValue+`,"companyName":`, o.CompanyName)
	w.writeText(`,"deliveryDeadline":`, o.Deadline.Format(time.DateOnly))
	w.writeValue(`,"orderPrice":`+emptyValue+`,"orderStatus":`+emptyValue+`,"locationMap":`, o.Location)
	w.writeValue(`,"mapTypes":`, mapTypes(o.Deliverables))
	return string(append(w.text, '}')), w.err
}

// recordRow writes the JSON of an order for getorderslist. It either encodes the order, or fills in
// the empty values of an encoded order from first to last.
type recordRow struct {
	text []byte // text that is complete
	rest string // text of the encoded record after the last filled-in value
	err  error  // first error
}

// emptyValue marks a value that is filled in later. It cannot be confused with other text of a
// record, because no other line of a record begins with "".
const emptyValue = "\n" + `""`

// openValue copies the encoded record up to the next empty value. The caller then writes the value.
func (w *recordRow) openValue() {
	before, rest, found := strings.Cut(w.rest, emptyValue)
	if !found {
		w.err = fmt.Errorf("%w: the text of a record has no place for a value", store.ErrDamaged)
	}
	w.text = append(w.text, before...)
	w.rest = rest
}

// fillText fills in the next empty value with a string.
func (w *recordRow) fillText(s string) {
	w.openValue()
	w.writeText("", s)
}

// fillNumber fills in the next empty value with a number.
func (w *recordRow) fillNumber(f float64) {
	w.openValue()
	w.writeValue("", f)
}

// writeText writes before, which is JSON such as the name of a member, and then s as a JSON string.
func (w *recordRow) writeText(before, s string) {
	text, err := jsontext.AppendQuote(append(w.text, before...), s)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%w: %w", store.ErrDamaged, err)
	}
	w.text = text
}

// writeValue writes before, which is JSON such as the name of a member, and then the JSON of v.
func (w *recordRow) writeValue(before string, v any) {
	text, err := marshalAnswer(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.text = append(w.text, before...)
	w.text = append(w.text, text...)
}

// sentTime returns a time in the notation of the client: with the UTC offset that the client
// sent, and with fractions of a second only if the client sent them.
func sentTime(t time.Time) api.Time {
	return api.Time{Time: t, Raw: t.Format(time.RFC3339Nano)}
}

// appendRow appends the complete JSON of an account's order to b. It fills in the empty values of
// the JSON from encodeRecord. It then adds the details and notification settings that the client
// sent, and the links of the order's files.
func appendRow(b []byte, a *store.Account, o *store.OrderBrief, links []string) ([]byte, error) {
	w := &recordRow{text: b, rest: o.Text}
	w.fillOrder(a, o)
	if o.RejectionReason != nil && *o.RejectionReason != "" {
		w.writeText(`,"orderRejectionReason":`, *o.RejectionReason)
	}
	w.writeRest()
	w.writeDetails(o.Details)
	if o.Notify != nil {
		w.writeValue(`,"notifications":`, wireNotify(o.Notify))
	}
	w.writeLinks(links)
	return append(w.text, '}'), w.err
}

// fillOrder fills in the empty values of an order. It must write them in the same sequence as
// encodeRecord.
func (w *recordRow) fillOrder(a *store.Account, o *store.OrderBrief) {
	w.fillText(a.ClientName)
	w.fillText(a.ClientEmail)
	if o.Price == nil {
		w.fillText("")
	} else {
		w.fillNumber(*o.Price)
	}
	w.fillText(string(o.Status))
}

// writeRest writes the rest of the encoded record without its closing brace, so that the caller can
// add more members.
func (w *recordRow) writeRest() {
	w.text = append(w.text, strings.TrimSuffix(w.rest, "}")...)
}

// writeDetails writes the members of a JSON object, which may be nil.
func (w *recordRow) writeDetails(object jsontext.Value) {
	hasMembers := len(object) > len("{}")
	if !hasMembers {
		return
	}
	w.text = append(w.text, ',')
	w.text = append(w.text, object[1:len(object)-1]...) // without the braces
}

// writeLinks writes the links of the order's files.
func (w *recordRow) writeLinks(links []string) {
	w.text = append(w.text, `,"deliveryFiles":[`...)
	for i, link := range links {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.writeText("", link)
	}
	w.text = append(w.text, ']')
}

// addRecord returns a function that adds an order with the links of its files to a list.
func (h *legacyHandlers) addRecord(x *exchange, list *bareList, view shownFiles) func(*store.OrderBrief) error {
	return func(o *store.OrderBrief) error {
		var links []string
		for _, f := range o.Files {
			if view.showsKind(f.Kind) {
				links = append(links, h.linkTo(x, f))
			}
		}
		return list.addText(func(b []byte) ([]byte, error) { return appendRow(b, &x.caller.Account, o, links) })
	}
}
