package tui

import (
	"slices"
	"testing"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// titles returns the titles of the pages on the current stack.
func titles(s *stacks) (titles []string) {
	for _, p := range s.pages() {
		titles = append(titles, p.Title())
	}
	return titles
}

func newLeaf(title string) *leaf { return &leaf{Base: page.NewBase(&page.Env{}), title: title} }

func TestClosingPagesShowsThePageBelow(t *testing.T) {
	first, second, third := newLeaf("Orders"), newLeaf("ORD-1"), newLeaf("MSN-1")
	s := stacks{stackOf: map[action.ID][]page.Page{}, section: action.GoOrders}
	s.open(first)
	s.open(second)
	s.open(third)
	s.backTo(0)
	if got := titles(&s); !slices.Equal(got, []string{"Orders"}) || first.starts != 2 {
		t.Errorf("open are %q, the first page was shown %d times", got, first.starts)
	}
	for _, p := range []*leaf{second, third} {
		if p.PageLifetime().Context().Err() == nil {
			t.Errorf("%s was closed and has not ended", p.title)
		}
	}
	if first.PageLifetime().Context().Err() != nil {
		t.Error("the page that is shown has ended")
	}
}

func TestPageIsReplacedOnItsStack(t *testing.T) {
	draft, order := newLeaf("New order"), newLeaf("ORD-2")
	s := stacks{stackOf: map[action.ID][]page.Page{}, section: action.GoOrders}
	s.open(draft)
	s.section = action.GoMissions
	s.open(newLeaf("Missions"))
	s.replacePage(draft.PageLifetime(), order)
	if got := titles(&s); !slices.Equal(got, []string{"Missions"}) {
		t.Errorf("the current stack has %q", got)
	}
	s.section = action.GoOrders
	if got := titles(&s); !slices.Equal(got, []string{"ORD-2"}) || draft.PageLifetime().Context().Err() == nil {
		t.Errorf("the stack of the replaced page has %q", got)
	}
}
