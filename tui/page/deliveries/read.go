package deliveries

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/tui/app/cache"
)

// reader reads what was delivered of orders.
type reader struct {
	client *api.Client
	cache  *cache.Cache
	probe  func(context.Context, []fetch.File) ([]time.Time, error)
	dir    string    // that is fetched into
	now    time.Time // by the service's clock
}

// order reads an order's packages, where it is another than it was known to
// be, and what of them is on disk.
func (r reader) order(ctx context.Context, o *api.Order, known *order) (*order, error) {
	found := &order{code: o.OrderCode, updated: o.UpdatedAt}
	if known != nil && !o.UpdatedAt.IsZero() && known.updated.Equal(o.UpdatedAt.Time) {
		found = known
	} else if err := r.list(ctx, found, ""); err != nil {
		return known, err
	}
	return found, found.look(r.dir)
}

// of reads the packages of an order, or of one of its missions.
func (r reader) of(ctx context.Context, code, mission string) (*order, error) {
	found := &order{code: code}
	if err := r.list(ctx, found, mission); err != nil {
		return nil, err
	}
	return found, found.look(r.dir)
}

// look notes what of the packages is on disk.
func (o *order) look(dir string) error {
	for _, p := range o.packages {
		if err := p.Look(dir); err != nil {
			return err
		}
	}
	return nil
}

// list asks for the packages of an order's missions, and for what the order's
// record has beside them; with a mission's id for the packages of that alone.
func (r reader) list(ctx context.Context, o *order, mission string) error {
	whole, err := r.whole(ctx, o)
	if err != nil {
		return err
	}
	var packages []fetch.Package
	for i := range whole.Missions {
		m := &whole.Missions[i]
		if m.Status == api.MissionFlightScheduled || mission != "" && m.UUID != mission {
			continue // what is delivered makes it dataDelivered
		}
		if m.OrderCode == "" {
			m.OrderCode = o.code
		}
		some, err := r.packages(ctx, m)
		if err != nil {
			return err
		}
		for _, p := range some {
			one := delivered(m, p)
			o.packages = append(o.packages, &one)
		}
		packages = append(packages, some...)
	}
	over := whole.Status == api.OrderCompleted || whole.Status == api.OrderArchived
	if mission == "" && (len(packages) > 0 || over) {
		if err := r.record(ctx, o, whole, packages); err != nil {
			return err
		}
	}
	for _, p := range o.packages {
		p.Read = r.now
	}
	return nil
}

// whole is an order in full, not older than it is listed.
func (r reader) whole(ctx context.Context, o *order) (*api.Order, error) {
	whole, err := r.cache.Details.Ask(ctx, o.code)
	if err == nil && !whole.UpdatedAt.IsZero() && whole.UpdatedAt.Before(o.updated.Time) {
		whole, err = r.cache.Details.Reread(ctx, o.code)
	}
	return whole, err
}

// packages are those of a mission, with their files.
func (r reader) packages(ctx context.Context, m *api.Mission) ([]fetch.Package, error) {
	if m.Status == api.MissionAwaitingPilot || m.Status == api.MissionPilotAssigned {
		return nil, nil // nothing can have been delivered
	}
	list, err := r.cache.Packages.Reread(ctx, m.UUID)
	if err != nil {
		return nil, fmt.Errorf("mission %s: %w", m.MissionCode, err)
	}
	packages := make([]fetch.Package, len(list))
	for i, p := range list {
		if packages[i], err = fetch.Delivery(ctx, r.client, *m, p); err != nil {
			return nil, fmt.Errorf("mission %s, package %s: %w", m.MissionCode, p.Name, err)
		}
	}
	return packages, nil
}

// record adds the files that an order's record has and no package. A service
// without records has none.
func (r reader) record(ctx context.Context, o *order, whole *api.Order, packages []fetch.Package) error {
	p, err := fetch.Record(ctx, r.client, o.code)
	switch {
	case errors.Is(err, api.ErrNoLegacy) || refused(err):
		return nil
	case err != nil:
		return err
	}
	if p = p.Without(packages...); len(p.Files) == 0 {
		return nil
	}
	one := Package{Package: p, Title: strings.TrimSpace(p.Name + " record " + o.code)}
	if len(whole.Missions) > 0 {
		first := delivered(&whole.Missions[0], p)
		one.Place, one.Location = first.Place, first.Location
	}
	if one.Changed, err = r.probe(ctx, p.Files); err != nil {
		return err
	}
	one.Created = slices.MaxFunc(one.Changed, time.Time.Compare)
	o.packages = append(o.packages, &one)
	return nil
}

// refused reports whether the service does not give what was asked for, and
// will not later.
func refused(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Status >= 400 && e.Status < 500 && e.Status != http.StatusTooManyRequests
}
