package deliveries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/app/labels"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
	"flightdesk/tui/layout"
)

// fetchJob is one run of the fetch command.
type fetchJob struct {
	code     string
	flags    fetchFlags
	out      io.Writer
	progress io.Writer // for meters, where it is a terminal
	packages []fetch.Package
	found    []fetch.FileStanding // of all packages, in their order
	told     map[fetch.ID]fetch.State
}

// inspectFolders finds out what of the packages is here, and leaves only what is asked
// for. Of links alone the sizes are asked for.
func (j *fetchJob) inspectFolders(ctx context.Context, q *fetch.Queue, packages []fetch.Package) error {
	for _, p := range packages {
		p = p.OnlyProducts(j.flags.products...)
		if _, err := q.Probe(ctx, p.Files); err != nil {
			return err
		}
		standings, err := fetch.InspectFolder(j.flags.to, p)
		if err != nil {
			return err
		}
		if j.flags.fresh {
			standings = slices.DeleteFunc(standings, func(s fetch.FileStanding) bool { return !s.IsNew() })
			p.Files = nil
			for _, s := range standings {
				p.Files = append(p.Files, s.File)
			}
		}
		j.packages = append(j.packages, p)
		j.found = append(j.found, standings...)
	}
	return nil
}

// FetchedLine is a line of fetch --output json.
type FetchedLine struct {
	Event   string          `json:"event"` // begin, progress, file, end; listed with --list
	Code    string          `json:"code,omitempty"`
	To      string          `json:"to,omitempty"`
	Order   string          `json:"order,omitempty"`
	Mission string          `json:"mission,omitempty"`
	Package string          `json:"package,omitempty"`
	Name    string          `json:"name,omitempty"`
	Path    string          `json:"path,omitempty"`
	Product api.Deliverable `json:"product,omitempty"`
	State   string          `json:"state,omitempty"`
	Size    *int64          `json:"size,omitempty"` // bytes; absent where it is not known
	fetch.Digests
	Verified fetch.VerifiedBy `json:"verified,omitempty"`
	Error    string           `json:"error,omitempty"`

	Files  *int     `json:"files,omitempty"`
	Bytes  *int64   `json:"bytes,omitempty"`
	Done   *int64   `json:"done,omitempty"`
	Speed  *int64   `json:"speed,omitempty"` // bytes per second
	Left   *float64 `json:"left,omitempty"`  // seconds; absent where it is not known
	Failed *int     `json:"failed,omitempty"`
	Here   *int     `json:"local,omitempty"` // files that were there already
}

// knownSize returns a size of a line, none where it is not known.
func knownSize(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

// listFiles prints what there is and where it stands.
func (j *fetchJob) listFiles() error {
	i := 0
	var rows [][]string
	for _, p := range j.packages {
		for _, f := range p.Files {
			s := j.found[i]
			i++
			if j.flags.output.Value == "json" {
				line := FetchedLine{
					Event:   "listed",
					Order:   p.Order,
					Mission: p.Mission,
					Package: p.ID,
					Name:    f.Name,
					Product: f.Product,
					State:   standingWord(s),
					Size:    knownSize(f.Size),
					Done:    &s.Done,
				}
				if err := run.PrintJSON(j.out, line); err != nil {
					return err
				}
				continue
			}
			size := format.None
			if f.Size >= 0 {
				size = format.Bytes(f.Size)
			}
			rows = append(
				rows,
				[]string{
					run.OrNone(p.Mission),
					run.OrNone(p.Name),
					f.Name,
					labels.DeliverableWord(f.Product).Label,
					size,
					standingWord(s),
				},
			)
		}
	}
	if j.flags.output.Value == "json" {
		return nil
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(j.out, layout.Clean(j.nothingReason()))
		return err
	}
	return writeRows(j.out, []string{"Mission", "Package", "File", "Product", "Size", "State"}, rows)
}

// writeRows prints a table; the size stands right.
func writeRows(w io.Writer, titles []string, rows [][]string) error {
	widths := make([]int, len(titles))
	for _, row := range append([][]string{titles}, rows...) {
		for i, text := range row {
			widths[i] = max(widths[i], layout.Width(layout.Clean(text)))
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{titles}, rows...) {
		var line strings.Builder
		for i, text := range row {
			fit := layout.FitLeft
			if titles[i] == "Size" {
				fit = layout.FitRight
			}
			line.WriteString(fit(layout.Clean(text), widths[i]) + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// standingWord returns where a file stands, in a word.
func standingWord(s fetch.FileStanding) string {
	switch {
	case s.Whole:
		return "local"
	case s.Done > 0:
		return "part"
	case s.Known:
		return "moved"
	default:
		return "new"
	}
}

// nothingReason says why there is nothing to do.
func (j *fetchJob) nothingReason() string {
	switch {
	case j.flags.fresh:
		return "no new files for " + j.code
	case len(j.flags.products) > 0:
		return "no files of these products for " + j.code
	default:
		return "no deliveries yet for " + j.code
	}
}

const fetchBeat = time.Second // between two progress lines

// fetchAll fetches everything and says how it went.
func (j *fetchJob) fetchAll(ctx context.Context, q *fetch.Queue) error {
	j.told = map[fetch.ID]fetch.State{}
	if err := j.beginLines(); err != nil {
		return err
	}
	if len(j.found) == 0 {
		return j.printSummary(q)
	}
	need := int64(0)
	for _, s := range j.found {
		need += max(0, s.File.Size-s.Done)
	}
	if err := q.CheckSpace(need); err != nil {
		return fmt.Errorf("%w; free some space, or choose another folder with --to", err)
	}
	for _, p := range j.packages {
		if _, err := q.Add(p, 0); err != nil { //nolint:contextcheck // the queue ends with Close, and saves what it has
			return err
		}
	}
	if err := j.followProgress(ctx, q); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := failuresError(q.Snapshot()); err != nil {
		return errors.Join(j.printSummary(q), err)
	}
	return j.printSummary(q)
}

// followProgress shows the progress until everything has come to an end.
func (j *fetchJob) followProgress(ctx context.Context, q *fetch.Queue) error {
	done := guard.Go(func() error { return q.Wait(ctx) })
	changes, unsubscribe := q.Subscribe()
	defer unsubscribe()
	m := newProgressMeters(j.progress, j.flags.output.Value)
	defer m.clearMeters()
	beat, frame := time.NewTicker(fetchBeat), time.NewTicker(run.MeterFrame)
	defer beat.Stop()
	defer frame.Stop()
	for {
		select {
		case err := <-done:
			var panicked *api.PanicError
			if errors.As(err, &panicked) {
				return err
			}
			return j.printFinished(q) // of the rest the queue's items say it
		case <-frame.C:
			m.drawMeters(q)
			continue
		case <-changes:
		case <-beat.C:
			if err := j.drawProgress(q); err != nil {
				return err
			}
		}
		if err := j.printFinished(q); err != nil {
			return err
		}
	}
}

func (j *fetchJob) beginLines() error {
	if j.flags.output.Value != "json" {
		return nil
	}
	bytes, here, files := int64(0), 0, len(j.found)
	for _, s := range j.found {
		bytes += max(0, s.File.Size)
		if s.Whole {
			here++
		}
	}
	return run.PrintJSON(
		j.out,
		FetchedLine{Event: "begin", Code: j.code, To: j.flags.to, Files: &files, Bytes: &bytes, Here: &here},
	)
}

func (j *fetchJob) drawProgress(q *fetch.Queue) error {
	if j.flags.output.Value != "json" {
		return nil
	}
	s := q.Summary()
	speed := int64(s.Speed)
	line := FetchedLine{Event: "progress", Done: &s.Done, Bytes: &s.Size, Speed: &speed}
	if s.Left >= 0 {
		left := s.Left.Seconds()
		line.Left = &left
	}
	return run.PrintJSON(j.out, line)
}

// printFinished prints a line for each file that has come to an end since the last
// time.
func (j *fetchJob) printFinished(q *fetch.Queue) error {
	if j.flags.output.Value != "json" {
		return nil
	}
	for _, it := range q.Snapshot() {
		over := it.State.IsFinal() || it.State == fetch.Failed || it.State == fetch.Paused
		if !over || j.told[it.ID] == it.State {
			continue
		}
		j.told[it.ID] = it.State
		line := FetchedLine{
			Event:    "file",
			Order:    it.Order,
			Mission:  it.Mission,
			Package:  it.PackageID,
			Name:     it.Name,
			Path:     it.Path,
			Product:  it.Product,
			State:    it.State.String(),
			Size:     knownSize(it.Size),
			Digests:  it.Digests,
			Verified: it.Verified,
		}
		if it.Err != nil {
			line.Error = it.Err.Error()
		}
		if err := run.PrintJSON(j.out, line); err != nil {
			return err
		}
	}
	return nil
}

// printSummary sums up.
func (j *fetchJob) printSummary(q *fetch.Queue) error {
	var fetched, here, failed int
	bytes := int64(0)
	for _, it := range q.Snapshot() {
		switch it.State {
		case fetch.Done:
			fetched++
			bytes += it.Size
		case fetch.Here:
			here++
		default:
			failed++
		}
	}
	if j.flags.output.Value == "json" {
		return run.PrintJSON(
			j.out,
			FetchedLine{Event: "end", Files: &fetched, Here: &here, Failed: &failed, Bytes: &bytes},
		)
	}
	if fetched+here+failed == 0 {
		_, err := fmt.Fprintln(j.out, layout.Clean(j.nothingReason()))
		return err
	}
	text := fmt.Sprintf(
		"downloaded %s, %s, to %s",
		format.Count(fetched, "file", "files"),
		format.Bytes(bytes),
		j.shownFolder(),
	)
	if here > 0 {
		text += fmt.Sprintf("; %d already downloaded", here)
	}
	_, err := fmt.Fprintln(j.out, layout.Clean(text))
	return err
}

// shownFolder returns where the files are, for people: the folder that all share.
func (j *fetchJob) shownFolder() string {
	if len(j.packages) == 1 {
		return filepath.Join(append([]string{j.flags.to}, safeNames(j.packages[0].Folder)...)...)
	}
	if len(j.packages) > 0 {
		return filepath.Join(j.flags.to, fetch.SafeName(j.packages[0].Folder[0]))
	}
	return j.flags.to
}

func safeNames(folders []string) []string {
	out := make([]string, len(folders))
	for i, name := range folders {
		out[i] = fetch.SafeName(name)
	}
	return out
}

// failuresError returns one error for all files that were not fetched.
func failuresError(items []fetch.Item) error {
	var first *fetch.Item
	failed := 0
	for i := range items {
		if items[i].Err == nil {
			continue
		}
		if failed++; first == nil {
			first = &items[i]
		}
	}
	switch {
	case first == nil:
		return nil
	case errors.Is(first.Err, fetch.ErrNoSpace):
		return fmt.Errorf("%w; free some space and run the command again to resume", first.Err)
	case errors.Is(first.Err, fetch.ErrExists):
		return fmt.Errorf("%s: %w; move the file and run the command again%s", first.Path, first.Err, moreText(failed))
	default:
		return fmt.Errorf("%s: %w; run the command again to resume%s", first.Name, first.Err, moreText(failed))
	}
}

func moreText(failed int) string {
	if failed == 1 {
		return ""
	}
	return fmt.Sprintf(" (%s failed)", format.Count(failed, "file", "files"))
}
