package orders

import (
	"flightdesk/api"
	"flightdesk/tui/page"
)

// keptMissions returns an order that could not be read with the missions that are
// known of it from before, each where its middle is; o itself where there are
// none.
func keptMissions(env *page.Env, o *api.Order) *api.Order {
	if o == nil || len(o.Missions) > 0 || env.Cache == nil {
		return o
	}
	whole := *o
	for _, m := range env.Cache.Now().Missions {
		if m.Order.UUID != o.UUID {
			continue
		}
		one := m.Mission
		if m.Placed {
			one.LocationMap = []api.Point{m.Centre}
		}
		whole.Missions = append(whole.Missions, one)
	}
	if len(whole.Missions) == 0 {
		return o
	}
	return &whole
}
