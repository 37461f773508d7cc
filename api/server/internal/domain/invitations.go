package domain

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"flightdesk/api/server/internal/store"
)

// Invite returns a valid invitation for each user. It creates one for each user who has none.
func (d Invitations) Invite(ctx context.Context, users []string) (all []store.Invitation, err error) {
	now := d.Now().UTC().Truncate(time.Millisecond)
	err = d.Store.Write(ctx, func(tx *store.Tx) error {
		all = nil
		for _, user := range users {
			i, err := inviteUser(tx, user, now)
			if err != nil {
				return err
			}
			all = append(all, i)
		}
		return nil
	})
	return all, wrapStoreError(err, "invite")
}

// inviteUser returns the valid invitation of a user, or adds one.
func inviteUser(tx *store.Tx, user string, now time.Time) (store.Invitation, error) {
	i, err := tx.InvitationOf(user)
	if !errors.Is(err, store.ErrNotFound) {
		return i, err
	}
	i = store.Invitation{UUID: newUUID(now), User: user, Created: now}
	return i, store.Insert(tx, &i)
}

// Withdraw withdraws an invitation. Withdrawing it again changes nothing.
func (d Invitations) Withdraw(ctx context.Context, uuid string) (store.Invitation, error) {
	var i store.Invitation
	err := d.Store.Write(ctx, func(tx *store.Tx) error {
		var err error
		i, err = store.ByUUID[store.Invitation](ctx, tx, uuid)
		if err != nil {
			return refuseMissing(err, "invitation not found")
		}
		if !i.Withdrawn.IsZero() {
			return nil
		}
		i.Withdrawn = laterOf(d.Now(), i.Created)
		return store.Update(tx, &i)
	})
	return i, wrapStoreError(err, "withdraw invitation")
}

// CodeOf returns the code of an invitation, such as K7QWD-3MZPA, or "" if it is
// withdrawn.
func (d Invitations) CodeOf(i store.Invitation) string {
	if !i.Withdrawn.IsZero() {
		return ""
	}
	mac := hmac.New(sha256.New, d.InvitationSecret)
	_, _ = mac.Write([]byte(i.UUID)) // never fails
	text := base32.StdEncoding.EncodeToString(mac.Sum(nil))
	return text[:5] + "-" + text[5:10]
}

// IsCode reports whether code is the code of the user's invitation. Case, spaces and
// hyphens do not matter.
func (d Invitations) IsCode(ctx context.Context, user, code string) (bool, error) {
	i, err := d.Store.InvitationOf(ctx, user)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, wrapStoreError(err, "look up invitation")
	}
	plain := strings.NewReplacer("-", "", " ", "").Replace
	typed := plain(strings.ToUpper(code))
	want := plain(d.CodeOf(i))
	return subtle.ConstantTimeCompare([]byte(typed), []byte(want)) == 1, nil
}
