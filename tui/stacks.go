package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/action"
	"flightdesk/tui/page"
)

// stacks are the sections' pages, each section's a stack.
type stacks struct {
	of  map[action.ID][]page.Page
	now action.ID // the section on the screen
}

// all returns the pages of every stack, those on the screen first.
func (s *stacks) all() []page.Page {
	pages := slices.Clone(s.of[s.now])
	for _, known := range sections {
		if known.Go != s.now {
			pages = append(pages, s.of[known.Go]...)
		}
	}
	return pages
}

// find returns the section and the place on its stack of the page that fits.
func (s *stacks) find(fits func(page.Page) bool) (section action.ID, i int, ok bool) {
	for id, pages := range s.of {
		if i := slices.IndexFunc(pages, fits); i >= 0 {
			return id, i, true
		}
	}
	return "", 0, false
}

// pages returns the stack on the screen.
func (s *stacks) pages() []page.Page { return s.of[s.now] }

func (s *stacks) top() page.Page { return s.pages()[len(s.pages())-1] }

func (s *stacks) setPages(pages []page.Page) { s.of[s.now] = pages }

func (s *stacks) open(p page.Page) tea.Cmd {
	s.setPages(append(s.pages(), p))
	return p.OnShow()
}

// instead puts a page in the place of another, wherever that is.
func (s *stacks) instead(old *page.Lifetime, p page.Page) tea.Cmd {
	id, i, ok := s.find(func(p page.Page) bool { return p.PageLifetime() == old })
	if !ok {
		return nil
	}
	pages := s.of[id]
	left := pages[i].OnLeave()
	old.End()
	pages[i] = p
	return tea.Batch(left, p.OnShow())
}

// closeDownTo closes pages until n are left.
func (s *stacks) closeDownTo(n int) tea.Cmd {
	var cmds []tea.Cmd
	for len(s.pages()) > n {
		cmds = append(cmds, s.close())
	}
	return tea.Batch(cmds...)
}

// close takes the page on top off the stack and ends its life.
func (s *stacks) close() tea.Cmd {
	cmd := s.top().OnLeave()
	s.top().PageLifetime().End()
	s.setPages(s.pages()[:len(s.pages())-1])
	return cmd
}

// backTo goes back to the i-th page of the stack.
func (s *stacks) backTo(i int) tea.Cmd {
	if i < 0 || i >= len(s.pages())-1 {
		return nil
	}
	return tea.Batch(s.closeDownTo(i+1), s.top().OnShow())
}

func (s *stacks) back() tea.Cmd { return s.backTo(len(s.pages()) - 2) }

// deliver hands an answer to the page that asked, wherever it is.
func (s *stacks) deliver(msg page.ToPage) tea.Cmd {
	for _, p := range s.all() {
		if p.PageLifetime() == msg.Life {
			return p.Update(msg.Msg)
		}
	}
	return nil
}

func (s *stacks) broadcast(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range s.all() {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}
