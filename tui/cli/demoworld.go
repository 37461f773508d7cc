package cli

import (
	"fmt"

	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/demodata"
)

// demoWorld is what a demo's world is like.
type demoWorld struct {
	fileSize fileSize // of generated files
	simulate float64  // the simulator's speed, 0 for off
	orders   int      // further ones of the first account
}

// flags adds the flags, with the simulator's usual speed.
func (w *demoWorld) flags(flags *pflag.FlagSet, speed float64) {
	flags.IntVar(&w.orders, "demo-orders", 0, "so many further orders in the demo's first account, for large lists")
	flags.Var(&w.fileSize, "demo-file-size",
		"about how much each kind of generated delivery files takes, like 20MB; small ones if absent")
	flags.Float64Var(&w.simulate, "simulate", speed,
		"have the service's moves made, so many times faster than life; at 3600 an hour takes a second; 0 is off")
}

func (w *demoWorld) check() error {
	if w.orders < 0 || w.orders > demodata.MaxOrders {
		return fmt.Errorf("--demo-orders is a number from 0 to %d", demodata.MaxOrders)
	}
	if w.simulate != 0 && !(w.simulate >= api.MinSpeed && w.simulate <= api.MaxSpeed) {
		return fmt.Errorf("--simulate is from %v to %v times faster than life, 0 for off", api.MinSpeed, float64(api.MaxSpeed))
	}
	return nil
}

// of gives a server the world.
func (w *demoWorld) of(s *server.Server) {
	s.SampleFileSize, s.Simulate, s.DemoOrders = int64(w.fileSize), w.simulate, w.orders
}
