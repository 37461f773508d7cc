package cli

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/theme"
)

// writeFacts writes names and what they are, one a line and aligned. Those that
// say nothing are left out.
func writeFacts(out io.Writer, th *theme.Theme, facts [][2]string) {
	width := 0
	for _, f := range facts {
		if f[1] != "" {
			width = max(width, layout.Width(f[0]))
		}
	}
	for _, f := range facts {
		if f[1] != "" {
			fmt.Fprintf(out, "%s  %s\n", styled(th, theme.Muted, layout.Left(f[0], width)), layout.Clean(f[1]))
		}
	}
}

// printOrder writes an order for people: what it is, its missions, its quotes.
func (r *opsRun) printOrder(o *api.OpsOrder) error {
	out := bufio.NewWriter(r.out)
	facts := [][2]string{
		{"Order", o.OrderCode + "  " + o.OrderName},
		{"Company", o.CompanyName},
		{"Status", string(o.Status)},
		{"Waits for", waitsForAll(o, r)},
		{"Placed", moment(o.CreatedAt)},
		{"Wanted", format.Day(o.StartDate.Time, r.Now()) + " to " + format.Day(o.Deadline.Time, r.Now())},
		{"Area", areaOf(o.AreaSize)},
		{"Sensors", strings.Join(names(o.Sensors), ", ")},
		{"Deliverables", strings.Join(names(o.Deliverables), ", ")},
		{"Objective", string(o.MissionObjective)},
		{"Asset", string(o.IndustryAssetType)},
		{"Reason", strings.TrimSpace(text(o.RejectionReason) + " " + text(o.ArchiveReason))},
	}
	if a := o.Account; a != nil {
		facts = append(facts, [2]string{"Account", strings.Join([]string{a.UUID, a.CompanyName, a.Currency}, "  ")},
			[2]string{"Client", strings.TrimSpace(a.ClientName + "  " + a.ClientEmail)})
	}
	facts = append(facts, detailFacts(o.Details)...)
	if n := o.Notifications; n != nil {
		facts = append(facts, [2]string{"Notification", strings.TrimSpace(n.Webhook + map[bool]string{true: "  e-mail"}[n.Email])})
	}
	writeFacts(out, shellTheme(r.out), facts)
	fmt.Fprintln(out)
	missions := r.missionSheet()
	missions.table(out, pointers(o.Missions), r.out)
	fmt.Fprintln(out)
	quotes := r.quoteSheet()
	quotes.table(out, pointers(o.Quotes), r.out)
	return out.Flush()
}

// waitsForAll says of the detail who is to move next.
func waitsForAll(o *api.OpsOrder, r *opsRun) string {
	n := 0
	for i := range o.Quotes {
		if o.Quotes[i].IsDecidable(r.Now()) {
			n++
		}
	}
	row := *o
	row.OpenQuotes = &n
	return waitsFor(&row)
}

func pointers[T any](all []T) []*T {
	list := make([]*T, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	return list
}

func (r *opsRun) missionSheet() sheet[api.OpsMission] {
	now := r.Now
	return sheet[api.OpsMission]{"mission", "missions", []cellOf[api.OpsMission]{
		{title: "Mission", data: func(m *api.OpsMission) string { return m.MissionCode }},
		{title: "Name", least: 10, data: func(m *api.OpsMission) string { return m.MissionName }},
		{
			title: "Status", data: func(m *api.OpsMission) string { return string(m.Status) },
			role: func(m *api.OpsMission) theme.Role { return labels.MissionStatus(m.Status).Role },
		},
		{title: "Operator", least: 8, data: func(m *api.OpsMission) string { return text(m.OperatorName) }},
		{title: "Flight", right: true, data: func(m *api.OpsMission) string { return format.Day(m.FlightDate.Time, now()) }},
		{title: "Plans", right: true, data: func(m *api.OpsMission) string { return strconv.Itoa(len(m.Planning)) }},
		{title: "Permission", data: func(m *api.OpsMission) string {
			if m.FlightPermission == nil {
				return ""
			}
			return string(m.FlightPermission.Status)
		}},
		{title: "Packages", right: true, data: func(m *api.OpsMission) string { return strconv.Itoa(len(m.Packages)) }},
		{title: "Area", right: true, data: func(m *api.OpsMission) string { return areaOf(m.AreaSize) }},
	}}
}

func (r *opsRun) quoteSheet() sheet[api.OpsQuote] {
	now := r.Now
	row := func(q *api.OpsQuote) *quoteRow {
		return &quoteRow{Status: q.Status, Expired: q.Status == api.QuoteOpen && !q.IsDecidable(now()), Quote: q.Quote}
	}
	return sheet[api.OpsQuote]{"quote", "quotes", []cellOf[api.OpsQuote]{
		{title: "Quote", data: func(q *api.OpsQuote) string { return q.UUID }},
		{title: "Name", least: 8, data: func(q *api.OpsQuote) string { return q.QuoteName }},
		{
			title: "Status", data: func(q *api.OpsQuote) string { return string(q.Status) },
			role: func(q *api.OpsQuote) theme.Role { return quoteRole(row(q)) },
		},
		{title: "Price", right: true, data: func(q *api.OpsQuote) string { return priceOf(&q.Quote) }},
		{title: "Delivery", right: true, data: func(q *api.OpsQuote) string { return q.DeliveryBy.String() }},
		{title: "Expires", right: true, data: func(q *api.OpsQuote) string {
			if q.Status != api.QuoteOpen {
				return ""
			}
			return format.Left(q.ExpiryDate.Time, now(), false)
		}},
	}}
}
