package ops

import (
	"context"
	"iter"
	"regexp"

	"flightdesk/api"
)

// userName matches the names of users, which are valid folder names on every system.
var userName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$`)

// maxUserName is the maximum length of the name of a user.
const maxUserName = 32

// IsUserName reports whether a name is valid for logging in over SSH.
func IsUserName(name string) bool { return len(name) <= maxUserName && userName.MatchString(name) }

// MaxInvited is the maximum number of users in one request.
const MaxInvited = 100

// Invitation is a code with which a user can log in to the app over SSH.
type Invitation struct {
	UUID        string           `json:"uuid"`
	User        string           `json:"user"`
	Code        string           `json:"code"` // such as K7QWD-3MZPA; empty after withdrawal
	CreatedAt   api.Time         `json:"createdAt"`
	WithdrawnAt api.Time         `json:"withdrawnAt"` // zero unless withdrawn
	Extra       api.ExtraMembers `json:",embed"`
}

// Invitations are the invitations of the users in a request.
type Invitations struct {
	Invitations []Invitation     `json:"invitations"`
	Extra       api.ExtraMembers `json:",embed"`
}

// InvitationInput names the users to invite.
type InvitationInput struct {
	Users []string `json:"users" check:"required"`
}

// InvitationsService invites users to the app over SSH.
type InvitationsService serviceBase

// List returns one page of all invitations, newest first.
func (s *InvitationsService) List(ctx context.Context, opts api.ListOptions) (*api.Page[Invitation], error) {
	return api.CallPage[Invitation](ctx, s.c, api.NewOperation("list invitations", "GET invitations"), opts)
}

// All yields all invitations, newest first. It yields the first error and stops.
func (s *InvitationsService) All(ctx context.Context) iter.Seq2[*Invitation, error] {
	return api.WalkList(ctx, api.MaxPageLimit, s.List)
}

// Invite returns an invitation for each user. Users who are already invited keep their invitation.
func (s *InvitationsService) Invite(ctx context.Context, users ...string) ([]Invitation, error) {
	op := api.NewOperation("invite", "POST invitations").Repeatable()
	made, err := api.CallOne[Invitations](ctx, s.c, op, InvitationInput{Users: users})
	if err != nil {
		return nil, err
	}
	return made.Invitations, nil
}

// Withdraw withdraws an invitation. Its code no longer works, and sessions that were opened with it
// end. Repeating it changes nothing.
func (s *InvitationsService) Withdraw(ctx context.Context, uuid string) (*Invitation, error) {
	op := api.NewOperation("withdraw invitation", "POST invitations/{}/withdraw", uuid).Repeatable()
	return api.CallOne[Invitation](ctx, s.c, op, nil)
}
