package api

import (
	"context"
)

// MaxFaultLatency is how much later answers may be made to come, in seconds.
const MaxFaultLatency = 30

// CallbackFault is what goes wrong on purpose with callbacks.
type CallbackFault string

// The faults of callbacks.
const (
	CallbackDrop      CallbackFault = "drop"      // it never leaves; its attempts fail
	CallbackDelay     CallbackFault = "delay"     // it leaves later, by the latency
	CallbackDuplicate CallbackFault = "duplicate" // it arrives twice
	CallbackReorder   CallbackFault = "reorder"   // later ones overtake it
)

// CallbackFaults lists the faults of callbacks.
func CallbackFaults() []CallbackFault {
	return []CallbackFault{CallbackDrop, CallbackDelay, CallbackDuplicate, CallbackReorder}
}

// Faults are injected on purpose: with requests to the two interfaces, or
// where Callbacks names a fault, with callbacks. The zero value is that nothing
// does.
type Faults struct {
	Latency   Duration      `json:"latency"`            // answers come so much later, up to MaxFaultLatency
	Status    int           `json:"status"`             // 400 to 599; 0: only Latency is added
	Rate      float64       `json:"rate"`               // share of the requests, 0 to 1
	Path      string        `json:"path"`               // how their paths begin, whole or below the interface's base; "": all
	Injected  int           `json:"injected"`           // requests or callbacks concerned since this was set
	Callbacks CallbackFault `json:"callbacks,omitzero"` // "": requests go wrong
	Extra     ExtraMembers  `json:",embed"`
}

// FaultsInput is what is to go wrong; the zero value ends it.
type FaultsInput struct {
	Latency   Duration      `json:"latency,omitzero" check:"latency"`
	Status    int           `json:"status,omitzero" check:"status"`
	Rate      *float64      `json:"rate,omitzero" check:"share"` // nil: all of them
	Path      string        `json:"path,omitzero" check:"path"`
	Callbacks CallbackFault `json:"callbacks,omitzero" check:"optional"` // instead of requests
}

// Faults returns the faults that are injected.
func (s *OpsWorldService) Faults(ctx context.Context) (*Faults, error) {
	return opsCall[Faults](ctx, s.c, newOperation("read faults", "GET faults"), nil)
}

// SetFaults makes requests fail as described, replacing earlier faults.
func (s *OpsWorldService) SetFaults(ctx context.Context, in FaultsInput) (*Faults, error) {
	return opsCall[Faults](ctx, s.c, newOperation("set faults", "PUT faults"), in)
}
