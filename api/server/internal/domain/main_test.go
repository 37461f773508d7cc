package domain_test

import (
	"testing"

	"flightdesk/api/server/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.RunTests(m) }
