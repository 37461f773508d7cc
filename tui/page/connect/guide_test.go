package connect_test

import (
	"testing"

	"flightdesk/config"
	"flightdesk/tui/app/session"
	"flightdesk/tui/page/connect"
)

func TestAnAccountIsDescribedByItsEnvironmentAndHost(t *testing.T) {
	for want, profile := range map[string]config.Profile{
		"Test · desk.example": {Band: "test", BaseURL: "https://desk.example/api/v1", OpsURL: "https://ops.example"},
		"Live · ops.example":  {Band: "live", OpsURL: "https://ops.example/ops"},
		"desk.example":        {BaseURL: "https://desk.example/api/v1"}, // without an environment
	} {
		if got := connect.DescribeAccount(&session.TypedAccount{Profile: profile}); got != want {
			t.Errorf("%+v is %q, want %q", profile, got, want)
		}
	}
}
