package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
)

func TestAnUnknownOutcomeIsReported(t *testing.T) {
	lost, refused := &api.TransportError{Op: "issue key", Host: "one.example", Err: context.DeadlineExceeded, Sent: true}, &api.Error{Op: "issue key", Status: 409}
	for _, tt := range []struct {
		name   string
		looks  bool
		err    error
		unsure bool
	}{
		{"done", false, nil, false},
		{"the answer is lost", false, lost, true},
		{"of a command that only looks", true, lost, false},
		{"refused", false, refused, false},
		{"interrupted before it was sent", false, fmt.Errorf("issue key: %w", context.Canceled), false},
		{"looking, interrupted", true, fmt.Errorf("list keys: %w", context.Canceled), false},
	} {
		v := opsCommand{}
		v.spec.Looks = tt.looks
		err := v.explainError(tt.err)
		if said := err != nil && strings.HasSuffix(err.Error(), "; the change may have been applied; check before retrying"); said != tt.unsure {
			t.Errorf("%s: %v", tt.name, err)
		}
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v hides what happened", tt.name, err)
		}
	}
}

func TestPointsAreLatitudeAndLongitude(t *testing.T) {
	var f datasetFlags
	if err := f.addPoint(" 53.54, 9.97"); err != nil || f.in.LocationMap[0] != (api.Point{Lat: 53.54, Lng: 9.97}) {
		t.Errorf("%+v, %v", f.in.LocationMap, err)
	}
	for _, typed := range []string{"", "53.54", "53.54;9.97", "91,0", "-91,0", "0,181", "NaN,0", "0,Inf", "a,b", "1,2,3"} {
		if err := f.addPoint(typed); err == nil {
			t.Errorf("%q is %+v", typed, f.in.LocationMap)
		}
	}
}

func TestAnOperationWithoutAConfirmationEndsAsUnconfirmed(t *testing.T) {
	for err, unconfirmed := range map[error]bool{
		&api.Error{Op: "accept delivery", Status: 200, Message: "unexpected response format", Foreign: true}: true,
		&api.TransportError{Op: "accept delivery", Host: "h", Err: io.EOF, Sent: true}:                       true,
		&api.Error{Op: "accept delivery", Status: 409, Message: "no delivered data"}:                         false,
	} {
		v := &opsCommand{spec: commands.AcceptDelivery()}
		if got := v.explainError(err); errors.As(got, new(*changes.UnconfirmedError)) != unconfirmed {
			t.Errorf("%v is told as %v", err, got)
		}
	}
}
