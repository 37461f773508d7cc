package ordering

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
)

// OrderAgain begins a new draft from an order: its sites, its form, and its dates
// from now on. The draft before it is put aside. What it returns brings both to
// disk, for the background.
func (k *Drafts) OrderAgain(o *api.Order) func() error { return k.BeginDraft(Repeat(o)) }

func Repeat(o *api.Order) *Draft {
	d := NewDraft()
	d.Again, d.Step = o.OrderCode, StepMissions
	for i := range o.Missions {
		d.Sites = append(d.Sites, d.repeatedSite(&o.Missions[i]))
	}
	set := func(id string, values ...string) {
		if len(values) > 0 && values[0] != "" {
			d.Fields[id] = values
		}
	}
	set("companyName", o.CompanyName)
	set("orderName", o.OrderName)
	set("sensors", knownValues(o.Sensors, api.Sensors())...)
	set("deliverables", knownValues(o.Deliverables, api.Deliverables())...)
	set("missionObjective", knownValues([]api.MissionObjective{o.MissionObjective}, api.MissionObjectives())...)
	set("industryAssetType", knownValues([]api.IndustryAssetType{o.IndustryAssetType}, api.IndustryAssetTypes())...)
	set("startDate", "in 2 weeks")
	if took := o.Deadline.Sub(o.StartDate.Time); took >= 0 && !o.StartDate.IsZero() {
		set("deadline", fmt.Sprintf("in %d days", 14+int(took/(24*time.Hour))))
	}
	return d
}

// repeatedSite returns the site that a mission becomes.
func (d *Draft) repeatedSite(m *api.Mission) *Site {
	s := &Site{
		ID: d.nextID(), Name: m.MissionName, Country: m.Country, Type: m.MissionType,
		Geometry: MissionShape(m.MissionType, m.LocationMap),
	}
	if m.City != nil {
		s.City = *m.City
	}
	if m.LocationLabel != m.MissionName {
		s.Label = m.LocationLabel
	}
	if s.Geometry == nil {
		s.Warnings = []string{m.MissionCode + " has no usable coordinates"}
	}
	if types := s.AllowedTypes(); !slices.Contains(types, s.Type) && len(types) > 0 {
		s.Type = types[0]
	}
	s.In = s.Geometry != nil
	s.MeasureSize()
	return s
}

// knownValues returns those of the values that a new order may have.
func knownValues[T ~string](values, accepted []T) []string {
	var out []string
	for _, v := range values {
		if slices.Contains(accepted, v) {
			out = append(out, string(v))
		}
	}
	return out
}
