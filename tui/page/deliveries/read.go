package deliveries

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

// reader reads what was delivered of orders.
type reader struct {
	client *api.Client
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
	whole, err := r.client.Orders.Get(ctx, o.code)
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
		some, err := fetch.Mission(ctx, r.client, *m)
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
