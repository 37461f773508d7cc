package serve

import (
	"fmt"

	"github.com/spf13/pflag"

	"flightdesk/api"
	"flightdesk/api/server"
	"flightdesk/api/server/demodata"
)

// DemoWorld is what a demo's world is like.
type DemoWorld struct {
	fileSize fileSize // of generated files
	Simulate float64  // the simulator's speed, 0 for off
	Orders   int      // further ones of the first account
}

// Flags adds the flags, with the simulator's usual speed.
func (w *DemoWorld) Flags(flags *pflag.FlagSet, speed float64) {
	flags.IntVar(&w.Orders, "demo-orders", 0, "number of additional orders in the first account")
	flags.Var(&w.fileSize, "demo-file-size",
		"approximate size of generated delivery files, such as 20MB; small if omitted")
	flags.Float64Var(&w.Simulate, "simulate", speed,
		"simulator speed; 3600 runs an hour per second, 0 is off")
}

// Check is an error where a flag is out of its range.
func (w *DemoWorld) Check() error {
	if w.Orders < 0 || w.Orders > demodata.MaxOrders {
		return fmt.Errorf("--demo-orders must be from 0 to %d", demodata.MaxOrders)
	}
	if w.Simulate != 0 && !(w.Simulate >= api.MinSpeed && w.Simulate <= api.MaxSpeed) {
		return fmt.Errorf("--simulate must be from %v to %v, or 0 for off", api.MinSpeed, float64(api.MaxSpeed))
	}
	return nil
}

// Apply gives a server the world.
func (w *DemoWorld) Apply(s *server.Server) {
	s.SampleFileSize, s.Simulate, s.DemoOrders = int64(w.fileSize), w.Simulate, w.Orders
}
