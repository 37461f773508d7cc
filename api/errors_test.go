package api_test

import (
	"errors"
	"fmt"
	"testing"

	"flightdesk/api"
)

func TestWrappedPartsKeepTheTextOfTheirWrapper(t *testing.T) {
	inner := &api.PartsError{}
	inner.Add(errors.New("page 1 is lost"))
	inner.Add(errors.New("page 2 is lost"))
	all := &api.PartsError{}
	all.Add(inner)
	all.Add(fmt.Errorf("mission MSN-1: %w", inner))
	all.Add(nil)
	if len(all.Faults) != 3 {
		t.Fatalf("%d faults: %v", len(all.Faults), all.Faults)
	}
	if got, want := all.Faults[2].Error(), "mission MSN-1: page 1 is lost (and 1 more)"; got != want {
		t.Errorf("the wrapped parts are %q, want %q", got, want)
	}
}
