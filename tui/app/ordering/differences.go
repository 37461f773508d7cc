package ordering

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/format"
)

// entryDifferences describes in which values the order now differs from an earlier order, such as its
// name, dates or sites.
func entryDifferences(earlier, now *changes.Change) []string {
	c := comparison{}
	c.compareText("name", now.OrderName, earlier.OrderName)
	c.compareOrders(now.Request.Order.StartDate, now.Request.Order.Deadline, now.Request.Order.Deliverables, earlier)
	c.compareSites(now.Request.Sites, now.Request.Shape, earlier)
	return c.differences
}

// differencesOf describes in which values an order on the service differs from the order that the user
// sent. A value that the service does not return counts as equal.
func differencesOf(e *changes.Change, o *api.Order) []string {
	c := comparison{}
	if o.OrderName != "" {
		c.compareText("name", o.OrderName, e.OrderName)
	}
	c.compareOrders(o.StartDate, o.Deadline, o.Deliverables, e)
	if len(o.Missions) > 0 {
		shape := uint64(0)
		for i := range o.Missions {
			shape += cache.ShapeHash(o.Missions[i].LocationMap)
		}
		c.compareSites(len(o.Missions), shape, e)
	} else if o.MissionCount != nil {
		c.compareSites(*o.MissionCount, e.Request.Shape, e)
	}
	return c.differences
}

// comparison collects descriptions of the differences between two orders.
type comparison struct{ differences []string }

func (c *comparison) compareText(what, got, want string) {
	if got != want {
		c.differences = append(c.differences, what+" "+got+", not "+want)
	}
}

// compareOrders compares dates and deliverables with the order that was sent with the change e. A zero
// date or an empty list is unknown and not compared.
func (c *comparison) compareOrders(start, deadline api.Time, deliverables []api.Deliverable, e *changes.Change) {
	c.compareDay("start date", start, e.Request.Order.StartDate)
	c.compareDay("deadline", deadline, e.Request.Order.Deadline)
	if len(deliverables) > 0 {
		c.compareText("products", joinDeliverables(deliverables), joinDeliverables(e.Request.Order.Deliverables))
	}
}

// compareDay adds a difference if two dates are on different days. The time of day is ignored, because
// some services store only the day.
func (c *comparison) compareDay(what string, got, want api.Time) {
	if got.IsRead() && !isSameDate(got, want) {
		c.compareText(what, got.Format(time.DateOnly), want.Format(time.DateOnly))
	}
}

func (c *comparison) compareSites(sites int, shape uint64, e *changes.Change) {
	c.compareText("sites", fmt.Sprint(sites), fmt.Sprint(e.Request.Sites))
	if sites == e.Request.Sites && shape != e.Request.Shape {
		c.differences = append(c.differences, "other sites")
	}
}

// joinDeliverables lists deliverables in alphabetical order. It leaves out the photos, which are part of
// every order.
func joinDeliverables(deliverables []api.Deliverable) string {
	isJPG := func(name string) bool { return name == string(api.DeliverableJPG) }
	names := slices.DeleteFunc(format.PlainTexts(deliverables), isJPG)
	slices.Sort(names)
	return strings.Join(names, ", ")
}
