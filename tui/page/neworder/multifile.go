package neworder

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"flightdesk/tui/app/ordering"

	tea "charm.land/bubbletea/v2"

	"flightdesk/kmlcsv"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

// severalPaths are the paths of a text that is nothing but paths, as file
// managers drop and copy them: one a line, or in quotes or with escaped spaces
// one after the other. It is nil for any other text.
func severalPaths(text, home, folder string) []string {
	var paths []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") { // of a text/uri-list
			continue
		}
		words := shellWords(line)
		if strings.HasPrefix(line, "file:") && len(words) < 2 {
			words = []string{line}
		}
		for _, word := range words {
			if !begins(word) {
				return nil
			}
			paths = append(paths, pathOf(word, home, folder))
		}
	}
	return paths
}

// begins reports whether a word begins as a whole path does.
func begins(word string) bool {
	return filepath.IsAbs(word) || strings.HasPrefix(word, "~"+string(filepath.Separator)) || strings.HasPrefix(word, "file:")
}

// pathOf is the path of a word whose quotes are gone.
func pathOf(word, home, folder string) string {
	if u, err := url.Parse(word); err == nil && u.Scheme == "file" {
		return filepath.Clean(u.Path)
	}
	if rest, ok := strings.CutPrefix(word, "~"); ok && home != "" {
		return filepath.Join(home, rest)
	}
	if !filepath.IsAbs(word) {
		return filepath.Join(folder, word)
	}
	return filepath.Clean(word)
}

// shellWords splits a line as a shell does: at spaces that are neither in
// quotes nor escaped.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	open, begun := rune(0), false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case open != 0 && r == open:
			open = 0
		case open != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			open, begun = r, true
		case r == '\\' && os.PathSeparator == '/' && i+1 < len(runes):
			i++
			word.WriteRune(runes[i])
			begun = true
		case r == ' ' || r == '\t':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

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
				all.errs = append(all.errs, fmt.Errorf("%s: this is a folder; go into it and mark its files with shift+↓", path))
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
	if paths := severalPaths(text, s.p.Home, s.p.Folder); len(paths) > 0 {
		return s.readAll(paths)
	}
	if _, err := kmlcsv.ReadTyped(text); err != nil {
		return page.Toast(theme.Attention, "what was pasted is neither a path nor a place")
	}
	s.p.Overlay(s.missions().editor(nil, text))
	return nil
}

// mark marks the file under the cursor, to read several at once, or takes the
// mark off.
func (s *sites) mark() {
	if e := s.marked(); e != nil && !e.folder {
		if i := slices.Index(s.chosen, e.path); i >= 0 {
			s.chosen = slices.Delete(s.chosen, i, i+1)
		} else {
			s.chosen = append(s.chosen, e.path)
		}
	}
	s.table.Move(1)
}

// tookAll adds what could be read of several files, and goes on to the sites;
// what could not be is said.
func (s *sites) tookAll(answer page.Answer[filesRead]) tea.Cmd {
	if !answer.Take() {
		return nil
	}
	all := answer.Value
	s.err, s.unread, s.chosen = nil, nil, nil
	for _, err := range all.errs {
		if s.err == nil {
			s.err = err
		}
	}
	var first *ordering.Site
	for _, read := range all.reads {
		if site := s.p.draft.AddFile(read); first == nil {
			first = site
		}
	}
	if len(all.reads) == 0 {
		return nil
	}
	s.missions().reload(first)
	return tea.Batch(s.p.goTo(ordering.StepMissions), s.notRead(all))
}

// notRead says which of several files could not be read, nil where all were.
func (s *sites) notRead(all filesRead) tea.Cmd {
	if len(all.errs) == 0 {
		return nil
	}
	text := s.short(all.errs[0].Error())
	if more := len(all.errs) - 1; more > 0 {
		text = fmt.Sprintf("%s; and %s more could not be read", text, group(more))
	}
	return page.Toast(theme.Bad, text)
}
