package cache

import (
	"context"

	"flightdesk/api"
)

// packages are those of one mission, or why they are not known.
type packages struct {
	list []api.DeliveryPackage
	err  error
}

// WantPackages has the delivery packages of missions read after all else.
func (f *Cache) WantPackages(missions ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.wanted = missions
}

// Packages are the delivery packages of a mission, newest first; ok is false
// where they are not read, or could not be.
func (f *Cache) Packages(mission string) (list []api.DeliveryPackage, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.packages[mission]
	if p == nil || p.err != nil {
		return nil, false
	}
	return p.list, true
}

func (f *Cache) duePackages() string {
	for _, uuid := range f.wanted {
		if f.packages[uuid] == nil && !f.claimed[uuid] {
			return uuid
		}
	}
	return ""
}

func (f *Cache) readPackages(ctx context.Context, uuid string) {
	list, err := f.client.Missions.Packages(ctx, uuid)
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claimed, uuid)
	if ctx.Err() == nil {
		f.packages[uuid] = &packages{list, err}
		f.version++
	}
}
