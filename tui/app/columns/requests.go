package columns

import (
	"time"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/requestlog"
)

// Requests returns the columns of a request and its answer.
func Requests(now func() time.Time) []Column[requestlog.Exchange] {
	return []Column[requestlog.Exchange]{
		{ColumnSpec{Title: "Time", Width: 8}, func(x *requestlog.Exchange) Cell { return TextCell(x.Began.In(now().Location()).Format(time.TimeOnly)) }},
		{ColumnSpec{Title: "Method", Width: 6, Drop: 3}, func(x *requestlog.Exchange) Cell { return TextCell(x.Method) }},
		{ColumnSpec{Title: "Path", Width: 20, Fill: 1, Middle: true}, func(x *requestlog.Exchange) Cell { return TextCell(x.Path) }},
		{ColumnSpec{Title: "Code", Name: "status", Kind: Number}, func(x *requestlog.Exchange) Cell {
			switch {
			case x.Status == 0:
				return NoCell()
			case x.Failed():
				return NumberCell(x.Status).WithTone(labels.Bad)
			default:
				return NumberCell(x.Status).WithTone(labels.Good)
			}
		}},
		{ColumnSpec{Title: "ms", Kind: Number}, func(x *requestlog.Exchange) Cell { return NumberCell(x.Duration.Milliseconds()) }},
		{ColumnSpec{Title: "Size", Kind: Bytes, Drop: 2}, func(x *requestlog.Exchange) Cell { return NumberCell(x.ResponseSize) }},
		{ColumnSpec{Title: "Try", Name: "attempt", Kind: Number, Drop: 4}, func(x *requestlog.Exchange) Cell {
			if x.Attempt == 1 {
				return Cell{}
			}
			return NumberCell(x.Attempt)
		}},
		{ColumnSpec{Title: "Request id", Name: "requestId", Width: 14, Drop: 5, Off: true}, func(x *requestlog.Exchange) Cell { return TextCell(x.RequestID) }},
	}
}
