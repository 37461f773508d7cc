package demodata

import (
	"context"
	"errors"

	"flightdesk/api/server/internal/demodata/product"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

// MakeFiles makes files for the kinds of a mission, or of a dataset's place,
// and has the domain keep them, each kind of about size bytes; 0 is small. They
// belong to nothing until a move takes them; after an error none is kept.
func MakeFiles(ctx context.Context, d *domain.Service, m product.Mission, size int64) (list []store.File, err error) {
	made, err := product.Files(m, size)
	if err != nil {
		return nil, err
	}
	for _, f := range made {
		kept, err := keepFile(ctx, d, f)
		if err != nil {
			return nil, errors.Join(err, d.Missions.DiscardFiles(context.WithoutCancel(ctx), list...))
		}
		list = append(list, kept)
	}
	return list, nil
}

func keepFile(ctx context.Context, d *domain.Service, f product.File) (store.File, error) {
	content, err := f.Open()
	if err != nil {
		return store.File{}, err
	}
	kept, err := d.Missions.KeepFile(ctx, f.Name, f.MediaType, content)
	kept.Kind = f.Kind
	return kept, errors.Join(err, content.Close())
}

// SurveyOf tells a mission the way that its files are made for.
func SurveyOf(o store.Order, m store.Mission) product.Mission {
	return product.Mission{Location: m.LocationMap, Deliverables: o.Deliverables, Flown: m.FlightDate}
}
