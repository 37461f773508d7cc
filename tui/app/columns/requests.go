package columns

import (
	"time"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/app/requestlog"
)

// Requests are the columns of a request and its answer.
func Requests(now func() time.Time) []Column[requestlog.Exchange] {
	return []Column[requestlog.Exchange]{
		{Spec{Title: "Time", Width: 8}, func(x *requestlog.Exchange) Cell { return Text(x.Began.In(now().Location()).Format(time.TimeOnly)) }},
		{Spec{Title: "Method", Width: 6, Drop: 3}, func(x *requestlog.Exchange) Cell { return Text(x.Method) }},
		{Spec{Title: "Path", Width: 20, Fill: 1, Middle: true}, func(x *requestlog.Exchange) Cell { return Text(x.Path) }},
		{Spec{Title: "Code", Name: "status", Kind: Number}, func(x *requestlog.Exchange) Cell {
			switch {
			case x.Status == 0:
				return None()
			case x.Failed():
				return Num(x.Status).In(labels.Bad)
			default:
				return Num(x.Status).In(labels.Good)
			}
		}},
		{Spec{Title: "ms", Kind: Number}, func(x *requestlog.Exchange) Cell { return Num(x.Duration.Milliseconds()) }},
		{Spec{Title: "Size", Kind: Bytes, Drop: 2}, func(x *requestlog.Exchange) Cell { return Num(x.ResponseSize) }},
		{Spec{Title: "Try", Name: "attempt", Kind: Number, Drop: 4}, func(x *requestlog.Exchange) Cell {
			if x.Attempt == 1 {
				return Cell{}
			}
			return Num(x.Attempt)
		}},
		{Spec{Title: "Request id", Name: "requestId", Width: 14, Drop: 5, Off: true}, func(x *requestlog.Exchange) Cell { return Text(x.RequestID) }},
	}
}
