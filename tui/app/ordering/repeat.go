package ordering

import (
	"fmt"
	"slices"
	"time"

	"flightdesk/api"
	"flightdesk/tui/format"
)

// Repeat returns a new draft with the sites and the form of an order. The draft starts in 2 weeks and
// lasts as long as the order.
func Repeat(o *api.Order) *Draft {
	d := NewDraft()
	d.Again = o.OrderCode
	d.Step = StepSites
	for i := range o.Missions {
		d.repeatSite(&o.Missions[i])
	}
	d.setValid("companyName", o.CompanyName)
	d.setValid("orderName", o.OrderName)
	d.setValid("sensors", convertTexts[string](o.Sensors)...)
	d.setValid("deliverables", convertTexts[string](o.Deliverables)...)
	d.setValid("missionObjective", string(o.MissionObjective))
	d.setValid("industryAssetType", string(o.IndustryAssetType))
	d.setValid("startDate", "in 2 weeks")
	start := o.StartDate.StartDay(time.UTC)
	end := o.Deadline.EndDay(time.UTC)
	duration := end.NoonIn(time.UTC).Sub(start.NoonIn(time.UTC))
	if duration >= 0 && !start.IsZero() {
		d.setValid("deadline", fmt.Sprintf("in %d days", 14+int(duration/(24*time.Hour))))
	}
	return d
}

// setValid sets a field to those values that are still valid for a new order. It leaves the field
// unchanged if none is.
func (d *Draft) setValid(id string, values ...string) {
	field, _ := FieldByID(id)
	var valid []string
	for _, value := range values {
		if value != "" && field.RefusalOf([]string{value}) == nil {
			valid = append(valid, value)
		}
	}
	if len(valid) > 0 {
		d.Fields[id] = valid
	}
}

// repeatSite adds a site with the name, the place and the type of a mission.
func (d *Draft) repeatSite(m *api.Mission) {
	s := &Site{
		ID:       d.nextID(),
		Name:     m.MissionName,
		Country:  m.Country,
		Type:     m.MissionType,
		City:     format.ValueOf(m.City),
		Geometry: MissionShape(m.MissionType, m.LocationMap),
	}
	if m.LocationLabel != m.MissionName {
		s.Label = m.LocationLabel
	}
	if s.Geometry == nil {
		s.Warnings = []string{m.MissionCode + " has no usable coordinates"}
	}
	allowed := s.AllowedTypes()
	if len(allowed) > 0 && !slices.Contains(allowed, s.Type) {
		s.Type = allowed[0]
	}
	s.In = s.Geometry != nil
	s.MeasureSize()
	d.Sites = append(d.Sites, s)
}
