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

// missingCallbacks returns the missing callbacks of an order, a mission, an endpoint or an account, newest
// first. A callback is missing if its event happened and it is in no log. If some data could not be read, more
// callbacks can be missing, and it also returns an error.
func (l *listing) missingCallbacks(a *accountView, since time.Time) ([]columns.ListedCallback, error) {
	done := l.call.ShowWaiting("loading missions and callbacks")
	defer done()
	// If an event happens while the data is read, its mission can have the event although the log,
	// which was read earlier, does not. Therefore a callback counts as missing only if it was due
	// before the data was read.
	started := a.call.Service.Now()
	var faults missingRows
	missions, endpoints, err := a.readCallbackFacts(since, &faults)
	if err != nil {
		return nil, err
	}
	if err := l.call.Err(); err != nil {
		return nil, err
	}
	var all []columns.ListedCallback
	for _, endpoint := range endpoints {
		isSelected := a.Endpoint == nil || endpoint.UUID == a.Endpoint.UUID
		if isSelected {
			all = append(all, missingOf(endpoint, missions, since, started)...)
		}
	}
	slices.SortStableFunc(all, func(x, y columns.ListedCallback) int { return y.CreatedAt.Compare(x.CreatedAt.Time) })
	return all, faults.describeIncomplete(callbacks)
}

// missingOf returns the missing callbacks to an endpoint. Events before since are ignored. A callback counts as
// missing only if it should have been sent by the time asOf.
func missingOf(
	endpoint *timeline.Endpoint, missions []*timeline.Mission, since, asOf time.Time,
) []columns.ListedCallback {
	var callbacks []columns.ListedCallback
	// Only the log counts, and not the events that this machine has received.
	for _, missing := range timeline.FindMissing(missions, endpoint, nil, asOf) {
		isTooOld := missing.To.Before(since)
		if !isTooOld {
			callbacks = append(callbacks, missing.AsCallback(endpoint))
		}
	}
	return callbacks
}

// readCallbackFacts reads the missions and endpoints of the named order, or of the account if no order was named. It
// returns an error if the order itself cannot be read. If other data cannot be read, the result lacks that data and
// faults gets the errors.
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

// callbackSources are the sources of a timeline that are needed to find missing callbacks. Errors of other sources do
// not matter.
var callbackSources = []timeline.EntrySource{
	timeline.FromOrder,
	timeline.FromPlanning,
	timeline.FromDelivery,
	timeline.FromCallback,
}

// readAccountFacts reads the missions and the endpoints of an account. For the missions that can have missing
// callbacks it also reads the planning and the packages. Errors are added to faults.
func (a *accountView) readAccountFacts(
	since time.Time, faults *missingRows,
) (missions []*timeline.Mission, endpoints []*timeline.Endpoint) {
	a.Cache.LoadNeeds(a.call, func() []cache.Need { return a.callbackNeeds(since) })
	endpoints, _, endpointsState := timeline.EndpointsOf(a.Cache, since)
	faults.Add(endpointsState.Err)
	for _, e := range endpoints {
		faults.Add(prefixError(cmp.Or(e.URL, e.UUID), e.LogErr))
	}
	a.addOrderFaults(endpoints, faults)
	for _, mission := range a.suspectMissions(endpoints) {
		facts := timeline.MissionFacts(a.Cache, mission)
		faults.Add(prefixError("planning of "+mission.MissionCode, facts.PlanningErr))
		faults.Add(prefixError("deliveries of "+mission.MissionCode, facts.PackagesErr))
	}
	for _, mission := range a.Cache.Now().Missions {
		missions = append(missions, timeline.MissionFacts(a.Cache, mission))
	}
	return missions, endpoints
}

// callbackNeeds returns the data to read next for finding the missing callbacks of the account. Which missions
// it includes depends on the endpoints and missions that are already in the cache.
func (a *accountView) callbackNeeds(since time.Time) []cache.Need {
	endpoints, needs, _ := timeline.EndpointsOf(a.Cache, since)
	needs = append(needs, a.Cache.AllMissions())
	for _, mission := range a.suspectMissions(endpoints) {
		needs = append(needs, timeline.NeedFacts(a.Cache, mission)...)
	}
	return needs
}

// suspectMissions returns the missions in the cache that can have missing callbacks to the endpoints.
func (a *accountView) suspectMissions(endpoints []*timeline.Endpoint) []*cache.Mission {
	var suspects []*cache.Mission
	logsBegin := timeline.FirstKnown(endpoints, a.call.Service.Now())
	for _, mission := range a.Cache.Now().Missions {
		if timeline.MayLackCallbacks(mission, logsBegin) {
			suspects = append(suspects, mission)
		}
	}
	return suspects
}

// addOrderFaults adds an error to faults if not all orders or not all missions of the account were read. It does not
// report an unread mission if its order last changed before the oldest log of an endpoint began. Callbacks are about
// changes, so none of its callbacks can be missing in the logs.
func (a *accountView) addOrderFaults(endpoints []*timeline.Endpoint, faults *missingRows) {
	known := a.Cache.Now()
	faults.Add(known.Err)
	faults.Add(prefixError("missions", known.Fault))
	unread := timeline.CountUncheckedOrders(a.Cache, timeline.FirstKnown(endpoints, a.call.Service.Now()))
	if unread > 0 {
		faults.Add(fmt.Errorf("the missions of %s were not read; use --of ORDER", format.Count(unread, "order")))
	}
	if known.More {
		faults.Add(errors.New("older orders were not read; use --of ORDER"))
	}
}
