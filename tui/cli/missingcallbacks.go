package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
)

// missingCallbacks returns the missing callbacks of an order, a mission, an endpoint or an account,
// newest first. If something could not be read, which can hide more missing callbacks, it also returns
// an error.
func (l *listing) missingCallbacks(a *viewedAccount, since time.Time) ([]columns.ListedCallback, error) {
	done := l.ShowWaiting("loading missions and callbacks")
	defer done()
	started := a.Now() // later events may be in no log yet
	var faults missingRows
	var missions []*timeline.Mission
	var endpoints []*timeline.Endpoint
	if a.Of.Order != "" {
		f := a.readFacts()
		if f.Order == nil && f.OrderErr != nil {
			return nil, inName(a.Of.Order, f.OrderErr)
		}
		missions, endpoints = f.Missions, f.Endpoints
		for _, fault := range f.SourceFaults() {
			if slices.Contains(callbackSources, fault.Source) {
				faults.Add(inName(cmp.Or(fault.About, string(fault.Source)), fault.Err))
			}
		}
	} else {
		missions, endpoints = a.readAccountFacts(since, &faults)
	}
	if err := l.Err(); err != nil {
		return nil, err
	}
	var all []columns.ListedCallback
	for _, e := range endpoints {
		if a.Endpoint != nil && e.UUID != a.Endpoint.UUID {
			continue
		}
		for _, m := range timeline.FindMissing(missions, e, nil, started) {
			if !m.To.Before(since) {
				all = append(all, m.AsCallback(e))
			}
		}
	}
	slices.SortStableFunc(all, func(x, y columns.ListedCallback) int { return y.CreatedAt.Compare(x.CreatedAt.Time) })
	return all, faults.describe(callbacks, true)
}

// callbackSources are the sources that show which callbacks are missing.
var callbackSources = []timeline.EntrySource{
	timeline.FromOrder,
	timeline.FromPlanning,
	timeline.FromDelivery,
	timeline.FromCallback,
}

// readAccountFacts reads the missions and the endpoints of an account, with the planning and
// packages of the missions whose callbacks the logs should have.
func (l *viewedAccount) readAccountFacts(
	since time.Time, faults *missingRows,
) (missions []*timeline.Mission, endpoints []*timeline.Endpoint) {
	var changed []*cache.Mission
	var state cache.EntryState
	l.Cache.FillNeeds(l, func() []cache.Need {
		var needs []cache.Need
		endpoints, needs, state = timeline.EndpointsOf(l.Cache, since)
		needs = append(needs, l.Cache.AllMissions())
		known := timeline.FirstKnown(endpoints, l.Now())
		changed = slices.DeleteFunc(slices.Clone(l.Cache.Now().Missions), func(m *cache.Mission) bool {
			return !timeline.MayMissDated(m, known)
		})
		for _, m := range changed {
			needs = append(needs, timeline.NeedFacts(l.Cache, m)...)
		}
		return needs
	})
	faults.Add(state.Err)
	for _, e := range endpoints {
		faults.Add(inName(cmp.Or(e.URL, e.UUID), e.LogErr))
	}
	known := l.Cache.Now()
	faults.Add(known.Err)
	faults.Add(inName("missions", known.Fault))
	if n := timeline.UnreadOrders(l.Cache, timeline.FirstKnown(endpoints, l.Now())); n > 0 {
		faults.Add(fmt.Errorf("the missions of %s were not read; use --of ORDER", format.Count(n, "order")))
	}
	if known.More {
		faults.Add(errors.New("older orders were not read; use --of ORDER"))
	}
	for _, m := range known.Missions {
		facts := timeline.MissionFacts(l.Cache, m)
		if slices.Contains(changed, m) {
			faults.Add(inName("planning of "+m.MissionCode, facts.PlanningErr))
			faults.Add(inName("deliveries of "+m.MissionCode, facts.PackagesErr))
		}
		missions = append(missions, facts)
	}
	return missions, endpoints
}
