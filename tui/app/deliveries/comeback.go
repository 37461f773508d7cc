package deliveries

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"flightdesk/api"
	"flightdesk/api/fetch"
)

// keptName is what the state is kept by.
const keptName = "downloads"

// state is what is kept of a desk between two runs. It has no links.
type state struct {
	Dir    string `json:"dir,omitempty"` // where it was chosen, or something is open
	Chosen bool   `json:"chosen,omitempty"`
	Rate   int64  `json:"rate,omitempty"`
	Open   []open `json:"open,omitempty"`
}

// open is a package of which some files are not at their end.
type open struct {
	fetch.PackageInfo
	Files  []string `json:"files"`            // their ids
	Paused []string `json:"paused,omitempty"` // those of them that were paused
}

// save keeps what is open in the store; whoever flushes that brings it to disk.
func (d *Downloads) save() {
	s := state{Chosen: d.chosen, Rate: d.options.Rate, Open: slices.Clone(d.pending)}
	place := map[string]int{}
	for i := range d.Items {
		it := &d.Items[i]
		if it.State.IsFinal() {
			continue
		}
		at, known := place[it.PackageID]
		if !known {
			at = len(s.Open)
			place[it.PackageID] = at
			s.Open = append(s.Open, open{PackageInfo: d.packages[it.PackageID]})
		}
		s.Open[at].Files = append(s.Open[at].Files, it.FileID)
		if it.State == fetch.Paused && it.Err == nil {
			s.Open[at].Paused = append(s.Open[at].Paused, it.FileID)
		}
	}
	if s.Chosen || len(s.Open) > 0 {
		s.Dir = d.options.Dir // parts are there
	}
	text, err := json.Marshal(s)
	if err != nil || string(text) == d.saved {
		return
	}
	d.saved = string(text)
	d.kept.Put(keptName, s)
}

// ComeBack goes on with what was not at its end when the app was left, nil
// where there is nothing of the kind. What was paused stays so.
func (d *Downloads) ComeBack(c *api.Client) func() AddedFiles {
	if len(d.pending) == 0 || c == nil || d.back {
		return nil
	}
	q, err := d.work()
	if err != nil {
		return nil
	}
	waiting := d.pending
	d.back = true
	for _, o := range waiting {
		d.packages[o.ID] = o.PackageInfo
	}
	return func() AddedFiles {
		msg := AddedFiles{Desk: d, Back: true}
		for _, o := range waiting {
			p, err := o.list(context.Background(), c)
			if err == nil {
				err = o.resume(q, p, &msg)
			}
			if err != nil && !gone(err) {
				msg.left = append(msg.left, o)
			}
			msg.Err = cmp.Or(msg.Err, err)
		}
		msg.Free = freeOf(q)
		return msg
	}
}

// list asks for the package with fresh links.
func (o *open) list(ctx context.Context, c *api.Client) (fetch.Package, error) {
	switch o.Kind {
	case "dataset":
		return fetch.Dataset(ctx, c, o.ID)
	case "order":
		return fetch.Record(ctx, c, o.ID)
	default:
		m := api.Mission{UUID: o.MissionUID, MissionCode: o.Mission, OrderCode: o.Order}
		p := api.DeliveryPackage{
			UUID:      o.ID,
			Name:      o.Name,
			Version:   o.Version,
			CreatedAt: api.TimeOf(o.Created),
		}
		return fetch.Delivery(ctx, c, m, p)
	}
}

// resume puts those files into the queue that were open.
func (o *open) resume(q *fetch.Queue, p fetch.Package, msg *AddedFiles) error {
	paused, active := p, p
	paused.Files, active.Files = nil, nil
	for _, f := range p.Files {
		switch {
		case slices.Contains(o.Paused, f.ID):
			paused.Files = append(paused.Files, f)
		case slices.Contains(o.Files, f.ID):
			active.Files = append(active.Files, f)
		}
	}
	ids, err := q.Add(active, fetch.Waiting)
	if err != nil {
		return err
	}
	msg.Added += len(ids)
	ids, err = q.Add(paused, fetch.Paused)
	msg.Added += len(ids)
	return err
}

// gone reports whether the service no longer has what was asked for.
func gone(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && !e.Foreign && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// IsPending reports whether downloads of the last run could not be gone on with yet.
func (d *Downloads) IsPending() bool { return len(d.pending) > 0 }

// Take takes what came of adding. It is to be called before anything else is
// asked of the desk.
func (d *Downloads) Take(msg AddedFiles) DownloadChange {
	d.Free = msg.Free
	if msg.Back {
		d.pending, d.back = msg.left, false
	}
	d.busy = d.busy || msg.Added > 0
	return d.Refresh()
}
