package server

import (
	"time"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// appendRow appends an order of an account with the links of its files.
func appendRow(b []byte, a *store.Account, o *store.Brief, links []string) ([]byte, error) {
	details := o.Details
	if details == nil {
		details = &api.OrderDetails{}
	}
	w := beginRow(b)
	w.string("id", o.UUID)
	w.string("orderCode", o.Code)
	w.string("orderName", o.Name)
	w.number("areaSize", o.AreaSize)
	w.string("clientName", a.ClientName)
	w.string("clientEmail", a.ClientEmail)
	w.string("companyName", o.CompanyName)
	w.name("deliveryDeadline")
	w.text = append(o.Deadline.UTC().AppendFormat(append(w.text, '"'), time.DateOnly), '"')
	if details.Description != "" {
		w.string("description", details.Description)
	}
	if o.Price != nil {
		w.number("orderPrice", *o.Price)
	} else {
		w.string("orderPrice", "")
	}
	w.string("orderStatus", string(o.Status))
	if o.RejectionReason != nil && *o.RejectionReason != "" {
		w.string("orderRejectionReason", *o.RejectionReason)
	}
	w.name("locationMap")
	if o.Location == nil {
		w.text = append(w.text, "[]"...)
	}
	w.text = append(w.text, o.Location...)
	texts(w, "mapTypes", mapTypes(o.Deliverables))
	w.extras(details, o.Notify)
	texts(w, "deliveryFiles", links)
	return append(w.text, '}'), w.err
}

// extras writes what few orders have.
func (w *row) extras(d *api.OrderDetails, notify *store.Notify) {
	if d.OtherMapType != "" {
		w.string("otherMapType", d.OtherMapType)
	}
	if notify != nil {
		w.value("notifications", wireNotify(notify))
	}
	if d.PointOfContact != nil {
		w.value("pointOfContact", d.PointOfContact)
	}
	if d.AdvancedOption != nil {
		w.value("advancedOption", d.AdvancedOption)
	}
}

// addRecord adds orders to a list, with the links of their files in one row.
func (h *legacy) addRecord(x *exchange, list *bareList, view shown) func(*store.Brief) error {
	return func(o *store.Brief) error {
		var links []string
		for _, f := range o.Files {
			if view.has(f.Kind) {
				links = append(links, h.link(x, f))
			}
		}
		return list.addText(func(b []byte) ([]byte, error) { return appendRow(b, &x.caller.Account, o, links) })
	}
}
