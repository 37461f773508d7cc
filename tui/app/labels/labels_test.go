package labels_test

import (
	"fmt"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/labels"
)

// Every value that a form offers or a list may show has words of its own.
func TestEveryKnownValueHasWords(t *testing.T) {
	check := func(value string, w labels.Word) {
		if w.Description == "" {
			t.Errorf("%s is not in words", value)
		}
	}
	for _, v := range api.OrderTypes() {
		check(string(v), labels.OrderType(v))
	}
	for _, v := range api.MissionTypes() {
		check(string(v), labels.MissionType(v))
	}
	for _, v := range api.Sensors() {
		check(string(v), labels.Sensor(v))
	}
	for _, v := range api.Deliverables() {
		check(string(v), labels.Deliverable(v))
	}
	for _, v := range api.MissionObjectives() {
		check(string(v), labels.Objective(v))
	}
	for _, v := range api.IndustryAssetTypes() {
		check(string(v), labels.AssetType(v))
	}
}

func TestEveryKnownStatusHasAGlyphOfItsOwn(t *testing.T) {
	seen := map[string]api.OrderStatus{}
	for _, v := range api.OrderStatuses() {
		s := labels.OrderStatus(v)
		if s.Glyph == "?" || s.Word != string(v) {
			t.Errorf("%s is shown as %+v", v, s)
		}
		if other, taken := seen[s.Glyph]; taken {
			t.Errorf("%s and %s share %s", v, other, s.Glyph)
		}
		seen[s.Glyph] = v
	}
	for _, v := range api.MissionStatuses() {
		if s := labels.MissionStatus(v); s.Glyph == "?" {
			t.Errorf("%s has no glyph", v)
		}
	}
}

func TestUnknownValuesAreShownAsSent(t *testing.T) {
	if s := labels.OrderStatus("inReview"); s.Glyph != "?" || s.Word != "inReview" {
		t.Errorf("%+v", s)
	}
	if w := labels.Sensor("sonar"); w.Label != "sonar" {
		t.Errorf("%+v", w)
	}
	if w := labels.AssetType(""); w.Label != "–" {
		t.Errorf("%+v", w)
	}
}

// The library knows no profiles; what to do about its error is said here.
func TestAMissingSecondGenerationIsExplainedByTheProfile(t *testing.T) {
	what, advice := labels.Explain(fmt.Errorf("read order record: %w", api.ErrNoLegacy))
	if !strings.Contains(what, "second generation") || !strings.Contains(advice, "legacy_base_url") {
		t.Errorf("%q, %q", what, advice)
	}
}
