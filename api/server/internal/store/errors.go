package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// mapError gives the errors that callers tell apart their names.
func mapError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	case errors.Is(err, sql.ErrConnDone), err.Error() == "sql: database is closed", err.Error() == "sql: statement is closed":
		return ErrClosed // database/sql has no values for the last two
	}
	name := nameSQLite(err)
	if name == nil {
		name = namePostgres(err)
	}
	if name == nil && errors.Is(err, context.DeadlineExceeded) {
		name = ErrBusy
	}
	if name == nil || errors.Is(err, name) {
		return err
	}
	return fmt.Errorf("%w: %w", name, err)
}
