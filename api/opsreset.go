package api

import "context"

// ResetResult is what there is again after a reset.
type ResetResult struct {
	Orders int          `json:"orders"` // in the seeded world
	Extra  ExtraMembers `json:",embed"`
}

// Reset goes back to the world that the service was first filled with. Accounts
// and keys stay.
func (s *OpsWorldService) Reset(ctx context.Context) (*ResetResult, error) {
	return opsCall[ResetResult](ctx, s.c, newOperation("reset", "POST reset"), map[string]bool{"confirm": true})
}
