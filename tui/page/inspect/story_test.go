package inspect

import (
	"strings"
	"testing"
	"time"

	"flightdesk/tui/app/timeline"
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
