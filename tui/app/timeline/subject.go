package timeline

import (
	"cmp"
	"fmt"
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

// BuildReport returns the report of the subject, without entries.
func (f *SubjectFacts) BuildReport(
	title, account, service string,
	now time.Time,
	mask func(string) string,
) *TimelineReport {
	r := &TimelineReport{
		Title:   title,
		Account: account,
		Service: service,
		Made:    now,
		Faults:  f.SourceFaults(),
		Mask:    mask,
	}
	if o := f.Order; o != nil {
		r.Title, r.State = strings.TrimSpace(
			r.Title+" "+o.OrderName,
		), "Order "+o.OrderCode+": "+labels.OrderStatus(
			o.Status,
		).Label+"."
	}
	return r
}

// ReportParts say how the subject is: its missions, what did not arrive of what was to
// be sent about it, and what each endpoint was sent of it.
func (f *SubjectFacts) ReportParts(entries []TimelineEntry, now time.Time) []ReportPart {
	return notedParts([]ReportPart{f.missionsPart(now), undeliveredPart(entries, now), f.endpointsPart(entries)})
}

func (f *SubjectFacts) missionsPart(now time.Time) ReportPart {
	p := ReportPart{Title: "Missions", Note: format.Count(len(f.Missions), "mission", "missions"), None: "None."}
	for i := range f.Missions {
		m := &f.Missions[i]
		st := labels.MissionStatus(m.Status)
		text := m.MissionName + "  " + st.Label + " · " + st.Description
		if operator := textOrEmpty(m.OperatorName); operator != "" {
			text += ", " + operator
		}
		right := ""
		if !m.FlightDate.IsZero() {
			right = "flight " + format.Moment(m.FlightDate.Time, now)
		}
		p.Lines = append(
			p.Lines,
			PartLine{
				ID:      "mission " + m.UUID,
				Glyph:   st.Glyph,
				Role:    st.Role,
				Code:    m.MissionCode,
				Text:    strings.TrimSpace(text),
				Right:   right,
				Mission: m.UUID,
			},
		)
	}
	return p
}

// undeliveredPart returns the callbacks and completion notices that failed or are
// missing, the newest first.
func undeliveredPart(entries []TimelineEntry, now time.Time) ReportPart {
	p := ReportPart{Title: "Failed and missing callbacks", None: "None known."}
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		if told := e.Source == FromCallback || e.Source == FromNotice; e.Source == FromGap || told && e.Failed() {
			p.Lines = append(p.Lines, PartLine{
				ID:       e.ID,
				Glyph:    e.Glyph,
				Role:     e.Role,
				Code:     e.About,
				Text:     e.What,
				Right:    format.Age(e.At, now),
				Fields:   e.Fields,
				Mission:  e.Mission,
				Endpoint: e.Endpoint,
			})
		}
	}
	p.Note = format.Count(len(p.Lines), "callback", "callbacks")
	return p
}

func (f *SubjectFacts) endpointsPart(entries []TimelineEntry) ReportPart {
	p := ReportPart{
		Title: "Endpoints",
		Note:  format.Count(len(f.Endpoints), "endpoint", "endpoints"),
		None:  "No endpoints registered; no events are sent.",
	}
	if f.EndpointsErr != nil {
		what, _ := labels.ExplainError(f.EndpointsErr)
		p.None = "Could not load: " + what
	}
	for i := range f.Endpoints {
		e := &f.Endpoints[i]
		n := map[string]int{}
		for j := range entries {
			switch x := &entries[j]; {
			case x.Endpoint != e.UUID:
			case x.Source == FromGap:
				n["missing"]++
			case x.Failed():
				n["failed"]++
			case x.Role == labels.Good:
				n["delivered"]++
			default:
				n["sending"]++
			}
		}
		x := PartLine{
			ID:       "endpoint " + e.UUID,
			Glyph:    "✓",
			Role:     labels.Good,
			Text:     ShortAddress(e.URL),
			Endpoint: e.UUID,
			Err:      e.LogErr,
		}
		var counts []string
		for _, outcome := range []string{"delivered", "sending", "failed", "missing"} {
			if n[outcome] > 0 {
				counts = append(counts, fmt.Sprint(n[outcome], " ", outcome))
			}
		}
		switch x.Right = cmp.Or(strings.Join(counts, ", "), "nothing sent"); {
		case e.LogErr != nil:
			x.Glyph, x.Role, x.Right = "?", labels.Text, "log could not be loaded"
		case n["failed"]+n["missing"] > 0:
			x.Glyph, x.Role = "✗", labels.Bad
		case len(counts) == 0:
			x.Glyph, x.Role = "–", labels.Muted
		}
		p.Lines = append(p.Lines, x)
	}
	return p
}

// EndpointParts say how an endpoint of the account fares: what it is, and what
// did not arrive there. None are known of one that the account has not.
func (a *AccountHealth) EndpointParts(uuid string) []ReportPart {
	var parts []ReportPart
	for _, p := range []ReportPart{a.EndpointsPart(), a.UndeliveredPart()} {
		var kept []PartLine
		for _, l := range p.Lines {
			if l.Endpoint == uuid {
				kept = append(kept, l)
			}
		}
		p.Lines = kept
		parts = append(parts, p)
	}
	if len(parts[0].Lines) == 0 {
		return nil
	}
	if n := len(parts[1].Lines); n > 0 {
		parts[1].Note = format.GroupDigits(float64(n), 0) + " in the last 7 days"
	} else {
		parts[1].None = "None in the last 7 days."
	}
	parts[0].Note = parts[0].Lines[0].Fields[0].Value
	return parts
}
