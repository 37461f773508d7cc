package cli

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/session"
)

type fetchFlags struct {
	To      string `flag:"to,download folder; the one chosen in the app or download_dir of the configuration if omitted"`
	Rate    string `flag:"limit-rate,maximum bytes per second, such as 500kB, 10MB or none; the limit set in the app if omitted"`
	List    bool   `flag:"list,list files and their local state; download nothing"`
	Fresh   bool   `flag:"new,only files that were never downloaded"`
	Verify  bool   `flag:"verify,verify downloaded files again, against their digests"`
	SHA256  bool   `flag:"sha256,also compute SHA-256 for every file"`
	Record  bool   `flag:"record,download the files that the v2 API lists for the order"`
	Dataset bool   `flag:"dataset,treat CODE as the ID of a purchased dataset"`
	Files   int    `flag:"files,number of parallel downloads"`

	products       *choice[api.Deliverable]
	bytesPerSecond int64 // Rate as a number; 0 for no limit
}

// fetchCommand returns the command that downloads deliveries.
func fetchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fetch CODE",
		Short: "Download the deliveries of an order or a mission",
		Long: `Downloads the deliveries of an order (ORD-…) or a mission (MSN-…), several files at once. Files that are
already local are skipped, and interrupted downloads resume, also after a crash or a lost connection. A file gets its
final name only after it is verified; an existing file with other content is an error and is not overwritten. Each package gets a folder with a
manifest.json that lists the files, their digests and the time of the download.`,
		Example: `# all files of an order
flightdesk fetch ORD-1042

# only the maps, into a folder, with a speed limit
flightdesk fetch ORD-1042 --to /data/surveys --only _2dMap,_3dMap --limit-rate 10MB

# list the files not downloaded before
flightdesk fetch ORD-1042 --new --list

# for programs: a line of JSON per file, and a progress line per second
flightdesk fetch MSN-2001 --output json`,
	}
	f := fetchFlags{Files: defaultParallelFiles}
	addFlags(cmd, &f)
	f.products = listFlag(cmd, "only", "products to download, such as _2dMap,jpg; all if omitted",
		fetchableProducts())
	return defineService(cmd, f.checkFlags, f.fetchFiles)
}

// defaultParallelFiles is the number of parallel downloads unless --files is set.
const defaultParallelFiles = 8

// fetchableProducts returns the products that orders and datasets can have, sorted. Some products are in both
// lists of the API.
func fetchableProducts() []api.Deliverable {
	products := append(api.Deliverables(), api.DeliveryProducts()...)
	slices.Sort(products)
	return slices.Compact(products)
}

func (f *fetchFlags) checkFlags([]string) error {
	if f.Files < 1 || f.Files > 64 {
		return errors.New("--files must be from 1 to 64")
	}
	if f.Rate != "" && f.Rate != "none" {
		rate, err := fetch.ParseRate(f.Rate)
		if err != nil {
			return fmt.Errorf("--limit-rate %w", err)
		}
		f.bytesPerSecond = rate
	}
	if f.Record && f.Dataset {
		return errors.New("--record and --dataset cannot be combined")
	}
	return nil
}

// fetchFiles downloads the files of the order, mission or dataset in the arguments, or lists them with --list. If
// some packages of files cannot be listed, it downloads or lists the others and returns an error.
func (f *fetchFlags) fetchFiles(c *Call) error {
	packages, listErr := c.packagesOf(f)
	if listErr != nil && len(packages) == 0 {
		return prefixError(c.Args[0], listErr)
	}
	fetchErr := f.fetchPackages(c, packages, listErr == nil)
	if listErr != nil {
		incompleteErr := fmt.Errorf("not all files are listed: %w", prefixError(c.Args[0], listErr))
		return errors.Join(fetchErr, incompleteErr)
	}
	return fetchErr
}

// fetchPackages downloads the files that the flags select from the packages, or lists them with --list. isComplete is
// false if other packages of the order or mission in the arguments could not be listed.
func (f *fetchFlags) fetchPackages(c *Call, packages []fetch.Package, isComplete bool) error {
	queue, err := openQueue(c, f)
	if err != nil {
		return err
	}
	defer queue.Close()
	j := &fetchJob{
		call:       c,
		queue:      queue,
		flags:      *f,
		isComplete: isComplete,
		reported:   map[fetch.ID]fetch.State{},
	}
	if err := j.inspectFolders(packages); err != nil {
		return err
	}
	if f.List {
		return j.listFiles()
	}
	return j.fetchAll()
}

// openQueue opens the queue of downloads. If the command line has no folder or no rate, openQueue sets
// them in the flags to the values that were set in the app or the configuration.
func openQueue(c *Call, f *fetchFlags) (*fetch.Queue, error) {
	options, err := fetchOptions(c.Service.Settings, c.Service.Client)
	if err != nil {
		return nil, err
	}
	appState := session.OpenUIState(session.UIStatePath(c.program.Env.Dirs.State, c.Service.StateName()))
	appDir, appRate := deliveries.ChosenInApp(appState)
	f.To = cmp.Or(f.To, appDir, c.Service.Config.DownloadDir)
	if f.Rate == "" {
		f.bytesPerSecond = appRate
	}
	options.Dir = f.To
	options.Files = f.Files
	options.Rate = f.bytesPerSecond
	options.Verify = f.Verify
	options.SHA256 = f.SHA256
	return fetch.New(options)
}

// packagesOf returns the packages of files that were delivered for the order, mission or dataset in the arguments. If
// some packages cannot be listed, it returns the others and an error.
func (c *Call) packagesOf(f *fetchFlags) ([]fetch.Package, error) {
	stopWaiting := c.ShowWaiting("loading the file list")
	defer stopWaiting()
	code := orderCode(c.Args[0])
	if f.Dataset { // the code is the ID of a dataset
		dataset, err := fetch.Dataset(c, c.Service.Client, code)
		return singleValue(dataset, err)
	}
	isMission := strings.HasPrefix(code, "MSN-")
	if f.Record {
		if isMission {
			return nil, errors.New("missions have no v2 record; use the code of the order with --record")
		}
		record, err := fetch.Record(c, c.Service.Client, code)
		return singleValue(record, err)
	}
	if isMission {
		mission, err := fetch.FindMission(c, c.Service.Client, code)
		if err != nil {
			return nil, err
		}
		return fetch.Mission(c, c.Service.Client, mission)
	}
	return c.orderPackages(code)
}

// orderPackages returns the packages of an order. If only the v2 API has the order, its files are in one
// package.
func (c *Call) orderPackages(code string) ([]fetch.Package, error) {
	packages, err := fetch.Order(c, c.Service.Client, code)
	if !api.IsStatus(err, http.StatusNotFound) {
		return packages, err
	}
	record, recordErr := fetch.Record(c, c.Service.Client, code)
	if recordErr != nil {
		return packages, err // no API has the order, and err says so
	}
	return []fetch.Package{record}, nil
}
