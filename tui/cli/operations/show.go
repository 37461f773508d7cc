package operations

import (
	"bufio"
	"fmt"
	"strings"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/cli/run"
)

// printOrder writes an order for people: what it is, its missions, its quotes.
func (r *opsRun) printOrder(o *api.OpsOrder) error {
	out := bufio.NewWriter(r.out)
	facts := append(run.OrderFacts(&o.Order), [2]string{"Waits for", waitsForAll(o, r)})
	if a := o.Account; a != nil {
		facts = append(facts, [2]string{"Account", strings.Join([]string{a.UUID, a.CompanyName, a.Currency}, "  ")},
			[2]string{"Client", strings.TrimSpace(a.ClientName + "  " + a.ClientEmail)})
	}
	facts = append(facts, detailFacts(o.Details)...)
	if n := o.Notifications; n != nil {
		facts = append(facts, [2]string{"Notification", strings.TrimSpace(n.Webhook + map[bool]string{true: "  e-mail"}[n.Email])})
	}
	run.WriteFacts(out, run.ShellTheme(r.out), facts)
	fmt.Fprintln(out)
	missions := r.missionSheet()
	missions.PrintTable(out, run.PointersTo(o.Missions), r.out)
	fmt.Fprintln(out)
	quotes := r.quoteSheet()
	quotes.PrintTable(out, run.PointersTo(o.Quotes), r.out)
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

func (r *opsRun) missionSheet() run.RowSheet[api.OpsMission] {
	return run.NewSheet("mission", "missions", columns.OpsMissions(), r.Now, "missionCode missionName status operatorName flightDate plans permission packages areaSize", "")
}

func (r *opsRun) quoteSheet() run.RowSheet[api.OpsQuote] {
	quote := func(q *api.OpsQuote) *columns.ListedQuote {
		quoted := q.Quote
		quoted.QuoteID = q.UUID
		return &columns.ListedQuote{Status: q.Status, Expired: q.Status == api.QuoteOpen && !q.IsDecidable(r.Now()), Quote: quoted}
	}
	return run.NewSheet("quote", "quotes", columns.ColumnsOf(columns.Quotes(r.Now), quote), r.Now, "quoteId quoteName status price deliveryBy expiryDate", "")
}
