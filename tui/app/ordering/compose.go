package ordering

import (
	"time"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// SurveyFile is a survey file that was read.
type SurveyFile struct {
	Path   string
	Result *kmlcsv.Result
}

// ComposedOrder is what will be sent, and what is in the way.
type ComposedOrder struct {
	Requests []api.CreateOrderRequest // mostly one; several where the sites are more than an order can hold
	Faults   []string                 // each a short sentence with what it is of; nil: it can be sent
	LeftOut  []string                 // sites that could not be read, by name
}

// ComposeOrder makes orders of survey files as the page does, from the values of
// its form by field; what is missing there is what the form suggests for the
// company. Sites without a country get the one given, which may be empty.
func ComposeOrder(files []SurveyFile, values map[string][]string, company, country string, now time.Time) ComposedOrder {
	d := NewDraft()
	for _, f := range files {
		d.AddFile(FileRead{Path: f.Path, Result: f.Result})
	}
	for _, s := range d.IncludedSites() {
		if s.Country == "" {
			s.Country = country
		}
	}
	for id, values := range values {
		f, _ := FieldByID(id)
		d.Fields[id] = f.withAlways(values)
	}
	d.SuggestValues(company)
	var c ComposedOrder
	for _, p := range d.SplitParts(now) {
		c.Requests = append(c.Requests, d.BuildRequest(p, now))
	}
	for _, f := range d.FindFaults(now) {
		c.Faults = append(c.Faults, f.FaultText())
	}
	for _, s := range d.Sites {
		if s.Geometry == nil {
			c.LeftOut = append(c.LeftOut, s.Name)
		}
	}
	return c
}

// SuggestValues fills in what can be known of the fields that nothing was typed in.
func (d *Draft) SuggestValues(company string) {
	for id, values := range map[string][]string{
		"companyName": {company}, "orderName": {d.suggestName()}, "sensors": {"rgbSensor"},
		"deliverables": {string(api.DeliverableJPG), "_2dMap"}, "missionObjective": {"mapAndSurvey"},
		"startDate": {"in 2 weeks"}, "deadline": {"in 4 weeks"},
	} {
		if _, typed := d.Fields[id]; !typed {
			d.Fields[id] = values
		}
	}
}
