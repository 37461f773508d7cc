package orders

import (
	"net/http"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/widget"
	"flightdesk/tui/widget/dialog"
)

// recordLabel is the width of the labels of a record's fields.
const recordLabel = 16

// showRecord shows all fields that the v2 API has of the order.
func (p *OrderPage) showRecord() {
	th, r := p.Theme, p.detail.record
	p.Overlay(&dialog.Reader{Theme: th, Title: "Order in the v2 API", Text: func(w int) []string {
		return widget.BoxFacts(th, recordLabel, w, widget.Facts(columns.RecordFacts(r))...)
	}})
}

// noRecord returns why the order's record cannot be shown.
func (p *OrderPage) noRecord() string {
	if _, state := p.Cache.Records.Get(p.quoteOwner()); state.Err != nil {
		return "not returned by the v2 API; press r"
	}
	return "still loading"
}

// renderUnread returns shown in place of an order that the public API did not answer with:
// what the v2 API has of it, or why there is nothing.
func (p *OrderPage) renderUnread(w int) []string {
	r, err := p.detail.record, p.State.Err
	if r == nil {
		return page.RenderProblem(p.Theme, err, "", "r", w)
	}
	lines := page.RenderProblem(p.Theme, err, "the order in the v2 API", "r", w)
	if isOnlyRecord(err) {
		lines = []string{layout.CutLine(" "+p.Theme.PaintMuted("This order exists only in the v2 API, without missions."), w)}
	}
	return append(append(lines, ""), widget.WrapFacts(p.Theme, recordLabel, w, widget.Facts(columns.RecordFacts(r))...)...)
}

// isOnlyRecord reports whether the public API does not have an order, or not for
// this key.
func isOnlyRecord(err error) bool {
	return api.IsStatus(err, http.StatusNotFound, http.StatusForbidden)
}
