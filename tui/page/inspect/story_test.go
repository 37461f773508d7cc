package inspect

import (
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/timeline"
	"flightdesk/tui/format"
	"flightdesk/tui/page"
	"flightdesk/tui/theme"
)

func TestATimelineOpensAtTheFirstFailureOrTheNewestEntry(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 24, hour, 0, 0, 0, time.UTC) }
	old := &entry{ID: "old", At: at(1)}
	failure := &entry{ID: "failure", At: at(2), Failed: true}
	newest := &entry{ID: "newest", At: at(3)}
	ahead := &entry{ID: "ahead", At: at(4), Ahead: true}
	undated := &entry{ID: "undated"}
	if got := firstFailureOrNewest([]*entry{old, failure, newest, ahead}); got != failure {
		t.Errorf("with a failure: %+v", got)
	}
	if got := firstFailureOrNewest([]*entry{old, newest, ahead, undated}); got != newest {
		t.Errorf("without a failure: %+v", got)
	}
	if got := firstFailureOrNewest([]*timeline.TimelineEntry{ahead}); got != nil {
		t.Errorf("with future entries only: %+v", got)
	}
}

func TestAnEntryOfAnUnreadOrderOpensNothing(t *testing.T) {
	p := &TimelinePage{facts: &timeline.SubjectFacts{}}
	if text, open := p.missionTarget(&entry{Source: timeline.FromClient}); text != "" || open != nil {
		t.Errorf("the entry %q", text)
	}
}

func TestTheStatusOfATimelineIsThatOfItsQuotes(t *testing.T) {
	client, err := api.NewClient("https://desk.example/api/v1", api.WithKey("k"))
	if err != nil {
		t.Fatal(err)
	}
	env := &page.Env{Clock: page.AppClock{Now: time.Now}}
	env.Look.Theme = theme.LinearTheme()
	env.Profile.Client = client
	order := &api.Order{UUID: "o-1", OrderName: "Wien Lobau", Status: api.OrderBiddingWithQuote}
	mission := &timeline.Mission{Mission: api.Mission{UUID: "m-1", Status: api.MissionAwaitingPilot}}
	for _, uuid := range []string{"", "m-1"} {
		p := NewStory(env, timeline.StorySubject{Order: "o-1", Mission: uuid}, "")
		p.facts.Order = order
		p.facts.Missions = []*timeline.Mission{mission}
		p.facts.Quotes = format.QuotesExpired // the list of quotes is not loaded
		if line := p.renderState(80); !strings.Contains(line, "Quotes expired") {
			t.Errorf("mission %q: %s", uuid, line)
		}
	}
}

func TestAnErrorIsShownUnlessTheResultHasIt(t *testing.T) {
	env := &page.Env{Clock: page.AppClock{Now: time.Now}}
	env.Look.Theme = theme.LinearTheme()
	for text, isShown := range map[string]bool{"HTTP 503": false, "timeout": true} {
		e := &entry{Fields: []timeline.EntryField{
			{Name: "Result", Value: "failed, HTTP 503, 3 attempts"},
			{Name: "Error", Value: text},
		}}
		lines := strings.Join(renderFields(env, e, 80), "\n")
		if strings.Contains(lines, "Error") != isShown {
			t.Errorf("%s: %s", text, lines)
		}
	}
}

func TestATimelineThatGrowsSelectsItsFailureUnlessTheUserHasMoved(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 11, 24, hour, 0, 0, 0, time.UTC) }
	early := entry{ID: "early", At: at(1)}
	later := entry{ID: "later", At: at(2)}
	failure := entry{ID: "failure", At: at(3), Failed: true}
	for name, test := range map[string]struct {
		wanted, selects, want string
	}{
		"left alone":        {want: "failure"},
		"moved to the last": {selects: "last", want: "last"},
		"opened at later":   {wanted: "later", want: "later"},
	} {
		env := &page.Env{Clock: page.AppClock{Now: func() time.Time { return at(12) }}}
		env.Look.Theme = theme.LinearTheme()
		p := NewStory(env, timeline.StorySubject{}, test.wanted)
		p.facts.State.Loading = true
		last := entry{ID: "last", At: at(4)}
		p.built.entries = []entry{later, failure, last}
		p.listEntries()
		p.Grid.Select(test.selects)
		p.built.entries = []entry{early, later, failure, last}
		p.listEntries()
		p.facts.State.Loading = false
		p.listEntries()
		if got := p.currentID(); got != test.want {
			t.Errorf("%s: %s is selected, want %s", name, got, test.want)
		}
	}
}

func TestTheDetailsOfACallbackBeginWithItsEndpoint(t *testing.T) {
	const address = "https://hooks-of-the-long-name.acme.example/survey"
	b := builtTimeline{addresses: map[string]string{"w-1": address}}
	callback := &entry{To: "hooks-of-the-long-name", Endpoint: "w-1", Detail: "answered 503"}
	copied := map[string]string{}
	for _, column := range b.entryColumns(timeline.StorySubject{}) {
		copied[column.Title] = column.RawCell(column.Value(callback))
	}
	if copied["Endpoint"] != address || copied["Details"] != "hooks-of-the-long-name: answered 503" {
		t.Errorf("copied %q", copied)
	}
}

func TestTheProblemsOfDeliveriesAreBounded(t *testing.T) {
	th := theme.LinearTheme()
	long := timeline.DeliveryVerdict{Brief: "not subscribed to Operator assigned, Flight scheduled and Data delivered"}
	short := timeline.DeliveryVerdict{Brief: "1 callback failed"}
	unmasked := func(text string) string { return text }
	for name, test := range map[string]struct {
		verdicts []timeline.DeliveryVerdict
		lines    int
		last     string
	}{
		"all fit":         {[]timeline.DeliveryVerdict{short, short, short}, 3, "1 callback failed"},
		"too many":        {[]timeline.DeliveryVerdict{short, short, short, short}, 3, "and 2 more"},
		"wrapped":         {[]timeline.DeliveryVerdict{short, long, long}, 2, "and 2 more"},
		"long first":      {[]timeline.DeliveryVerdict{long, short, short}, 3, "and 2 more"},
		"only a long one": {[]timeline.DeliveryVerdict{long}, 2, "Data delivered"},
	} {
		lines := renderVerdicts(th, test.verdicts, unmasked, 3, 50)
		if len(lines) != test.lines || !strings.Contains(lines[len(lines)-1], test.last) {
			t.Errorf("%s: %q", name, lines)
		}
	}
}

func TestTitlesAreRenderedInTheNarrowestPane(t *testing.T) {
	for _, w := range []int{0, 3, 4, 5} {
		if len(renderTitle(theme.LinearTheme(), &entry{Glyph: "✗", Brief: "Failed"}, w)) == 0 {
			t.Errorf("no title in %d cells", w)
		}
	}
}

func TestThePlanIsBelowTheLineOfTheCurrentTime(t *testing.T) {
	planned := func(source timeline.EntrySource) *entry { return &entry{Source: source, Ahead: true} }
	done := &entry{Source: timeline.FromOrder}
	fast := planned(timeline.FromCallback) // logged by a clock that is ahead
	flight := planned(timeline.FromMission)
	deadline := planned(timeline.FromOrder)
	if row := firstPlanned([]*entry{done, fast, flight, deadline}); row != 2 {
		t.Errorf("the plan begins at entry %d", row)
	}
	if row := firstPlanned([]*entry{done, fast}); row != 2 {
		t.Errorf("without a plan it begins at entry %d", row)
	}
}

func TestFurtherItemsOpenOnlyAPageThatHasThem(t *testing.T) {
	env := &page.Env{}
	a := &AccountPage{parts: make([]timeline.ReportPart, endpointsIndex+1)}
	a.Base = page.NewBase(env)
	hasPage := func(index int) bool { return a.openerOfAll(index) != nil }
	if !hasPage(undeliveredIndex) || !hasPage(troubledIndex) || !hasPage(endpointsIndex) {
		t.Error("the sections of the account do not open")
	}
	a.parts[undeliveredIndex].Lines = []entry{{Source: timeline.FromNotice}}
	if hasPage(undeliveredIndex) {
		t.Error("a section is opened for completion notices")
	}
	env.Profile.Viewed = true
	if hasPage(troubledIndex) || hasPage(endpointsIndex) {
		t.Error("the sections of the profile are opened for another account")
	}
}

func TestTheLineOfTheTimelineFollowsTheClock(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 42, 0, 0, time.UTC)
	flight := now.Add(time.Hour)
	mission := &timeline.Mission{Mission: api.Mission{
		UUID:       "m-1",
		Status:     api.MissionFlightScheduled,
		CreatedAt:  api.TimeOf(now.AddDate(0, 0, -1)),
		FlightDate: api.TimeOf(flight),
	}}
	facts := &timeline.SubjectFacts{
		Subject:  timeline.StorySubject{Order: "ORD-1", Mission: "m-1"},
		Order:    &api.Order{OrderCode: "ORD-1"},
		Missions: []*timeline.Mission{mission},
	}
	var built builtTimeline
	mask := func(s string) string { return s }
	built.build(facts, now, mask)
	if built.isOutdated(now.Add(59 * time.Minute)) {
		t.Error("outdated before the flight")
	}
	if !built.isOutdated(flight) {
		t.Error("not outdated at the time of the flight")
	}
	built.build(facts, flight, mask)
	if built.isOutdated(flight.AddDate(1, 0, 0)) {
		t.Error("outdated although nothing is planned any more")
	}
}
