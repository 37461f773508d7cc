package operations

import (
	"context"

	"flightdesk/tui/app/columns"
	"flightdesk/tui/cli/run"
)

func opsSnapshots() opsVerb {
	return opsVerb{
		use: "snapshots", short: "List snapshots, newest first", rows: true,
		long:    "Lists the snapshots of a service with --memory or --demo, and when they were taken.",
		example: "# the snapshots\nflightdesk ops snapshots",
		do: func(ctx context.Context, r *opsRun) error {
			all, err := r.Ops.World.Snapshots(ctx)
			if err != nil {
				return err
			}
			s := run.NewSheet("snapshot", "snapshots", columns.Snapshots(), r.Now, "")
			return printRows(r, s, run.ListRows(all))
		},
	}
}
