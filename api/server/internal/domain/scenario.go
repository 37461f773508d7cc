package domain

import (
	"context"
	"errors"

	"flightdesk/api/server/internal/store"
)

// scenarioSetting keeps how far a scenario is.
const scenarioSetting = "scenario"

// Scenario returns the stored progress of a scenario, "" for none.
func (d Upkeep) Scenario(ctx context.Context) (string, error) {
	text, err := d.Store.Setting(ctx, scenarioSetting)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return text, wrapStoreError(err, "read the scenario")
}

// KeepScenario keeps how far a scenario is.
func (d Upkeep) KeepScenario(ctx context.Context, state string) error {
	err := d.Store.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(scenarioSetting, state) })
	return wrapStoreError(err, "keep the scenario")
}
