package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/columns"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/plan"
	"flightdesk/tui/format"
	"flightdesk/tui/widget"
)

// dayCases are days in time zones: the first and the last zone, and days on which the clocks change,
// also at midnight.
var dayCases = []struct{ zone, day string }{
	{"UTC", "2026-12-30"},
	{"Etc/GMT+12", "2026-12-30"},
	{"America/New_York", "2026-12-30"},
	{"Europe/Berlin", "2026-12-30"},
	{"Europe/Berlin", "2027-03-28"},
	{"Europe/Berlin", "2027-10-31"},
	{"America/Santiago", "2027-09-05"},
	{"America/Havana", "2027-11-07"},
	{"Australia/Lord_Howe", "2027-04-04"},
	{"Asia/Tokyo", "2026-12-30"},
	{"Pacific/Kiritimati", "2026-12-30"},
}

// dayEntries returns the texts of a date field after a day was entered in different ways.
func dayEntries(t *testing.T, day string, now time.Time) map[string]string {
	t.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	var fromTOML struct{ Day, Time any }
	noon := time.Date(at.Year(), at.Month(), at.Day(), 12, 0, 0, 0, now.Location()).Format(time.RFC3339)
	if err := toml.Unmarshal([]byte(fmt.Sprintf("day = %s\ntime = %s", day, noon)), &fromTOML); err != nil {
		t.Fatal(err)
	}
	tomlText := func(value any) string {
		texts, err := fieldTexts("deadline", value)
		if err != nil {
			t.Fatal(err)
		}
		return texts[0]
	}
	return map[string]string{
		"typed":          at.Format("2 Jan 2006"),
		"pasted":         at.Format(" Mon 2 Jan 2006 "),
		"calendar":       pickDay(t, at, now),
		"TOML date":      tomlText(fromTOML.Day),
		"TOML date-time": tomlText(fromTOML.Time),
		"TOML text":      tomlText(day),
		"RFC 3339":       noon,
	}
}

// pickDay returns the text of a date field after a day was chosen from its calendar.
func pickDay(t *testing.T, day, now time.Time) string {
	t.Helper()
	form := widget.NewForm(100, func() time.Time { return now }, &widget.Field{ID: "due", Kind: widget.DateField})
	form.Field("due").Set(day.AddDate(0, 0, -1).Format(time.DateOnly))
	form.MoveDown()
	form.MoveDay(1, 0)
	form.KeepDay()
	return form.Field("due").Value()
}

// shownDays returns the day of an order's deadline in every output, for a reader in the time zone of
// now.
func shownDays(t *testing.T, sent api.Time, now time.Time) map[string]string {
	t.Helper()
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var got api.Time
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	order := &api.Order{UUID: "u", OrderCode: "ORD-1", Status: api.OrderBiddingWithQuote, Deadline: got}
	mission := cache.MissionOf(&api.Mission{UUID: "m"}, order)
	due := columns.PickColumns(columns.Orders(nil), "deadline")[0]
	cell := due.Value(order)
	opsDue := columns.PickColumns(columns.OpsOrders(nil, func() time.Time { return now }), "deadline")[0]
	opsCell := opsDue.Value(&ops.Order{Order: *order})
	var ics strings.Builder
	source := plan.Source{Missions: []*cache.Mission{mission}, Now: now}
	if err := plan.WriteCalendar(&ics, source.Events(), now, "host", format.Units{}); err != nil {
		t.Fatal(err)
	}
	_, event, _ := strings.Cut(ics.String(), "DTSTART;VALUE=DATE:")
	icsDay, err := time.Parse("20060102", event[:8])
	if err != nil {
		t.Fatal(err)
	}
	record := &api.OrderRecord{DeliveryDeadline: api.DateOf(got.Time)}
	days := map[string]string{
		"JSON":       strings.Trim(string(text), `"`)[:10],
		"CSV":        due.ForPrograms(cell)[:10],
		"screen CSV": due.RawCell(cell)[:10],
		"copied":     due.CopyCell(cell, format.Unit{}, now)[:10],
		"ics":        icsDay.Format(time.DateOnly),
		"record":     columns.RecordFacts(record, format.Units{}, now)[1][1],
	}
	for way, shown := range map[string]string{
		"table":      due.InShell(cell, now),
		"screen":     due.WriteCell(cell, format.Unit{}, now),
		"operations": opsDue.InShell(opsCell, now),
		"order page": format.ExactDate(got.EndDay(now.Location()), now),
	} {
		day, err := format.ParseDate(dayPart(shown), now)
		if err != nil {
			t.Fatalf("%s shows %q: %v", way, shown, err)
		}
		days[way] = day.String()
	}
	return days
}

// dayPart returns the day in a text, without the time and the offset.
func dayPart(shown string) string {
	shown, _, _ = strings.Cut(shown, ",")
	if words := strings.Fields(shown); len(words) > 4 {
		shown = strings.Join(words[:4], " ")
	}
	return shown
}

func TestADayIsTheSameInEveryInputAndOutput(t *testing.T) {
	readers := []string{"", "UTC", "Etc/GMT+12", "Pacific/Kiritimati"} // "" is the zone in which the order was placed
	for _, c := range dayCases {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 11, 28, 15, 0, 0, 0, zone)
		for entry, text := range dayEntries(t, c.day, now) {
			draft := ordering.ComposeDraft(nil, map[string][]string{"startDate": {text}, "deadline": {text}}, "C", "")
			draft.Sites = append(draft.Sites, &ordering.Site{ID: 1, In: true})
			sent := draft.PrepareOrders(now)[0].Request.Order
			if start := sent.StartDate.Format(time.DateOnly); start != c.day {
				t.Errorf("%s in %s: the start is sent as %s", entry, c.zone, sent.StartDate.Text())
			}
			if !strings.Contains(text, "T") && sent.Deadline.Format(time.TimeOnly) != "23:59:59" {
				t.Errorf("%s in %s: the deadline is sent as %s", entry, c.zone, sent.Deadline.Text())
			}
			for _, name := range readers {
				reader := zone
				if name != "" {
					if reader, err = time.LoadLocation(name); err != nil {
						t.Fatal(err)
					}
				}
				for way, day := range shownDays(t, sent.Deadline, now.In(reader)) {
					if day != c.day {
						t.Errorf("%s in %s, %s to a reader in %s: %s, want %s", entry, c.zone, way, reader, day, c.day)
					}
				}
			}
		}
	}
}

func TestADateTimeOfAnOrderFileIsSentUnchanged(t *testing.T) {
	now := time.Date(2026, 11, 28, 15, 0, 0, 0, time.FixedZone("CET", 3600))
	for line, want := range map[string]string{
		`deadline = 2027-06-30T18:00:00-08:00`:   "2027-06-30T18:00:00-08:00",
		`deadline = "2027-06-30T18:00:00-08:00"`: "2027-06-30T18:00:00-08:00",
		`deadline = 2027-06-30T18:00:00Z`:        "2027-06-30T18:00:00.000Z",
		`deadline = 2027-06-30T18:00:00`:         "2027-06-30T18:00:00+01:00",
		`deadline = 2027-06-30`:                  "2027-06-30T23:59:59+01:00",
		`deadline = "30 Jun 2027"`:               "2027-06-30T23:59:59+01:00",
	} {
		var values map[string]any
		if err := toml.Unmarshal([]byte(line), &values); err != nil {
			t.Fatal(err)
		}
		texts, err := fieldTexts("deadline", values["deadline"])
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		draft := ordering.ComposeDraft(nil, map[string][]string{"deadline": texts}, "C", "")
		draft.Sites = append(draft.Sites, &ordering.Site{ID: 1, In: true})
		if got := draft.PrepareOrders(now)[0].Request.Order.Deadline.Text(); got != want {
			t.Errorf("%s is sent as %s, want %s", line, got, want)
		}
	}
	if texts, err := fieldTexts("deadline", timeOnly(t)); err == nil || !strings.Contains(err.Error(), "is a time without a day") {
		t.Errorf("a time without a day: %v, %v", texts, err)
	}
}

// timeOnly returns the decoded value of a TOML time without a day.
func timeOnly(t *testing.T) any {
	t.Helper()
	var values map[string]any
	if err := toml.Unmarshal([]byte("at = 18:00:00"), &values); err != nil {
		t.Fatal(err)
	}
	return values["at"]
}
