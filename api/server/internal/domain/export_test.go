package domain

import (
	"context"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

// Announce announces an event and then ends the move with the error.
func (d *Service) Announce(
	ctx context.Context, event api.EventName, order store.Order, mission store.Mission, outcome error,
) error {
	return d.runMove(ctx, func(m *domainMove) error {
		if err := m.announceEvent(event, order, mission); err != nil {
			return err
		}
		return outcome
	})
}
