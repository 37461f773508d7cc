package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/format"
)

// fetchJob is one run of the fetch command.
type fetchJob struct {
	*Call
	flags    fetchFlags
	packages []fetch.Package
	found    []fetch.FileState // of all packages, in their order
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
		standings, err := fetch.InspectFolder(j.flags.To, p)
		if err != nil {
			return err
		}
		if j.flags.Fresh {
			standings = slices.DeleteFunc(standings, func(s fetch.FileState) bool { return !s.IsNew() })
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

// printLine prints a line for programs; people read others.
func (j *fetchJob) printLine(line FetchedLine) error {
	if j.Output != "json" {
		return nil
	}
	if line.Size != nil && *line.Size < 0 {
		line.Size = nil
	}
	return PrintValue(j.Out(), line)
}

// standingRow is a file of the list, and where it stands.
type standingRow struct {
	columns.ListedFile
	pack, state string
}

// listFiles prints what there is and where it stands.
func (j *fetchJob) listFiles() error {
	var rows []standingRow
	for _, p := range j.packages {
		for _, f := range p.Files {
			s := j.found[len(rows)]
			row := standingRow{pack: p.Name, state: standingWord(s)}
			row.MissionCode, row.FileName, row.FileDataType, row.FileSize = p.Mission, f.Name, f.Product, f.Size
			rows = append(rows, row)
			if err := j.printLine(FetchedLine{
				Event:   "listed",
				Order:   p.Order,
				Mission: p.Mission,
				Package: p.ID,
				Name:    f.Name,
				Product: f.Product,
				State:   row.state,
				Size:    &f.Size,
				Done:    &s.Done,
			}); err != nil {
				return err
			}
		}
	}
	switch {
	case j.Output == "json":
		return nil
	case len(rows) == 0:
		return j.sayNothing()
	}
	all := columns.ColumnsOf(columns.Files(), func(r *standingRow) *columns.ListedFile { return &r.ListedFile })
	all = append(all, columns.Column[standingRow]{
		ColumnSpec: columns.ColumnSpec{Title: "Package"},
		Value:      func(r *standingRow) columns.Cell { return columns.TextCell(r.pack) },
	}, columns.Column[standingRow]{
		ColumnSpec: columns.ColumnSpec{Title: "State"},
		Value:      func(r *standingRow) columns.Cell { return columns.TextCell(r.state) },
	})
	all = columns.PickColumns(all, "missionCode", "Package", "fileName", "fileDataType", "fileSize", "State")
	s := NewSheet("file", "files", all, time.Now, "")
	return s.Print(PrintTarget{To: j.Out(), Progress: j.Trouble()}, ListRows(rows))
}

// standingWord returns where a file stands, in a word.
func standingWord(s fetch.FileState) string {
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

// sayNothing says why there is nothing to do.
func (j *fetchJob) sayNothing() error {
	why := "no deliveries yet for "
	switch {
	case j.flags.Fresh:
		why = "no new files for "
	case len(j.flags.products) > 0:
		why = "no files of these products for "
	}
	_, err := fmt.Fprintln(j.Out(), format.Clean(why+j.Args[0]))
	return err
}

const fetchBeat = time.Second // between two progress lines

// fetchAll fetches everything and says how it went.
func (j *fetchJob) fetchAll(ctx context.Context, q *fetch.Queue) error {
	j.told = map[fetch.ID]fetch.State{}
	bytes, need, here := int64(0), int64(0), 0
	for _, s := range j.found {
		bytes += max(0, s.File.Size)
		need += max(0, s.File.Size-s.Done)
		if s.Whole {
			here++
		}
	}
	begin := FetchedLine{
		Event: "begin",
		Code:  j.Args[0],
		To:    j.flags.To,
		Files: new(len(j.found)),
		Bytes: &bytes,
		Here:  &here,
	}
	if err := j.printLine(begin); err != nil {
		return err
	}
	if len(j.found) == 0 {
		return j.printSummary(q)
	}
	if err := q.CheckSpace(need); err != nil {
		return fmt.Errorf("%w; free some space, or choose another folder with --to", err)
	}
	for _, p := range j.packages {
		if _, err := q.Add(p, fetch.Waiting); err != nil {
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
	done := api.Go(func() error { return q.Wait(ctx) })
	changes, unsubscribe := q.Subscribe()
	defer unsubscribe()
	meter := NewMeterLine(j.Trouble())
	if j.Output == "json" {
		meter.W = nil
	}
	defer meter.ClearLine()
	beat, frame := time.NewTicker(fetchBeat), time.NewTicker(MeterFrame)
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
			s := q.Summary()
			meter.DrawLine("%s", deliveries.ProgressLine(&s))
			continue
		case <-changes:
		case <-beat.C:
			s := q.Summary()
			line := FetchedLine{Event: "progress", Done: &s.Done, Bytes: &s.Size, Speed: new(int64(s.Speed))}
			if s.Left >= 0 {
				line.Left = new(s.Left.Seconds())
			}
			if err := j.printLine(line); err != nil {
				return err
			}
		}
		if err := j.printFinished(q); err != nil {
			return err
		}
	}
}

// printFinished prints a line for each file that has come to an end since the last
// time.
func (j *fetchJob) printFinished(q *fetch.Queue) error {
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
			Size:     &it.Size,
			Digests:  it.Digests,
			Verified: it.Verified,
		}
		if it.Err != nil {
			line.Error = it.Err.Error()
		}
		if err := j.printLine(line); err != nil {
			return err
		}
	}
	return nil
}

// printSummary sums up.
func (j *fetchJob) printSummary(q *fetch.Queue) error {
	items, s, bytes, dir := q.Snapshot(), q.Summary(), int64(0), j.flags.To
	fetched, here := s.Count[fetch.Done], s.Count[fetch.Here]
	for i, it := range items {
		if it.State == fetch.Done {
			bytes += it.Size
		}
		if i == 0 {
			dir = filepath.Dir(it.Path)
		}
		for dir != filepath.Dir(dir) && !strings.HasPrefix(it.Path, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir) // that all share
		}
	}
	switch {
	case j.Output == "json":
		failed := len(items) - fetched - here
		return j.printLine(
			FetchedLine{Event: "end", Files: &fetched, Here: &here, Failed: &failed, Bytes: &bytes},
		)
	case len(items) == 0:
		return j.sayNothing()
	}
	text := fmt.Sprintf(
		"downloaded %s, %s, to %s",
		format.Count(fetched, "file", "files"),
		format.Bytes(bytes),
		dir,
	)
	if here > 0 {
		text += fmt.Sprintf("; %d already downloaded", here)
	}
	_, err := fmt.Fprintln(j.Out(), format.Clean(text))
	return err
}

// failuresError returns one error for all files that were not fetched.
func failuresError(items []fetch.Item) error {
	failed := slices.DeleteFunc(slices.Clone(items), func(it fetch.Item) bool { return it.Err == nil })
	if len(failed) == 0 {
		return nil
	}
	first, more := &failed[0], ""
	if n := len(failed); n > 1 {
		more = fmt.Sprintf(" (%d files failed)", n)
	}
	switch {
	case errors.Is(first.Err, fetch.ErrNoSpace):
		return fmt.Errorf("%w; free some space and run the command again to resume", first.Err)
	case errors.Is(first.Err, fetch.ErrExists):
		return fmt.Errorf("%s: %w; move the file and run the command again%s", first.Path, first.Err, more)
	}
	return fmt.Errorf("%s: %w; run the command again to resume%s", first.Name, first.Err, more)
}
