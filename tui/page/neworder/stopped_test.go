package neworder

import (
	"context"
	"strings"
	"testing"

	"flightdesk/api"
)

func TestARejectedOrderIsNotReportedAsNotSent(t *testing.T) {
	refused := &api.Error{Op: "create order", Status: 400, Message: "no flights in this country"}
	for _, tt := range []struct {
		isSent bool
		err    error
		want   string
	}{
		{true, refused, "week sent, not confirmed"},
		{false, refused, "week not placed: "},
		{false, context.Canceled, "week was not sent"},
	} {
		if got := stoppedToast("week", tt.isSent, tt.err).Text; !strings.Contains(got, tt.want) {
			t.Errorf("%v, %v: %q", tt.isSent, tt.err, got)
		}
	}
}
