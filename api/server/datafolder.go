package server

import (
	"context"

	"flightdesk/api/server/internal/store"
)

// Database is a PostgreSQL database that processes share.
type Database = store.SharedDatabase

// CheckFolder looks at everything that a data folder keeps, and returns what is
// wrong with it in lines.
func CheckFolder(ctx context.Context, dir string) (faults []string, err error) {
	return store.CheckFolder(ctx, dir)
}

// BackupFolder copies a data folder to a new one, also while it is served.
func BackupFolder(ctx context.Context, dir, to string) error { return store.BackupFolder(ctx, dir, to) }

// RestoreFolder makes a data folder of a backup that is whole.
func RestoreFolder(ctx context.Context, backup, dir string) error {
	return store.RestoreFolder(ctx, backup, dir)
}
