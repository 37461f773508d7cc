package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// stacks has a stack of pages for each section.
type stacks struct {
	stackOf map[action.ID][]page.Page // by the action that opens the section
	section action.ID                 // the current section
}

// allPages returns the pages of all stacks, the current stack first.
func (s *stacks) allPages() []page.Page {
	pages := slices.Clone(s.pages())
	for _, section := range sections {
		if section.Go != s.section {
			pages = append(pages, s.stackOf[section.Go]...)
		}
	}
	return pages
}

// findPage returns the section and the stack position of a page that matches.
func (s *stacks) findPage(matches func(page.Page) bool) (section action.ID, i int, ok bool) {
	for id, pages := range s.stackOf {
		if i := slices.IndexFunc(pages, matches); i >= 0 {
			return id, i, true
		}
	}
	return "", 0, false
}

// pages returns the pages of the current stack, the first page first.
func (s *stacks) pages() []page.Page { return s.stackOf[s.section] }

// top returns the last page of the current stack, which is shown.
func (s *stacks) top() page.Page {
	pages := s.pages()
	return pages[len(pages)-1]
}

// open opens a page on top of the current stack.
func (s *stacks) open(p page.Page) tea.Cmd {
	s.stackOf[s.section] = append(s.pages(), p)
	return p.OnShow()
}

// replacePage replaces the page whose lifetime is old, on any stack. It does nothing if that page
// is closed.
func (s *stacks) replacePage(old *page.Lifetime, p page.Page) tea.Cmd {
	section, i, ok := s.findPage(func(p page.Page) bool { return p.PageLifetime() == old })
	if !ok {
		return nil
	}
	left := s.stackOf[section][i].OnLeave()
	old.End()
	s.stackOf[section][i] = p
	return tea.Batch(left, p.OnShow())
}

// closePages closes pages, the last one first, and ends their lifetimes.
func closePages(pages []page.Page) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range slices.Backward(pages) {
		cmds = append(cmds, p.OnLeave())
		p.PageLifetime().End()
	}
	return tea.Batch(cmds...)
}

// closeDownTo closes pages of the current stack until n are left.
func (s *stacks) closeDownTo(n int) tea.Cmd {
	pages := s.pages()
	n = min(n, len(pages))
	s.stackOf[s.section] = pages[:n]
	return closePages(pages[n:])
}

// backTo returns to the i-th page of the current stack. It does nothing if that page is already
// the last one, or if i is negative.
func (s *stacks) backTo(i int) tea.Cmd {
	if i < 0 || i >= len(s.pages())-1 {
		return nil
	}
	return tea.Batch(s.closeDownTo(i+1), s.top().OnShow())
}

// broadcast sends a message to all pages.
func (s *stacks) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range s.allPages() {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}
