package timeline

import (
	"strings"
	"time"

	"flightdesk/tui/app/labels"
	"flightdesk/tui/format"
)

// SubjectCode returns the code of the order or mission, "" if it could not be read.
func (f *SubjectFacts) SubjectCode() string {
	switch {
	case f.Order == nil:
		return ""
	case f.Subject.Mission == "":
		return f.Order.OrderCode
	case len(f.Missions) > 0:
		return f.Missions[0].MissionCode
	}
	return ""
}

// SubjectState returns the name of the order or mission, and how it stands.
func (f *SubjectFacts) SubjectState() (name string, st labels.StatusLabel) {
	switch {
	case f.Order == nil:
		return "", st
	case f.Subject.Mission != "" && len(f.Missions) > 0:
		m := &f.Missions[0]
		return m.MissionName + ", " + f.Order.OrderCode, labels.Status(m.Status)
	}
	return f.Order.OrderName, labels.Status(f.Order.Status)
}

// BuildReport returns the report of the subject, without entries.
func (f *SubjectFacts) BuildReport(r TimelineReport) *TimelineReport {
	r.Faults = f.SourceFaults()
	if o := f.Order; o != nil {
		r.Title = strings.TrimSpace(r.Title + " " + o.OrderName)
		r.State = "Order " + o.OrderCode + ": " + labels.Status(o.Status).Label + "."
	}
	return &r
}

// ReportParts say how the subject is: its missions, what did not arrive of what was to
// be sent about it, and what each endpoint was sent of it.
func (f *SubjectFacts) ReportParts(entries []TimelineEntry, now time.Time) []ReportPart {
	missed := map[string]int{} // by endpoint
	for i := range entries {
		if entries[i].Source == FromGap {
			missed[entries[i].Endpoint]++
		}
	}
	missions, endpoints := entryBuilder{now: now}, entryBuilder{now: now}
	for i := range f.Missions {
		m := &f.Missions[i]
		st := labels.Status(m.Status)
		what := m.MissionName + "  " + st.Label + " · " + st.Description + textAfter(
			", ",
			textOrEmpty(m.OperatorName),
		)
		x := missions.add("", m.UUID, time.Time{}, st.Glyph, st.Role, m.MissionCode, strings.TrimSpace(what))
		if !m.FlightDate.IsZero() {
			x.Right = "flight " + format.Moment(m.FlightDate.Time, now)
		}
	}
	for i := range f.Endpoints {
		e := &f.Endpoints[i]
		endpoints.addEndpoint(e, f.IsAbout, missed[e.UUID], "nothing sent")
	}
	told, fare := undeliveredLines(
		entries,
		now,
	), ReportPart{
		Title: "Endpoints",
		None:  noEndpoints,
		Lines: endpoints.all,
	}
	fare.Note = format.Count(len(f.Endpoints), "endpoint", "endpoints")
	if f.EndpointsErr != nil {
		fare.None = notLoaded(f.EndpointsErr)
	}
	return []ReportPart{
		{"Missions", format.Count(len(f.Missions), "mission", "missions"), "None.", missions.all},
		{undeliveredTitle, format.Count(len(told), "callback", "callbacks"), "None known.", told},
		fare,
	}
}

const undeliveredTitle = "Failed and missing callbacks"

// undeliveredLines returns the callbacks and completion notices that failed or are
// missing, the newest first.
func undeliveredLines(entries []TimelineEntry, now time.Time) (lines []TimelineEntry) {
	for i := len(entries) - 1; i >= 0; i-- {
		if e := entries[i]; e.Source == FromGap || e.Sending != nil && e.Failed {
			e.Right = format.Age(e.At, now)
			lines = append(lines, e)
		}
	}
	return lines
}
