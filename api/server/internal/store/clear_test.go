package store_test

import (
	"slices"
	"strings"
	"testing"

	"flightdesk/api/server/internal/store"
)

func TestAResetKnowsEveryTable(t *testing.T) {
	all, known := store.Tables(t, open(t, t.TempDir()))
	slices.Sort(all)
	slices.Sort(known)
	if !slices.Equal(all, known) {
		t.Errorf("the database has the tables %s; clear.go says of %s what becomes of them", strings.Join(all, " "), strings.Join(known, " "))
	}
}
