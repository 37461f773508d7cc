package domain_test

import (
	"testing"

	"flightdesk/api/server/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
