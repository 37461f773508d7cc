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
func (l *listing) missingCallbacks(a *accountView, since time.Time) ([]columns.ListedCallback, error) {
	done := l.ShowWaiting("loading missions and callbacks")
	defer done()
	started := a.Now() // the logs may not have later events yet
	var faults missingRows
	missions, endpoints, err := a.readCallbackFacts(since, &faults)
	if err != nil {
		return nil, err
	}
	if err := l.Err(); err != nil {
		return nil, err
	}
	var all []columns.ListedCallback
	for _, e := range endpoints {
		isWanted := a.Endpoint == nil || e.UUID == a.Endpoint.UUID
		if !isWanted {
			continue
		}
		for _, missing := range timeline.FindMissing(missions, e, nil, started) {
			if !missing.To.Before(since) {
				all = append(all, missing.AsCallback(e))
			}
		}
	}
	slices.SortStableFunc(all, func(x, y columns.ListedCallback) int { return y.CreatedAt.Compare(x.CreatedAt.Time) })
	return all, faults.describeIncomplete(callbacks)
}

// readCallbackFacts reads the missions and endpoints of the named order, or of the account if no order
// was named. Errors of other sources are added to faults.
func (a *accountView) readCallbackFacts(
	since time.Time, faults *missingRows,
) (missions []*timeline.Mission, endpoints []*timeline.Endpoint, err error) {
	if a.Subject.Order == "" {
		missions, endpoints = a.readAccountFacts(since, faults)
		return missions, endpoints, nil
	}
	facts := a.readFacts()
	if facts.Order == nil && facts.OrderErr != nil {
		return nil, nil, prefixError(a.Subject.Order, facts.OrderErr)
	}
	for _, fault := range facts.SourceFaults() {
		if slices.Contains(callbackSources, fault.Source) {
			faults.Add(prefixError(cmp.Or(fault.About, string(fault.Source)), fault.Err))
		}
	}
	return facts.Missions, facts.Endpoints, nil
}

// callbackSources are the sources that show which callbacks are missing.
var callbackSources = []timeline.EntrySource{
	timeline.FromOrder,
	timeline.FromPlanning,
	timeline.FromDelivery,
	timeline.FromCallback,
}

// readAccountFacts reads the missions and the endpoints of an account. It also reads the planning and
// packages of the missions that can have missing callbacks. Errors are added to faults.
func (a *accountView) readAccountFacts(
	since time.Time, faults *missingRows,
) (missions []*timeline.Mission, endpoints []*timeline.Endpoint) {
	var suspects []*cache.Mission // missions that can have missing callbacks
	var endpointsState cache.EntryState
	listNeeds := func() []cache.Need {
		var needs []cache.Need
		endpoints, needs, endpointsState = timeline.EndpointsOf(a.Cache, since)
		needs = append(needs, a.Cache.AllMissions())
		suspects = a.suspectMissions(endpoints)
		for _, mission := range suspects {
			needs = append(needs, timeline.NeedFacts(a.Cache, mission)...)
		}
		return needs
	}
	// LoadNeeds calls listNeeds again after each reading, because data that was read can lead to further
	// needs. The last call sets the endpoints and the suspects.
	a.Cache.LoadNeeds(a, listNeeds)
	faults.Add(endpointsState.Err)
	for _, e := range endpoints {
		faults.Add(prefixError(cmp.Or(e.URL, e.UUID), e.LogErr))
	}
	a.addOrderFaults(endpoints, faults)
	for _, mission := range a.Cache.Now().Missions {
		facts := timeline.MissionFacts(a.Cache, mission)
		if slices.Contains(suspects, mission) {
			faults.Add(prefixError("planning of "+mission.MissionCode, facts.PlanningErr))
			faults.Add(prefixError("deliveries of "+mission.MissionCode, facts.PackagesErr))
		}
		missions = append(missions, facts)
	}
	return missions, endpoints
}

// suspectMissions returns the missions in the cache that can have missing callbacks to the endpoints.
func (a *accountView) suspectMissions(endpoints []*timeline.Endpoint) []*cache.Mission {
	var suspects []*cache.Mission
	logsBegin := timeline.FirstKnown(endpoints, a.Now())
	for _, mission := range a.Cache.Now().Missions {
		if timeline.MayMissDated(mission, logsBegin) {
			suspects = append(suspects, mission)
		}
	}
	return suspects
}

// addOrderFaults adds errors about orders and missions that were not read to faults.
func (a *accountView) addOrderFaults(endpoints []*timeline.Endpoint, faults *missingRows) {
	known := a.Cache.Now()
	faults.Add(known.Err)
	faults.Add(prefixError("missions", known.Fault))
	unread := timeline.UnreadOrders(a.Cache, timeline.FirstKnown(endpoints, a.Now()))
	if unread > 0 {
		faults.Add(fmt.Errorf("the missions of %s were not read; use --of ORDER", format.Count(unread, "order")))
	}
	if known.More {
		faults.Add(errors.New("older orders were not read; use --of ORDER"))
	}
}
