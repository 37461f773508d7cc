package quotes

import (
	"io"
	"strings"
	"time"

	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page/exportdialog"
)

// exportComparison asks for a file and writes the comparison.
func (c *ComparePage) exportComparison() {
	all := quoting.QuoteComparison{Order: c.record, OrderNames: c.sheet.orders, Set: c.sheet.board, Pick: c.chosenQuote(), Notes: c.sheet.notes, Host: c.Host, Now: c.Now()}
	count := format.Count(len(all.Set.Open)+len(all.Set.Decided), "quote", "quotes")
	c.file.AskForFile(exportdialog.ExportJob{
		Title: "Export comparison", Help: count + ", as Markdown (.md) or CSV (.csv)", Says: "the comparison of " + count,
		Write: func(to io.Writer, ending string) error { return all.Write(to, strings.EqualFold(ending, ".csv")) },
	}, "quotes-"+exportdialog.SafeName(quoting.OrderName(c.record))+"-"+c.Now().Format(time.DateOnly)+".md")
}
