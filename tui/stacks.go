package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// stacks holds a stack of pages for each section.
type stacks struct {
	stackOf map[action.ID][]page.Page
	section action.ID // the current one
}

// allPages returns the pages of every stack, the current stack first.
func (s *stacks) allPages() []page.Page {
	pages := slices.Clone(s.pages())
	for _, known := range sections {
		if known.Go != s.section {
			pages = append(pages, s.stackOf[known.Go]...)
		}
	}
	return pages
}

// findPage returns the section and stack position of the first page that matches.
func (s *stacks) findPage(fits func(page.Page) bool) (section action.ID, i int, ok bool) {
	for id, pages := range s.stackOf {
		if i := slices.IndexFunc(pages, fits); i >= 0 {
			return id, i, true
		}
	}
	return "", 0, false
}

// pages returns the current stack.
func (s *stacks) pages() []page.Page { return s.stackOf[s.section] }

func (s *stacks) top() page.Page { return s.pages()[len(s.pages())-1] }

func (s *stacks) open(p page.Page) tea.Cmd {
	s.stackOf[s.section] = append(s.pages(), p)
	return p.OnShow()
}

// replacePage replaces a page, on whichever stack it is.
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

// closePages closes pages, which ends their lifetimes.
func closePages(pages []page.Page) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range slices.Backward(pages) {
		cmds = append(cmds, p.OnLeave())
		p.PageLifetime().End()
	}
	return tea.Batch(cmds...)
}

// closeDownTo closes pages until n are left.
func (s *stacks) closeDownTo(n int) tea.Cmd {
	pages := s.pages()
	n = min(n, len(pages))
	s.stackOf[s.section] = pages[:n]
	return closePages(pages[n:])
}

// backTo returns to the i-th page of the stack.
func (s *stacks) backTo(i int) tea.Cmd {
	if i < 0 || i >= len(s.pages())-1 {
		return nil
	}
	return tea.Batch(s.closeDownTo(i+1), s.top().OnShow())
}

func (s *stacks) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range s.allPages() {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}
