package server

import (
	"time"

	"flightdesk/api/server/internal/store"
)

// appendRow appends an order of an account with the links of its files.
func appendRow(b []byte, a *store.Account, o *store.OrderBrief, links []string) ([]byte, error) {
	w := beginRow(b)
	w.writeString("id", o.UUID)
	w.writeString("orderCode", o.Code)
	w.writeString("orderName", o.Name)
	w.writeNumber("areaSize", o.AreaSize)
	w.writeString("clientName", a.ClientName)
	w.writeString("clientEmail", a.ClientEmail)
	w.writeString("companyName", o.CompanyName)
	w.writeName("deliveryDeadline")
	w.text = append(o.Deadline.UTC().AppendFormat(append(w.text, '"'), time.DateOnly), '"')
	if o.Price != nil {
		w.writeNumber("orderPrice", *o.Price)
	} else {
		w.writeString("orderPrice", "")
	}
	w.writeString("orderStatus", string(o.Status))
	if o.RejectionReason != nil && *o.RejectionReason != "" {
		w.writeString("orderRejectionReason", *o.RejectionReason)
	}
	w.writeName("locationMap")
	if o.Location == nil {
		w.text = append(w.text, "[]"...)
	}
	w.text = append(w.text, o.Location...)
	writeTexts(w, "mapTypes", mapTypes(o.Deliverables))
	if o.Details != nil {
		w.writeMembers(o.Details)
	}
	if o.Notify != nil {
		w.writeValue("notifications", wireNotify(o.Notify))
	}
	writeTexts(w, "deliveryFiles", links)
	return append(w.text, '}'), w.err
}

// addRecord adds orders to a list, with the links of their files in one row.
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
