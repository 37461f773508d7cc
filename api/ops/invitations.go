package ops

import (
	"context"
	"iter"
	"regexp"

	"flightdesk/api"
)

// userName is the form of a user's name: it is a folder's name on every system.
var userName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?$`)

// IsUserName reports whether a user can log in over SSH with a name.
func IsUserName(name string) bool { return userName.MatchString(name) }

// MaxInvited is how many users can be invited with one request.
const MaxInvited = 100

// Invitation lets a user log in to the app over SSH with a code.
type Invitation struct {
	UUID        string           `json:"uuid"`
	User        string           `json:"user"`
	Code        string           `json:"code"` // such as K7QWD-3MZPA; "" once withdrawn
	CreatedAt   api.Time         `json:"createdAt"`
	WithdrawnAt api.Time         `json:"withdrawnAt"` // zero: not withdrawn
	Extra       api.ExtraMembers `json:",embed"`
}

// Invitations are the invitations of the users that a request named.
type Invitations struct {
	Invitations []Invitation     `json:"invitations"`
	Extra       api.ExtraMembers `json:",embed"`
}

// InvitationInput names the users to invite.
type InvitationInput struct {
	Users []string `json:"users" check:"required"`
}

// InvitationsService has the invitations to the app over SSH.
type InvitationsService serviceBase

// List returns one page of all invitations, newest first.
func (s *InvitationsService) List(ctx context.Context, opts api.ListOptions) (*api.Page[Invitation], error) {
	return api.CallPage[Invitation](ctx, s.c, api.NewOperation("list invitations", "GET invitations"), opts)
}

// All yields all invitations, newest first, page by page. It stops after the first error,
// which it yields.
func (s *InvitationsService) All(ctx context.Context) iter.Seq2[*Invitation, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.List)
}

// Invite returns an invitation for each user. Users who are invited already keep theirs.
func (s *InvitationsService) Invite(ctx context.Context, users ...string) ([]Invitation, error) {
	op := api.NewOperation("invite", "POST invitations").Repeatable()
	made, err := api.CallOne[Invitations](ctx, s.c, op, InvitationInput{Users: users})
	if err != nil {
		return nil, err
	}
	return made.Invitations, nil
}

// Withdraw withdraws an invitation: its code opens nothing from now on, and sessions that
// it has opened end. Doing it again changes nothing.
func (s *InvitationsService) Withdraw(ctx context.Context, uuid string) (*Invitation, error) {
	op := api.NewOperation("withdraw invitation", "POST invitations/{}/withdraw", uuid).Repeatable()
	return api.CallOne[Invitation](ctx, s.c, op, nil)
}
