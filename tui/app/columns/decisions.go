package columns

import (
	"cmp"
	"strings"
	"time"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/ledger"
)

// Decisions returns the columns of the decision log.
func Decisions(now func() time.Time) []Column[ledger.Entry] {
	return MakeColumns([]ColumnSpec{
		{Title: "When", Name: "at", Width: 16},
		{Title: "Decision", Name: "decision", Width: 12},
		{Title: "Order", Name: "order", Width: 12, Fill: 1},
		{Title: "Quote", Name: "quote", Width: 14, Fill: 1, Drop: 1},
		{Title: "Price", Name: "price", Width: 14, Right: true, Drop: 2},
		{Title: "Delivery", Name: "delivery", Width: 8, Right: true, Drop: 5},
		{Title: "Note", Name: "note", Width: 10, Fill: 1, Drop: 3},
		{Title: "Outcome", Name: "outcome", Width: 10, Fill: 1, Drop: 4},
		{Title: "Against", Full: "Compared with", Name: "against", Width: 16, Off: true, Drop: 6},
		{Title: "Service", Name: "host", Width: 16, Off: true, Drop: 7},
		{Title: "Account", Name: "account", Width: 16, Off: true, Drop: 8},
		{Title: "Order ID", Name: "orderId", Width: 16, Off: true, Drop: 9},
		{Title: "Quote ID", Name: "quoteId", Width: 16, Off: true, Drop: 9},
	}, Values[ledger.Entry]{
		"at": func(e *ledger.Entry) Cell {
			return TextCell(e.At.In(now().Location()).Format("2006-01-02 15:04"))
		},
		"decision": decisionCell,
		"order":    func(e *ledger.Entry) Cell { return TextOr(e.OrderLabel()) },
		"quote":    func(e *ledger.Entry) Cell { return TextOr(cmp.Or(e.QuoteName, e.Address)) },
		"delivery": func(e *ledger.Entry) Cell { return TextOr(e.Days) },
		"against":  func(e *ledger.Entry) Cell { return TextOr(strings.Join(e.Against, "; ")) },
	})
}

// decisionCell returns the kind of an entry, marked if it is not confirmed.
func decisionCell(e *ledger.Entry) Cell {
	cell := TextCell(string(e.Kind))
	switch {
	case strings.HasSuffix(e.Outcome, "outcome unknown"):
		cell.Text += "?"
	case !e.IsConfirmed():
		cell.Text = "not " + cell.Text
	case e.Kind == ledger.Accepted:
		return cell.WithTone(labels.Good)
	default:
		return cell
	}
	return cell.WithTone(labels.Attention)
}
