package timeline

import (
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/tui/app/columns"
)

// An endpoint is only shown as good if callbacks arrive there.
func TestAnEndpointWithFailedAttemptsIsNotShownAsGood(t *testing.T) {
	pending := func(attempts int) api.WebhookDelivery {
		return api.WebhookDelivery{Error: new(api.CallbackPending), Attempts: &attempts}
	}
	delivered := api.WebhookDelivery{Success: true}
	for name, tt := range map[string]struct {
		log         []api.WebhookDelivery
		glyph, says string
	}{
		"delivered":             {[]api.WebhookDelivery{delivered}, "✓", "1 delivered"},
		"not attempted yet":     {[]api.WebhookDelivery{pending(0)}, "◌", "1 sending"},
		"refused twice":         {[]api.WebhookDelivery{pending(2)}, "!", "1 sending, 1 after failed attempts"},
		"refused after success": {[]api.WebhookDelivery{delivered, pending(1)}, "!", "1 delivered, 1 sending, 1 after failed attempts"},
	} {
		f := &SubjectFacts{Endpoints: []*Endpoint{{Log: tt.log}}}
		line := f.endpointsPart(nil, nil, "", "nothing sent", time.Now()).Lines[0]
		if line.Glyph != tt.glyph || line.Right != tt.says {
			t.Errorf("%s: %s %s", name, line.Glyph, line.Right)
		}
	}
}

// The last callback of another order does not make the state of the endpoint for this order.
func TestTheLastCallbackIsOfTheSubject(t *testing.T) {
	failed := "failed"
	code := 503
	log := []api.WebhookDelivery{
		{MissionUID: "other", ResponseCode: &code},
		{MissionUID: "m-1", Success: true},
		{MissionUID: "m-1", ResponseCode: &code},
	}
	endpoint := api.WebhookEndpoint{LastStatus: &failed}
	f := &SubjectFacts{Endpoints: []*Endpoint{{WebhookEndpoint: endpoint, Log: log}}}
	isAbout := func(d *api.WebhookDelivery) bool { return d.MissionUID == "m-1" }
	for want, isIncluded := range map[string]func(*api.WebhookDelivery) bool{
		"1 of 2 failed":                  isAbout,
		"2 of 3 failed, last one failed": nil,
	} {
		line := f.endpointsPart(isIncluded, nil, "", "none", time.Now()).Lines[0]
		if line.Right != want {
			t.Errorf("%q, not %q", line.Right, want)
		}
	}
}

func TestEndpointsWithOneKindOfProblemHaveAShortText(t *testing.T) {
	for want, counts := range map[string]map[string]int{
		"1 of 4 missing":                   {columns.CallbackDelivered: 3, columns.CallbackMissing: 1},
		"1 missing":                        {columns.CallbackMissing: 1},
		"1 failed":                         {columns.CallbackFailed: 1},
		"2 of 2 failed":                    {columns.CallbackFailed: 2},
		"3 delivered":                      {columns.CallbackDelivered: 3},
		"1 delivered, 1 failed, 1 missing": {columns.CallbackDelivered: 1, columns.CallbackFailed: 1, columns.CallbackMissing: 1},
		"1 delivered, 1 sending, 1 failed": {columns.CallbackDelivered: 1, columns.CallbackSending: 1, columns.CallbackFailed: 1},
	} {
		if got := describeCounts(counts); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestAnEndpointWithMissingCallbacksHasTheMarkOfAMissingCallback(t *testing.T) {
	missing := map[string]int{columns.CallbackDelivered: 3, columns.CallbackMissing: 1}
	if glyph, _ := new(Endpoint).look(missing); glyph != "!" {
		t.Errorf("the mark is %q", glyph)
	}
	missing[columns.CallbackFailed] = 1
	missing[lastFailed] = 1
	if glyph, _ := new(Endpoint).look(missing); glyph != "✗" {
		t.Errorf("the mark of an endpoint whose last callback failed is %q", glyph)
	}
}
