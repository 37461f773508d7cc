package cli

import (
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
	call       *Call
	queue      *fetch.Queue
	flags      fetchFlags
	isComplete bool                     // whether the files of all packages could be listed
	packages   []fetch.Package          // packages with only the files that the flags select
	selected   []selectedFile           // all files in packages, with their local states
	reported   map[fetch.ID]fetch.State // the states that were printed
}

// selectedFile is a file that the flags select, with its local state.
type selectedFile struct {
	fetch.FileState
	Package *fetch.Package // the package with the file
}

// inspectFolders compares the packages with the files on this machine, and selects the files that --only and --new
// allow. If the service has only a link to a file, it requests the file's size from the server of the link.
func (j *fetchJob) inspectFolders(packages []fetch.Package) error {
	for _, p := range packages {
		p = p.OnlyProducts(j.flags.products.Values...)
		if _, err := j.queue.Probe(j.call, p.Files); err != nil {
			return err
		}
		found, err := fetch.InspectFolder(j.flags.To, p)
		if err != nil {
			return err
		}
		p.Files = nil
		for _, file := range found {
			if j.flags.Fresh && !file.IsNew() {
				continue
			}
			p.Files = append(p.Files, file.File)
			j.selected = append(j.selected, selectedFile{FileState: file, Package: &p})
		}
		j.packages = append(j.packages, p)
	}
	return nil
}

// fetchedLine is a line of fetch --output json.
type fetchedLine struct {
	Event   string          `json:"event"` // "begin", "progress", "file" or "end"; with --list always "listed"
	Code    string          `json:"code,omitempty"`
	To      string          `json:"to,omitempty"`
	Order   string          `json:"order,omitempty"`
	Mission string          `json:"mission,omitempty"`
	Package string          `json:"package,omitempty"`
	Folder  string          `json:"-"` // name of the package
	Name    string          `json:"name,omitempty"`
	Path    string          `json:"path,omitempty"`
	Product api.Deliverable `json:"product,omitempty"`
	State   string          `json:"state,omitempty"`
	Size    *int64          `json:"size,omitempty"` // bytes; nil if unknown
	fetch.Digests
	Verified fetch.VerifiedBy `json:"verified,omitempty"`
	Error    string           `json:"error,omitempty"`

	Files  *int     `json:"files,omitempty"`
	Bytes  *int64   `json:"bytes,omitempty"`
	Done   *int64   `json:"done,omitempty"`
	Speed  *int64   `json:"speed,omitempty"` // bytes per second
	Left   *float64 `json:"left,omitempty"`  // seconds; nil if unknown
	Failed *int     `json:"failed,omitempty"`
	Local  *int     `json:"local,omitempty"` // files that were downloaded earlier
}

// knownSize returns a pointer to a size, or nil if the size is negative, which means unknown.
func knownSize(bytes int64) *int64 {
	if bytes < 0 {
		return nil
	}
	return &bytes
}

// listFiles prints the selected files with their local states.
func (j *fetchJob) listFiles() error {
	if len(j.selected) == 0 {
		return j.printNoFiles()
	}
	var rows []fetchedLine
	for i := range j.selected {
		selected := &j.selected[i]
		rows = append(rows, fetchedLine{
			Event:   "listed",
			Order:   selected.Package.Order,
			Mission: selected.Package.Mission,
			Package: selected.Package.ID,
			Folder:  selected.Package.Name,
			Name:    selected.File.Name,
			Product: selected.File.Product,
			State:   stateWord(&selected.FileState),
			Size:    knownSize(selected.File.Size),
			Done:    &selected.Done,
		})
	}
	all := columns.MakeColumns[*fetchedLine]("fetchedFiles", nil)
	return printFormattedRows(j.call, "file", all, "", listRows(rows))
}

// stateWord returns the word that fetch --list prints for the local state of a file, such as "new" or "changed".
func stateWord(s *fetch.FileState) string {
	switch {
	case s.Changed:
		return "changed"
	case s.Whole:
		return "local"
	case s.Done > 0:
		return "part"
	case s.Known:
		return "missing"
	default:
		return "new"
	}
}

// printNoFiles prints that the flags select no files. It prints nothing with --output json. It also
// prints nothing if some files could not be listed, because the flags could select these files.
func (j *fetchJob) printNoFiles() error {
	if j.call.Output == "json" || !j.isComplete {
		return nil
	}
	text := "no files yet for "
	if len(j.flags.products.Values) > 0 {
		text = "no files of these products for "
	}
	if j.flags.Fresh {
		text = "no new files for "
	}
	_, err := fmt.Fprintln(j.call.Out(), format.Clean(text+j.call.Args[0]))
	return err
}

// fetchAll downloads the selected files and prints the progress and a summary. It returns an
// error if a file could not be downloaded.
func (j *fetchJob) fetchAll() error {
	if err := j.printBegin(); err != nil {
		return err
	}
	missingBytes := int64(0)
	for _, file := range j.selected {
		missingBytes += max(0, file.File.Size-file.Done)
	}
	if err := j.queue.CheckSpace(missingBytes); err != nil {
		return fmt.Errorf("%w; free some space, or choose another folder with --to", err)
	}
	for _, p := range j.packages {
		if _, err := j.queue.Add(p, fetch.Waiting); err != nil {
			return err
		}
	}
	if err := j.printProgress(); err != nil {
		return err
	}
	if err := j.call.Err(); err != nil {
		return err
	}
	return errors.Join(j.printSummary(), failuresError(j.queue.Snapshot()))
}

// printBegin prints the first line of fetch --output json.
func (j *fetchJob) printBegin() error {
	totalBytes := int64(0)
	localFiles := 0
	for _, file := range j.selected {
		totalBytes += max(0, file.File.Size)
		if file.Whole {
			localFiles++
		}
	}
	return j.call.PrintParts(fetchedLine{
		Event: "begin",
		Code:  j.call.Args[0],
		To:    j.flags.To,
		Files: new(len(j.selected)),
		Bytes: &totalBytes,
		Local: &localFiles,
	})
}

// printProgress shows the progress until all downloads have ended. With --output json it prints lines,
// otherwise it updates a line on the terminal.
func (j *fetchJob) printProgress() error {
	done := api.Go(func() error {
		err := j.queue.Wait(j.call)
		if errors.As(err, new(*api.PanicError)) {
			return err
		}
		return nil // other errors are in the items of the queue
	})
	if j.call.Output == "json" {
		return j.printProgressLines(done)
	}
	stopProgress := j.call.ShowProgress(progressInterval, func() string {
		summary := j.queue.Summary()
		return deliveries.ProgressLine(&summary)
	})
	defer stopProgress()
	return <-done
}

// printProgressLines prints a line of JSON for each finished file, and once a second a line with the progress. It
// ends when done sends the error of the downloads.
func (j *fetchJob) printProgressLines(done <-chan error) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			return j.printFinished()
		case <-ticker.C:
			if err := j.printFinished(); err != nil {
				return err
			}
			if err := j.printProgressLine(); err != nil {
				return err
			}
		}
	}
}

// printProgressLine prints one line of JSON with the progress of all downloads.
func (j *fetchJob) printProgressLine() error {
	summary := j.queue.Summary()
	line := fetchedLine{
		Event: "progress",
		Done:  &summary.Done,
		Bytes: &summary.Size,
		Speed: new(int64(summary.Speed)),
	}
	if summary.Left >= 0 {
		line.Left = new(summary.Left.Seconds())
	}
	return j.call.PrintParts(line)
}

// printFinished prints a line for each file that was finished, failed or paused since the last
// call.
func (j *fetchJob) printFinished() error {
	for _, item := range j.queue.Snapshot() {
		hasEnded := item.State.IsFinal() || item.State == fetch.Failed || item.State == fetch.Paused
		if !hasEnded || j.reported[item.ID] == item.State {
			continue
		}
		j.reported[item.ID] = item.State
		err := j.call.PrintParts(fetchedLine{
			Event:    "file",
			Order:    item.Order,
			Mission:  item.Mission,
			Package:  item.PackageID,
			Name:     item.Name,
			Path:     item.Path,
			Product:  item.Product,
			State:    item.State.String(),
			Size:     knownSize(item.Size),
			Digests:  item.Digests,
			Verified: item.Verified,
			Error:    errorMessage(item.Err),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// printSummary prints how many files and bytes were downloaded, and to which folder.
func (j *fetchJob) printSummary() error {
	items := j.queue.Snapshot()
	hasLastLine := j.call.Output == "json" // programs wait for the line "end", even if there are no files
	if len(items) == 0 && !hasLastLine {
		return j.printNoFiles()
	}
	bytes := downloadedBytes(items)
	summary := j.queue.Summary()
	downloaded := summary.Count[fetch.Done]
	local := summary.Count[fetch.Here]
	notDownloaded := len(items) - downloaded - local // failed, cancelled or paused
	text := fmt.Sprintf("downloaded %s, %s, to %s",
		format.Count(downloaded, "file"), format.Bytes(bytes), j.orderFolder(items))
	if local > 0 {
		text += fmt.Sprintf("; %d already downloaded", local)
	}
	return j.call.PrintResult(fetchedLine{
		Event:  "end",
		Files:  &downloaded,
		Local:  &local,
		Failed: &notDownloaded,
		Bytes:  &bytes,
	}, text)
}

// downloadedBytes returns the total size of the files that were downloaded in this run.
func downloadedBytes(items []fetch.Item) int64 {
	total := int64(0)
	for i := range items {
		if items[i].State == fetch.Done {
			total += items[i].Size
		}
	}
	return total
}

// orderFolder returns the folder with the downloaded files: the folder of the order inside the download folder. If
// there are no items, it returns the download folder.
func (j *fetchJob) orderFolder(items []fetch.Item) string {
	name := ""
	if len(items) > 0 {
		relative, _ := filepath.Rel(j.flags.To, items[0].Path) // no error: the queue made the path from flags.To
		name, _, _ = strings.Cut(relative, string(filepath.Separator))
	}
	return filepath.Join(j.flags.To, name)
}

// failuresError returns the error of the first file that failed, with advice for the user. If several files failed,
// the error also has their number. It returns nil if no file failed.
func failuresError(items []fetch.Item) error {
	failed := slices.DeleteFunc(items, func(item fetch.Item) bool { return item.Err == nil })
	if len(failed) == 0 {
		return nil
	}
	first := &failed[0]
	count := ""
	if len(failed) > 1 {
		count = fmt.Sprintf(" (%d files failed)", len(failed))
	}
	if errors.Is(first.Err, fetch.ErrNoSpace) {
		return fmt.Errorf("%w; free some space and run the command again to resume", first.Err)
	}
	if errors.Is(first.Err, fetch.ErrExists) {
		return fmt.Errorf("%s: %w; move the file and run the command again%s", first.Path, first.Err, count)
	}
	return fmt.Errorf("%s: %w; run the command again to resume%s", first.Name, first.Err, count)
}
