package neworder

import (
	"context"
	"fmt"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/page"
	"flightdesk/tui/page/filepicker"
	"flightdesk/tui/theme"
)

// filesRead are several files, read one after the other.
type filesRead struct {
	reads []ordering.FileRead
	errs  []error // of those that could not be read
}

// readAll reads several files in the background.
func (s *sites) readAll(paths []string) tea.Cmd {
	return page.Ask(s.p.Base, &s.reading, func(ctx context.Context) (filesRead, error) {
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

// dropped takes paths or a place that come without a field to stand in; it says
// so where the text is neither.
func (s *sites) dropped(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if paths := filepicker.SeveralPaths(text, s.p.Home, s.p.Folder); len(paths) > 0 {
		return s.readAll(paths)
	}
	cmd, taken := s.pastedPlace(text)
	if !taken {
		return page.Toast(theme.Attention, "Not a path or coordinates")
	}
	return cmd
}

// tookAll adds what could be read of several files, and goes on to the sites;
// what could not be is said.
func (s *sites) tookAll(answer page.Answer[filesRead]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	all := answer.Value
	s.err, s.unread = nil, nil
	s.files.Unmark()
	for _, err := range all.errs {
		if s.err == nil {
			s.err = err
		}
	}
	if len(all.reads) == 0 {
		return nil
	}
	return tea.Batch(s.add(all.reads...), s.p.goTo(ordering.StepMissions), s.notRead(all))
}

// notRead says which of several files could not be read, nil where all were.
func (s *sites) notRead(all filesRead) tea.Cmd {
	if len(all.errs) == 0 {
		return nil
	}
	text := s.short(all.errs[0].Error())
	if more := len(all.errs) - 1; more > 0 {
		text = fmt.Sprintf("%s; %s more files could not be read", text, group(more))
	}
	return page.Toast(theme.Bad, text)
}
