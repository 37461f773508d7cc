package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/session"
	"flightdesk/tui/format"
)

// fetchFlags are those of the fetch command.
type fetchFlags struct {
	To      string `flag:"to,download folder; the one chosen in the app or download_dir of the configuration if omitted"`
	Rate    string `flag:"limit-rate,maximum bytes per second, such as 500kB, 10MB or none; the limit set in the app if omitted"`
	List    bool   `flag:"list,list files and their local state; download nothing"`
	Fresh   bool   `flag:"new,only files never downloaded, without those that are missing or changed since"`
	Verify  bool   `flag:"verify,verify downloaded files again, against their digests"`
	SHA256  bool   `flag:"sha256,compute SHA-256 for every file, beside the digest of the service"`
	Record  bool   `flag:"record,download the order's files as the v2 API lists them, for orders that only it has"`
	Dataset bool   `flag:"dataset,treat CODE as the ID of a purchased dataset"`
	Files   int    `flag:"files,number of parallel downloads"`

	products       *choice[api.Deliverable]
	bytesPerSecond int64 // by Rate
}

// fetchCommand downloads deliveries.
func fetchCommand() *cobra.Command {
	cmd := newCommand(
		"fetch CODE",
		"Download the deliveries of an order or a mission",
		`Downloads the deliveries of an order (ORD-…) or a mission (MSN-…), several files at once. Files that are
already local are skipped, and interrupted downloads resume, also after a crash or a lost connection. A file gets its
final name only after it is verified; existing files are not overwritten: one of other content is an error. Each package gets a folder with a
manifest.json that lists the files, their digests and the time of the download.`,
		`# all files of an order
flightdesk fetch ORD-1042

# only the maps, into a folder, with a speed limit
flightdesk fetch ORD-1042 --to /data/surveys --only _2dMap,_3dMap --limit-rate 10MB

# list the files not downloaded before
flightdesk fetch ORD-1042 --new --list

# for programs: a line of JSON per file, and a progress line per second
flightdesk fetch MSN-2001 --output json`,
	)
	f := fetchFlags{Files: 8}
	addFlags(cmd, &f)
	known := append(api.Deliverables(), api.DeliveryProducts()...)
	slices.Sort(known)
	f.products = listFlag(cmd, "only", "products to download, such as _2dMap,jpg; all if omitted",
		slices.Compact(known))
	return defineService(cmd, f.checkFlags, func(c *Call) error { return fetchFiles(c, f) })
}

func (f *fetchFlags) checkFlags([]string) (err error) {
	if f.Files < 1 || f.Files > 64 {
		return errors.New("--files must be from 1 to 64")
	}
	if f.Rate != "" && f.Rate != "none" {
		if f.bytesPerSecond, err = fetch.ParseRate(f.Rate); err != nil {
			return fmt.Errorf("--limit-rate %w", err)
		}
	}
	if f.Record && f.Dataset {
		return errors.New("--record and --dataset cannot be combined")
	}
	return nil
}

// fetchFiles finds what there is to fetch, and lists or fetches it.
func fetchFiles(c *Call, f fetchFlags) error {
	packages, missing := c.packagesOf(&f)
	missing = inName(c.Args[0], missing)
	if missing != nil && len(packages) == 0 {
		return missing
	}
	o, err := fetchOptions(c.Settings, c.Client)
	if err != nil {
		return err
	}
	dir, rate := deliveries.ChosenInApp(session.OpenUIState(session.UIStatePath(c.Env.Dirs.State, c.StateName())))
	f.To = cmp.Or(f.To, dir, c.Config.DownloadDir)
	if f.Rate == "" {
		f.bytesPerSecond = rate
	}
	o.Dir = f.To
	o.Files = f.Files
	o.Rate = f.bytesPerSecond
	o.Verify = f.Verify
	o.SHA256 = f.SHA256
	q, err := fetch.New(o)
	if err != nil {
		return err
	}
	defer q.Close()
	j := &fetchJob{
		Call:  c,
		Queue: q,
		flags: f,
		told:  map[fetch.ID]fetch.State{},
	}
	if err := j.inspectFolders(packages); err != nil {
		return err
	}
	if missing != nil {
		missing = fmt.Errorf("not all files are listed: %w", missing)
	}
	if f.List {
		return errors.Join(j.listFiles(), missing)
	}
	return errors.Join(j.fetchAll(), missing)
}

// packagesOf lists what was delivered under a code. Packages that were listed are returned
// also with an error.
func (c *Call) packagesOf(f *fetchFlags) ([]fetch.Package, error) {
	defer c.ShowWaiting("loading the file list")()
	code := orderCode(c.Args[0])
	mission := strings.HasPrefix(code, "MSN-")
	switch {
	case f.Dataset:
		p, err := fetch.Dataset(c, c.Client, code)
		return singleValue(&p, err)
	case f.Record && mission:
		return nil, errors.New("missions have no v2 record; use the code of the order with --record")
	case f.Record:
		p, err := fetch.Record(c, c.Client, code)
		return singleValue(&p, err)
	case !mission:
		packages, err := fetch.Order(c, c.Client, code)
		if api.IsStatus(err, http.StatusNotFound) { // the v2 API may have it
			if p, only := fetch.Record(c, c.Client, code); only == nil {
				return []fetch.Package{p}, nil
			}
		}
		return packages, err
	}
	m, err := fetch.FindMission(c, c.Client, code)
	if err != nil {
		return nil, err
	}
	return fetch.Mission(c, c.Client, m)
}

// fetchJob is one run of the fetch command.
type fetchJob struct {
	*Call
	*fetch.Queue
	flags    fetchFlags
	packages []fetch.Package
	found    []fetch.FileState // of all packages, in their order
	told     map[fetch.ID]fetch.State
}

// inspectFolders finds out what of the packages is here, and leaves only what is asked
// for. Of links alone the sizes are asked for.
func (j *fetchJob) inspectFolders(packages []fetch.Package) error {
	for _, p := range packages {
		p = p.OnlyProducts(j.flags.products.Values...)
		if _, err := j.Probe(j, p.Files); err != nil {
			return err
		}
		found, err := fetch.InspectFolder(j.flags.To, p)
		if err != nil {
			return err
		}
		p.Files = nil
		for _, s := range found {
			if s.IsNew() || !j.flags.Fresh {
				p.Files, j.found = append(p.Files, s.File), append(j.found, s)
			}
		}
		j.packages = append(j.packages, p)
	}
	return nil
}

// fetchedLine is a line of fetch --output json. People read others.
type fetchedLine struct {
	Event   string          `json:"event"` // begin, progress, file, end; listed with --list
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

// knownSize returns a size, nil where it is not known.
func knownSize(bytes int64) *int64 {
	if bytes < 0 {
		return nil
	}
	return &bytes
}

// listFiles prints what there is and where it stands.
func (j *fetchJob) listFiles() error {
	var rows []fetchedLine
	for _, p := range j.packages {
		for _, f := range p.Files {
			s := &j.found[len(rows)]
			rows = append(rows, fetchedLine{
				Event: "listed", Order: p.Order, Mission: p.Mission, Package: p.ID, Folder: p.Name, Name: f.Name,
				Product: f.Product, State: standingWord(s), Size: knownSize(f.Size), Done: &s.Done,
			})
		}
	}
	if len(rows) == 0 {
		return j.sayNothing()
	}
	all := columns.MakeColumns[*fetchedLine]("fetchedFiles", nil)
	return printList(j.Call, "file", all, "", listRows(rows))
}

// standingWord returns where a file stands, in the word of the app.
func standingWord(s *fetch.FileState) string {
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

// sayNothing says to people why there is nothing to do.
func (j *fetchJob) sayNothing() error {
	if j.Output == "json" {
		return nil
	}
	why := "no deliveries yet for "
	switch {
	case j.flags.Fresh:
		why = "no new files for "
	case len(j.flags.products.Values) > 0:
		why = "no files of these products for "
	}
	_, err := fmt.Fprintln(j.Out(), format.Clean(why+j.Args[0]))
	return err
}

// fetchAll fetches everything and says how it went.
func (j *fetchJob) fetchAll() error {
	bytes, need, here := int64(0), int64(0), 0
	for _, s := range j.found {
		bytes += max(0, s.File.Size)
		need += max(0, s.File.Size-s.Done)
		if s.Whole {
			here++
		}
	}
	err := j.PrintParts(fetchedLine{
		Event: "begin", Code: j.Args[0], To: j.flags.To, Files: new(len(j.found)), Bytes: &bytes, Here: &here,
	})
	if err != nil {
		return err
	}
	if err := j.CheckSpace(need); err != nil {
		return fmt.Errorf("%w; free some space, or choose another folder with --to", err)
	}
	for _, p := range j.packages {
		if _, err := j.Add(p, fetch.Waiting); err != nil {
			return err
		}
	}
	if err := cmp.Or(j.followProgress(), j.Err()); err != nil {
		return err
	}
	return errors.Join(j.printSummary(), failuresError(j.Snapshot()))
}

// followProgress shows the progress until everything has come to an end: to people all the time, to programs with a
// line each second.
func (j *fetchJob) followProgress() error {
	done := api.Go(func() error { return j.Wait(j) })
	beat := time.NewTicker(time.Second)
	defer beat.Stop()
	if j.Output != "json" {
		beat.Stop()
		defer j.ShowProgress(meterFrame, func() string {
			s := j.Summary()
			return deliveries.ProgressLine(&s)
		})()
	}
	for {
		select {
		case err := <-done:
			if _, panicked := errors.AsType[*api.PanicError](err); panicked {
				return err
			}
			return j.printFinished() // of the rest the queue's items say it
		case <-beat.C:
		}
		s := j.Summary()
		line := fetchedLine{
			Event: "progress",
			Done:  &s.Done,
			Bytes: &s.Size,
			Speed: new(int64(s.Speed)),
		}
		if s.Left >= 0 {
			line.Left = new(s.Left.Seconds())
		}
		if err := cmp.Or(j.printFinished(), j.PrintParts(line)); err != nil {
			return err
		}
	}
}

// printFinished prints a line for each file that has come to an end since the last
// time.
func (j *fetchJob) printFinished() error {
	for _, it := range j.Snapshot() {
		over := it.State.IsFinal() || it.State == fetch.Failed || it.State == fetch.Paused
		if !over || j.told[it.ID] == it.State {
			continue
		}
		j.told[it.ID] = it.State
		if err := j.PrintParts(fetchedLine{
			Event: "file", Order: it.Order, Mission: it.Mission, Package: it.PackageID, Name: it.Name, Path: it.Path,
			Product: it.Product, State: it.State.String(), Size: knownSize(it.Size), Digests: it.Digests,
			Verified: it.Verified, Error: textOfError(it.Err),
		}); err != nil {
			return err
		}
	}
	return nil
}

// printSummary sums up.
func (j *fetchJob) printSummary() error {
	items, s, bytes := j.Snapshot(), j.Summary(), int64(0)
	if len(items) == 0 && j.Output != "json" {
		return j.sayNothing()
	}
	top := ""
	for _, it := range items {
		if it.State == fetch.Done {
			bytes += it.Size
		}
		below, _ := filepath.Rel(j.flags.To, it.Path)
		top, _, _ = strings.Cut(below, string(filepath.Separator)) // of the order, which all share
	}
	fetched, here := s.Count[fetch.Done], s.Count[fetch.Here]
	text := fmt.Sprintf(
		"downloaded %s, %s, to %s",
		format.Count(fetched, "file"), format.Bytes(bytes), filepath.Join(j.flags.To, top),
	)
	if here > 0 {
		text += fmt.Sprintf("; %d already downloaded", here)
	}
	failed := len(items) - fetched - here
	return j.PrintAnswer(fetchedLine{
		Event:  "end",
		Files:  &fetched,
		Here:   &here,
		Failed: &failed,
		Bytes:  &bytes,
	}, text)
}

// failuresError returns one error for all files that were not fetched.
func failuresError(items []fetch.Item) error {
	failed := slices.DeleteFunc(items, func(it fetch.Item) bool { return it.Err == nil })
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
