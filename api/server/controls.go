package server

import "flightdesk/api"

// readIf returns a handler that reads the request body and calls act with it. If refusal is not
// empty, the handler does not call act: it answers with a conflict error and refusal as the
// message.
func readIf[B any](refusal string, act func(*exchange, *B) (handlerAnswer, error)) operationHandler {
	return readFirst(func(x *exchange, in *B) (handlerAnswer, error) {
		if refusal != "" {
			return handlerAnswer{}, newFault(api.CodeConflict, refusal)
		}
		return act(x, in)
	})
}

// controlAccess decides which test controls are available. Test controls affect all
// clients, so they are available only if the service was started for testing.
type controlAccess struct {
	isShared bool // several processes serve the same data, but a test control would affect only this process
	isTrial  bool // the data is demo data, or is deleted when the service stops
	isPlayed bool // the service was started with a simulator
}

// worldRefusal returns the reason why clock and data cannot be changed, or "" if they
// can.
func (a controlAccess) worldRefusal() string {
	if a.isTrial && !a.isShared {
		return ""
	}
	return "this is possible only if the service runs with --memory or --demo"
}

// playRefusal returns the reason why simulator and faults cannot be used, or "" if they
// can.
func (a controlAccess) playRefusal() string {
	if a.isShared {
		return "the simulator and faults are off: several processes can share this service's data"
	}
	if a.isTrial || a.isPlayed {
		return ""
	}
	return "the simulator and faults are off; start the service with --demo, --memory or --simulate to use them"
}

// controlAccess returns the conditions that decide which test controls are available.
func (s *Server) controlAccess() controlAccess {
	return controlAccess{
		isShared: s.storage().isShared() && !s.tests.alone,
		isTrial:  s.Dir == "" || s.Demo,
		isPlayed: s.Simulate > 0,
	}
}
