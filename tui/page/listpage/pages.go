package listpage

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"flightdesk/tui/page"
)

// Pages is a source that reads numbered pages, the newest first.
type Pages[T any] struct {
	Base page.Base
	Size int // rows of a page
	ID   func(*T) string
	Read func(ctx context.Context, number int) ([]T, error)

	rows          []*T
	more          bool
	number        int // of the next page
	at            time.Time
	err           error
	newest, older page.Question
}

// Refresh reads the first page.
func (s *Pages[T]) Refresh() tea.Cmd { return s.ask(&s.newest, 0) }

// Older reads the next page.
func (s *Pages[T]) Older() tea.Cmd { return s.ask(&s.older, s.number) }

func (s *Pages[T]) ask(q *page.Question, number int) tea.Cmd {
	return page.Ask(s.Base, q, func(ctx context.Context) ([]T, error) { return s.Read(ctx, number) })
}

// Take takes a page. What has moved to it since the page before is left out.
func (s *Pages[T]) Take(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	got, ok := msg.(page.Answer[[]T])
	if !ok || !got.Of(&s.newest) && !got.Of(&s.older) {
		return nil, false
	}
	newest := got.Of(&s.newest)
	if !got.Take() {
		return nil, true
	}
	if s.err = got.Err; s.err != nil {
		return nil, true
	}
	if newest {
		s.rows, s.number, s.at = nil, 0, s.Base.Now()
	}
	s.number++
	s.more = len(got.Value) == s.Size
	known := make(map[string]bool, len(s.rows))
	for i := range s.rows {
		known[s.ID(s.rows[i])] = true
	}
	rows := s.rows[:len(s.rows):len(s.rows)]
	for i := range got.Value {
		if t := &got.Value[i]; !known[s.ID(t)] {
			rows = append(rows, t)
		}
	}
	s.rows = rows
	return nil, true
}

// State says what was read.
func (s *Pages[T]) State() State[T] {
	return State[T]{
		Rows: s.rows, At: s.at, Err: s.err, More: s.more,
		Reading: s.newest.Open() || s.older.Open(), Loading: s.older.Open(),
	}
}

// Pointers points at each of the items.
func Pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}
