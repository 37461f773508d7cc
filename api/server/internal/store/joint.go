package store

import (
	"context"
	"slices"
)

// JointWrite is a write that several callers can share: Run does it for the items of all
// callers that wait, with fewer statements than one write after the other. Run may be called
// more than once for an item. If it returns an error for several items, nothing of that call
// is kept, and it is called again for each of them alone.
type JointWrite struct {
	Run func(tx *Tx, items []any) error
}

// WriteJoint runs a joint write for one item, together with those of other callers that
// wait, and returns once it is on disk.
func (s *Store) WriteJoint(ctx context.Context, joint *JointWrite, item any) error {
	return s.runJob(ctx, writeJob{
		run:   func(tx *Tx) error { return joint.Run(tx, []any{item}) },
		done:  make(chan error, 1),
		joint: joint,
		item:  item,
	})
}

// sortJointFirst moves joint writes to the front of a group, so that they are neighbours.
// Writes that wait at the same time have no order that a caller could rely on.
func sortJointFirst(group []writeJob) {
	rank := func(j writeJob) int {
		if j.joint != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(group, func(a, b writeJob) int { return rank(a) - rank(b) })
}

// jointLength returns how many jobs at the front of a group belong to one joint write, at
// least 1.
func jointLength(group []writeJob) int {
	n := 1
	for n < len(group) && group[0].joint != nil && group[n].joint == group[0].joint {
		n++
	}
	return n
}

// runJoint returns a job that does the joint write of a group for all its items.
func runJoint(group []writeJob) func(*Tx) error {
	items := make([]any, len(group))
	for i, j := range group {
		items[i] = j.item
	}
	return func(tx *Tx) error { return group[0].joint.Run(tx, items) }
}
