package ordering

import (
	"time"

	"flightdesk/api"
	"flightdesk/kmlcsv"
)

// Survey is a survey file that was read.
type Survey struct {
	Path   string
	Result *kmlcsv.Result
}

// Composed is what will be sent, and what is in the way.
type Composed struct {
	Requests []api.CreateOrderRequest // mostly one; several where the sites are more than an order can hold
	Faults   []string                 // each a short sentence with what it is of; nil: it can be sent
	LeftOut  []string                 // sites that could not be read, by name
}

// Compose makes orders of survey files as the page does, from the values of
// its form by field; what is missing there is what the form suggests for the
// company. Sites without a country get the one given, which may be empty.
func Compose(files []Survey, values map[string][]string, company, country string, now time.Time) Composed {
	d := NewDraft()
	for _, f := range files {
		d.AddFile(FileRead{Path: f.Path, Result: f.Result})
	}
	for _, s := range d.Included() {
		if s.Country == "" {
			s.Country = country
		}
	}
	for id, values := range values {
		f, _ := FieldByID(id)
		d.Fields[id] = f.withAlways(values)
	}
	d.Suggest(company)
	var c Composed
	for _, p := range d.Parts(now) {
		c.Requests = append(c.Requests, d.Request(p, now))
	}
	for _, f := range d.Faults(now) {
		c.Faults = append(c.Faults, f.Text())
	}
	for _, s := range d.Sites {
		if s.Geometry == nil {
			c.LeftOut = append(c.LeftOut, s.Name)
		}
	}
	return c
}

// Suggest fills in what can be known of the fields that nothing was typed in.
func (d *Draft) Suggest(company string) {
	for id, values := range map[string][]string{
		"companyName": {company}, "orderName": {d.name()}, "sensors": {"rgbSensor"},
		"deliverables": {string(api.DeliverableJPG), "_2dMap"}, "missionObjective": {"mapAndSurvey"},
		"startDate": {"in 2 weeks"}, "deadline": {"in 4 weeks"},
	} {
		if _, typed := d.Fields[id]; !typed {
			d.Fields[id] = values
		}
	}
}
