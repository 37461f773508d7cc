package store

import (
	"context"
	"time"
)

// Invitation allows a user to log in to the app over SSH. Its code is derived from its
// UUID.
type Invitation struct {
	ID        int64     `column:"id"`
	UUID      string    `column:"uuid"`
	User      string    `column:"user_name"`
	Created   time.Time `column:"created"`
	Withdrawn time.Time `column:"withdrawn"` // zero if it is valid
}

var invitationTable = newRecordTable[*Invitation]("invitations").listed(`WHERE id > $1`, "id", descending)

const ofInvitedUser = `WHERE user_name = $1 AND withdrawn IS NULL`

// InvitationOf returns the valid invitation of a user, or ErrNotFound.
func (r *storeReader) InvitationOf(ctx context.Context, user string) (Invitation, error) {
	return findRow(ctx, r, invitationTable, ofInvitedUser, user)
}

// InvitationOf returns the valid invitation of a user, or ErrNotFound.
func (tx *Tx) InvitationOf(user string) (Invitation, error) {
	return findRow(tx.ctx, tx, invitationTable, ofInvitedUser, user)
}
