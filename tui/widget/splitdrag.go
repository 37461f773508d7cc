package widget

// paneBefore returns the pane shown before the i-th, -1 for none.
func (s *Split) paneBefore(i int) int {
	for i--; i >= 0; i-- {
		if s.spans[i].Len > 0 {
			return i
		}
	}
	return -1
}

// splitCoordinate returns the coordinate that runs along the split.
func (s *Split) splitCoordinate(x, y int) int {
	if s.Down {
		return y
	}
	return x
}

// PaneAt returns the pane at a cell of the last view and the cell within it; i is
// -1 on a border and outside.
func (s *Split) PaneAt(x, y int) (i, px, py int) {
	at := s.splitCoordinate(x, y)
	for i, span := range s.spans {
		if at >= span.At && at < span.At+span.Len {
			if s.Down {
				return i, x, y - span.At
			}
			return i, x - span.At, y
		}
	}
	return -1, x, y
}

// GrabBorder takes hold of the border at a cell of the last view and reports whether
// there is one.
func (s *Split) GrabBorder(x, y int) bool {
	at := s.splitCoordinate(x, y)
	for i, span := range s.spans {
		if span.Len == 0 || at != span.At-1 {
			continue
		}
		if b := s.paneBefore(i); b >= 0 {
			s.held = b + 1
			return true
		}
	}
	return false
}

// IsHeld reports whether a border is held.
func (s *Split) IsHeld() bool { return s.held > 0 }

// Release lets go of the border.
func (s *Split) Release() { s.held = 0 }

// Drag moves the border that is held to a cell and reports whether it moved.
func (s *Split) Drag(x, y int) bool {
	if s.held == 0 {
		return false
	}
	return s.MoveBorder(s.held-1, s.splitCoordinate(x, y)-s.spans[s.held-1].At-s.spans[s.held-1].Len)
}

// MoveBorder moves the border behind the i-th pane by n cells, as far as both panes
// keep what they need, and reports whether it moved.
func (s *Split) MoveBorder(i, n int) bool {
	next := -1
	for k := i + 1; k < len(s.spans) && next < 0; k++ {
		if s.spans[k].Len > 0 {
			next = k
		}
	}
	if i < 0 || i >= len(s.spans) || s.spans[i].Len == 0 || next < 0 {
		return false
	}
	a, b := s.spans[i].Len, s.spans[next].Len
	n = min(n, max(0, b-max(1, s.Panes[next].Least)))
	n = max(n, -max(0, a-max(1, s.Panes[i].Least)))
	if n == 0 {
		return false
	}
	if s.set == nil {
		s.set = map[int]int{}
	}
	s.set[i] = toThousandths(a+n, s.n)
	if s.Panes[next].Size.kind != fill || s.set[next] > 0 {
		s.set[next] = toThousandths(b-n, s.n)
	}
	s.LayoutPanes(s.n)
	return true
}

func toThousandths(n, of int) int { return (n*1000 + of/2) / of }

// Shares returns the thousandths of the panes whose border was moved, by their
// index, to be kept; nil where none was.
func (s *Split) Shares() map[int]int { return s.set }

// SetShares takes what Shares gave. What fits no pane is dropped.
func (s *Split) SetShares(shares map[int]int) {
	s.set = nil
	for i, n := range shares {
		if i >= 0 && i < len(s.Panes) && n > 0 && n < 1000 {
			if s.set == nil {
				s.set = map[int]int{}
			}
			s.set[i] = n
		}
	}
}
