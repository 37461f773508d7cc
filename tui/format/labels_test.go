package format_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/format"
)

// Every value that a form offers or a list may show has a label that fits into
// its column.
func TestEveryValueHasALabel(t *testing.T) {
	known := map[string]string{}
	word := func(value string, w format.StatusDisplay) {
		known[value] = w.Label
		if w.Description == "" {
			t.Errorf("%s has no description", value)
		}
	}
	state := func(value string, s format.StatusLabel) {
		known[value] = s.Label
		if s.Glyph == "?" && value != string(api.QuoteUnknown) || s.Description == "" || s.Wire != value {
			t.Errorf("%s is shown as %+v", value, s)
		}
	}
	for _, v := range api.OrderTypes() {
		word(string(v), format.Word(v))
	}
	for _, v := range api.MissionTypes() {
		word(string(v), format.Word(v))
	}
	for _, v := range api.Sensors() {
		word(string(v), format.Word(v))
	}
	for _, v := range append(api.Deliverables(), api.DeliveryProducts()...) {
		word(string(v), format.Word(v))
	}
	for _, v := range api.MissionObjectives() {
		word(string(v), format.Word(v))
	}
	for _, v := range api.IndustryAssetTypes() {
		word(string(v), format.Word(v))
	}
	for _, v := range api.EventNames() {
		word(string(v), format.Word(v))
	}
	for _, v := range api.OrderStatuses() {
		state(string(v), format.Status(v))
	}
	for _, v := range api.RecordStatuses() {
		state(string(v), format.RecordLabel(v))
	}
	for _, v := range api.MissionStatuses() {
		state(string(v), format.Status(v))
	}
	for _, v := range api.SchedulingStatuses() {
		state(string(v), format.Status(v))
	}
	for _, v := range api.PermissionStatuses() {
		state(string(v), format.Status(v))
	}
	for _, v := range api.DeliveryStatuses() {
		state(string(v), format.Status(v))
	}
	for _, v := range append(api.QuoteStatuses(), api.QuoteUnknown) {
		state(string(v), format.QuoteLabel(v, false))
	}
	for _, v := range ops.KeyRequestStatuses() {
		state(string(v), format.Status(v))
	}
	for value, label := range known {
		if n := utf8.RuneCountInString(label); n == 0 || n > 18 || label == value && value != "other" {
			t.Errorf("%s has the label %q of %d characters", value, label, n)
		}
	}
}

func TestStatusOfAnOrderSaysHowItsQuotesAre(t *testing.T) {
	for quotes, want := range map[format.QuoteState]string{
		format.QuotesUnread: "In review", format.QuotesNone: "In review", format.QuotesReady: "Quotes ready", format.QuotesExpired: "Quotes expired",
	} {
		if s := format.OrderState(api.OrderBiddingWithQuote, quotes); s.Label != want || s.Wire != "biddingWithQuote" {
			t.Errorf("with quotes %q: %+v, want %s", quotes, s, want)
		}
		if s := format.OrderState(api.OrderCompleted, quotes); s.Label != "Completed" {
			t.Errorf("a completed order with quotes %q: %+v", quotes, s)
		}
	}
}

func TestEveryStatusOfAnOrderHasItsOwnGlyph(t *testing.T) {
	seen := map[string]api.OrderStatus{}
	for _, v := range api.OrderStatuses() {
		s := format.Status(v)
		if other, taken := seen[s.Glyph]; taken {
			t.Errorf("%s and %s share %s", v, other, s.Glyph)
		}
		seen[s.Glyph] = v
	}
}

func TestUnknownValuesAppearUnchanged(t *testing.T) {
	if s := format.Status(api.OrderStatus("inReview")); s.Glyph != "?" || s.Label != "inReview" || s.Wire != "inReview" {
		t.Errorf("%+v", s)
	}
	if w := format.Word(api.Sensor("sonar")); w.Label != "? sonar" {
		t.Errorf("%+v", w)
	}
	if w := format.Word(""); w.Label != "–" {
		t.Errorf("%+v", w)
	}
}

// The library knows no profiles; what to do about its error is said here.
func TestAMissingSecondGenerationIsExplainedByTheProfile(t *testing.T) {
	what, advice := format.ExplainError(fmt.Errorf("read order record: %w", api.ErrNoLegacy))
	if !strings.Contains(what, "v2 API") || !strings.Contains(advice, "legacy_base_url") {
		t.Errorf("%q, %q", what, advice)
	}
}

// What is wrong with a key or a link that the service knows is said once, with what to do.
func TestDeadKeysAndLinksAreExplained(t *testing.T) {
	for _, c := range []struct {
		err  api.Error
		want string
	}{
		{
			api.Error{
				Status:  401,
				Code:    api.CodeKeyRevoked,
				Message: "the API key ••••nZA7 was revoked on 2026-03-14; use another key",
			},
			"The API key ••••nZA7 was revoked on 2026-03-14; use another key. Replace it in the profile's credential.",
		},
		{
			api.Error{
				Status:  403,
				Code:    api.CodeLinkExpired,
				Message: "the link has expired; list the files again to get a new one",
			},
			"The link has expired; list the files again to get a new one.",
		},
		{
			api.Error{Status: 403, Code: api.CodeNotYourResource, Message: "ORD-7 is of another account"},
			"Not in this account: ORD-7 is of another account. Switch to the account's profile.",
		},
		{
			api.Error{Status: 403, Code: "maintenance", Message: "no changes until Monday"},
			"Not permitted: no changes until Monday. Use another key or profile.",
		},
		{
			api.Error{Status: 403, Foreign: true, Message: "Access denied by the proxy"},
			"Unexpected response: Access denied by the proxy (HTTP 403). Check base_url; a proxy or login page may have answered.",
		},
		{
			api.Error{Status: 401, Foreign: true, Message: "a web page answered instead of the service"},
			"Unexpected response: a web page answered instead of the service (HTTP 401). " +
				"Check base_url and the key; a proxy or login page may have answered.",
		},
	} {
		if got := format.FaultText(&c.err); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}
