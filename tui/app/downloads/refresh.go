package downloads

import (
	"flightdesk/api/fetch"
)

// Change is what a Refresh found.
type Change struct {
	States bool // some item is in another state than before
	Ended  bool // there was something to do, and now there is nothing
	Done   int  // of the items that came to their end since the last time: fetched
	Failed int
	Bytes  int64 // of those fetched
	Err    error // why the first one failed, or was stopped by the disk
}

// Refresh looks at the queue. What it has, Items, Sum and the panel show until
// the next time.
func (d *State) Refresh() (c Change) {
	d.Items, d.Sum = nil, fetch.Summary{Rate: d.options.Rate}
	if d.queue != nil {
		d.Items, d.Sum = d.queue.State()
	}
	clear(d.at)
	states := make(map[fetch.ID]fetch.State, len(d.Items))
	for i := range d.Items {
		it := &d.Items[i]
		d.at[[2]string{it.PackageID, it.FileID}] = i
		states[it.ID] = it.State
		if was, known := d.before[it.ID]; !known || was != it.State {
			c.States = true
		}
	}
	c.States = c.States || len(states) != len(d.before)
	d.before = states
	if c.States {
		d.save()
	}
	c.Ended = d.busy && !d.Busy()
	d.busy = d.Busy()
	if c.Ended {
		d.count(&c)
	}
	return c
}

// count tells how what has ended went.
func (d *State) count(c *Change) {
	for i := range d.Items {
		it := &d.Items[i]
		switch it.State {
		case fetch.Done, fetch.Here:
			c.Done++
			c.Bytes += it.Size
		case fetch.Failed:
			c.Failed++
		}
		if it.Err != nil && c.Err == nil {
			c.Err = it.Err
		}
	}
}
