package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

// fetchFlags are those of the fetch command.
type fetchFlags struct {
	To      string   `flag:"to,download folder; download_dir of the configuration if omitted"`
	Only    []string `flag:"only,products to download, such as _2dMap,jpg; all if omitted"`
	Rate    string   `flag:"limit-rate,maximum bytes per second, such as 500kB or 10MB"`
	List    bool     `flag:"list,list files and their local state; download nothing"`
	Fresh   bool     `flag:"new,only files not downloaded before; moved files count as downloaded"`
	Verify  bool     `flag:"verify,verify downloaded files again, against their digests"`
	SHA256  bool     `flag:"sha256,compute SHA-256 for every file, beside the digest of the service"`
	Record  bool     `flag:"record,download the order's files as the v2 API lists them, for orders that only it has"`
	Dataset bool     `flag:"dataset,treat CODE as the ID of a purchased dataset"`
	Files   int      `flag:"files,number of parallel downloads"`

	products       []api.Deliverable // by Only
	bytesPerSecond int64             // by Rate
}

// FetchCommand downloads deliveries.
func FetchCommand(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fetch CODE",
		Short: "Download the deliveries of an order or a mission",
		Long: `Downloads the deliveries of an order (ORD-…) or a mission (MSN-…), several files at once. Files that are
already local are skipped, and interrupted downloads resume, also after a crash or a lost connection. A file gets its
final name only after it is verified; existing files are not overwritten. Each package gets a folder with a
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
	f := fetchFlags{Files: 8}
	AddFlags(cmd, &f)
	CompleteValues(cmd, "only", Names(api.Deliverables()))
	check := func([]string) error { return f.checkFlags() }
	return p.ServiceCommand(
		cmd,
		check,
		func(ctx context.Context, c *Call) error { return fetchFiles(ctx, c, f) },
	)
}

func (f *fetchFlags) checkFlags() (err error) {
	if f.Files < 1 || f.Files > 64 {
		return errors.New("--files must be from 1 to 64")
	}
	if f.Rate != "" {
		if f.bytesPerSecond, err = fetch.ParseRate(f.Rate); err != nil {
			return fmt.Errorf("--limit-rate %w", err)
		}
	}
	if f.Record && f.Dataset {
		return errors.New("--record and --dataset cannot be combined")
	}
	for _, name := range f.Only {
		product, err := productNamed(name)
		if err != nil {
			return err
		}
		f.products = append(f.products, product)
	}
	return nil
}

// productNamed returns the delivery product of a name, which may leave out the
// underscore at the beginning.
func productNamed(name string) (api.Deliverable, error) {
	known := append(api.Deliverables(), api.DeliveryProducts()...)
	slices.Sort(known)
	known = slices.Compact(known)
	for _, product := range known {
		if strings.EqualFold(strings.Trim(string(product), "_"), strings.Trim(name, "_ ")) {
			return product, nil
		}
	}
	return "", fmt.Errorf(
		"--only %q is not a delivery product; use %s",
		name,
		strings.Join(Names(known), ", "),
	)
}

// fetchFiles finds what there is to fetch, and lists or fetches it.
func fetchFiles(ctx context.Context, c *Call, f fetchFlags) error {
	done := c.ShowWaiting("loading the file list")
	packages, err := packagesOf(ctx, c.Client, c.Args[0], &f)
	done()
	if err != nil {
		return InName(c.Args[0], err)
	}
	pool, err := c.CAs()
	if err != nil {
		return err
	}
	f.To = cmp.Or(f.To, c.Config.DownloadDir)
	q, err := fetch.New(fetch.Options{
		Dir:       f.To,
		Files:     f.Files,
		Rate:      f.bytesPerSecond,
		Verify:    f.Verify,
		SHA256:    f.SHA256,
		UserAgent: UserAgent(),
		Now:       c.Client.Now,
		Transport: fetch.NewTransport(TrustedTLS(pool)),
	})
	if err != nil {
		return err
	}
	defer q.Close()
	j := &fetchJob{Call: c, flags: f}
	if err := j.inspectFolders(ctx, q, packages); err != nil {
		return err
	}
	if f.List {
		return j.listFiles()
	}
	return j.fetchAll(ctx, q)
}

// packagesOf lists what was delivered under a code.
func packagesOf(ctx context.Context, client *api.Client, code string, f *fetchFlags) ([]fetch.Package, error) {
	mission := strings.HasPrefix(strings.ToUpper(code), "MSN-")
	switch {
	case f.Dataset:
		p, err := fetch.Dataset(ctx, client, code)
		return []fetch.Package{p}, err
	case f.Record && mission:
		return nil, errors.New("missions have no v2 record; use the code of the order with --record")
	case f.Record:
		p, err := fetch.Record(ctx, client, OrderCode(code))
		return []fetch.Package{p}, err
	case !mission:
		packages, err := fetch.Order(ctx, client, strings.ToUpper(code))
		if api.IsStatus(err, http.StatusNotFound) { // the v2 API may have it
			if p, only := fetch.Record(ctx, client, OrderCode(code)); only == nil {
				return []fetch.Package{p}, nil
			}
		}
		return packages, err
	}
	m, err := fetch.FindMission(ctx, client, code)
	if err != nil {
		return nil, err
	}
	return fetch.Mission(ctx, client, m)
}
