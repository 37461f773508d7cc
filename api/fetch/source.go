package fetch

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"flightdesk/api"
)

// sourceCalls is the maximum number of concurrent calls that list packages and files.
const sourceCalls = 8

// Order returns the delivery packages of an order with links to their files. They are sorted by
// mission, and the packages of a mission are sorted newest first. If some packages cannot be
// listed, Order returns the others with an [*api.PartsError].
func Order(ctx context.Context, c *api.Client, code string) ([]Package, error) {
	o, err := c.Orders.Get(ctx, code)
	if err != nil && !api.IsPartial(err) {
		return nil, err
	}
	faults := &api.PartsError{}
	faults.Add(err) // nil, or the parts of the order that could not be read
	type missionPackages struct {
		packages []Package
		err      error
	}
	byMission := make([]missionPackages, len(o.Missions))
	err = runParallel(len(o.Missions), func(i int) error {
		// The other missions are listed even if this one fails. Only the end of ctx ends the listing.
		byMission[i].packages, byMission[i].err = Mission(ctx, c, o.Missions[i])
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var all []Package
	for _, listed := range byMission {
		all = append(all, listed.packages...)
		faults.Add(listed.err)
	}
	return all, faults.ErrorOrNil()
}

// missionsOf lists the missions of an order, on one page or several. The missions read before an
// error are returned with it.
func missionsOf(ctx context.Context, c *api.Client, code string) (all []api.Mission, err error) {
	list := func(ctx context.Context, opts api.ListOptions) (*api.Page[api.Mission], error) {
		return c.Missions.List(ctx, code, opts)
	}
	for m, err := range api.WalkList(ctx, 0, list) {
		if err != nil {
			return all, err
		}
		all = append(all, *m)
	}
	return all, nil
}

// Mission returns the delivery packages of a mission, newest first. If some packages cannot be
// listed, Mission returns the others with an [*api.PartsError].
func Mission(ctx context.Context, c *api.Client, m api.Mission) ([]Package, error) {
	isBeforeFlight := m.Status == api.MissionAwaitingPilot || m.Status == api.MissionPilotAssigned
	if isBeforeFlight {
		return nil, nil // nothing is delivered yet
	}
	faults := &api.PartsError{}
	list, err := c.Missions.Packages(ctx, m.UUID)
	if err != nil {
		faults.Add(fmt.Errorf("mission %s: %w", m.MissionCode, err))
	}
	var packages []Package
	for _, p := range list {
		delivery, err := Delivery(ctx, c, m, p)
		if err != nil {
			faults.Add(fmt.Errorf("mission %s, package %s: %w", m.MissionCode, p.Name, err))
		}
		if err == nil || len(delivery.Files) > 0 {
			packages = append(packages, delivery)
		}
	}
	return packages, faults.ErrorOrNil()
}

// Delivery returns a delivery package with its files.
func Delivery(ctx context.Context, c *api.Client, m api.Mission, p api.DeliveryPackage) (Package, error) {
	listedAt := time.Now()
	files, err := c.Files.List(ctx, p.UUID)
	return DeliveredPackage(c, &m, &p, files, listedAt), err
}

// DeliveredPackage returns a delivery package with the given files. listedAt is the time of the
// local clock when the files were requested.
func DeliveredPackage(
	c *api.Client,
	m *api.Mission,
	p *api.DeliveryPackage,
	files []api.DeliveryFile,
	listedAt time.Time,
) Package {
	id := p.UUID
	return Package{
		PackageInfo: PackageInfo{
			ID:         id,
			Kind:       "delivery",
			Name:       p.Name,
			Version:    p.Version,
			Created:    p.CreatedAt.Time,
			Order:      m.OrderCode,
			Mission:    m.MissionCode,
			MissionUID: m.UUID,
		},
		Service: c.BaseURL(),
		Extra:   p.Extra,
		Folder: []string{
			cmp.Or(m.OrderCode, m.OrderUID, "order"),
			cmp.Or(m.MissionCode, m.UUID, "mission"),
			packageFolder(*p),
		},
		Files: deliveryFiles(files, listedAt),
		List: func(ctx context.Context) ([]File, error) {
			renewedAt := time.Now()
			renewed, err := c.Files.List(ctx, id)
			return deliveryFiles(renewed, renewedAt), err
		},
	}
}

// packageFolder returns the folder name of a package: its version, which is short and stable, or
// its name if it has no version.
func packageFolder(p api.DeliveryPackage) string {
	if p.Version > 0 {
		return fmt.Sprintf("v%d", p.Version)
	}
	return cmp.Or(folderTitle(p.Name), p.UUID, "delivery")
}

// folderTitle replaces the path separators in a title.
func folderTitle(s string) string { return strings.NewReplacer("/", "-", `\`, "-").Replace(s) }

// deliveryFiles converts the files of a package. The ID of a file is its UUID. If the UUID is missing or several files
// have it, the ID consists of the product, the name and the position in the package.
func deliveryFiles(list []api.DeliveryFile, listedAt time.Time) []File {
	uuidCount := map[string]int{} // number of files by UUID
	for _, f := range list {
		uuidCount[f.UUID]++
	}
	files := make([]File, len(list))
	for i, f := range list {
		files[i] = File{
			ID:        f.UUID,
			Name:      f.FileName,
			Product:   f.FileDataType,
			MediaType: f.FileType,
			Size:      f.FileSize,
			URL:       f.DownloadURL,
			Listed:    listedAt,
			Extra:     f.Extra,
		}
		isUnique := f.UUID != "" && uuidCount[f.UUID] == 1
		if !isUnique {
			files[i].ID = fmt.Sprintf("%s/%s/%d", f.FileDataType, f.FileName, i)
		}
	}
	return files
}

// limitedGroup returns a group that makes at most sourceCalls calls at once.
func limitedGroup() *errgroup.Group {
	g := new(errgroup.Group)
	g.SetLimit(sourceCalls)
	return g
}

// runParallel calls do for 0 to n-1, several at once, and returns the first error.
func runParallel(n int, do func(i int) error) error {
	g := limitedGroup()
	for i := range n {
		g.Go(func() error { return api.Guard(func() error { return do(i) }) })
	}
	return g.Wait()
}
