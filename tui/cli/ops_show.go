package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
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
		{"Placed", columns.Moment(o.CreatedAt)},
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
	missions.printTable(out, pointers(o.Missions), r.out)
	fmt.Fprintln(out)
	quotes := r.quoteSheet()
	quotes.printTable(out, pointers(o.Quotes), r.out)
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
	return columns.WaitsFor(&row)
}

func pointers[T any](all []T) []*T {
	list := make([]*T, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	return list
}

func (r *opsRun) missionSheet() sheet[api.OpsMission] {
	return sheetOf("mission", "missions", columns.OpsMissions(), r.Now, "missionCode missionName status operatorName flightDate plans permission packages areaSize", "")
}

func (r *opsRun) quoteSheet() sheet[api.OpsQuote] {
	quote := func(q *api.OpsQuote) *columns.ListedQuote {
		quoted := q.Quote
		quoted.QuoteID = q.UUID
		return &columns.ListedQuote{Status: q.Status, Expired: q.Status == api.QuoteOpen && !q.IsDecidable(r.Now()), Quote: quoted}
	}
	return sheetOf("quote", "quotes", columns.Of(columns.Quotes(r.Now), quote), r.Now, "quoteId quoteName status price deliveryBy expiryDate", "")
}
