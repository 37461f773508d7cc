package api

import "context"

// WorldSnapshot is a kept state of the whole world of a service: accounts, keys and
// clock included.
type WorldSnapshot struct {
	Name    string       `json:"name"`
	TakenAt Time         `json:"takenAt"` // by the machine's clock
	Bytes   int64        `json:"bytes"`
	Extra   ExtraMembers `json:",embed"`
}

// Snapshots returns the snapshots, newest first.
func (s *OpsWorldService) Snapshots(ctx context.Context) ([]WorldSnapshot, error) {
	page, err := getPage[WorldSnapshot](ctx, s.c, newOperation("list snapshots", "GET snapshots"), ListOptions{})
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// TakeSnapshot keeps the world under a name of letters, digits, - and _, in place
// of an earlier snapshot of that name.
func (s *OpsWorldService) TakeSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := newOperation("take a snapshot", "POST snapshots")
	return opsCall[WorldSnapshot](ctx, s.c, op, map[string]string{"name": name})
}

// RestoreSnapshot restores the world of a snapshot.
func (s *OpsWorldService) RestoreSnapshot(ctx context.Context, name string) (*WorldSnapshot, error) {
	op := newOperation("restore a snapshot", "POST snapshots/{}/restore", name)
	return opsCall[WorldSnapshot](ctx, s.c, op, nil)
}
