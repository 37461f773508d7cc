package store

import (
	"context"
	"slices"
)

// JointWrite is a write that can be combined for several callers, so that it needs fewer
// statements. Run executes it for the items of all callers that wait at the same time. If Run
// fails for several items, its changes are rolled back, and it is called again for each item
// alone.
type JointWrite struct {
	Run func(tx *Tx, items []any) error
}

// WriteJoint runs a joint write for an item, combined with the items of other callers
// that wait at the same time. It returns when the write is on disk.
func (s *Store) WriteJoint(ctx context.Context, joint *JointWrite, item any) error {
	return s.runJob(ctx, writeJob{
		run:   func(tx *Tx) error { return joint.Run(tx, []any{item}) },
		done:  make(chan error, 1),
		joint: joint,
		item:  item,
	})
}

// sortJointFirst moves the joint writes to the front of a group, so that they can be combined.
// Jobs that wait at the same time have no guaranteed order.
func sortJointFirst(group []writeJob) {
	rank := func(j writeJob) int {
		if j.joint != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(group, func(a, b writeJob) int { return rank(a) - rank(b) })
}

// jointLength returns how many jobs at the front of a group belong to the same joint
// write. It returns at least 1.
func jointLength(group []writeJob) int {
	n := 1
	for n < len(group) && group[0].joint != nil && group[n].joint == group[0].joint {
		n++
	}
	return n
}

// runJoint returns a job that calls Run once for the items of all jobs in the group. The jobs
// must belong to the same joint write.
func runJoint(group []writeJob) func(*Tx) error {
	items := make([]any, len(group))
	for i, j := range group {
		items[i] = j.item
	}
	return func(tx *Tx) error { return group[0].joint.Run(tx, items) }
}
