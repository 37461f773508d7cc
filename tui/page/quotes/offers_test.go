package quotes

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api"
	"flightdesk/tui/app/quoting"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// decidedOffers returns the list of an order with an accepted quote and two closed quotes.
func decidedOffers() offerList {
	now := time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC)
	quote := func(name string, price float64, days int) api.Quote {
		return api.Quote{
			QuoteName:  name,
			FinalPrice: api.Price{Amount: price, Known: true},
			Currency:   "EUR",
			DeliveryBy: api.DaysOf(days),
		}
	}
	accepted := quote("Economy", 1968, 28)
	set := quoting.NewSet(now, &api.OrderRecord{
		AcceptedQuote: &accepted,
		ClosedQuotes:  []api.Quote{quote("Express", 12287, 9), quote("Standard", 2048, 18)},
	})
	env := &page.Env{
		Clock: page.AppClock{Now: func() time.Time { return now }},
	}
	env.Look.Theme = theme.LinearTheme()
	return offerList{env: env, set: &set}
}

func TestDifferencesInPriceAreAlignedInATallList(t *testing.T) {
	lines := decidedOffers().renderLines(50, 20)
	text := ansi.Strip(strings.Join(lines, "\n"))
	column := -1
	for _, difference := range []string{"+10,319.00  +524.3%", "+80.00    +4.1%"} {
		found := false
		for line := range strings.Lines(text) {
			before, _, ok := strings.Cut(line, difference)
			if !ok {
				continue
			}
			found = true
			amount, _, _ := strings.Cut(difference, " ")
			end := format.Width(before + amount)
			if column >= 0 && end != column {
				t.Errorf("the amounts end in columns %d and %d:\n%s", column, end, text)
			}
			column = end
		}
		if !found {
			t.Errorf("no %q in\n%s", difference, text)
		}
	}
}

func TestQuotesTakeOneLineEachIfTheyDoNotFitInSeveral(t *testing.T) {
	list := decidedOffers()
	list.about = func(*offer) string { return strings.Repeat("decided by you on this machine ", 3) }
	for height, want := range map[int]int{10: 3, 14: 12} { // lines of the three quotes; each has four in a tall list
		lines := list.renderLines(60, height)
		text := ansi.Strip(strings.Join(lines, "\n"))
		if strings.Contains(text, "more") || len(lines) != want+1 {
			t.Errorf("%d lines in a height of %d, want %d:\n%s", len(lines), height, want+1, text)
		}
	}
}

func TestDifferencesInPriceAreNotCut(t *testing.T) {
	for width := 56; width < 80; width++ {
		for _, height := range []int{4, 10} {
			text := ansi.Strip(strings.Join(decidedOffers().renderLines(width, height), "\n"))
			for line := range strings.Lines(text) {
				if ansi.StringWidth(strings.TrimRight(line, " \n")) >= width {
					t.Errorf("no free cell after %q in %d cells", line, width)
				}
			}
			if strings.Contains(text, "…") {
				t.Errorf("cut in %d lines of %d cells:\n%s", height, width, text)
			}
		}
	}
	if text := ansi.Strip(strings.Join(decidedOffers().renderLines(58, 4), "\n")); !strings.Contains(text, "+10,319.00") {
		t.Errorf("no difference in\n%s", text)
	}
}

func TestDeliveryTimesAreAbbreviatedBeforePercentagesAreLeftOut(t *testing.T) {
	const height = 4 // too low for a tall list
	for width := leastLine; width < 80; width++ {
		text := ansi.Strip(strings.Join(decidedOffers().renderLines(width, height), "\n"))
		if strings.Contains(text, "+524.3%") {
			if strings.Contains(text, "days") {
				t.Errorf("the percentages are left out although they fit into %d cells:\n%s", width-1, text)
			}
			return
		}
	}
	t.Error("no percentages in any width")
}

func TestPlainTextSaysThatAQuoteIsBeingAccepted(t *testing.T) {
	quote := &offer{Quote: api.Quote{QuoteID: "q-1", QuoteName: "Economy"}, Status: api.QuoteOpen}
	s := sheet{
		QuoteComparison: &quoting.QuoteComparison{Set: quoting.OfferSet{Open: []*offer{quote}}},
		deciding:        func(*offer) string { return "accepting" },
	}
	if text := s.describeQuote(quote); text != "Economy, accepting" {
		t.Errorf("the heading is %q", text)
	}
}

func TestPlainTextHasNoColumnsBelowDecidedQuotes(t *testing.T) {
	c := &ComparePage{Base: page.NewBase(&page.Env{})}
	c.Env.Look.Theme = theme.LinearTheme()
	if left, right := c.contextWidths(140); left != 140 || right != 0 {
		t.Errorf("the columns have %d and %d cells", left, right)
	}
}
