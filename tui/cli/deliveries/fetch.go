// Package deliveries has the command that downloads deliveries.
package deliveries

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/config"
	"flightdesk/tui/cli/run"
)

// fetchFlags are those of the fetch command.
type fetchFlags struct {
	to, rate, profile string
	only              []string
	products          []api.Deliverable // by only
	bytesPerSecond    int64             // by rate
	list, fresh       bool
	verify, dataset   bool
	sha256, record    bool
	files             int
	output            *run.Choice
}

// Command downloads deliveries.
func Command(p *run.Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fetch CODE",
		Short: "Download the deliveries of an order or a mission",
		Long: "Downloads the deliveries of an order (ORD-…) or a mission (MSN-…), several files at once. Local files are skipped, " +
			"and interrupted downloads resume, also after a crash or a lost connection. Every file is verified before it gets its " +
			"name; existing files are not overwritten. Each package gets a folder with a manifest.json that lists the files, their " +
			"digests and the time of the download.",
		Example: "# all files of an order\nflightdesk fetch ORD-1042\n\n" +
			"# only the maps, into a folder, with a speed limit\nflightdesk fetch ORD-1042 --to /data/surveys --only _2dMap,_3dMap " +
			"--limit-rate 10MB\n\n# list the files not downloaded before\nflightdesk fetch ORD-1042 --new --list\n\n" +
			"# for programs: a line of JSON per file, and one a second with the progress\nflightdesk fetch MSN-2001 --output json",
	}
	var f fetchFlags
	flags := cmd.Flags()
	flags.StringVar(&f.to, "to", "", "download folder; download_dir of the configuration if omitted")
	flags.StringSliceVar(&f.only, "only", nil, "products to download, such as _2dMap,jpg; all if omitted")
	flags.StringVar(&f.rate, "limit-rate", "", "maximum bytes per second, such as 500kB or 10MB")
	flags.BoolVar(&f.list, "list", false, "list files and their local state; download nothing")
	flags.BoolVar(&f.fresh, "new", false, "only files not downloaded before; moved files count as downloaded")
	flags.BoolVar(&f.verify, "verify", false, "verify downloaded files again, against their digests")
	flags.BoolVar(
		&f.sha256,
		"sha256",
		false,
		"compute the SHA-256 of each file; otherwise a CRC-32C, if the service gives no digest",
	)
	flags.BoolVar(&f.record, "record", false, "download the files of the order's v2 record")
	flags.BoolVar(&f.dataset, "dataset", false, "treat CODE as the id of a purchased dataset")
	flags.IntVar(&f.files, "files", 8, "number of parallel downloads")
	f.output = run.OutputFlag(cmd, "table", "json")
	profile := run.ProfileFlag(cmd)
	cmd.ValidArgsFunction = p.CompleteArguments([]run.NameKind{run.Orders, run.Missions})
	run.CompleteValues(cmd, "only", run.Names(api.Deliverables()))
	cmd.Args = oneCode
	return p.Command(cmd, func(cmd *cobra.Command, args []string) error {
		f.profile = *profile
		if err := f.checkFlags(); err != nil {
			return run.BadUsage(cmd, err)
		}
		return fetchAll(p, cmd, args[0], f)
	})
}

func oneCode(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "":
		return run.WrongUsage(cmd, "missing CODE: name an order or mission, e.g. ORD-1042")
	case len(args) > 1:
		return run.WrongUsage(cmd, "name one order or mission, not %d", len(args))
	}
	return nil
}

func (f *fetchFlags) checkFlags() (err error) {
	if f.files < 1 || f.files > 64 {
		return errors.New("--files must be from 1 to 64")
	}
	if f.rate != "" {
		if f.bytesPerSecond, err = fetch.ParseRate(f.rate); err != nil {
			return fmt.Errorf("--limit-rate %w", err)
		}
	}
	if f.record && f.dataset {
		return errors.New("--record and --dataset cannot be combined")
	}
	for _, name := range f.only {
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
	names := make([]string, len(known))
	for i, product := range known {
		if strings.EqualFold(strings.Trim(string(product), "_"), strings.Trim(name, "_ ")) {
			return product, nil
		}
		names[i] = string(product)
	}
	return "", fmt.Errorf("--only %q is not a delivery product; use %s", name, strings.Join(names, ", "))
}

// fetch finds what there is to fetch, and lists or fetches it.
func fetchAll(p *run.Program, cmd *cobra.Command, code string, f fetchFlags) error {
	ctx := cmd.Context()
	c, err := config.Load(p.Env)
	if err != nil {
		return err
	}
	s, err := c.Resolve(f.profile)
	if err != nil {
		return err
	}
	client, err := run.NewClient(ctx, s, nil)
	if err != nil {
		return err
	}
	p.Observe(client)
	done := run.ShowWaiting(cmd.ErrOrStderr(), "loading the file list")
	packages, err := packagesOf(ctx, client, code, &f)
	done()
	if err != nil {
		return fmt.Errorf("%s: %w", code, err)
	}
	pool, err := s.CAs()
	if err != nil {
		return err
	}
	if f.to == "" {
		f.to = c.DownloadDir
	}
	j := &fetchJob{code: code, flags: f, out: cmd.OutOrStdout(), progress: cmd.ErrOrStderr()}
	o := fetch.Options{
		Dir:       f.to,
		Files:     f.files,
		Rate:      f.bytesPerSecond,
		Verify:    f.verify,
		SHA256:    f.sha256,
		UserAgent: run.UserAgent(),
		Now:       client.Now,
		Transport: fetch.NewTransport(run.TrustedTLS(pool)),
	}
	q, err := fetch.New(o)
	if err != nil {
		return err
	}
	defer q.Close()
	if err := j.inspectFolders(ctx, q, packages); err != nil {
		return err
	}
	if f.list {
		return j.listFiles()
	}
	return j.fetchAll(ctx, q)
}

// packagesOf lists what was delivered under a code.
func packagesOf(ctx context.Context, client *api.Client, code string, f *fetchFlags) ([]fetch.Package, error) {
	mission := strings.HasPrefix(strings.ToUpper(code), "MSN-")
	switch {
	case f.dataset:
		p, err := fetch.Dataset(ctx, client, code)
		return []fetch.Package{p}, err
	case f.record && mission:
		return nil, errors.New("missions have no v2 record; use the code of the order with --record")
	case f.record:
		p, err := fetch.Record(ctx, client, run.OrderCode(code))
		return []fetch.Package{p}, err
	case !mission:
		packages, err := fetch.Order(ctx, client, strings.ToUpper(code))
		if api.IsStatus(err, http.StatusNotFound) { // the v2 API may have it
			if p, only := fetch.Record(ctx, client, run.OrderCode(code)); only == nil {
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
