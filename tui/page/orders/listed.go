package orders

import (
	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/page/listpage"
)

// onlyRecord is why an order cannot be changed that the v2 API alone has.
const onlyRecord = "exists only in the v2 API, read-only"

// withRecords returns the account's orders, and behind them those that only the v2
// API has.
func withRecords(c *cache.Cache) listpage.Source[api.Order] {
	public := listpage.Cached(c, c.Orders, cache.Account)
	all := public
	var state listpage.State[api.Order]
	seen := -1
	all.State = func() listpage.State[api.Order] {
		now, version := public.State(), c.Recorded.Version()
		if now.Version+version != state.Version || seen != version {
			state, seen = now, version
			if only := c.OnlyRecords(); len(only) > 0 {
				state.Rows = append(state.Rows[:len(state.Rows):len(state.Rows)], listpage.Pointers(only)...)
			}
			state.Version = now.Version + version
		}
		state.Reading = now.Reading
		return state
	}
	all.Needs = func(rows int) []cache.Need { return append(public.Needs(rows), c.AllRecords()...) }
	return all
}
