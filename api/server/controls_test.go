package server_test

import (
	"context"
	"strings"
	"testing"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/api/server/internal/store"
)

func TestSimulatorAndFaultsNeedAnOption(t *testing.T) {
	for name, c := range map[string]struct {
		service *server.Server
		exist   bool
	}{
		"a service with data":       {&server.Server{Dir: t.TempDir()}, false},
		"a demo":                    {&server.Server{Dir: t.TempDir(), Demo: true}, true},
		"a service in memory":       {&server.Server{}, true},
		"a service with simulation": {&server.Server{Dir: t.TempDir(), Simulate: 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBenchOn(t, c.service)
			for _, change := range [][3]string{
				{"POST", "/simulator", `{"paused":true}`},
				{"POST", "/simulator", `{"step":true}`},
				{"POST", "/simulator", `{"speed":60}`},
				{"PUT", "/faults", `{"status":503,"path":"/none"}`},
				{"PUT", "/faults", `{}`},
			} {
				r := b.ops(change[0], change[1], change[2])
				if c.exist && r.status != 200 {
					t.Errorf("%v: %d %s", change, r.status, r.raw)
				}
				if !c.exist {
					wantFault(t, change[1], r, 409, api.CodeConflict)
				}
			}
			simulator := into[ops.SimulatorState](t, b.ops("GET", "/simulator", nil))
			faults := into[ops.Faults](t, b.ops("GET", "/faults", nil))
			if (simulator.Unavailable == "") != c.exist || (faults.Unavailable == "") != c.exist {
				t.Errorf("%+v, %+v", simulator, faults)
			}
			if !c.exist && (!strings.Contains(faults.Unavailable, "--simulate") || !simulator.Paused || simulator.Speed != 0) {
				t.Errorf("%+v, %+v", simulator, faults)
			}
		})
	}
}

// A test control would reach only one of the processes that share a database.
func TestSharedDatabaseHasNoTestControls(t *testing.T) {
	world, play := server.ControlRefusals(&server.Server{
		Demo: true, Simulate: 1, Database: store.SharedDatabase{URL: "postgres://127.0.0.1/none"},
	})
	if world == "" || !strings.Contains(play, "several processes") {
		t.Errorf("%q, %q", world, play)
	}
	s := &server.Server{Simulate: 1, Database: store.SharedDatabase{URL: "postgres://127.0.0.1/none"}}
	err := s.Start(context.Background())
	if err == nil || !strings.Contains(err.Error(), "simulator") {
		t.Errorf("starting with the simulator: %v", err)
	}
}
