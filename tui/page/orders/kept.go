package orders

import (
	"flightdesk/api"
	"flightdesk/tui/page"
)

// keptMissions is an order that could not be read with the missions that are
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

// takeKept shows the orders of an earlier run as long as there is no answer of
// this one.
func (l *List) takeKept() {
	v := l.Cache.Now()
	if !v.Kept || !l.read.IsZero() || len(l.orders) > 0 && !l.kept {
		return
	}
	l.orders, l.kept = v.Orders, true
	l.rows()
}
