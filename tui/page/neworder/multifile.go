package neworder

import (
	"context"
	"fmt"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
	"flightdesk/tui/page"
	"flightdesk/tui/page/filepicker"
	"flightdesk/tui/theme"
	"flightdesk/tui/widget/dialog"
)

// filesRead are several files, read one after the other.
type filesRead struct {
	reads []ordering.FileRead
	errs  []error // of those that could not be read
}

// readAll reads several files in the background.
func (s *filesStep) readAll(paths []string) tea.Cmd {
	return page.AskInBackground(s.p.Base, &s.reading, func(ctx context.Context) (filesRead, error) {
		var all filesRead
		for _, path := range paths {
			read, err := ordering.ReadFile(ctx, path, kmlcsv.Options{})
			switch {
			case err != nil:
				all.errs = append(all.errs, err)
			case read.Folder:
				all.errs = append(all.errs, fmt.Errorf("%s is a folder; open it and mark files with shift+↓", path))
			default:
				all.reads = append(all.reads, read)
			}
		}
		return all, nil
	})
}

// takeDropped takes paths or a place that come without a field to stand in; it says
// so where the text is neither.
func (s *filesStep) takeDropped(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if paths := filepicker.SeveralPaths(text, s.p.Home, s.p.Folder); len(paths) > 0 {
		return s.readAll(paths)
	}
	cmd, taken := s.pastedPlace(text)
	if !taken {
		return page.ShowToast(theme.Attention, "Not a path or coordinates")
	}
	return cmd
}

// takeAllRead adds what could be read of several files, and goes on to the sites;
// what could not be is listed.
func (s *filesStep) takeAllRead(answer page.QuestionAnswer[filesRead]) tea.Cmd {
	if !answer.TakeAnswer() {
		return nil
	}
	all := answer.Value
	s.err, s.unread = nil, nil
	s.picker.UnmarkAll()
	if len(all.errs) > 0 {
		s.err = all.errs[0]
	}
	if len(all.reads)+len(all.errs) > 1 {
		s.showNotRead(all.errs)
	}
	if len(all.reads) == 0 {
		return nil
	}
	return tea.Batch(s.addReads(all.reads...), s.p.goTo(ordering.StepMissions))
}

// showNotRead lists those of several files that could not be read, so that their
// sites are not missed in the order.
func (s *filesStep) showNotRead(errs []error) {
	if len(errs) == 0 {
		return
	}
	th := s.p.Theme
	s.p.Overlay(&dialog.Reader{
		Theme: th, Title: format.Count(len(errs), "file", "files") + " not read",
		Text: func(w int) (lines []string) {
			for _, err := range errs {
				for _, line := range layout.Wrap(s.shortPath(err.Error()), w) {
					lines = append(lines, layout.CleanText(th.RaisedStyle(theme.Bad), line))
				}
			}
			return lines
		},
	})
}
