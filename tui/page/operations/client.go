package operations

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/quotes"
	"flightdesk/tui/theme"
)

// clientPane shows the client's page of one order, loaded with the client's key.
type clientPane struct {
	env  *page.Env
	code string    // of the order, "" for none
	page page.Page // nil until the order is loaded
}

// followOrder switches to the order with a code.
func (c *clientPane) followOrder(code string) {
	if code != c.code {
		c.code, c.page = code, nil
	}
	if o, _ := c.knownOrder(); o != nil && c.page == nil {
		c.page = c.env.OrderPage(o)
	}
	if c.page != nil {
		_ = c.page.OnShow() // takes data of the cache; requests nothing
	}
}

// knownOrder returns the order as its client sees it, nil until it is loaded.
func (c *clientPane) knownOrder() (*api.Order, cache.EntryState) {
	return c.env.Cache.Details.Get(c.code)
}

// clientNeeds requests the order and the data of its page.
func (c *clientPane) clientNeeds() []cache.Need {
	if reader, ok := c.page.(page.CachedReader); ok {
		return reader.DataNeeds()
	}
	if c.code == "" {
		return nil
	}
	return []cache.Need{c.env.Cache.Details.NeedOf(c.code)}
}

// openAsClient opens the order's quotes if there are any to decide, otherwise the
// order.
func (c *clientPane) openAsClient() tea.Cmd {
	o, _ := c.knownOrder()
	record, _ := c.env.Cache.Records.Get(o.UUID)
	isOpen := func(q api.Quote) bool { return !q.IsExpired(c.env.Now()) }
	if o.Status == api.OrderBiddingWithQuote && record != nil && slices.ContainsFunc(record.Quotes, isOpen) {
		return c.compareQuotes()
	}
	return c.env.OpenOrder(o)
}

// compareQuotes opens the comparison of the order's quotes.
func (c *clientPane) compareQuotes() tea.Cmd {
	o, _ := c.knownOrder()
	record, _ := c.env.Cache.Records.Get(o.UUID)
	return c.env.Open(quotes.NewCompare(c.env, o.UUID, record))
}

// renderClient renders the order as the named client sees it.
func (c *clientPane) renderClient(name string, w, h int) string {
	if c.page != nil {
		return c.page.View(w, h)
	}
	text, muted := c.env.Theme.Style(theme.Text), c.env.Theme.Style(theme.Muted)
	lines := []string{"", layout.CleanText(muted, " "+c.code+" …")}
	switch _, is := c.knownOrder(); {
	case c.code == "":
		lines = []string{
			"",
			layout.CleanText(text, " No order selected."),
			"",
			layout.CleanText(muted, " Clients place orders in 2 Orders with n."),
		}
	case api.IsStatus(is.Err, 403, 404):
		lines = []string{
			"", layout.CleanText(text, " "+c.code+" belongs to another client."), "",
			layout.CleanText(muted, " The key of this profile is for "+cmp.Or(name, "another account")+"."),
		}
	case is.Err != nil:
		lines = page.RenderProblem(c.env.Theme, is.Err, "", "r", w)
	}
	return layout.FitBox(lines, w, h)
}
