package operations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/format"
)

// datasetFlags are those of a new dataset.
type datasetFlags struct {
	filesFlags
	in        ops.DatasetInput
	completed string
	points    []string
}

func opsAddDataset() *opsVerb {
	var f datasetFlags
	v := newVerb(
		"add-dataset ACCOUNT [FILE...]",
		"Add a purchased dataset to an account's library",
		`Adds a dataset to an account's data library. --type names the product: one for all files, or a list with commas,
one per file. Photos need none. --generate lets the service make sample files for the position in --point.`,
		`# from a file
flightdesk ops add-dataset "Nordwind AG" ortho.tif --name "Harbour 2025" --type _2dMap --category ports --completed 2025-11-02

# with sample files
flightdesk ops add-dataset "Nordwind AG" --generate --name "Harbour 2025" --point 53.54,9.97 --place Hamburg`,
		f.addDataset,
	)
	v.changes = always
	f.addFlags(v.Command)
	flags := v.Flags()
	flags.StringVar(&f.in.DatasetName, "name", "", "name of the dataset")
	flags.StringVar(&f.in.Description, "description", "", "description of the dataset")
	flags.StringVar(&f.in.LocationLabel, "place", "", "name of the place")
	flags.StringArrayVar(&f.points, "point", nil, "position as latitude,longitude; repeat it for an outline")
	flags.StringArrayVar(&f.in.Categories, "category", nil, "category; can be repeated")
	flags.StringArrayVar(&f.in.SDGGoals, "goal", nil, "UN Sustainable Development Goal; can be repeated")
	flags.StringVar(&f.completed, "completed", "", "date of completion")
	v.checks = append(v.checks, func(args []string) error { return f.checkAll(args[1:]) })
	return v
}

func (f *datasetFlags) addDataset(ctx context.Context, r *opsRun) error {
	a, err := commands.FindAccount(ctx, r.Ops, r.Args[0])
	if err != nil {
		return err
	}
	if f.completed != "" {
		day, err := format.ParseDate(f.completed, r.Now())
		if err != nil {
			return run.BadUsage(r.Cmd, fmt.Errorf("--completed: %w", err))
		}
		f.in.DateCompleted = api.ParseDate(day.Format("2006-01-02"))
	}
	done, err := f.openFiles(r)
	if err != nil {
		return err
	}
	var set *ops.Dataset
	if f.Generate {
		set, err = r.Ops.Datasets.Generate(ctx, a.UUID, f.in)
	} else {
		set, err = r.Ops.Datasets.Add(ctx, a.UUID, f.in, f.files...)
	}
	if done(); err != nil {
		return err
	}
	return r.PrintAnswer(set, fmt.Sprintf("added %s %s to %s, %d files",
		set.UUID, set.DatasetName, a.CompanyName, set.DeliveryFiles.Len()))
}

func (f *datasetFlags) checkAll(files []string) error {
	var missing []string
	if strings.TrimSpace(f.in.DatasetName) == "" {
		missing = append(missing, "missing --name: name the dataset")
	}
	f.in.LocationMap = nil
	for _, typed := range f.points {
		point, err := pointOf(typed)
		if err != nil {
			return err
		}
		f.in.LocationMap = append(f.in.LocationMap, point)
	}
	if f.Generate && len(f.points) == 0 {
		missing = append(missing, "--generate needs a place; set it with --point")
	}
	if len(missing) > 0 {
		return errors.New(strings.Join(missing, "; "))
	}
	return f.checkFiles(files, append(api.DeliveryProducts(), api.DeliverableJPG))
}

// pointOf reads latitude,longitude.
func pointOf(typed string) (p api.Point, err error) {
	lat, lng, _ := strings.Cut(typed, ",")
	p.Lat, err = strconv.ParseFloat(strings.TrimSpace(lat), 64)
	if err == nil {
		p.Lng, err = strconv.ParseFloat(strings.TrimSpace(lng), 64)
	}
	if err != nil || !(p.Lat >= -90 && p.Lat <= 90 && p.Lng >= -180 && p.Lng <= 180) {
		return p, fmt.Errorf(
			"--point %q is not a valid position; use latitude,longitude, such as 53.54,9.97",
			typed,
		)
	}
	return p, nil
}
